//! Reading: records for people, leaves and nodes for proofs and verification.

use assay_domain::AuditId;
use assay_ledger::checkpoint::Checkpoint;
use assay_ledger::record::join;
use assay_ledger::tree::inclusion_proof;
use assay_ledger::{Entry, Hash, Salt, Sealed, VerifierKey};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, OptionalExtension as _, Row, params_from_iter};

use super::{Tree, columns, loaded, sql, stored};
use crate::error::AuditError;
use crate::ports::{Head, Kept, Proof, Receipt, Scope, Stored};

/// Columns of a leaf with its payload, as [`kept`] reads them.
pub(super) const COLUMNS: &str = "l.idx, l.leaf, l.stored_unix_ms, l.public, p.salt, p.payload";

/// Columns of a leaf with its texts, as [`entry`] reads them.
pub(super) const ENTRY: &str =
    "l.idx, l.version, l.leaf, l.public, l.commitment, p.salt, p.payload, l.header";
/// Where the columns of [`ENTRY`] come from.
pub(super) const FROM: &str = "FROM leaves l LEFT JOIN payloads p ON p.idx = l.idx";

/// Condition and values of a scope, records alone. Erasures are of no tenant, and nobody's.
pub(super) fn scoped(scope: &Scope) -> (String, Vec<Value>) {
    let mut condition = format!("l.tenant = ? AND l.tenant <> '' AND l.outcome <> '{}'", columns::NOTE);
    let mut values = vec![Value::Text(scope.tenant.clone())];
    if let Some(principal) = &scope.principal {
        condition.push_str(" AND p.principal = ?");
        values.push(Value::Text(principal.clone()));
    }
    (condition, values)
}

/// Text of a column, damaged bytes replaced; empty for anything that is no text.
pub(super) fn lossy(row: &Row<'_>, column: usize) -> rusqlite::Result<String> {
    Ok(match row.get_ref(column)? {
        ValueRef::Text(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        _ => String::new(),
    })
}

/// Hash of a column; zeros for anything that is none, which no verification accepts.
fn hash(row: &Row<'_>, column: usize) -> rusqlite::Result<Hash> {
    Ok(match row.get_ref(column)? {
        ValueRef::Blob(bytes) => Hash::from_slice(bytes).unwrap_or(Hash([0; 32])),
        _ => Hash([0; 32]),
    })
}

pub(super) fn sealed(row: &Row<'_>, salt: usize, payload: usize) -> rusqlite::Result<Option<Sealed>> {
    if matches!(row.get_ref(payload)?, ValueRef::Null) {
        return Ok(None);
    }
    let salt = Salt(hash(row, salt)?.0);
    Ok(Some(Sealed { salt, payload: lossy(row, payload)? }))
}

/// A row of [`COLUMNS`] before its texts are read.
pub(super) struct Texts {
    receipt: Receipt,
    public: String,
    sealed: Option<Sealed>,
}

pub(super) fn texts(row: &Row<'_>) -> rusqlite::Result<Texts> {
    let receipt =
        Receipt { leaf_index: loaded(row.get(0)?), leaf: hash(row, 1)?, stored_unix_ms: loaded(row.get(2)?) };
    Ok(Texts { receipt, public: lossy(row, 3)?, sealed: sealed(row, 4, 5)? })
}

pub(super) fn kept(texts: Texts) -> Result<Kept, AuditError> {
    let joined = join(&texts.public, texts.sealed.as_ref().map(|sealed| sealed.payload.as_str()))
        .map_err(|error| AuditError::corrupt(format!("leaf {}: {error}", texts.receipt.leaf_index)))?;
    Ok(Kept {
        record: joined.record,
        receipt: texts.receipt,
        salt: texts.sealed.map(|sealed| sealed.salt),
        digests: joined.digests,
    })
}

/// A leaf of [`ENTRY`].
pub(super) fn entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    Ok(Entry {
        index: loaded(row.get(0)?),
        version: u32::try_from(row.get::<_, i64>(1)?).unwrap_or(0),
        leaf: hash(row, 2)?,
        public: lossy(row, 3)?,
        commitment: hash(row, 4)?,
        sealed: sealed(row, 5, 6)?,
        header: (!matches!(row.get_ref(7)?, ValueRef::Null)).then(|| lossy(row, 7)).transpose()?,
    })
}

/// See [`crate::ports::Records::get`].
pub(super) fn get(connection: &Connection, scope: &Scope, id: AuditId) -> Result<Option<Kept>, AuditError> {
    let (condition, mut values) = scoped(scope);
    values.push(Value::Blob(id.as_bytes().to_vec()));
    let found = connection
        .prepare_cached(&format!("SELECT {COLUMNS} {FROM} WHERE {condition} AND l.audit_id = ?"))
        .and_then(|mut query| query.query_row(params_from_iter(values), texts).optional())
        .map_err(|error| sql("reading a record", &error))?;
    found.map(kept).transpose()
}

