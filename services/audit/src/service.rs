//! The use case: keep records exactly once, show them to those who may see them, prove and verify the log.

use std::sync::Arc;
use std::time::Duration;

use assay_domain::identity::Role;
use assay_domain::{AuditId, Code, Failure, Identity, Record};
use assay_ledger::erasure::day;
use assay_ledger::export::{EXPORT_VERSION, Line};
use assay_ledger::{Hash, Salt};
use assay_rpc::task;
use tokio::sync::{Semaphore, mpsc};

use crate::error::AuditError;
use crate::options::Options;
use crate::ports::{
    Appended, Erased, Filter, Head, Kept, Log, Notes, Proof, Records, Remembered, Reviews, Scope, Verified,
    Writer,
};
use crate::review_claims::ReviewClaims;
use crate::reviews::Fresh;

/// Leaves read at once while exporting.
const PAGE: usize = 500;

/// The store, seen through its three ports.
#[derive(Clone)]
pub struct Store {
    /// Writes.
    pub writer: Arc<dyn Writer>,
    /// Writes what people say, erases what they ask for.
    pub notes: Arc<dyn Notes>,
    /// Reads records.
    pub records: Arc<dyn Records>,
    /// Reads the log.
    pub log: Arc<dyn Log>,
    /// Reads what people said.
    pub reviews: Arc<dyn Reviews>,
}

/// Keeps records. Cheap to clone.
#[derive(Clone)]
pub struct Audit {
    pub(crate) store: Store,
    append_budget: Duration,
    retention_days: u64,
    /// Claims of waiting records. They are no part of the log: a restart loses them.
    pub(crate) review_claims: ReviewClaims,
    /// Verifying reads the whole log; one at a time.
    verifying: Arc<Semaphore>,
}

/// A page of records.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// Newest first.
    pub records: Vec<Kept>,
    /// Where the next page begins; none if this was the last.
    pub next: Option<u64>,
}

/// Reviewers and administrators see their whole tenant, everyone else their own records.
pub(crate) fn scope(identity: &Identity) -> Scope {
    let all = identity.has(Role::Review) || identity.has(Role::Admin);
    Scope { tenant: identity.tenant.clone(), principal: (!all).then(|| identity.principal.clone()) }
}

fn needs_admin(identity: &Identity, what: &str) -> Result<(), Failure> {
    if identity.has(Role::Admin) {
        return Ok(());
    }
    Err(Failure::new(Code::PermissionDenied, format!("{what} needs the role admin")).field("roles"))
}

pub(crate) fn not_found(id: AuditId) -> Failure {
    Failure::new(Code::NotFound, format!("there is no record {id} for this caller")).field("audit_id")
}

// === impl Audit ===

impl Audit {
    /// The service over a store.
    #[must_use]
    pub fn new(store: Store, options: &Options) -> Self {
        Self {
            store,
            append_budget: Duration::from_millis(options.append_ms),
            retention_days: u64::from(options.retention_days),
            review_claims: ReviewClaims::holding(u64::from(options.review_hold_minutes) * 60_000),
            verifying: Arc::new(Semaphore::new(1)),
        }
    }

    /// Redacts and appends a record. Once begun it goes on whatever becomes of the caller; the budget is its own.
    ///
    /// # Errors
    /// `REQUEST_CONFLICT` for other content under the same id, `UNAVAILABLE` if it was not stored in time (which says
    /// nothing about later: deliver it again), what the store says.
    pub async fn append(&self, record: Record, salt: Salt, now_unix_ms: u64) -> Result<Appended, Failure> {
        if record.identity.tenant.is_empty() {
            return Err(
                Failure::new(Code::InvalidArgument, "the record names no tenant").field("record.tenant")
            );
        }
        let (writer, budget) = (self.store.writer.clone(), self.append_budget);
        let work = async move {
            let record = assay_redact::record(record);
            let stored = writer.append(record, salt, now_unix_ms);
            match tokio::time::timeout(budget, stored).await {
                Ok(result) => result,
                Err(_) => {
                    Err(AuditError::TooSlow { ms: u64::try_from(budget.as_millis()).unwrap_or(u64::MAX) })
                }
            }
        };
        let done = task::spawn(work).await.map_err(|error| Failure::internal(error.to_string()))?;
        Ok(done?)
    }

    /// Reads one record; that somebody else than its owner did is recorded.
    ///
    /// # Errors
    /// `NOT_FOUND` if this caller has no such record; what the store says.
    pub async fn get(&self, identity: &Identity, id: AuditId, fresh: Fresh) -> Result<Kept, Failure> {
        let kept = self.store.records.get(&scope(identity), id).await?.ok_or_else(|| not_found(id))?;
        self.note_reading(identity, std::iter::once(&kept), fresh).await?;
        Ok(kept)
    }

