//! The review queue and its rates.

use std::collections::BTreeMap;

use assay_proto::{audit, router};
use schemars::JsonSchema;
use serde::Serialize;

use crate::Stored;
use crate::record::timestamp;

/// A record that waits for a reviewer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Waiting<'a> {
    /// The record.
    #[serde(flatten)]
    pub record: Stored<'a>,
    /// It stands for so many like it.
    pub one_in: u32,
    /// Who has claimed it; null if nobody has.
    pub claimed_by: Option<&'a str>,
    /// Since when; null if nobody has.
    pub claimed: Option<String>,
}

impl<'a> Waiting<'a> {
    /// A record with what the queue says of it.
    #[must_use]
    pub fn new(record: Stored<'a>, one_in: u32, claimed_by: &'a str, claimed_unix_ms: u64) -> Self {
        let claimed_by = Some(claimed_by).filter(|name| !name.is_empty());
        Self { record, one_in, claimed_by, claimed: claimed_by.map(|_| timestamp(claimed_unix_ms)) }
    }
}

/// A page of the review queue.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Reviews<'a> {
    /// The oldest first.
    pub records: Vec<Waiting<'a>>,
    /// `page_token` of the next page; null on the last.
    pub next_page_token: Option<&'a str>,
}

/// Decisions of one kind.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReviewRate {
    /// What was decided: a policy, a check, or the first moment of a week.
    pub name: String,
    /// The checks were right.
    pub confirmed: u64,
    /// The checks were wrong.
    pub overturned: u64,
    /// The sources do not tell; in no rate.
    pub needs_source: u64,
    /// Overturned of those that could be told; null where there are none.
    pub overturned_share: Option<f64>,
    /// Its interval at 95 % (Wilson).
    pub interval: Option<[f64; 2]>,
}

impl From<&audit::ReviewRate> for ReviewRate {
    fn from(rate: &audit::ReviewRate) -> Self {
        Self {
            name: rate.name.clone(),
            confirmed: rate.confirmed,
            overturned: rate.overturned,
            needs_source: rate.needs_source,
            overturned_share: rate.overturned_share,
            interval: rate.low.zip(rate.high).map(|(low, high)| [low, high]),
        }
    }
}

/// How often reviewers overturned the checks.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReviewRates<'a> {
    /// All doubted answers; the overturned share is the rate of false rejection.
    pub doubted: ReviewRate,
    /// By policy.
    pub policies: Vec<ReviewRate>,
    /// By check that failed or flagged.
    pub checks: Vec<ReviewRate>,
    /// By week, the oldest first.
    pub weeks: Vec<ReviewRate>,
    /// Answers that passed and were drawn for review.
    pub passed: ReviewRate,
    /// Estimated share of the wrong answers that the checks doubted; null where nobody can say.
    pub catch: Option<f64>,
    /// Its interval, from the intervals (95 %) of the wrong share among doubted and among passed answers.
    pub catch_interval: Option<[f64; 2]>,
    /// Why there is no `catch`; null where there is one.
    pub no_catch: Option<&'a str>,
}

impl<'a> From<&'a audit::ReviewRatesResponse> for ReviewRates<'a> {
    fn from(rates: &'a audit::ReviewRatesResponse) -> Self {
        let each = |rates: &[audit::ReviewRate]| rates.iter().map(ReviewRate::from).collect();
        let one = |rate: &Option<audit::ReviewRate>| ReviewRate::from(&rate.clone().unwrap_or_default());
        let week = |rate: &audit::ReviewRate| ReviewRate {
            name: timestamp(rate.name.parse().unwrap_or_default()),
            ..ReviewRate::from(rate)
        };
        Self {
            doubted: one(&rates.doubted),
            policies: each(&rates.policies),
            checks: each(&rates.checks),
            weeks: rates.weeks.iter().map(week).collect(),
            passed: one(&rates.passed),
            catch: rates.catch,
            catch_interval: rates.catch_low.zip(rates.catch_high).map(|(low, high)| [low, high]),
            no_catch: Some(rates.no_catch.as_str()).filter(|why| !why.is_empty()),
        }
    }
}

/// What was erased.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Erased<'a> {
    /// Payloads in the log, of records and of notes about them; leaves stay.
    pub payloads: u64,
    /// Rows of the router: sessions, outcomes of named requests, collected messages.
    pub router: BTreeMap<&'a str, u64>,
    /// Records that the log did not have yet; they have to be erased when it has.
    pub undelivered: u64,
    /// Backups of migrations that were removed beside the log.
    pub backups: &'a [String],
    /// What nobody can recall.
    pub not_recalled: &'static str,
}

impl<'a> From<&'a router::ForgetResponse> for Erased<'a> {
    fn from(reply: &'a router::ForgetResponse) -> Self {
        Self {
            payloads: reply.payloads,
            router: reply.erased.iter().map(|(name, rows)| (name.as_str(), *rows)).collect(),
            undelivered: reply.undelivered,
            backups: &reply.backups,
            not_recalled: "exports and receipts that were given away, backups elsewhere, logs of other systems",
        }
    }
}

/// Whether a record is in the caller's hand.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Claimed {
    /// The record.
    pub audit_id: String,
    /// False after it was given back.
    pub claimed: bool,
}
