//! Erasure of payloads: a leaf that names them, then their rows, in one transaction.

use assay_ledger::erasure::{DAY_MS, Erasure, Reason};
use assay_ledger::{Frontier, Hash, Header, Kind, Signer};
use rusqlite::Connection;

use super::put::{self, Leaf};
use super::{columns, loaded, schema, sql, stored};
use crate::error::AuditError;
use crate::ports::Erased;

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
    let erased = Erased { payloads, held_back: loaded(held_back) };
    if indices.is_empty() {
        return Ok((frontier.clone(), erased));
    }
    let erasure = Erasure::of(Reason::Retention, day, &indices);
    let frontier = apply(connection, frontier, signer, &erasure, clock.now_unix_ms);
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
