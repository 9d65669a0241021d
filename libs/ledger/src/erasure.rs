//! The text of an erasure leaf: which payloads were erased, and why.

use serde::{Deserialize, Serialize};

/// Milliseconds of a day bucket.
pub const DAY_MS: u64 = 86_400_000;

/// The day bucket of a moment, counted from the Unix epoch.
#[must_use]
pub fn day(unix_ms: u64) -> u64 {
    unix_ms / DAY_MS
}

/// Why payloads were erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Reason {
    /// Older than the retention time.
    Retention,
    /// Erased before erasures were leaves; recorded by the migration of the log.
    Migration,
    /// Somebody asked for it.
    Request,
}

/// Public text of an erasure leaf.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Erasure {
    /// Why.
    pub reason: Reason,
    /// Every erased record is of a day bucket before this one.
    pub before_day: u64,
    /// Erased leaves as first and last index of each run, ascending.
    pub leaves: Vec<(u64, u64)>,
}

impl Erasure {
    /// Describes the erasure of these leaves, given in ascending order.
    #[must_use]
    pub fn of(reason: Reason, before_day: u64, indices: &[u64]) -> Self {
        Self { reason, before_day, leaves: runs(indices) }
    }

    /// The JSON text, as it is hashed.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Numbers and names only: there is no way to fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads the JSON text of the leaf at `own`.
    ///
    /// # Errors
    /// What is wrong with it: no JSON of an erasure, runs out of order, or leaves that are not before `own`.
    pub fn from_json(text: &str, own: u64) -> Result<Self, String> {
        let erasure: Self =
            serde_json::from_str(text).map_err(|error| format!("the erasure cannot be read: {error}"))?;
        ordered(&erasure.leaves, own)
            .map_err(|run| format!("the erasure names the leaves {run} out of order"))?;
        Ok(erasure)
    }

    /// Every erased leaf.
    pub fn indices(&self) -> impl Iterator<Item = u64> + '_ {
        self.leaves.iter().flat_map(|(first, last)| *first..=*last)
    }
}

/// Ascending indices, as first and last of each run.
#[must_use]
pub fn runs(indices: &[u64]) -> Vec<(u64, u64)> {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for index in indices.iter().copied() {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == index => *last = index,
            _ => runs.push((index, index)),
        }
    }
    runs
}

/// Refuses runs that are not ascending or not before `own`; the error names the first one.
pub(crate) fn ordered(runs: &[(u64, u64)], own: u64) -> Result<(), String> {
    let mut next = 0;
    for (first, last) in runs.iter().copied() {
        if first < next || last < first || last >= own {
            return Err(format!("{first} to {last}"));
        }
        next = last + 1;
    }
    Ok(())
}
