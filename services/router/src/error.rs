//! Failures of the router's own stores, each with a code.

use assay_domain::{Code, Failure};

/// A store of the router does not work.
pub(crate) fn store(what: &str, error: impl std::fmt::Display) -> Failure {
    Failure::new(Code::Unavailable, format!("{what}: {error}; look at the disk of router.data_dir"))
        .field("router.data_dir")
}

/// A store was written by a newer version or is damaged.
pub(crate) fn corrupt(what: &str, why: impl std::fmt::Display) -> Failure {
    Failure::new(Code::StorageCorrupt, format!("{what}: {why}")).field("router.data_dir")
}

/// The session changed three times in a row while an answer was appended.
pub(crate) fn session_conflict() -> Failure {
    Failure::new(
        Code::SessionConflict,
        "the session was changed by other requests three times in a row; the answer was kept and recorded, ask again",
    )
    .field("session_id")
}

/// The session belongs to somebody else or never was.
pub(crate) fn no_session() -> Failure {
    Failure::new(Code::NotFound, "there is no such session; leave the id out or choose another")
        .field("session_id")
}

/// A request id came with other content.
pub(crate) fn request_conflict() -> Failure {
    Failure::new(
        Code::RequestConflict,
        "the request id was used before with other content; use a new id for a new question",
    )
    .field("request_id")
}

/// Too many records wait.
pub(crate) fn outbox_full() -> Failure {
    Failure::new(
        Code::OutboxFull,
        "records wait for the audit log and the outbox is full; start the audit service or raise router.outbox_records",
    )
    .field("router.outbox_records")
}
