//! The search table: which word is in which payload. It is erased with the payloads and filled anew from them.
//!
//! Plain rows instead of FTS5: after a deletion with `secure-delete` FTS5 keeps beginnings of erased words, as the keys
//! of its pages, and no statement but a whole rebuild takes these away. Rows are overwritten like every other row.

use std::collections::BTreeSet;

use assay_ledger::record::join;
use assay_ledger::{Entry, Header, Kind, commitment};
use rusqlite::Connection;

use super::{loaded, reader, schema, sql, stored};
use crate::error::AuditError;
use crate::words::of_kept;

/// Leaves of one block of the table: the rows of neighbours are neighbours, so that a record writes few pages.
pub(super) const BLOCK: i64 = 1024;

/// Leaves whose words one transaction fills in.
const PIECE: u64 = 16 * 1024;

/// Stores the words of a payload.
pub(super) fn put(connection: &Connection, index: u64, words: &BTreeSet<String>) -> rusqlite::Result<()> {
    let index = stored(index);
    let mut insert = connection.prepare_cached("INSERT INTO words (block, word, idx) VALUES (?1, ?2, ?3)")?;
    for word in words {
        insert.execute((index / BLOCK, word, index))?;
    }
    Ok(())
}

/// Words of the payload of an entry; none where the payload is not the one that was signed.
fn known(entry: &Entry) -> Option<BTreeSet<String>> {
    let Some(sealed) = &entry.sealed else { return Some(BTreeSet::new()) };
    if commitment(&sealed.salt, &sealed.payload) != entry.commitment {
        return None;
    }
    let header = entry.header.as_deref().map(Header::from_json);
    if matches!(header, Some(Ok(Header { kind: Kind::Note | Kind::Erasure, .. }))) {
        return Some(BTreeSet::new());
    }
    join(&entry.public, Some(&sealed.payload)).ok().map(|joined| of_kept(&joined.record, true))
}

/// Removes the words of the payloads from `first` to `last`, before these go. A payload as it was signed tells its words;
/// for any other its whole block is searched.
pub(super) fn take(connection: &Connection, first: u64, last: u64) -> rusqlite::Result<()> {
    let mut one =
        connection.prepare_cached("DELETE FROM words WHERE block = ?1 AND word = ?2 AND idx = ?3")?;
    let mut all = connection.prepare_cached("DELETE FROM words WHERE block = ?1 AND idx = ?2")?;
    each(connection, first, last, |entry| {
        let index = stored(entry.index);
        match known(entry) {
            Some(words) => {
                for word in words {
                    one.execute((index / BLOCK, word, index))?;
                }
            }
            None => drop(all.execute((index / BLOCK, index))?),
        }
        Ok(())
    })
}

/// Calls back for every entry with a payload, in order.
fn each(
    connection: &Connection,
    first: u64,
    last: u64,
    mut back: impl FnMut(&Entry) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let query = format!(
        "SELECT {} FROM payloads p JOIN leaves l ON l.idx = p.idx WHERE p.idx BETWEEN ?1 AND ?2 ORDER BY p.idx",
        reader::ENTRY
    );
    let mut query = connection.prepare_cached(&query)?;
    let mut rows = query.query((stored(first), stored(last)))?;
    while let Some(row) = rows.next()? {
        back(&reader::entry(row)?)?;
    }
    Ok(())
}

/// Fills the table from the payloads where a migration asks for it.
///
/// # Errors
/// What the database says. A payload that is not as it was signed is left to the verification.
pub(super) fn fill(connection: &mut Connection) -> Result<(), AuditError> {
    let failed = |error| sql("filling the search table of the audit log", &error);
    let last: Option<i64> =
        connection.query_row("SELECT max(idx) FROM leaves", [], |row| row.get(0)).map_err(failed)?;
    while let Some(next) = schema::meta(connection, schema::WORDS_MISSING)? {
        let next: u64 = next.parse().unwrap_or(0);
        piece(connection, next, last.map_or(0, loaded)).map_err(failed)?;
    }
    Ok(())
}

/// Fills the table from one leaf on, so far that a start that is stopped meanwhile goes on from there.
fn piece(connection: &mut Connection, first: u64, last: u64) -> rusqlite::Result<()> {
    let behind = first.saturating_add(PIECE);
    let transaction = connection.transaction()?;
    if first == 0 {
        transaction.execute("DELETE FROM words", [])?;
    }
    each(&transaction, first, behind - 1, |entry| {
        known(entry).map_or(Ok(()), |words| put(&transaction, entry.index, &words))
    })?;
    if behind > last {
        transaction.execute("DELETE FROM meta WHERE name = ?1", [schema::WORDS_MISSING])?;
    } else {
        let next = (behind.to_string(), schema::WORDS_MISSING);
        transaction.execute("UPDATE meta SET value = ?1 WHERE name = ?2", next)?;
    }
    transaction.commit()
}
