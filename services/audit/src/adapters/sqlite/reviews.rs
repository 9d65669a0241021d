//! Reading what people said, and what waits for them.

use assay_domain::report::Verdict;
use assay_ledger::{Note, Said};
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::reader::{COLUMNS, kept, lossy, sealed, texts};
use super::{loaded, sql, stored};
use crate::error::AuditError;
use crate::ports::{Decided, Noted, Waiting, WaitingFilter};
use crate::rates::Judged;

/// See [`crate::ports::Reviews::waiting`].
pub(super) fn waiting(
    connection: &Connection,
    tenant: &str,
    filter: &WaitingFilter,
) -> Result<Vec<Waiting>, AuditError> {
    let mut condition = "l.tenant = ? AND l.tenant <> '' AND r.idx > ?".to_owned();
    let after = filter.after.map_or(-1, stored);
    let mut values = vec![Value::Text(tenant.to_owned()), Value::Integer(after)];
    if let Some(verdict) = filter.verdict {
        condition.push_str(" AND l.verdict = ?");
        values.push(Value::Text(verdict.to_string()));
    }
    values.push(Value::Integer(i64::try_from(filter.limit).unwrap_or(i64::MAX)));
    // CROSS: the queue leads, in its order; else every leaf of the tenant would be sorted for a page.
    let query = format!(
        "SELECT {COLUMNS}, r.one_in FROM reviews r CROSS JOIN leaves l ON l.idx = r.idx
         LEFT JOIN payloads p ON p.idx = r.idx WHERE {condition} ORDER BY r.idx LIMIT ?"
    );
    let rows: Result<Vec<_>, _> = connection.prepare_cached(&query).and_then(|mut query| {
        let row = |row: &rusqlite::Row<'_>| Ok((texts(row)?, row.get::<_, u32>(6)?));
        query.query_map(params_from_iter(values), row)?.collect()
    });
    rows.map_err(|error| sql("reading the review queue", &error))?
        .into_iter()
        .map(|(texts, one_in)| Ok(Waiting { kept: kept(texts)?, one_in, held: None }))
        .collect()
}

/// Whether a leaf waits for a reviewer.
pub(super) fn waits(connection: &Connection, index: u64) -> Result<bool, AuditError> {
    connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM reviews WHERE idx = ?1)")
        .and_then(|mut query| query.query_row([stored(index)], |row| row.get(0)))
        .map_err(|error| sql("reading the review queue", &error))
}

/// See [`crate::ports::Reviews::noted`].
pub(super) fn noted(connection: &Connection, about: u64) -> Result<Vec<Noted>, AuditError> {
    let rows: Result<Vec<_>, _> = connection
        .prepare_cached(
            "SELECT l.idx, l.public, p.salt, p.payload, l.stored_unix_ms FROM notes n
             JOIN leaves l ON l.idx = n.idx LEFT JOIN payloads p ON p.idx = n.idx
             WHERE n.about = ?1 ORDER BY n.idx DESC LIMIT 1000",
        )
        .and_then(|mut query| {
            let row = |row: &rusqlite::Row<'_>| {
                Ok((loaded(row.get(0)?), lossy(row, 1)?, sealed(row, 2, 3)?, loaded(row.get(4)?)))
            };
            query.query_map([stored(about)], row)?.collect()
        });
    let rows = rows.map_err(|error| sql("reading notes", &error))?;
    rows.into_iter()
        .rev()
        .map(|(index, public, sealed, stored_unix_ms)| {
            let payload = sealed.map(|sealed| sealed.payload);
            let note = Note::join(&public, payload.as_deref(), index)
                .map_err(|reason| AuditError::corrupt(format!("leaf {index}: {reason}")))?;
            Ok(Noted { note, leaf_index: index, stored_unix_ms })
        })
        .collect()
}

/// See [`crate::ports::Reviews::decided`].
pub(super) fn decided(
    connection: &Connection,
    tenant: &str,
    from_unix_ms: u64,
    until_unix_ms: u64,
) -> Result<Vec<Decided>, AuditError> {
    let rows: Result<Vec<_>, _> = connection
        .prepare_cached(
            "SELECT n.said, d.stored_unix_ms, l.public, l.idx FROM notes n
             JOIN leaves d ON d.idx = n.idx JOIN leaves l ON l.idx = n.about
             WHERE d.tenant = ?1 AND d.stored_unix_ms >= ?2 AND d.stored_unix_ms < ?3
             AND n.said IN ('CONFIRM', 'OVERTURN', 'NEEDS_SOURCE') ORDER BY n.idx",
        )
        .and_then(|mut query| {
            let row = |row: &rusqlite::Row<'_>| {
                Ok((lossy(row, 0)?, loaded(row.get(1)?), lossy(row, 2)?, loaded(row.get(3)?)))
            };
            query.query_map((tenant, stored(from_unix_ms), stored(until_unix_ms)), row)?.collect()
        });
    let rows = rows.map_err(|error| sql("reading decisions", &error))?;
    rows.into_iter()
        .map(|(said, unix_ms, public, index)| {
            let corrupt = |reason: String| AuditError::corrupt(format!("leaf {index}: {reason}"));
            let record =
                assay_ledger::record::join(&public, None).map_err(|error| corrupt(error.to_string()))?;
            Ok(Decided {
                said: Said::named(&said).ok_or_else(|| corrupt(format!("{said:?} is no decision")))?,
                unix_ms,
                record: record.record,
            })
        })
        .collect()
}

/// See [`crate::ports::Reviews::judged`].
pub(super) fn judged(
    connection: &Connection,
    tenant: &str,
    from_unix_ms: u64,
    until_unix_ms: u64,
) -> Result<Judged, AuditError> {
    let pass = Verdict::Pass.as_str();
    connection
        .prepare_cached(
            "SELECT count(*) FILTER (WHERE verdict <> ?4), count(*) FILTER (WHERE verdict = ?4) FROM leaves
             WHERE tenant = ?1 AND verdict IS NOT NULL AND unix_ms >= ?2 AND unix_ms < ?3",
        )
        .and_then(|mut query| {
            query.query_row((tenant, stored(from_unix_ms), stored(until_unix_ms), pass), |row| {
                Ok(Judged { doubted: loaded(row.get(0)?), passed: loaded(row.get(1)?) })
            })
        })
        .map_err(|error| sql("counting verdicts", &error))
}
