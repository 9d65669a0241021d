//! The rows that a filter admits.

use std::sync::Arc;

/// For each row whether it is admitted.
#[derive(Debug, Clone)]
pub(super) struct Admitted(Arc<[bool]>);

impl Admitted {
    pub(super) fn of(rows: impl Iterator<Item = bool>) -> Self {
        Self(rows.collect())
    }

    pub(super) fn contains(&self, row: usize) -> bool {
        self.0.get(row).copied().unwrap_or(false)
    }
}
