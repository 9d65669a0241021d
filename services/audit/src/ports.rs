//! What audit needs from a store, in domain types. One conformance suite runs on every adapter.

use std::collections::BTreeSet;

use assay_domain::report::Verdict;
use assay_domain::{AuditId, Outcome, QueryType, Record};
use assay_ledger::record::Digests;
use assay_ledger::{Entry, Hash, Note, Said, Salt, Verification, VerifierKey};
use async_trait::async_trait;

use crate::error::AuditError;
use crate::rates::Judged;

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
    /// Only these verdicts; empty means all.
    pub verdicts: Vec<Verdict>,
    /// Only questions of this type.
    pub query_type: Option<QueryType>,
    /// Only this session.
    pub session: Option<String>,
    /// Only this principal, inside the scope.
    pub principal: Option<String>,
    /// Only records with all of these words in question or answer, folded as [`crate::words`] does.
    pub words: BTreeSet<String>,
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
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Erased {
    /// Payloads erased.
    pub payloads: u64,
    /// Expired payloads kept, because the time behind them cannot be trusted.
    pub held_back: u64,
    /// Names of backups of migrations that were removed, since they held these payloads.
    pub backups: Vec<String>,
}

/// What came of a wish to erase.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ErasedOf {
    /// Payloads erased, of records and of notes about them.
    pub payloads: u64,
    /// Names of backups of migrations that were removed, since they may hold these payloads.
    pub backups: Vec<String>,
}

/// Whose payloads are to be erased, inside a tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selector {
    /// Everything that this principal asked or said.
    Principal(String),
    /// Everything of this session.
    Session(String),
    /// One record.
    Record(AuditId),
}

/// What somebody says of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// The id of the note.
    pub id: AuditId,
    /// The record.
    pub about: AuditId,
    /// Whose records they may see.
    pub scope: Scope,
    /// What they say.
    pub said: Said,
    /// The claim that it is about, from 0.
    pub claim: Option<u32>,
    /// Who they are.
    pub principal: String,
    /// Why, redacted.
    pub reason: String,
    /// Chance that hides the words.
    pub salt: Salt,
    /// Milliseconds since the Unix epoch.
    pub now_unix_ms: u64,
}

/// Somebody who has claimed a waiting record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// Who.
    pub by: String,
    /// Since when, in milliseconds since the Unix epoch.
    pub since_unix_ms: u64,
}

/// What came of a remark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Remarked {
    /// It is stored.
    Stored(Receipt),
    /// There is no such record in this scope.
    NoRecord,
    /// The record waits for no reviewer.
    NotWaiting,
}

/// Payloads that somebody else than their owner reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The id of the note.
    pub id: AuditId,
    /// Whose data it is.
    pub tenant: String,
    /// Who reads.
    pub principal: String,
    /// Leaves, as first and last index of each run, ascending.
    pub leaves: Vec<(u64, u64)>,
    /// Chance that hides the name.
    pub salt: Salt,
    /// Milliseconds since the Unix epoch.
    pub now_unix_ms: u64,
}

/// Which waiting records are wanted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WaitingFilter {
    /// Only leaves after this index: the page that follows it.
    pub after: Option<u64>,
    /// Only this verdict.
    pub verdict: Option<Verdict>,
    /// Only records that nobody else has claimed.
    pub free: bool,
    /// Most records wanted; at least 1.
    pub limit: usize,
}

/// A record that waits for a reviewer.
#[derive(Debug, Clone, PartialEq)]
pub struct Waiting {
    /// The record.
    pub kept: Kept,
    /// It stands for so many like it.
    pub one_in: u32,
    /// Who has claimed it.
    pub held: Option<Held>,
}

/// A note about a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Noted {
    /// The note; its words are empty once erased.
    pub note: Note,
    /// Its place in the log.
    pub leaf_index: u64,
    /// When it was stored, in milliseconds since the Unix epoch.
    pub stored_unix_ms: u64,
}

/// A decided record.
#[derive(Debug, Clone, PartialEq)]
pub struct Decided {
    /// The decision.
    pub said: Said,
    /// When, in milliseconds since the Unix epoch.
    pub unix_ms: u64,
    /// The public half of the record.
    pub record: Record,
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

/// Writes what people say of records, and erases what they ask for.
#[async_trait]
pub trait Notes: Send + Sync {
    /// Erases salts and payloads of a bounded number of records that the selector names, with what was said of them, and
    /// appends a leaf that names them. The caller repeats until none is erased.
    ///
    /// # Errors
    /// What the store says.
    async fn erase(&self, tenant: &str, what: Selector, now_unix_ms: u64) -> Result<ErasedOf, AuditError>;

    /// Appends what somebody says of a record; a decision takes it out of the review queue.
    ///
    /// # Errors
    /// What the store says.
    async fn remark(&self, remark: Remark) -> Result<Remarked, AuditError>;

    /// Appends that payloads were read by somebody else than their owner.
    ///
    /// # Errors
    /// What the store says.
    async fn read(&self, reading: Reading) -> Result<(), AuditError>;
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

/// Reads what people said, and what waits for them.
#[async_trait]
pub trait Reviews: Send + Sync {
    /// Records of a tenant that wait for a reviewer, the oldest first, in nobody's hand as far as the store knows.
    ///
    /// # Errors
    /// What the store says.
    async fn waiting(&self, tenant: &str, filter: &WaitingFilter) -> Result<Vec<Waiting>, AuditError>;

    /// Whether a leaf waits for a reviewer.
    ///
    /// # Errors
    /// What the store says.
    async fn waits(&self, leaf_index: u64) -> Result<bool, AuditError>;

    /// What was said of a record, the oldest first; at most 1000 notes.
    ///
    /// # Errors
    /// What the store says.
    async fn noted(&self, kept: &Kept) -> Result<Vec<Noted>, AuditError>;

    /// Decisions of a tenant between two moments, the oldest first.
    ///
    /// # Errors
    /// What the store says.
    async fn decided(&self, tenant: &str, from: u64, until: u64) -> Result<Vec<Decided>, AuditError>;

    /// Answers of a tenant between two moments, by what the checks said.
    ///
    /// # Errors
    /// What the store says.
    async fn judged(&self, tenant: &str, from: u64, until: u64) -> Result<Judged, AuditError>;
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
