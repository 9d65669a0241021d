//! The one table of error codes, and failures as gRPC statuses and back.
//!
//! A status carries the stable code and the field in metadata, so that a failure crosses services unchanged. A status
//! of foreign making (a transport error, a client-side timeout) is folded into the nearest code.

use assay_domain::{Code, Failure};
use tonic::{Status, metadata::MetadataValue};

/// Metadata key of the stable code.
pub const CODE_KEY: &str = "assay-code";
/// Metadata key of the field or setting.
pub const FIELD_KEY: &str = "assay-field";
/// Longest message that is put into a status, in characters: it travels in a header.
pub const MESSAGE_CHARS: usize = 1000;

/// What a code is on each transport.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// The stable code.
    pub code: Code,
    /// gRPC status.
    pub grpc: tonic::Code,
    /// HTTP status.
    pub http: u16,
    /// What it means, in a sentence.
    pub meaning: &'static str,
}

/// What `code` is on each transport (contract §12). Exhaustive, so a new code does not compile without its row.
#[must_use]
pub const fn row(code: Code) -> Row {
    use tonic::Code as Grpc;
    let (grpc, http, meaning) = match code {
        Code::InvalidArgument => (Grpc::InvalidArgument, 400, "A field has a value that is not accepted."),
        Code::Unauthenticated => (Grpc::Unauthenticated, 401, "The request carries no valid credentials."),
        Code::PermissionDenied => (Grpc::PermissionDenied, 403, "The caller may not do this."),
        Code::NotFound => (Grpc::NotFound, 404, "There is no such thing for this caller."),
        Code::RequestConflict => (Grpc::Aborted, 409, "The request id was used before with other content."),
        Code::SessionConflict => {
            (Grpc::Aborted, 409, "The session was changed at the same time, three times in a row.")
        }
        Code::DataFolderInUse => (Grpc::Aborted, 409, "The data folder belongs to another process."),
        Code::PayloadTooLarge => (Grpc::InvalidArgument, 413, "A field or the body is too large."),
        Code::AnswerRejected => {
            (Grpc::FailedPrecondition, 422, "The answer did not pass its checks and was withheld.")
        }
        Code::ResourceExhausted => (Grpc::ResourceExhausted, 429, "A rate, size or cost limit was reached."),
        Code::Cancelled => (Grpc::Cancelled, 499, "The caller went away before the end."),
        Code::Internal => (Grpc::Internal, 500, "A defect of Assay."),
        Code::Unimplemented => (Grpc::Unimplemented, 501, "This version does not have it."),
        Code::Unavailable => (Grpc::Unavailable, 503, "A part that is needed is down."),
        Code::SearchUnavailable => (Grpc::Unavailable, 503, "No search leg answers."),
        Code::GenerationUnavailable => (Grpc::Unavailable, 503, "No model provider answers."),
        Code::ValidationUnavailable => {
            (Grpc::Unavailable, 503, "The checks cannot run and the policy demands them.")
        }
        Code::OutboxFull => {
            (Grpc::Unavailable, 503, "Records wait for the audit log and the outbox is full.")
        }
        Code::StorageCorrupt => (Grpc::DataLoss, 500, "Stored data is damaged or of a newer version."),
        Code::Configuration => (Grpc::FailedPrecondition, 500, "A setting is wrong."),
        Code::EvaluationAborted => (Grpc::Aborted, 409, "The evaluation could not be trusted and stopped."),
        Code::DeadlineExceeded => (Grpc::DeadlineExceeded, 504, "Time ran out."),
    };
    Row { code, grpc, http, meaning }
}

/// Every row, in the order of [`Code::ALL`].
pub fn table() -> impl Iterator<Item = Row> {
    Code::ALL.iter().map(|code| row(*code))
}

/// HTTP status of a code.
#[must_use]
pub const fn http_status(code: Code) -> u16 {
    row(code).http
}

/// gRPC status of a code.
#[must_use]
pub const fn grpc_code(code: Code) -> tonic::Code {
    row(code).grpc
}

/// What a code means, in a sentence.
#[must_use]
pub const fn meaning(code: Code) -> &'static str {
    row(code).meaning
}

/// The failure as a status: its message, and its code and field in metadata.
#[must_use]
pub fn to_status(failure: &Failure) -> Status {
    let mut status = Status::new(grpc_code(failure.code), bounded(&failure.message));
    let metadata = status.metadata_mut();
    metadata.insert(CODE_KEY, MetadataValue::from_static(failure.code.as_str()));
    // A field name is ASCII; one that is not stays out of the header, and the message still says what is wrong.
    if let (false, Ok(field)) = (failure.field.is_empty(), MetadataValue::try_from(bounded(&failure.field))) {
        metadata.insert(FIELD_KEY, field);
    }
    status
}

fn bounded(text: &str) -> String {
    match text.char_indices().nth(MESSAGE_CHARS) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", text.get(..end).unwrap_or_default()),
    }
}

/// The failure that a status stands for.
#[must_use]
pub fn from_status(status: &Status) -> Failure {
    let text = |key| status.metadata().get(key).and_then(|value| value.to_str().ok());
    let code = text(CODE_KEY).and_then(Code::from_name).unwrap_or_else(|| foreign(status));
    let message = match status.message() {
        "" => meaning(code).to_owned(),
        message => message.to_owned(),
    };
    Failure { code, message, field: text(FIELD_KEY).unwrap_or_default().to_owned() }
}

/// The code of a status that none of our services made.
fn foreign(status: &Status) -> Code {
    use tonic::Code as Grpc;
    match status.code() {
        // tonic reports the caller's own timeout as a cancellation with this message.
        Grpc::Cancelled if status.message().contains("Timeout expired") => Code::DeadlineExceeded,
        Grpc::Cancelled => Code::Cancelled,
        Grpc::InvalidArgument | Grpc::FailedPrecondition => Code::InvalidArgument,
        // tonic refuses a message over the size limit this way.
        Grpc::OutOfRange => Code::PayloadTooLarge,
        Grpc::DeadlineExceeded => Code::DeadlineExceeded,
        Grpc::NotFound => Code::NotFound,
        Grpc::AlreadyExists | Grpc::Aborted => Code::RequestConflict,
        Grpc::PermissionDenied => Code::PermissionDenied,
        Grpc::ResourceExhausted => Code::ResourceExhausted,
        Grpc::Unimplemented => Code::Unimplemented,
        Grpc::Unavailable => Code::Unavailable,
        Grpc::DataLoss => Code::StorageCorrupt,
        Grpc::Unauthenticated => Code::Unauthenticated,
        Grpc::Unknown | Grpc::Internal if is_transport(status) => Code::Unavailable,
        Grpc::Unknown | Grpc::Internal | Grpc::Ok => Code::Internal,
    }
}

/// Whether a status tells of a broken connection and not of an answer of the peer.
fn is_transport(status: &Status) -> bool {
    let broken =
        ["transport error", "h2 protocol error", "error reading a body from connection", "broken pipe"];
    std::error::Error::source(status).is_some()
        || broken.iter().any(|text| status.message().to_lowercase().contains(text))
}