/// See [`crate::ports::Records::prove`].
pub(super) fn prove(
    connection: &Connection,
    scope: &Scope,
    id: AuditId,
    key: VerifierKey,
) -> Result<Option<Proof>, AuditError> {
    let (condition, mut values) = scoped(scope);
    values.push(Value::Blob(id.as_bytes().to_vec()));
    let found = connection
        .prepare_cached(&format!(
            "SELECT {ENTRY}, l.stored_unix_ms {FROM} WHERE {condition} AND l.audit_id = ?"
        ))
        .and_then(|mut query| {
            query.query_row(params_from_iter(values), |row| Ok((entry(row)?, loaded(row.get(8)?)))).optional()
        })
        .map_err(|error| sql("proving a record", &error))?;
    let Some((entry, stored_unix_ms)) = found else { return Ok(None) };
    let receipt = Receipt { leaf_index: entry.index, leaf: entry.leaf, stored_unix_ms };
    let head = head(connection, key)?;
    let path = inclusion_proof(&Tree(connection), entry.index, head.size)?
        .ok_or_else(|| AuditError::corrupt(format!("leaf {} has no checkpoint", entry.index)))?;
    Ok(Some(Proof { entry, receipt, path, head }))
}

/// See [`crate::ports::Log::head`].
pub(super) fn head(connection: &Connection, key: VerifierKey) -> Result<Head, AuditError> {
    let doing = "reading the checkpoint";
    let note: Option<String> = connection
        .prepare_cached("SELECT note FROM checkpoints ORDER BY size DESC LIMIT 1")
        .and_then(|mut query| query.query_row([], |row| row.get(0)).optional())
        .map_err(|error| sql(doing, &error))?;
    let note = note.ok_or_else(|| AuditError::corrupt("it has no checkpoint"))?;
    let checkpoint =
        Checkpoint::parse_unverified(&note).map_err(|error| AuditError::corrupt(error.to_string()))?;
    Ok(Head { size: checkpoint.size, root: checkpoint.root, note, key })
}

/// See [`crate::ports::Log::entries`].
pub(super) fn entries(connection: &Connection, first: u64, count: usize) -> Result<Vec<Stored>, AuditError> {
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    let rows: Result<Vec<Stored>, _> = connection
        .prepare_cached(&format!("SELECT {ENTRY}, l.tenant {FROM} WHERE l.idx >= ?1 ORDER BY l.idx LIMIT ?2"))
        .and_then(|mut query| {
            let stored_of = |row: &Row<'_>| Ok(Stored { entry: entry(row)?, tenant: lossy(row, 8)? });
            query.query_map([stored(first), count], stored_of)?.collect()
        });
    rows.map_err(|error| sql("reading the log", &error))
}

/// The stored hash of a complete subtree.
pub(super) fn node(connection: &Connection, level: u32, index: u64) -> Result<Option<Hash>, AuditError> {
    let found = if level == 0 {
        connection
            .prepare_cached("SELECT leaf FROM leaves WHERE idx = ?1")
            .and_then(|mut query| query.query_row([stored(index)], |row| hash(row, 0)).optional())
    } else {
        connection
            .prepare_cached("SELECT hash FROM nodes WHERE level = ?1 AND idx = ?2")
            .and_then(|mut query| query.query_row((level, stored(index)), |row| hash(row, 0)).optional())
    };
    found.map_err(|error| sql("reading the tree", &error))
}

/// See [`crate::ports::Log::checkpoints`].
pub(super) fn checkpoints(
    connection: &Connection,
    size: u64,
    count: usize,
) -> Result<Vec<(u64, String)>, AuditError> {
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    let rows: Result<Vec<(u64, String)>, _> = connection
        .prepare_cached("SELECT size, note FROM checkpoints WHERE size >= ?1 ORDER BY size LIMIT ?2")
        .and_then(|mut query| {
            query.query_map([stored(size), count], |row| Ok((loaded(row.get(0)?), lossy(row, 1)?)))?.collect()
        });
    rows.map_err(|error| sql("reading checkpoints", &error))
}

/// A record that is already in the log, as a redelivery is held against it.
pub(super) struct First {
    /// Its receipt.
    pub(super) receipt: Receipt,
    /// Its public text.
    pub(super) public: String,
    /// Its salt and payload; none once erased.
    pub(super) sealed: Option<Sealed>,
}

/// The record with this id, whoever's it is.
pub(super) fn first(connection: &Connection, id: AuditId) -> rusqlite::Result<Option<First>> {
    let mut query = connection.prepare_cached(&format!("SELECT {COLUMNS} {FROM} WHERE l.audit_id = ?1"))?;
    let found = query.query_row([&id.as_bytes()[..]], texts).optional()?;
    Ok(found.map(|texts| First { receipt: texts.receipt, public: texts.public, sealed: texts.sealed }))
}
