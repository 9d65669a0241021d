//! What the clients of all peers share: how a reply is read, and what its failure means.

use assay_domain::{Code, Failure};
use assay_wire::{FromWire, from_status, list_from_wire};

pub(super) fn failure(status: tonic::Status) -> Failure {
    from_status(&status)
}

/// The failure of a call, under the code that says which part does not answer.
pub(super) fn silent(status: &tonic::Status, code: Code) -> Failure {
    match from_status(status) {
        Failure { code: Code::Unavailable, .. } => Failure { code, ..from_status(status) },
        failure => failure,
    }
}

/// Reads a list of a reply.
pub(super) fn list<T: FromWire<W>, W>(field: &str, items: Vec<W>) -> Result<Vec<T>, Failure> {
    list_from_wire(field, items).map_err(|failure| {
        Failure::internal(format!(
            "a service sent a reply that cannot be read: {}: {}",
            failure.field, failure.message
        ))
    })
}

pub(super) fn empty(what: &str) -> Failure {
    Failure::internal(format!("{what} sent a message without content"))
}
