//! The history of a router's head: what was promoted, and what a rollback goes back to.

use serde::{Deserialize, Serialize};

/// What happened to the head in use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "lowercase")]
pub enum Entry {
    /// A challenger took the champion's place.
    Promote {
        /// When, in milliseconds since 1970.
        at_unix_ms: u64,
        /// Its file, beside the history.
        file: String,
        /// SHA-256 of the holdout that decided, lower-case hex.
        holdout_sha256: String,
        /// Accuracy of the champion and of the challenger on it.
        accuracy: [f64; 2],
        /// The exact McNemar test.
        p_value: f64,
        /// Whether it was promoted against the rules, by `--force`.
        forced: bool,
    },
    /// The head before took its place again.
    Rollback {
        /// When, in milliseconds since 1970.
        at_unix_ms: u64,
    },
}

/// File of the head in use after these entries; none means the head that ships.
#[must_use]
pub fn current(history: &[Entry]) -> Option<&str> {
    let mut files: Vec<&str> = Vec::new();
    for entry in history {
        match entry {
            Entry::Promote { file, .. } => files.push(file),
            Entry::Rollback { .. } => {
                files.pop();
            }
        }
    }
    files.pop()
}

/// SHA-256 of the holdout that decided last; none if nothing was promoted yet.
#[must_use]
pub fn holdout(history: &[Entry]) -> Option<&str> {
    history.iter().rev().find_map(|entry| match entry {
        Entry::Promote { holdout_sha256, .. } => Some(holdout_sha256.as_str()),
        Entry::Rollback { .. } => None,
    })
}