    /// Lists records that this caller may see; that somebody else than their owner read them is recorded.
    ///
    /// # Errors
    /// `PERMISSION_DENIED` for a principal whose records this caller may not see; what the store says.
    pub async fn list(&self, identity: &Identity, mut filter: Filter, fresh: Fresh) -> Result<Page, Failure> {
        let scope = scope(identity);
        if filter.principal.is_some() && scope.principal.is_some() && filter.principal != scope.principal {
            let text = "records of another principal need the role review or admin";
            return Err(Failure::new(Code::PermissionDenied, text).field("principal"));
        }
        let wanted = filter.limit.max(1);
        filter.limit = wanted + 1;
        let mut records = self.store.records.list(&scope, &filter).await?;
        let more = records.len() > wanted;
        records.truncate(wanted);
        self.note_reading(identity, records.iter(), fresh).await?;
        let next = if more { records.last().map(|kept| kept.receipt.leaf_index) } else { None };
        Ok(Page { records, next })
    }

    /// Proves that a record is in the log. The proof holds its payload: that somebody else than its owner took it is
    /// recorded.
    ///
    /// # Errors
    /// `NOT_FOUND` if this caller has no such record; what the store says.
    pub async fn prove(&self, identity: &Identity, id: AuditId, fresh: Fresh) -> Result<Proof, Failure> {
        self.get(identity, id, fresh).await?;
        self.store.records.prove(&scope(identity), id).await?.ok_or_else(|| not_found(id))
    }

    /// The newest signed state, with a consistency proof from the first `old_size` leaves (empty for 0).
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if the log never had that many leaves; what the store says.
    pub async fn checkpoint(&self, old_size: u64) -> Result<(Head, Vec<Hash>), Failure> {
        self.store.log.consistency(old_size).await?.ok_or_else(|| {
            Failure::new(Code::InvalidArgument, format!("the log has fewer than {old_size} leaves"))
                .field("old_size")
        })
    }

    /// Recomputes the log and holds everything stored against it, and the log against what the caller remembers of it.
    ///
    /// # Errors
    /// `PERMISSION_DENIED` without the role `admin`, since it covers all tenants; what the store says.
    pub async fn verify(&self, identity: &Identity, remembered: Remembered) -> Result<Verified, Failure> {
        needs_admin(identity, "verifying the whole log")?;
        let _one_at_a_time =
            self.verifying.acquire().await.map_err(|error| Failure::internal(error.to_string()))?;
        Ok(self.store.log.verify(remembered).await?)
    }

    /// The log as lines for offline verification: the caller's tenant with its texts, others as bare leaves. That they were
    /// taken is recorded.
    ///
    /// # Errors
    /// `PERMISSION_DENIED` without the role `admin`; the stream itself ends with what the store says.
    pub async fn export(
        &self,
        identity: &Identity,
        fresh: Fresh,
    ) -> Result<mpsc::Receiver<Result<String, Failure>>, Failure> {
        needs_admin(identity, "exporting the log")?;
        let head = self.store.log.head().await?;
        if let Some(last) = head.size.checked_sub(1) {
            self.note_leaves(identity, vec![(0, last)], fresh).await?;
        }
        let (lines, receiver) = mpsc::channel(64);
        let (audit, tenant) = (self.clone(), identity.tenant.clone());
        task::spawn(async move {
            if let Err(failure) = audit.send_lines(&lines, head, &tenant).await {
                // The receiver may be gone; then nobody is left to tell.
                let _ = lines.send(Err(failure)).await;
            }
        });
        Ok(receiver)
    }

    async fn send_lines(
        &self,
        lines: &mpsc::Sender<Result<String, Failure>>,
        head: Head,
        tenant: &str,
    ) -> Result<(), Failure> {
        let send = async |line: Line| lines.send(Ok(line.to_json())).await.is_ok();
        let opening = Line::Log {
            version: EXPORT_VERSION,
            origin: head.key.name().to_owned(),
            key: head.key.to_string(),
        };
        if !send(opening).await {
            return Ok(());
        }
        let mut next = 0;
        while next < head.size {
            let page = self.store.log.entries(next, PAGE).await?;
            let Some(last) = page.last() else { break };
            next = last.entry.index + 1;
            for stored in page.into_iter().filter(|stored| stored.entry.index < head.size) {
                // An erasure is of no tenant, and everybody's to check.
                let line = if stored.tenant == tenant || stored.tenant.is_empty() {
                    Line::Entry(stored.entry)
                } else {
                    Line::Leaf { index: stored.entry.index, leaf: stored.entry.leaf }
                };
                if !send(line).await {
                    return Ok(());
                }
            }
        }
        let mut next = 0;
        while next <= head.size {
            let page = self.store.log.checkpoints(next, PAGE).await?;
            let Some((last, _)) = page.last() else { break };
            next = *last + 1;
            for (_, note) in page.into_iter().filter(|(size, _)| *size <= head.size) {
                if !send(Line::Checkpoint { note }).await {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Erases payloads older than the retention, as far as the clock can be trusted.
    ///
    /// # Errors
    /// What the store says; what was erased before stays erased.
    pub async fn erase_expired(&self, now_unix_ms: u64) -> Result<Erased, Failure> {
        let before = day(now_unix_ms).saturating_sub(self.retention_days);
        let mut all = Erased::default();
        loop {
            let some = self.store.writer.erase_before(before, now_unix_ms).await?;
            all.payloads += some.payloads;
            all.held_back = some.held_back;
            all.backups.extend(some.backups);
            if some.payloads == 0 {
                return Ok(all);
            }
        }
    }

    /// Stores what waits and closes.
    pub async fn close(&self) {
        self.store.writer.close().await;
    }
}
