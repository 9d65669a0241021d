//! Stands for sessions whose store cannot be opened: every use says why, and the answer comes without them.

use assay_domain::question::HistoryEntry;
use assay_domain::{Failure, Identity, SessionId};
use async_trait::async_trait;

use crate::ports::{Session, Sessions, Turn};

/// No sessions, for this reason.
pub(crate) struct NoSessions(pub(crate) Failure);

#[async_trait]
impl Sessions for NoSessions {
    async fn load(&self, _: &Identity, _: &SessionId, _: u64) -> Result<Session, Failure> {
        Err(self.0.clone())
    }

    async fn append(
        &self,
        _: &Identity,
        _: &SessionId,
        _: u64,
        _: HistoryEntry,
        _: Turn,
        _: u64,
    ) -> Result<bool, Failure> {
        Err(self.0.clone())
    }

    async fn sweep(&self, _: u64) -> Result<u64, Failure> {
        Ok(0)
    }
}
