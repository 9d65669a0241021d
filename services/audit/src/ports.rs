//! What audit needs from a store, in domain types. One conformance suite runs on every adapter.

use assay_domain::report::Verdict;
use assay_domain::{AuditId, Outcome, Record};
use assay_ledger::record::Digests;
use assay_ledger::{Entry, Hash, Salt, Verification, VerifierKey};
use async_trait::async_trait;

use crate::error::AuditError;

/// Proof of storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Receipt {
    /// Place in the log, from 0.
    pub leaf_index: u64,
    /// Leaf hash.
    pub leaf: Hash,
    /// Milliseconds since the Unix epoch at which it was stored.
    pub stored_unix_ms: u64,
}

/// Name, size and root of the log at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeHead {
    /// Name of the log.
    pub log_id: String,
    /// Leaves.
    pub size: u64,
    /// Root over them.
    pub root: Hash,
}

/// What came of an append.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// The first receipt of this id.
    pub receipt: Receipt,
    /// Whether the record was there before.
    pub repeated: bool,
    /// State of the log that holds the record.
    pub head: TreeHead,
}

/// A record as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    /// The record; payload fields are empty once erased.
    pub record: Record,
    /// Its receipt.
    pub receipt: Receipt,
    /// Salt of the payload; none once erased.
    pub salt: Option<Salt>,
    /// How its digests stand; none once erased.
    pub digests: Option<Digests>,
}

/// Whose records a caller may see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// Only this tenant.
    pub tenant: String,
    /// Only this principal; none for reviewers and administrators of the tenant. A record whose payload was erased
    /// has no principal any more.
    pub principal: Option<String>,
}

/// Which records are wanted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// Only this outcome.
    pub outcome: Option<Outcome>,
    /// Only this verdict.
    pub verdict: Option<Verdict>,
    /// Only this session.
    pub session: Option<String>,
    /// Made at or after this moment, in milliseconds since the Unix epoch.
    pub from_unix_ms: Option<u64>,
    /// Made before this moment.
    pub until_unix_ms: Option<u64>,
    /// Only records that wait for a reviewer.
    pub awaiting_review: bool,
    /// Only leaves before this index: the page that follows it.
    pub before: Option<u64>,
    /// Most records wanted; at least 1.
    pub limit: usize,
}

/// The newest signed state of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// Leaves.
    pub size: u64,
    /// Root over them.
    pub root: Hash,
    /// The signed note.
    pub note: String,
    /// The log's verifier key.
    pub key: VerifierKey,
}

/// What somebody remembers of the log.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Remembered {
    /// An older signed note, kept elsewhere.
    pub checkpoint: Option<String>,
    /// Sizes and roots that the router was told, the newest first.
    pub heads: Vec<TreeHead>,
}

/// What a verification found, and the state it was held against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// The findings and counts.
    pub verification: Verification,
    /// The newest signed note; empty where there is none.
    pub note: String,
}

impl From<Verification> for Verified {
    fn from(verification: Verification) -> Self {
        Self { verification, note: String::new() }
    }
}

/// What came of a run of retention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Erased {
    /// Payloads erased.
    pub payloads: u64,
    /// Expired payloads kept, because the time behind them cannot be trusted.
    pub held_back: u64,
}

/// A leaf with its inclusion proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// The leaf with its texts.
    pub entry: Entry,
    /// Its receipt.
    pub receipt: Receipt,
    /// Siblings from leaf to root of the tree of `head.size` leaves.
    pub path: Vec<Hash>,
    /// The state it is proved against.
    pub head: Head,
}

/// A leaf with whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// The leaf.
    pub entry: Entry,
    /// Its tenant; empty for an erasure.
    pub tenant: String,
}

/// Writes records, one at a time for the whole log, exactly once each.
#[async_trait]
pub trait Writer: Send + Sync {
    /// Appends a redacted record; durable when this returns. Once it waits for the writer it is stored even if the
    /// caller goes away. A redelivery returns the first receipt; so does `ABORTED` for an id that is there, since the
    /// log knows better how that request ended.
    ///
    /// # Errors
    /// [`AuditError::Conflict`] for other content under the same id; what the store says.
    async fn append(&self, record: Record, salt: Salt, now_unix_ms: u64) -> Result<Appended, AuditError>;

    /// Erases salts and payloads of a bounded number of records in the day buckets before `day` and appends a leaf that
    /// names them. The caller repeats until none is erased. Records before a time without records longer than the
    /// store trusts are held back.
    ///
    /// # Errors
    /// What the store says.
    async fn erase_before(&self, day: u64, now_unix_ms: u64) -> Result<Erased, AuditError>;

    /// Stores what waits, then closes. Later writes are [`AuditError::Closed`].
    async fn close(&self);
}

/// Reads records.
#[async_trait]
pub trait Records: Send + Sync {
    /// The record with this id; none if there is none in this scope.
    ///
    /// # Errors
    /// What the store says.
    async fn get(&self, scope: &Scope, id: AuditId) -> Result<Option<Kept>, AuditError>;

    /// Records, newest first.
    ///
    /// # Errors
    /// What the store says.
    async fn list(&self, scope: &Scope, filter: &Filter) -> Result<Vec<Kept>, AuditError>;

    /// The leaf of this id with its inclusion proof; none if there is none in this scope.
    ///
    /// # Errors
    /// What the store says.
    async fn prove(&self, scope: &Scope, id: AuditId) -> Result<Option<Proof>, AuditError>;
}

/// Reads and verifies the log itself.
#[async_trait]
pub trait Log: Send + Sync {
    /// The newest signed state.
    ///
    /// # Errors
    /// What the store says.
    async fn head(&self) -> Result<Head, AuditError>;

    /// Consistency proof from the first `old` leaves to the newest state; none if `old` is larger.
    ///
    /// # Errors
    /// What the store says.
    async fn consistency(&self, old: u64) -> Result<Option<(Head, Vec<Hash>)>, AuditError>;

    /// At most `count` leaves from `first` on, in order. Damaged values are handed out as they are.
    ///
    /// # Errors
    /// What the store says.
    async fn entries(&self, first: u64, count: usize) -> Result<Vec<Stored>, AuditError>;

    /// At most `count` signed checkpoints of at least `size` leaves, smallest first, with their sizes.
    ///
    /// # Errors
    /// What the store says.
    async fn checkpoints(&self, size: u64, count: usize) -> Result<Vec<(u64, String)>, AuditError>;

    /// Recomputes everything in one snapshot: commitments, leaves, nodes and roots; holds every column, checkpoint and
    /// queue entry against them, and the log against what somebody remembers of it.
    ///
    /// # Errors
    /// What the store says; damage is a finding.
    async fn verify(&self, remembered: Remembered) -> Result<Verified, AuditError>;
}
