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
        let mut leaves: Vec<(u64, u64)> = Vec::new();
        for index in indices.iter().copied() {
            match leaves.last_mut() {
                Some((_, last)) if *last + 1 == index => *last = index,
                _ => leaves.push((index, index)),
            }
        }
        Self { reason, before_day, leaves }
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
        let mut next = 0;
        for (first, last) in erasure.leaves.iter().copied() {
            if first < next || last < first || last >= own {
                return Err(format!("the erasure names the leaves {first} to {last} out of order"));
            }
            next = last + 1;
        }
        Ok(erasure)
    }

    /// Every erased leaf.
    pub fn indices(&self) -> impl Iterator<Item = u64> + '_ {
        self.leaves.iter().flat_map(|(first, last)| *first..=*last)
    }
}
