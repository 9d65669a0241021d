//! Reading: records for people, leaves and nodes for proofs and verification.

use assay_domain::AuditId;
use assay_ledger::checkpoint::Checkpoint;
use assay_ledger::record::join;
use assay_ledger::tree::inclusion_proof;
use assay_ledger::{Entry, Hash, Salt, Sealed, VerifierKey};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, OptionalExtension as _, Row, params_from_iter};

use super::{Tree, loaded, sql, stored};
use crate::error::AuditError;
use crate::ports::{Filter, Head, Kept, Proof, Receipt, Scope, Stored};

/// Columns of a leaf with its payload, as [`kept`] reads them.
const KEPT: &str = "l.idx, l.leaf, l.stored_unix_ms, l.public, p.salt, p.payload
    FROM leaves l LEFT JOIN payloads p ON p.idx = l.idx";

/// Columns of a leaf with everything, as [`entry`] reads them.
const ENTRY: &str = "l.idx, l.version, l.leaf, l.public, l.commitment, p.salt, p.payload,
    l.audit_id, l.tenant, l.outcome, l.day, l.stored_unix_ms
    FROM leaves l LEFT JOIN payloads p ON p.idx = l.idx";

/// Condition and values of a scope.
fn scoped(scope: &Scope) -> (String, Vec<Value>) {
    let mut condition = "l.tenant = ?".to_owned();
    let mut values = vec![Value::Text(scope.tenant.clone())];
    if let Some(principal) = &scope.principal {
        condition.push_str(" AND p.principal = ?");
        values.push(Value::Text(principal.clone()));
    }
    (condition, values)
}

