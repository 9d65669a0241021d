//! Erasure of payloads: a leaf that names them, then their rows, in one transaction.

use assay_ledger::erasure::{DAY_MS, Erasure, Reason};
use assay_ledger::{Frontier, Hash, Header, Kind, Signer};
use rusqlite::Connection;
use rusqlite::types::Value;

use super::put::{self, Leaf};
use super::{columns, loaded, schema, sql, stored, words};
use crate::error::AuditError;
use crate::ports::{Erased, ErasedOf, Selector};

/// Payloads that one erasing transaction takes, so that appends never wait long for it.
const AT_ONCE: i64 = 2_000;
const DOING: &str = "erasing payloads";

/// The moment, and how long a time without records may be for it to be believed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    /// Milliseconds since the Unix epoch.
    pub(super) now_unix_ms: u64,
    /// In days; 0 believes any moment.
    pub(super) gap_days: u32,
}

/// Erases some payloads of the day buckets before `day`; those before a gap in time are held back.
pub(super) fn expired(
    connection: &mut Connection,
    frontier: &Frontier,
    signer: &Signer,
    day: u64,
    clock: Clock,
) -> Result<(Frontier, Erased), AuditError> {
    let looked = (|| {
        let any = "SELECT EXISTS (SELECT 1 FROM payloads WHERE day < ?1)";
        if !connection.query_row(any, [stored(day)], |row| row.get(0))? {
            return Ok((0, Vec::new()));
        }
        let trusted = trusted_from(connection, clock)?;
        let held_back: i64 = connection.query_row(
            "SELECT count(*) FROM payloads WHERE day < ?1 AND idx < ?2",
            (stored(day), trusted),
            |row| row.get(0),
        )?;
        let mut query = connection
            .prepare_cached("SELECT idx FROM payloads WHERE day < ?1 AND idx >= ?2 ORDER BY idx LIMIT ?3")?;
        let rows = query.query_map((stored(day), trusted, AT_ONCE), |row| row.get(0).map(loaded))?;
        Ok((held_back, rows.collect::<Result<Vec<u64>, _>>()?))
    })();
    let (held_back, indices) = looked.map_err(|error| sql(DOING, &error))?;
    let payloads = u64::try_from(indices.len()).unwrap_or(u64::MAX);
    let erased = Erased { payloads, held_back: loaded(held_back), backups: Vec::new() };
    if indices.is_empty() {
        return Ok((frontier.clone(), erased));
    }
    let erasure = Erasure::of(Reason::Retention, day, &indices);
    let frontier = apply(connection, frontier, signer, &erasure, clock.now_unix_ms);
    Ok((frontier.map_err(|error| sql(DOING, &error))?, erased))
}

/// Erases some payloads of somebody: of a principal, a session or one record, with what was said of these records.
pub(super) fn requested(
    connection: &mut Connection,
    frontier: &Frontier,
    signer: &Signer,
    tenant: &str,
    what: &Selector,
    now_unix_ms: u64,
) -> Result<(Frontier, ErasedOf), AuditError> {
    let (condition, value) = match what {
        Selector::Principal(principal) => ("p.principal = ?2", Value::Text(principal.clone())),
        Selector::Session(session) => {
            ("p.session_id = ?2 AND p.session_id <> ''", Value::Text(session.clone()))
        }
        Selector::Record(id) => ("l.audit_id = ?2", Value::Blob(id.as_bytes().to_vec())),
    };
    // Of a named record the notes are found even where its own payload is gone.
    let chosen = format!(
        "SELECT l.idx FROM leaves l LEFT JOIN payloads p ON p.idx = l.idx WHERE l.tenant = ?1 AND {condition}"
    );
    // A note about a record goes with it, or before it: without the record's payload no principal finds it.
    let query = format!(
        "SELECT p.idx, p.day FROM payloads p
         WHERE p.idx IN (SELECT n.idx FROM notes n WHERE n.about IN ({chosen}) UNION ALL {chosen})
         ORDER BY p.idx DESC LIMIT ?3"
    );
    let rows: Result<Vec<(u64, u64)>, _> = connection.prepare_cached(&query).and_then(|mut query| {
        let row = |row: &rusqlite::Row<'_>| Ok((loaded(row.get(0)?), loaded(row.get(1)?)));
        query.query_map((tenant, value, AT_ONCE), row)?.collect()
    });
    let mut rows = rows.map_err(|error| sql(DOING, &error))?;
    rows.sort_unstable();
    let Some(last) = rows.iter().map(|(_, day)| *day).max() else {
        return Ok((frontier.clone(), ErasedOf::default()));
    };
    let indices: Vec<u64> = rows.iter().map(|(index, _)| *index).collect();
    let payloads = u64::try_from(indices.len()).unwrap_or(u64::MAX);
    let erased = ErasedOf { payloads, backups: Vec::new() };
    let erasure = Erasure::of(Reason::Request, last.saturating_add(1), &indices);
    let frontier = apply(connection, frontier, signer, &erasure, now_unix_ms);
    Ok((frontier.map_err(|error| sql(DOING, &error))?, erased))
}

