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
    /// Wrong answers that the checks doubted, over all wrong answers, each weighed by how many it was drawn from; none
    /// without a passed answer that was decided.
    pub catch: Option<f64>,
}

/// The rates that follow from decisions.
#[must_use]
pub fn rates(decided: &[Decided]) -> Rates {
    let mut rates = Rates::default();
    let (mut caught, mut missed) = (0_u64, 0_u64);
    for one in decided {
        if policy::verdict(&one.record) == Some(Verdict::Pass) {
            rates.passed.count(one.said);
            missed += if one.said == Said::Overturn { u64::from(one.one_in) } else { 0 };
            continue;
        }
        caught += if one.said == Said::Confirm { u64::from(one.one_in) } else { 0 };
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
    let told = rates.passed.confirmed + rates.passed.overturned;
    rates.catch = (told > 0 && caught + missed > 0).then(|| caught as f64 / (caught + missed) as f64);
    rates
}
