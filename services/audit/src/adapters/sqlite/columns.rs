//! Columns that repeat signed texts for the filters, and the values that follow from those texts.

use assay_domain::Record;
use assay_ledger::Note;
use assay_ledger::erasure::day;
use rusqlite::types::{Value, ValueRef};

use super::stored;
use crate::policy;

/// Such columns of `leaves`.
pub(super) const LEAF: [&str; 7] =
    ["audit_id", "tenant", "outcome", "verdict", "query_type", "unix_ms", "stored_unix_ms"];
/// Such columns of `payloads`.
pub(super) const PAYLOAD: [&str; 3] = ["day", "principal", "session_id"];
/// Outcome column of an erasure; no record has it.
const ERASURE: &str = "ERASURE";
/// Outcome column of a note; no record has it.
pub(super) const NOTE: &str = "NOTE";

/// [`LEAF`] of a record.
pub(super) fn of_record(record: &Record, stored_unix_ms: u64) -> [Value; 7] {
    let verdict = policy::verdict(record).map(|verdict| verdict.as_str().to_owned());
    let query_type = record.route.as_ref().map(|route| route.query_type.as_str().to_owned());
    [
        Value::Blob(record.audit_id.as_bytes().to_vec()),
        Value::Text(record.identity.tenant.clone()),
        Value::Text(record.outcome.as_str().to_owned()),
        verdict.map_or(Value::Null, Value::Text),
        query_type.map_or(Value::Null, Value::Text),
        // The id's own time, so that a late delivery lands where its siblings are.
        Value::Integer(stored(record.audit_id.unix_ms())),
        Value::Integer(stored(stored_unix_ms)),
    ]
}

/// [`LEAF`] of an erasure: no tenant, and an id that no record can have.
pub(super) fn of_erasure(index: u64, stored_unix_ms: u64) -> [Value; 7] {
    [
        Value::Blob(u128::from(index).to_be_bytes().to_vec()),
        Value::Text(String::new()),
        Value::Text(ERASURE.to_owned()),
        Value::Null,
        Value::Null,
        Value::Integer(stored(stored_unix_ms)),
        Value::Integer(stored(stored_unix_ms)),
    ]
}

/// [`LEAF`] of a note.
pub(super) fn of_note(note: &Note, stored_unix_ms: u64) -> [Value; 7] {
    [
        Value::Blob(note.id.as_bytes().to_vec()),
        Value::Text(note.tenant.clone()),
        Value::Text(NOTE.to_owned()),
        Value::Null,
        Value::Null,
        Value::Integer(stored(note.id.unix_ms())),
        Value::Integer(stored(stored_unix_ms)),
    ]
}

/// [`PAYLOAD`] of a note.
pub(super) fn of_words(note: &Note, stored_unix_ms: u64) -> [Value; 3] {
    [
        Value::Integer(stored(day(stored_unix_ms))),
        Value::Text(note.principal.clone()),
        Value::Text(String::new()),
    ]
}

/// [`PAYLOAD`] of a record.
pub(super) fn of_payload(record: &Record) -> [Value; 3] {
    [
        Value::Integer(stored(day(record.audit_id.unix_ms()))),
        Value::Text(record.identity.principal.clone()),
        Value::Text(record.session_id.clone()),
    ]
}

/// A stored value as a finding shows it.
pub(super) fn shown(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => "nothing".to_owned(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(bytes) => {
            format!("{:?}", String::from_utf8_lossy(bytes).chars().take(80).collect::<String>())
        }
        ValueRef::Blob(bytes) => hex::encode(bytes.iter().take(40).copied().collect::<Vec<u8>>()),
    }
}