/// First leaf behind the last time without records, up to now, that is longer than the gap that is believed: a clock
/// that jumps forward makes such a gap, and would erase everything before it.
fn trusted_from(connection: &Connection, clock: Clock) -> rusqlite::Result<i64> {
    if clock.gap_days == 0 {
        return Ok(0);
    }
    let last: Option<i64> = connection
        .prepare_cached(
            "SELECT max(idx) FROM (
                 SELECT idx, lead(stored_unix_ms, 1, ?1) OVER (ORDER BY idx) - stored_unix_ms AS gap
                 FROM leaves WHERE idx >= (SELECT min(idx) FROM payloads))
             WHERE gap > ?2",
        )?
        .query_row((stored(clock.now_unix_ms), stored(u64::from(clock.gap_days) * DAY_MS)), |row| {
            row.get(0)
        })?;
    Ok(last.map_or(0, |last| last.saturating_add(1)))
}

/// Records erasures from before erasures were leaves: once, after the migration.
pub(super) fn record_older(
    connection: &mut Connection,
    frontier: &Frontier,
    signer: &Signer,
    now_unix_ms: u64,
) -> Result<Frontier, AuditError> {
    let Some(before) = schema::meta(connection, schema::ERASED_BEFORE)? else { return Ok(frontier.clone()) };
    let day: u64 = before
        .parse()
        .map_err(|_| AuditError::corrupt(format!("its bound of erasures {before:?} is not a day")))?;
    let missing: Result<Vec<u64>, _> = connection
        .prepare(
            "SELECT l.idx FROM leaves l LEFT JOIN payloads p ON p.idx = l.idx
             WHERE p.idx IS NULL AND l.unix_ms < ?1 ORDER BY l.idx",
        )
        .and_then(|mut query| {
            query.query_map([stored(day.saturating_mul(DAY_MS))], |row| row.get(0).map(loaded))?.collect()
        });
    let missing = missing.map_err(|error| sql(DOING, &error))?;
    let erasure = Erasure::of(Reason::Migration, day, &missing);
    apply(connection, frontier, signer, &erasure, now_unix_ms).map_err(|error| sql(DOING, &error))
}

/// One transaction: the leaf, its checkpoint, and the rows that go.
fn apply(
    connection: &mut Connection,
    frontier: &Frontier,
    signer: &Signer,
    erasure: &Erasure,
    now_unix_ms: u64,
) -> rusqlite::Result<Frontier> {
    let mut frontier = frontier.clone();
    let transaction = connection.transaction()?;
    let index = frontier.size();
    let header = Header { kind: Kind::Erasure, stored_unix_ms: now_unix_ms, checkpoint: index, review: None };
    let leaf = Leaf {
        header,
        public: &erasure.to_json(),
        commitment: Hash([0; 32]),
        columns: columns::of_erasure(index, now_unix_ms),
    };
    put::leaf(&transaction, &mut frontier, leaf)?;
    put::checkpoint(&transaction, &frontier, signer)?;
    for (first, last) in &erasure.leaves {
        words::take(&transaction, *first, *last)?;
        // A record that nobody decided in time leaves the review queue with its payload.
        for table in ["reviews", "payloads"] {
            transaction
                .prepare_cached(&format!("DELETE FROM {table} WHERE idx BETWEEN ?1 AND ?2"))?
                .execute((stored(*first), stored(*last)))?;
        }
    }
    transaction.execute("DELETE FROM meta WHERE name = ?1", [schema::ERASED_BEFORE])?;
    transaction.commit()?;
    Ok(frontier)
}
