//! Lists of records: one sorted list of leaves for each filter, met window by window from the newest leaf down.
//!
//! Each list is a range of an index that covers it, so that a filter costs no row that another one refuses.

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, params_from_iter};

use super::reader::{self, COLUMNS, FROM};
use super::words::BLOCK;
use super::{sql, stored};
use crate::error::AuditError;
use crate::ports::{Filter, Kept, Scope};

const DOING: &str = "listing records";
/// Leaves of the first window; each further one has twice as many.
const FIRST: i64 = 128;
/// Leaves of the largest window.
const LARGEST: i64 = 32_768;

/// Leaves that are looked up one by one instead of by their window.
const FEW: usize = 32;

/// Leaves that one filter lets through.
struct Narrowing {
    /// Ends before the bounds of the index.
    query: String,
    values: Vec<Value>,
}

impl Narrowing {
    fn new(table: &str, condition: &str, values: Vec<Value>) -> Self {
        Self { query: format!("SELECT idx FROM {table} WHERE {condition} AND idx BETWEEN ? AND ?"), values }
    }

    /// Those from `first` to `last`, ascending.
    fn within(&self, connection: &Connection, first: i64, last: i64) -> rusqlite::Result<Vec<i64>> {
        let bounds = [Value::Integer(first), Value::Integer(last)];
        let values = self.values.iter().cloned().chain(bounds);
        let mut query = connection.prepare_cached(&self.query)?;
        let rows = query.query_map(params_from_iter(values), |row| row.get(0))?;
        let mut found: Vec<i64> = rows.collect::<Result<_, _>>()?;
        found.sort_unstable();
        Ok(found)
    }
}

/// The filters that an index answers; those that let few through come first.
fn narrowings(scope: &Scope, filter: &Filter) -> Vec<Narrowing> {
    let text = |text: &str| Value::Text(text.to_owned());
    let tenant = || text(&scope.tenant);
    let mut all = Vec::new();
    if let Some(session) = &filter.session {
        all.push(Narrowing::new("payloads", "session_id = ? AND session_id <> ''", vec![text(session)]));
    }
    for principal in filter.principal.iter().chain(&scope.principal) {
        all.push(Narrowing::new("payloads", "principal = ?", vec![text(principal)]));
    }
    if filter.awaiting_review {
        all.push(Narrowing::new("reviews", "true", Vec::new()));
    }
    let before = all.len();
    if let Some(query_type) = filter.query_type {
        let values = vec![tenant(), text(query_type.as_str())];
        all.push(Narrowing::new("leaves", "tenant = ? AND query_type = ?", values));
    }
    if !filter.verdicts.is_empty() {
        let marks = vec!["?"; filter.verdicts.len()].join(", ");
        let verdicts = filter.verdicts.iter().map(|verdict| text(verdict.as_str()));
        let values = std::iter::once(tenant()).chain(verdicts).collect();
        all.push(Narrowing::new("leaves", &format!("tenant = ? AND verdict IN ({marks})"), values));
    }
    if let Some(outcome) = filter.outcome {
        let values = vec![tenant(), text(outcome.as_str())];
        all.push(Narrowing::new("leaves", "tenant = ? AND outcome = ?", values));
    }
    if filter.from_unix_ms.is_some() || filter.until_unix_ms.is_some() {
        let values = std::iter::once(tenant()).chain(times(filter)).collect();
        all.push(Narrowing::new("leaves", "tenant = ? AND unix_ms >= ? AND unix_ms < ?", values));
    }
    let of_tenant = all.len() > before;
    // A long word is a rare one.
    let mut words: Vec<&String> = filter.words.iter().collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    for word in words {
        // A window of a search is inside one block.
        let block = format!("block = ?2 / {BLOCK} AND word = ?1");
        let query = format!("SELECT idx FROM words WHERE {block} AND idx BETWEEN ?2 AND ?3");
        all.push(Narrowing { query, values: vec![text(word)] });
    }
    if !of_tenant {
        all.push(Narrowing::new("leaves", "tenant = ?", vec![tenant()]));
    }
    all
}

/// First moment that a filter wants, and the first one after those.
fn times(filter: &Filter) -> [Value; 2] {
    [filter.from_unix_ms.unwrap_or(0), filter.until_unix_ms.unwrap_or(u64::MAX)]
        .map(|unix_ms| Value::Integer(stored(unix_ms)))
}

/// First and last leaf that can be wanted; none in an empty log.
fn bounds(connection: &Connection, filter: &Filter) -> rusqlite::Result<Option<(i64, i64)>> {
    let (first, last): (Option<i64>, Option<i64>) = connection
        // Alone, each of them is a look at one end of the table.
        .prepare_cached("SELECT (SELECT min(idx) FROM leaves), (SELECT max(idx) FROM leaves)")?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let last = match filter.before {
        Some(before) => last.map(|last| last.min(stored(before) - 1)),
        None => last,
    };
    Ok(first.zip(last))
}

/// See [`crate::ports::Records::list`].
pub(super) fn list(connection: &Connection, scope: &Scope, filter: &Filter) -> Result<Vec<Kept>, AuditError> {
    texts(connection, scope, filter)
        .map_err(|error| sql(DOING, &error))?
        .into_iter()
        .map(reader::kept)
        .collect()
}

fn texts(connection: &Connection, scope: &Scope, filter: &Filter) -> rusqlite::Result<Vec<reader::Texts>> {
    let mut found = Vec::new();
    let Some((first, mut last)) = bounds(connection, filter)? else { return Ok(found) };
    let narrowings = narrowings(scope, filter);
    let (condition, values) = reader::scoped(scope);
    let query = format!("SELECT {COLUMNS} {FROM} WHERE {condition} AND l.idx = ?");
    let mut query = connection.prepare_cached(&query)?;
    let mut window = FIRST;
    while last >= first {
        let begin = match filter.words.is_empty() {
            true => last - window + 1,
            false => (last - window + 1).max(last / BLOCK * BLOCK),
        };
        let begin = begin.max(first);
        for index in in_all(connection, &narrowings, begin, last)?.into_iter().rev() {
            let values = values.iter().cloned().chain([Value::Integer(index)]);
            found.extend(query.query_row(params_from_iter(values), reader::texts).optional()?);
            if found.len() >= filter.limit {
                return Ok(found);
            }
        }
        last = begin - 1;
        window = (window * 2).min(LARGEST);
    }
    Ok(found)
}

/// Leaves of a window that every filter lets through, ascending.
fn in_all(connection: &Connection, all: &[Narrowing], first: i64, last: i64) -> rusqlite::Result<Vec<i64>> {
    let mut met: Option<Vec<i64>> = None;
    for filter in all {
        let still = match met {
            None => filter.within(connection, first, last)?,
            Some(met) if met.len() <= FEW => {
                let mut still = Vec::new();
                for index in met {
                    still.extend(filter.within(connection, index, index)?);
                }
                still
            }
            Some(mut met) => {
                let list = filter.within(connection, first, last)?;
                met.retain(|index| list.binary_search(index).is_ok());
                met
            }
        };
        if still.is_empty() {
            return Ok(still);
        }
        met = Some(still);
    }
    Ok(met.unwrap_or_default())
}
