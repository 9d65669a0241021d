//! Verification of a database: every row of every table is held against the signed texts.

use std::collections::{BTreeMap, BTreeSet};

use assay_ledger::checkpoint::Checkpoint;
use assay_ledger::record::join;
use assay_ledger::{Entry, Finding, Header, Kind, Node, Note, Said, Verifier, VerifierKey};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Row};

use super::{columns, loaded, reader, schema, sql, words};
use crate::error::AuditError;
use crate::policy;
use crate::ports::{Remembered, Verified};

const DOING: &str = "verifying the audit log";
/// Entries between two looks whether anybody still waits.
const LOOK_EVERY: u64 = 64;
/// Rows of one kind that are named.
const NAMED: i64 = 100;

/// Verifies the log of a connection; `over` tells whether nobody waits any more.
///
/// # Errors
/// [`AuditError::Closed`] where nobody waits; everything else is a finding.
pub(super) fn inspect(
    connection: &Connection,
    key: &VerifierKey,
    remembered: &Remembered,
    over: &dyn Fn() -> bool,
) -> Result<Verified, AuditError> {
    let notes = notes(connection);
    let known: &[(i64, String)] = notes.as_deref().unwrap_or_default();
    let own = |head: &&crate::ports::TreeHead| head.log_id == key.name();
    let sizes: Vec<u64> = known
        .iter()
        .map(|(_, note)| note.as_str())
        .chain(remembered.checkpoint.as_deref())
        .filter_map(|note| Checkpoint::parse_unverified(note).ok())
        .map(|checkpoint| checkpoint.size)
        .chain(remembered.heads.iter().filter(own).map(|head| head.size))
        .collect();
    let verifier = Verifier::new(Some(key.clone()), Some(&sizes));
    let mut inspection = Inspection {
        connection,
        key,
        verifier,
        old_reviews: BTreeSet::new(),
        notes: BTreeMap::new(),
        read: false,
        over,
    };
    match inspection.run(known).and_then(|()| notes.as_ref().map(drop).map_err(Clone::clone)) {
        Err(AuditError::Closed) => return Err(AuditError::Closed),
        Err(error) => inspection.store(error.to_string()),
        Ok(()) => {}
    }
    // A log that could not be read is not a shorter one.
    let others = if inspection.read { inspection.remembered(remembered) } else { Vec::new() };
    let mut verification = inspection.verifier.finish();
    verification.not_covered.extend(others);
    let note = known.last().map(|(_, note)| note.clone()).unwrap_or_default();
    Ok(Verified { verification, note })
}

/// All checkpoints, smallest first.
fn notes(connection: &Connection) -> Result<Vec<(i64, String)>, AuditError> {
    let rows: Result<Vec<(i64, String)>, _> =
        connection.prepare("SELECT size, note FROM checkpoints ORDER BY size").and_then(|mut query| {
            query.query_map([], |row| Ok((row.get(0)?, reader::lossy(row, 1)?)))?.collect()
        });
    rows.map_err(|error| sql(DOING, &error))
}

struct Inspection<'a> {
    connection: &'a Connection,
    key: &'a VerifierKey,
    verifier: Verifier,
    /// Entries without header that may be in the review queue.
    old_reviews: BTreeSet<u64>,
    /// Notes about one record: the record, and what is said.
    notes: BTreeMap<u64, (u64, Said)>,
    /// Whether every entry was read.
    read: bool,
    over: &'a dyn Fn() -> bool,
}

