//! What a verification can find, each with its place.

use crate::checkpoint::CheckpointError;
use crate::hash::Hash;

/// Something that does not fit, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Finding {
    /// A line that is no line of an export.
    #[error("line {line}: {reason}")]
    BadLine {
        /// From 1.
        line: u64,
        /// What is wrong.
        reason: String,
    },
    /// No first line with the log's name and key.
    #[error("the export does not begin with the line that names its log")]
    NoHeader,
    /// The log's own key differs from the trusted one.
    #[error("the log presents key {found}, trusted is {trusted}")]
    OtherKey {
        /// As exported.
        found: String,
        /// As given.
        trusted: String,
    },
    /// An entry is missing, repeated or out of order.
    #[error("entry {found} stands where entry {expected} belongs")]
    WrongIndex {
        /// The next index.
        expected: u64,
        /// The one that came.
        found: u64,
    },
    /// Salt and payload do not give the commitment.
    #[error("entry {index} ({id}): salt and payload do not match the commitment")]
    PayloadMismatch {
        /// Position in the log.
        index: u64,
        /// Audit id, or `?`.
        id: String,
    },
    /// Header, public text and commitment do not give the leaf.
    #[error("entry {index} ({id}): public fields and commitment do not match the leaf hash")]
    LeafMismatch {
        /// Position in the log.
        index: u64,
        /// Audit id, or `?`.
        id: String,
    },
    /// A text of the entry is not what its format asks for.
    #[error("entry {index}: {reason}")]
    Unreadable {
        /// Position in the log.
        index: u64,
        /// What is wrong.
        reason: String,
    },
    /// A payload that is gone without an erasure leaf.
    #[error("entry {index} ({id}): the payload is gone and no erasure entry says so")]
    MissingPayload {
        /// Position in the log.
        index: u64,
        /// Audit id.
        id: String,
    },
    /// A payload that is there although an erasure leaf names it.
    #[error("entry {index}: the payload is there, entry {erasure} says that it was erased")]
    ErasedPayload {
        /// Position in the log.
        index: u64,
        /// Position of the erasure.
        erasure: u64,
    },
    /// An erased record of a day that its erasure leaf does not cover.
    #[error("entry {index} ({id}): erased by entry {erasure}, which covers only days before {before_day}")]
    ErasedTooEarly {
        /// Position in the log.
        index: u64,
        /// Audit id.
        id: String,
        /// Position of the erasure.
        erasure: u64,
        /// Its bound, in days since the Unix epoch.
        before_day: u64,
    },
    /// A stored column that says something else than the signed texts.
    #[error("entry {index} ({id}): the stored {column} is {stored}, the signed texts say {expected}")]
    ColumnMismatch {
        /// Position in the log.
        index: u64,
        /// Audit id of the record, or `?`.
        id: String,
        /// Name of the column.
        column: &'static str,
        /// Stored value.
        stored: String,
        /// Value that follows from the texts.
        expected: String,
    },
    /// The same audit id in two places.
    #[error("audit id {id} stands at entry {first} and again at entry {second}")]
    RepeatedId {
        /// The id.
        id: String,
        /// Where it stood first.
        first: u64,
        /// Where it came again.
        second: u64,
    },
    /// A stored inner node that does not follow from the leaves.
    #[error("stored node (level {level}, index {index}) does not follow from its leaves")]
    NodeMismatch {
        /// 0 for leaves.
        level: u32,
        /// Position in its level.
        index: u64,
    },
    /// A checkpoint that is malformed, unsigned or wrongly signed.
    #[error("checkpoint {number}: {error}")]
    BadCheckpoint {
        /// From 1.
        number: u64,
        /// What is wrong.
        error: CheckpointError,
    },
    /// A checkpoint whose root is not the root of that many leaves.
    #[error(
        "checkpoint {number} of size {size}: its root {stated} is not the root {computed} of the first {size} entries"
    )]
    RootMismatch {
        /// From 1.
        number: u64,
        /// Its size.
        size: u64,
        /// Its root.
        stated: Hash,
        /// The root of the entries.
        computed: Hash,
    },
    /// A checkpoint of a larger log: entries are missing at the end.
    #[error("checkpoint {number} is of {size} entries, the log has {found}")]
    Truncated {
        /// From 1.
        number: u64,
        /// Its size.
        size: u64,
        /// Entries found.
        found: u64,
    },
    /// A checkpoint that signed headers name and that is not there.
    #[error("the checkpoint of size {size} is missing; the entries behind it name it")]
    MissingCheckpoint {
        /// Its size.
        size: u64,
    },
    /// Entries behind the last valid checkpoint.
    #[error("no valid checkpoint covers the entries from {covered} on; the log has {found}")]
    NotCovered {
        /// Size of the largest valid checkpoint.
        covered: u64,
        /// Entries found.
        found: u64,
    },
    /// A log with fewer leaves than it had.
    #[error("rolled back: the router saw {seen} entries, the log has {found}")]
    RolledBack {
        /// Entries when the router last stored a record.
        seen: u64,
        /// Entries found.
        found: u64,
    },
    /// Another root than the log had at that size.
    #[error("rewritten: at {size} entries the router saw root {seen}, the log has {found}")]
    Rewritten {
        /// Entries when the router last stored a record.
        size: u64,
        /// The root at that moment.
        seen: Hash,
        /// The root of the entries.
        found: Hash,
    },
    /// A leaf that its path does not join to the signed root.
    #[error("the path does not lead from entry {index} to the root of {size} entries in the checkpoint")]
    NotIncluded {
        /// Position in the log.
        index: u64,
        /// Leaves of the checkpoint.
        size: u64,
    },
    /// Something in the store that no leaf accounts for.
    #[error("{0}")]
    Store(String),
}
