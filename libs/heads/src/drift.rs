//! Whether messages of late are others than before: shares of what was counted, with the interval of their change.

use std::collections::BTreeMap;

use assay_statistics::{Z99, share_difference};
use serde::Serialize;

/// Messages of a time, counted by what is known of each, such as `layer FALLBACK`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Messages.
    pub messages: u64,
    /// Messages by name.
    pub of: BTreeMap<String, u64>,
}

impl Counts {
    /// Adds a message of which all these names hold.
    pub fn add(&mut self, names: impl IntoIterator<Item = String>) {
        self.messages += 1;
        for name in names {
            *self.of.entry(name).or_default() += 1;
        }
    }
}

/// A share before and of late.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Shift {
    /// What was counted.
    pub name: String,
    /// Its share of the earlier messages.
    pub before: f64,
    /// Its share of the late messages.
    pub late: f64,
    /// Interval of the change at 99 %.
    pub change: (f64, f64),
    /// Whether the interval leaves out zero. One of a hundred does so by chance.
    pub changed: bool,
}

/// Every share that was counted, by name; none where a time has no messages.
#[must_use]
pub fn shifts(before: &Counts, late: &Counts) -> Vec<Shift> {
    let mut names: Vec<&String> = before.of.keys().chain(late.of.keys()).collect();
    names.sort();
    names.dedup();
    let shift = |name: &String| {
        let of = |counts: &Counts| (counts.of.get(name).copied().unwrap_or(0), counts.messages);
        let (old, new) = (of(before), of(late));
        let change = share_difference(Z99, old, new)?;
        let share = |(count, all): (u64, u64)| count as f64 / all as f64;
        let changed = change.0 > 0.0 || change.1 < 0.0;
        Some(Shift { name: name.clone(), before: share(old), late: share(new), change, changed })
    };
    names.into_iter().filter_map(shift).collect()
}
