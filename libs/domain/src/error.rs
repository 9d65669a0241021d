//! Stable error codes and the failure value that carries one from where it happens to the edge.

use crate::names::named;

named! {
    /// Every error code a caller can see. Each has a page in `docs/errors/` and a row in the wire crate's table.
    pub enum Code {
        /// A field has a value that is not accepted.
        InvalidArgument = "invalid_argument",
        /// No valid credentials.
        Unauthenticated = "unauthenticated",
        /// A role is missing.
        PermissionDenied = "permission_denied",
        /// There is no such thing for this caller.
        NotFound = "not_found",
        /// The request id was used before with other content.
        RequestConflict = "request_conflict",
        /// The session was changed at the same time, three times in a row.
        SessionConflict = "session_conflict",
        /// The data folder belongs to another process.
        DataFolderInUse = "data_folder_in_use",
        /// A field or body is too large.
        PayloadTooLarge = "payload_too_large",
        /// The answer did not pass its checks.
        AnswerRejected = "answer_rejected",
        /// A rate, size or cost limit was reached.
        ResourceExhausted = "resource_exhausted",
        /// The caller went away.
        Cancelled = "cancelled",
        /// A defect of ours.
        Internal = "internal",
        /// This version does not have it.
        Unimplemented = "unimplemented",
        /// A part is down.
        Unavailable = "unavailable",
        /// No search leg answers.
        SearchUnavailable = "search_unavailable",
        /// No provider answers.
        GenerationUnavailable = "generation_unavailable",
        /// The checks cannot run and the policy demands them.
        ValidationUnavailable = "validation_unavailable",
        /// Records wait for the log and the outbox is full.
        OutboxFull = "outbox_full",
        /// Stored data is damaged or of a newer version.
        StorageCorrupt = "storage_corrupt",
        /// A setting is wrong.
        Configuration = "configuration",
        /// An evaluation cannot be trusted and stopped.
        EvaluationAborted = "evaluation_aborted",
        /// Time ran out.
        DeadlineExceeded = "deadline_exceeded",
    }
}

/// What went wrong: a stable code, a sentence with the cure, and the field or setting it concerns.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// The stable code.
    pub code: Code,
    /// What is wrong and what to do about it.
    pub message: String,
    /// Field, flag or setting; empty where none is to blame.
    pub field: String,
}

impl Failure {
    /// A failure without a field.
    #[must_use]
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), field: String::new() }
    }

    /// Names the field or setting.
    #[must_use]
    pub fn field(mut self, field: impl Into<String>) -> Self {
        self.field = field.into();
        self
    }

    /// A defect of ours.
    #[must_use]
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(Code::Internal, message)
    }
}
