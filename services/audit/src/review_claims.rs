//! Claims of waiting records, so that two reviewers do not do the same work.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use assay_domain::AuditId;

use crate::ports::Held;

/// Claimed records. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct ReviewClaims {
    held: Arc<Mutex<HashMap<AuditId, Held>>>,
    hold_ms: u64,
}

impl ReviewClaims {
    /// A claim lasts so many milliseconds.
    pub(crate) fn holding(hold_ms: u64) -> Self {
        Self { held: Arc::default(), hold_ms }
    }

    fn held(&self, now_unix_ms: u64) -> MutexGuard<'_, HashMap<AuditId, Held>> {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|_, held| held.since_unix_ms.saturating_add(self.hold_ms) > now_unix_ms);
        held
    }

    /// Who has claimed a record.
    pub(crate) fn holder(&self, id: AuditId, now_unix_ms: u64) -> Option<Held> {
        self.held(now_unix_ms).get(&id).cloned()
    }

    /// Claims a record.
    ///
    /// # Errors
    /// Somebody else who has it.
    pub(crate) fn claim(&self, id: AuditId, by: &str, now_unix_ms: u64) -> Result<(), Held> {
        let mut all = self.held(now_unix_ms);
        match all.get(&id) {
            Some(held) if held.by != by => Err(held.clone()),
            _ => {
                all.insert(id, Held { by: by.to_owned(), since_unix_ms: now_unix_ms });
                Ok(())
            }
        }
    }

    /// Releases a record.
    pub(crate) fn release(&self, id: AuditId, now_unix_ms: u64) {
        self.held(now_unix_ms).remove(&id);
    }
}
