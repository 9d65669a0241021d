//! Records in the lines of an export.

use assay_domain::{Code, Failure, Record};
use assay_ledger::export::Line;
use assay_ledger::record::join;
use assay_ledger::{Hash, Header, Kind};

/// A record with its leaf.
#[derive(Debug, Clone, PartialEq)]
pub struct Exported {
    /// The record; payload fields are empty once erased.
    pub record: Record,
    /// Place in the log, from 0.
    pub leaf_index: u64,
    /// Leaf hash.
    pub leaf: Hash,
    /// Milliseconds since the Unix epoch at which it was stored; none for a leaf of format 1.
    pub stored_unix_ms: Option<u64>,
    /// Whether the payload was erased.
    pub payload_erased: bool,
}

/// The record of a line; none for a line that is no record of this tenant: an erasure, a note, a bare leaf, a checkpoint.
///
/// # Errors
/// `STORAGE_CORRUPT` for a line that cannot be read.
pub fn exported(line: &str) -> Result<Option<Exported>, Failure> {
    let wrong = |reason: String| Failure::new(Code::StorageCorrupt, reason).field("audit.data_dir");
    let line = Line::from_json(line).map_err(|error| wrong(format!("a line of the export: {error}")))?;
    let Line::Entry(entry) = line else { return Ok(None) };
    let at = |reason: &dyn std::fmt::Display| wrong(format!("leaf {}: {reason}", entry.index));
    let header = entry.header.as_deref().map(Header::from_json).transpose().map_err(|error| at(&error))?;
    if header.as_ref().is_some_and(|header| header.kind != Kind::Record) {
        return Ok(None);
    }
    let payload = entry.sealed.as_ref().map(|sealed| sealed.payload.as_str());
    let joined = join(&entry.public, payload).map_err(|error| at(&error))?;
    Ok(Some(Exported {
        record: joined.record,
        leaf_index: entry.index,
        leaf: entry.leaf,
        stored_unix_ms: header.map(|header| header.stored_unix_ms),
        payload_erased: payload.is_none(),
    }))
}