impl Inspection<'_> {
    fn store(&mut self, what: impl Into<String>) {
        self.verifier.report(Finding::Store(what.into()));
    }

    fn run(&mut self, notes: &[(i64, String)]) -> Result<(), AuditError> {
        self.integrity()?;
        let differences = schema::differences(self.connection)?;
        if !differences.is_empty() {
            // What the tables mean is unknown from here on.
            differences.into_iter().for_each(|what| self.store(what));
            return Ok(());
        }
        let erased_before = self.meta()?;
        if let Some(day) = erased_before {
            self.verifier.accept_unsigned_erasures(day);
        }
        self.leaves()?;
        self.read = true;
        if erased_before.is_some() && self.verifier.headless() < self.verifier.size() {
            self.store("meta holds erased_before, which only a log of format 1 has");
        }
        self.surplus()?;
        self.reviews()?;
        self.notes()?;
        self.checkpoints(notes);
        Ok(())
    }

    /// Whether the file is sound: pages, indexes, types, constraints.
    fn integrity(&mut self) -> Result<(), AuditError> {
        let told: Result<Vec<String>, _> = self
            .connection
            .prepare(&format!("PRAGMA integrity_check({NAMED})"))
            .and_then(|mut query| query.query_map([], |row| reader::lossy(row, 0))?.collect());
        for line in told.map_err(|error| sql(DOING, &error))?.into_iter().filter(|line| line != "ok") {
            self.store(format!("the database is damaged: {line}"));
        }
        Ok(())
    }

    /// Holds name and key against the trusted ones; returns the bound of erasures without leaves, if there is one.
    fn meta(&mut self) -> Result<Option<u64>, AuditError> {
        let rows: Result<BTreeMap<String, String>, _> =
            self.connection.prepare("SELECT name, value FROM meta").and_then(|mut query| {
                query.query_map([], |row| Ok((reader::lossy(row, 0)?, reader::lossy(row, 1)?)))?.collect()
            });
        let mut rows = rows.map_err(|error| sql(DOING, &error))?;
        for (name, expected) in [("origin", self.key.name().to_owned()), ("key", self.key.to_string())] {
            let found = rows.remove(name).unwrap_or_default();
            if found != expected {
                self.store(format!("meta: {name} is {found:?}, expected is {expected:?}"));
            }
        }
        let erased_before = rows.remove(schema::ERASED_BEFORE);
        rows.remove(schema::WORDS_MISSING);
        for name in rows.keys() {
            self.store(format!("meta: {name:?} does not belong there"));
        }
        Ok(erased_before.and_then(|day| day.parse().ok()))
    }

    fn leaves(&mut self) -> Result<(), AuditError> {
        let names = columns::LEAF.map(|name| format!("l.{name}")).join(", ");
        let payload = columns::PAYLOAD.map(|name| format!("p.{name}")).join(", ");
        let query = format!("SELECT {}, {names}, {payload} {} ORDER BY l.idx", reader::ENTRY, reader::FROM);
        let failed = |error| sql(DOING, &error);
        let mut statement = self.connection.prepare(&query).map_err(failed)?;
        let mut rows = statement.query([]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            if self.verifier.size().is_multiple_of(LOOK_EVERY) && (self.over)() {
                return Err(AuditError::Closed);
            }
            let index: i64 = row.get(0).map_err(failed)?;
            if index < 0 {
                self.store(format!("leaves holds the index {index}"));
                continue;
            }
            let entry = reader::entry(row).map_err(failed)?;
            self.columns(row, &entry).map_err(failed)?;
            let nodes = self.verifier.entry(&entry);
            // Behind a gap every node differs; the gap itself is the finding.
            if self.verifier.size() == entry.index + 1 {
                self.nodes(&nodes)?;
            }
        }
        Ok(())
    }

    /// Holds the columns that repeat the texts of an entry against them.
    fn columns(&mut self, row: &Row<'_>, entry: &Entry) -> rusqlite::Result<()> {
        let header = entry.header.as_deref().and_then(|text| Header::from_json(text).ok());
        let stored = header.map_or(0, |header| header.stored_unix_ms);
        let first = 8;
        if let Some(Header { kind: Kind::Erasure, .. }) = header {
            let expected = columns::of_erasure(entry.index, stored);
            return self.compare(row, entry, "?", first, &columns::LEAF, &expected);
        }
        let payload = entry.sealed.as_ref().map(|sealed| sealed.payload.as_str());
        if let Some(Header { kind: Kind::Note, .. }) = header {
            let Ok(note) = Note::join(&entry.public, payload, entry.index) else { return Ok(()) };
            let (id, expected) = (note.id.to_string(), columns::of_note(&note, stored));
            self.compare(row, entry, &id, first, &columns::LEAF, &expected)?;
            if payload.is_some() {
                let expected = columns::of_words(&note, stored);
                self.compare(row, entry, &id, first + columns::LEAF.len(), &columns::PAYLOAD, &expected)?;
            }
            if let Some(about) = note.about() {
                self.notes.insert(entry.index, (about, note.said));
            }
            return Ok(());
        }
        // What cannot be read is a finding of the verifier.
        let Ok(joined) = join(&entry.public, payload) else { return Ok(()) };
        let id = joined.record.audit_id.to_string();
        let expected = columns::of_record(&joined.record, stored);
        let covered = if header.is_some() { expected.len() } else { expected.len() - 1 };
        self.compare(row, entry, &id, first, &columns::LEAF[..covered], &expected[..covered])?;
        if payload.is_some() {
            let expected = columns::of_payload(&joined.record);
            self.compare(row, entry, &id, first + columns::LEAF.len(), &columns::PAYLOAD, &expected)?;
            if header.is_none() && policy::waits_for_review(&joined.record) {
                self.old_reviews.insert(entry.index);
            }
        }
        Ok(())
    }

    fn compare(
        &mut self,
        row: &Row<'_>,
        entry: &Entry,
        id: &str,
        first: usize,
        names: &[&'static str],
        expected: &[Value],
    ) -> rusqlite::Result<()> {
        for (at, (column, expected)) in names.iter().copied().zip(expected).enumerate() {
            let (stored, expected) = (row.get_ref(first + at)?, ValueRef::from(expected));
            if stored != expected {
                let (stored, expected) = (columns::shown(stored), columns::shown(expected));
                let (index, id) = (entry.index, id.to_owned());
                self.verifier.report(Finding::ColumnMismatch { index, id, column, stored, expected });
            }
        }
        Ok(())
    }

    fn nodes(&mut self, nodes: &[Node]) -> Result<(), AuditError> {
        for node in nodes.iter().filter(|node| node.level > 0) {
            if reader::node(self.connection, node.level, node.index)? != Some(node.hash) {
                self.verifier.report(Finding::NodeMismatch { level: node.level, index: node.index });
            }
        }
        Ok(())
    }

    /// Names rows that belong to no entry.
    fn surplus(&mut self) -> Result<(), AuditError> {
        let size = self.verifier.size();
        let nodes = format!(
            "SELECT 'node (level ' || level || ', index ' || idx || ')' FROM nodes
                 WHERE level NOT BETWEEN 1 AND 62 OR idx < 0 OR idx >= {size} >> level LIMIT {NAMED}"
        );
        let payloads = format!(
            "SELECT 'payload ' || idx FROM payloads WHERE idx NOT IN (SELECT idx FROM leaves) LIMIT {NAMED}"
        );
        // Words are no part of the log: a row that is gone or changed is only not found. One without payload is left over.
        let words = format!(
            "SELECT DISTINCT 'word of entry ' || idx FROM words
                 WHERE idx NOT IN (SELECT idx FROM payloads) OR block <> idx / {} LIMIT {NAMED}",
            words::BLOCK
        );
        for query in [nodes, payloads, words] {
            let names: Result<Vec<String>, _> = self
                .connection
                .prepare(&query)
                .and_then(|mut query| query.query_map([], |row| reader::lossy(row, 0))?.collect());
            for name in names.map_err(|error| sql(DOING, &error))? {
                self.store(format!("{name} belongs to no entry"));
            }
        }
        Ok(())
    }

    /// Holds the review queue against the one that follows from the log.
    fn reviews(&mut self) -> Result<(), AuditError> {
        let rows: Result<BTreeMap<i64, i64>, _> = self
            .connection
            .prepare("SELECT idx, one_in FROM reviews")
            .and_then(|mut query| query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect());
        let mut rows = rows.map_err(|error| sql(DOING, &error))?;
        for (index, one_in) in self.verifier.reviews().clone() {
            match rows.remove(&super::stored(index)) {
                Some(found) if found == i64::from(one_in) => {}
                Some(found) => {
                    self.store(format!("reviews: entry {index} was drawn 1 in {one_in}, not 1 in {found}"));
                }
                None => self.store(format!("reviews: entry {index} awaits review and is not in the queue")),
            }
        }
        for (index, _) in rows {
            if !u64::try_from(index).is_ok_and(|index| self.old_reviews.contains(&index)) {
                self.store(format!(
                    "reviews: entry {index} is in the queue, no entry of the log put it there"
                ));
            }
        }
        Ok(())
    }

    /// Holds the rows of notes against their leaves.
    fn notes(&mut self) -> Result<(), AuditError> {
        let rows: Result<BTreeMap<i64, (i64, String)>, _> =
            self.connection.prepare("SELECT idx, about, said FROM notes").and_then(|mut query| {
                query.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, reader::lossy(row, 2)?))))?.collect()
            });
        let mut rows = rows.map_err(|error| sql(DOING, &error))?;
        for (index, (about, said)) in std::mem::take(&mut self.notes) {
            let expected = (super::stored(about), said.as_str().to_owned());
            match rows.remove(&super::stored(index)) {
                Some(found) if found == expected => {}
                Some((about, said)) => {
                    self.store(format!("notes: entry {index} does not say {said} of entry {about}"));
                }
                None => self.store(format!("notes: entry {index} is a note and has no row")),
            }
        }
        for index in rows.into_keys() {
            self.store(format!("notes: entry {index} has a row and is no note"));
        }
        Ok(())
    }

    fn checkpoints(&mut self, notes: &[(i64, String)]) {
        if notes.is_empty() {
            self.store("there is no checkpoint");
        }
        for (size, note) in notes {
            self.verifier.checkpoint(note);
            let Ok(signed) = Checkpoint::parse_unverified(note) else { continue };
            if loaded(*size) != signed.size || *size < 0 {
                self.store(format!("checkpoints: the stored size is {size}, the signed one {}", signed.size));
            }
            if !self.key.is_canonical(note) {
                self.store(format!("checkpoints: the note of size {size} is not as the log wrote it"));
            }
        }
    }

    /// Holds what somebody remembers against the log; returns what the router was told of other logs.
    fn remembered(&mut self, remembered: &Remembered) -> Vec<String> {
        for note in remembered.checkpoint.iter().filter(|note| !note.trim().is_empty()) {
            self.verifier.checkpoint(note);
        }
        let mut others = Vec::new();
        for (at, head) in remembered.heads.iter().enumerate() {
            if head.log_id == self.key.name() {
                self.verifier.remembered(head.size, head.root);
                continue;
            }
            let told = format!(
                "the router saw log {:?} with {} entries; this is log {:?}",
                head.log_id,
                head.size,
                self.key.name()
            );
            // The newest head must be of this log: else another one stood here.
            if at == 0 {
                self.store(told);
            } else {
                others.push(told);
            }
        }
        others
    }
}