/// Text of a column, damaged bytes replaced; empty for anything that is no text.
fn lossy(row: &Row<'_>, column: usize) -> rusqlite::Result<String> {
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

fn sealed(row: &Row<'_>, salt: usize, payload: usize) -> rusqlite::Result<Option<Sealed>> {
    if matches!(row.get_ref(payload)?, ValueRef::Null) {
        return Ok(None);
    }
    let salt = Salt(hash(row, salt)?.0);
    Ok(Some(Sealed { salt, payload: lossy(row, payload)? }))
}

/// A row of [`KEPT`] before its texts are read.
struct Texts {
    receipt: Receipt,
    public: String,
    sealed: Option<Sealed>,
}

fn texts(row: &Row<'_>) -> rusqlite::Result<Texts> {
    let receipt =
        Receipt { leaf_index: loaded(row.get(0)?), leaf: hash(row, 1)?, stored_unix_ms: loaded(row.get(2)?) };
    Ok(Texts { receipt, public: lossy(row, 3)?, sealed: sealed(row, 4, 5)? })
}

fn kept(texts: Texts) -> Result<Kept, AuditError> {
    let joined = join(&texts.public, texts.sealed.as_ref().map(|sealed| sealed.payload.as_str()))
        .map_err(|error| AuditError::corrupt(format!("leaf {}: {error}", texts.receipt.leaf_index)))?;
    Ok(Kept {
        record: joined.record,
        receipt: texts.receipt,
        salt: texts.sealed.map(|sealed| sealed.salt),
        digests: joined.digests,
    })
}

fn entry(row: &Row<'_>) -> rusqlite::Result<(Stored, Receipt)> {
    let id = match row.get_ref(7)? {
        ValueRef::Blob(bytes) => uuid::Uuid::from_slice(bytes).map(|id| id.to_string()).unwrap_or_default(),
        _ => String::new(),
    };
    let entry = Entry {
        index: loaded(row.get(0)?),
        version: u32::try_from(row.get::<_, i64>(1)?).unwrap_or(0),
        leaf: hash(row, 2)?,
        header: None,
        public: lossy(row, 3)?,
        commitment: hash(row, 4)?,
        sealed: sealed(row, 5, 6)?,
    };
    let receipt = Receipt { leaf_index: entry.index, leaf: entry.leaf, stored_unix_ms: loaded(row.get(11)?) };
    let stored = Stored {
        entry,
        audit_id: id,
        tenant: lossy(row, 8)?,
        outcome: lossy(row, 9)?,
        day: loaded(row.get(10)?),
    };
    Ok((stored, receipt))
}

/// See [`crate::ports::Records::get`].
pub(super) fn get(connection: &Connection, scope: &Scope, id: AuditId) -> Result<Option<Kept>, AuditError> {
    let (condition, mut values) = scoped(scope);
    values.push(Value::Blob(id.as_bytes().to_vec()));
    let found = connection
        .prepare_cached(&format!("SELECT {KEPT} WHERE {condition} AND l.audit_id = ?"))
        .and_then(|mut query| query.query_row(params_from_iter(values), texts).optional())
        .map_err(|error| sql("reading a record", &error))?;
    found.map(kept).transpose()
}

/// See [`crate::ports::Records::list`].
pub(super) fn list(connection: &Connection, scope: &Scope, filter: &Filter) -> Result<Vec<Kept>, AuditError> {
    let (mut condition, mut values) = scoped(scope);
    let mut and = |text: &str, value: Option<Value>| {
        if let Some(value) = value {
            condition.push_str(" AND ");
            condition.push_str(text);
            values.push(value);
        }
    };
    and("l.outcome = ?", filter.outcome.map(|outcome| Value::Text(outcome.to_string())));
    and("l.verdict = ?", filter.verdict.map(|verdict| Value::Text(verdict.to_string())));
    and("p.session_id = ? AND p.session_id <> ''", filter.session.clone().map(Value::Text));
    and("l.unix_ms >= ?", filter.from_unix_ms.map(|ms| Value::Integer(stored(ms))));
    and("l.unix_ms < ?", filter.until_unix_ms.map(|ms| Value::Integer(stored(ms))));
    and("l.idx < ?", filter.before.map(|index| Value::Integer(stored(index))));
    if filter.awaiting_review {
        condition.push_str(" AND l.idx IN (SELECT idx FROM reviews)");
    }
    values.push(Value::Integer(i64::try_from(filter.limit).unwrap_or(i64::MAX)));
    let query = format!("SELECT {KEPT} WHERE {condition} ORDER BY l.idx DESC LIMIT ?");
    let rows: Result<Vec<Texts>, _> = connection
        .prepare_cached(&query)
        .and_then(|mut query| query.query_map(params_from_iter(values), texts)?.collect());
    rows.map_err(|error| sql("listing records", &error))?.into_iter().map(kept).collect()
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
        .prepare_cached(&format!("SELECT {ENTRY} WHERE {condition} AND l.audit_id = ?"))
        .and_then(|mut query| query.query_row(params_from_iter(values), entry).optional())
        .map_err(|error| sql("proving a record", &error))?;
    let Some((found, receipt)) = found else { return Ok(None) };
    let head = head(connection, key)?;
    let path = inclusion_proof(&Tree(connection), found.entry.index, head.size)?
        .ok_or_else(|| AuditError::corrupt(format!("leaf {} has no checkpoint", found.entry.index)))?;
    Ok(Some(Proof { entry: found.entry, receipt, path, head }))
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
    let erased: Option<i64> = connection
        .prepare_cached("SELECT max(before_day) FROM erasures")
        .and_then(|mut query| query.query_row([], |row| row.get(0)))
        .map_err(|error| sql(doing, &error))?;
    let erased_before = erased.map_or(0, loaded);
    Ok(Head { size: checkpoint.size, root: checkpoint.root, note, key, erased_before })
}

/// See [`crate::ports::Log::entries`].
pub(super) fn entries(connection: &Connection, first: u64, count: usize) -> Result<Vec<Stored>, AuditError> {
    let count = i64::try_from(count).unwrap_or(i64::MAX);
    let rows: Result<Vec<Stored>, _> = connection
        .prepare_cached(&format!("SELECT {ENTRY} WHERE l.idx >= ?1 ORDER BY l.idx LIMIT ?2"))
        .and_then(|mut query| {
            query.query_map([stored(first), count], |row| entry(row).map(|(stored, _)| stored))?.collect()
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
    let mut query = connection.prepare_cached(&format!("SELECT {KEPT} WHERE l.audit_id = ?1"))?;
    let found = query.query_row([&id.as_bytes()[..]], texts).optional()?;
    Ok(found.map(|texts| First { receipt: texts.receipt, public: texts.public, sealed: texts.sealed }))
}
