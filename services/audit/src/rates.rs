//! How often reviewers overturn the checks, from their decisions. Pure.

use std::collections::BTreeMap;

use assay_domain::report::{CheckStatus, Verdict};
use assay_ledger::Said;
use assay_statistics::wilson;

use crate::policy;
use crate::ports::Decided;

/// Milliseconds of a week.
const WEEK_MS: u64 = 7 * 86_400_000;

/// Decisions of one kind.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rate {
    /// The checks were right.
    pub confirmed: u64,
    /// The checks were wrong.
    pub overturned: u64,
    /// The sources do not tell; in no rate.
    pub needs_source: u64,
}

impl Rate {
    fn count(&mut self, said: Said) {
        match said {
            Said::Confirm => self.confirmed += 1,
            Said::Overturn => self.overturned += 1,
            Said::NeedsSource => self.needs_source += 1,
            Said::Right | Said::Wrong | Said::Read => {}
        }
    }

    /// Overturned of those that could be told; none of nothing.
    #[must_use]
    pub fn overturned_share(&self) -> Option<f64> {
        let of = self.confirmed + self.overturned;
        (of > 0).then(|| self.overturned as f64 / of as f64)
    }

    /// Its interval at 95 % (Wilson).
    #[must_use]
    pub fn interval(&self) -> Option<(f64, f64)> {
        wilson(self.overturned, self.confirmed + self.overturned)
    }
}

/// Answers of a tenant by what the checks said, decided or not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Judged {
    /// Those with another verdict than `PASS`.
    pub doubted: u64,
    /// Those with the verdict `PASS`.
    pub passed: u64,
}

/// Estimated share of the wrong answers that the checks doubted: the recall.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Catch {
    /// The estimate.
    pub share: f64,
    /// Ends of its interval, from the ends of both intervals below it (95 % each).
    pub interval: (f64, f64),
}

impl Catch {
    /// Carries the shares of wrong answers among the decided ones over to all answers.
    fn of(judged: Judged, doubted: &Rate, passed: &Rate) -> Option<Self> {
        let wrong = |right: f64, missed: f64| {
            let (caught, missed) = (right * judged.doubted as f64, missed * judged.passed as f64);
            (caught + missed > 0.0).then(|| caught / (caught + missed))
        };
        let (low, high) = doubted.interval()?;
        let (missed_low, missed_high) = passed.interval()?;
        Some(Self {
            share: wrong(1.0 - doubted.overturned_share()?, passed.overturned_share()?)?,
            interval: (wrong(1.0 - high, missed_high)?, wrong(1.0 - low, missed_low)?),
        })
    }
}

/// Rates of a tenant.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rates {
    /// All doubted answers: those with another verdict than `PASS`. The overturned share is the rate of false rejection.
    pub doubted: Rate,
    /// Doubted answers by policy.
    pub policies: BTreeMap<String, Rate>,
    /// Doubted answers by each check that failed or flagged.
    pub checks: BTreeMap<String, Rate>,
    /// Doubted answers by week: its first moment, in milliseconds since the Unix epoch.
    pub weeks: BTreeMap<u64, Rate>,
    /// Answers that passed and were drawn for review. Overturned means that the checks missed something.
    pub passed: Rate,
    /// None unless answers of both kinds were decided, and some were wrong.
    pub catch: Option<Catch>,
}

/// The rates that follow from decisions, and from how many answers there were.
#[must_use]
pub fn rates(decided: &[Decided], judged: Judged) -> Rates {
    let mut rates = Rates::default();
    for one in decided {
        if policy::verdict(&one.record) == Some(Verdict::Pass) {
            rates.passed.count(one.said);
            continue;
        }
        rates.doubted.count(one.said);
        rates.weeks.entry(one.unix_ms / WEEK_MS * WEEK_MS).or_default().count(one.said);
        let Some(validation) = &one.record.validation else { continue };
        rates.policies.entry(validation.policy.clone()).or_default().count(one.said);
        for check in &validation.checks {
            if matches!(check.status, CheckStatus::Failed | CheckStatus::Flagged) {
                rates.checks.entry(check.name.to_string()).or_default().count(one.said);
            }
        }
    }
    rates.catch = Catch::of(judged, &rates.doubted, &rates.passed);
    rates
}
