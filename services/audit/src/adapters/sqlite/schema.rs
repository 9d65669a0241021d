//! The tables, their versions and the way from an older one to the newest, behind a backup.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use assay_sqlite::MigrationError;
use rusqlite::{Connection, OptionalExtension as _};

use super::{backups, sql};
use crate::error::AuditError;

/// One script per version, in order; a script is never changed once released.
pub(super) const MIGRATIONS: &[&str] = &[V1, V2, V3, V4, V5];

/// Key in `meta`: the day bound of erasures from before erasures were leaves, until the writer has recorded them.
pub(super) const ERASED_BEFORE: &str = "erased_before";

/// Key in `meta`: the search table has to be filled from the payloads; its value is the first leaf that is missing.
pub(super) const WORDS_MISSING: &str = "words_missing";

const V1: &str = "
CREATE TABLE meta (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What stays for ever: the leaf, its public text, and columns that repeat parts of it for the filters.
CREATE TABLE leaves (
    idx            INTEGER PRIMARY KEY,
    audit_id       BLOB NOT NULL UNIQUE,
    leaf           BLOB NOT NULL,
    version        INTEGER NOT NULL,
    public         TEXT NOT NULL,
    commitment     BLOB NOT NULL,
    stored_unix_ms INTEGER NOT NULL,
    unix_ms        INTEGER NOT NULL,
    day            INTEGER NOT NULL,
    tenant         TEXT NOT NULL,
    outcome        TEXT NOT NULL,
    verdict        TEXT
) STRICT;
CREATE INDEX leaves_by_tenant ON leaves (tenant, idx);

-- What can be erased, by day.
CREATE TABLE payloads (
    idx        INTEGER PRIMARY KEY REFERENCES leaves (idx),
    day        INTEGER NOT NULL,
    salt       BLOB NOT NULL,
    payload    TEXT NOT NULL,
    principal  TEXT NOT NULL,
    session_id TEXT NOT NULL
) STRICT;
CREATE INDEX payloads_by_day ON payloads (day);
CREATE INDEX payloads_by_session ON payloads (session_id, idx) WHERE session_id <> '';

-- Complete subtrees above the leaves.
CREATE TABLE nodes (
    level INTEGER NOT NULL,
    idx   INTEGER NOT NULL,
    hash  BLOB NOT NULL,
    PRIMARY KEY (level, idx)
) STRICT, WITHOUT ROWID;

CREATE TABLE checkpoints (
    size    INTEGER PRIMARY KEY,
    note    TEXT NOT NULL,
    unix_ms INTEGER NOT NULL
) STRICT;

-- Records that wait for a person; one_in says of how many like it this one was drawn.
CREATE TABLE reviews (
    idx            INTEGER PRIMARY KEY REFERENCES leaves (idx),
    opened_unix_ms INTEGER NOT NULL,
    one_in         INTEGER NOT NULL
) STRICT;

CREATE TABLE erasures (
    number     INTEGER PRIMARY KEY,
    before_day INTEGER NOT NULL,
    payloads   INTEGER NOT NULL,
    unix_ms    INTEGER NOT NULL
) STRICT;
";

const V2: &str = "
ALTER TABLE leaves ADD COLUMN header TEXT;
-- What nothing reads is not kept.
ALTER TABLE leaves DROP COLUMN day;
ALTER TABLE checkpoints DROP COLUMN unix_ms;
ALTER TABLE reviews DROP COLUMN opened_unix_ms;
-- From now on an erasure is a leaf.
INSERT INTO meta (name, value) SELECT 'erased_before', max(before_day) FROM erasures HAVING count(*) > 0;
DROP TABLE erasures;
";

const V3: &str = "
-- Decisions and feedback, by the record that they are about; repeats parts of their leaves.
CREATE TABLE notes (
    idx   INTEGER PRIMARY KEY REFERENCES leaves (idx),
    about INTEGER NOT NULL REFERENCES leaves (idx),
    said  TEXT NOT NULL
) STRICT;
CREATE INDEX notes_by_record ON notes (about, idx);

CREATE INDEX leaves_by_outcome ON leaves (tenant, outcome, idx);
CREATE INDEX leaves_by_verdict ON leaves (tenant, verdict, idx);
CREATE INDEX leaves_by_time ON leaves (tenant, unix_ms, idx);
CREATE INDEX payloads_by_principal ON payloads (principal, idx);
";

const V4: &str = "
-- How a question was routed, for the filter; none where it never was.
ALTER TABLE leaves ADD COLUMN query_type TEXT;
UPDATE leaves SET query_type = public ->> '$.route.query_type' WHERE json_valid(public);
CREATE INDEX leaves_by_type ON leaves (tenant, query_type, idx);

-- Words of questions and answers, for the search; block is idx / 1024.
CREATE TABLE words (
    block INTEGER NOT NULL,
    word  TEXT NOT NULL,
    idx   INTEGER NOT NULL,
    PRIMARY KEY (block, word, idx)
) STRICT, WITHOUT ROWID;
INSERT INTO meta (name, value) VALUES ('words_missing', 'all');
";

const V5: &str = "
-- A range of time is met leaf by leaf, in the order of the list.
DROP INDEX leaves_by_time;
DROP INDEX leaves_by_tenant;
CREATE INDEX leaves_by_tenant ON leaves (tenant, idx, unix_ms);
-- The rates count verdicts between two moments.
DROP INDEX leaves_by_verdict;
CREATE INDEX leaves_by_verdict ON leaves (tenant, verdict, idx, unix_ms);
";

/// Version of the database; 0 for one without tables.
///
/// # Errors
/// [`AuditError::Newer`]; what the database says.
pub(super) fn version(connection: &Connection) -> Result<usize, AuditError> {
    assay_sqlite::version(connection, MIGRATIONS).map_err(told)
}

/// What the schema has more, less or otherwise than its version's scripts make: tables, indexes, triggers, views.
///
/// # Errors
/// As [`version`].
pub(super) fn differences(connection: &Connection) -> Result<Vec<String>, AuditError> {
    let doing = "reading the schema of the audit log";
    let version = version(connection)?;
    let objects = |connection: &Connection| -> rusqlite::Result<BTreeMap<String, Option<String>>> {
        let mut query =
            connection.prepare("SELECT type || ' ' || name || ' of ' || tbl_name, sql FROM sqlite_schema")?;
        query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    };
    let expected = Connection::open_in_memory().and_then(|model| {
        for script in MIGRATIONS.iter().take(version) {
            model.execute_batch(script)?;
        }
        objects(&model)
    });
    let expected = expected.map_err(|error| sql(doing, &error))?;
    let found = objects(connection).map_err(|error| sql(doing, &error))?;
    let names: BTreeSet<&String> = expected.keys().chain(found.keys()).collect();
    let told = names.into_iter().filter_map(|name| match (expected.get(name), found.get(name)) {
        (Some(expected), Some(found)) if expected == found => None,
        (Some(_), Some(_)) => Some(format!("the database defines {name} otherwise than format {version}")),
        (Some(_), None) => Some(format!("the database has no {name}; format {version} has one")),
        (None, _) => Some(format!("the database has a {name} that format {version} does not have")),
    });
    Ok(told.collect())
}

/// Brings the database to the newest version. An older one is copied to `<file>.v<version>.backup` first, unless there
/// is no `file` to keep.
///
/// # Errors
/// As [`version`].
pub(super) fn migrate(connection: &mut Connection, file: Option<&Path>) -> Result<(), AuditError> {
    let backup = |version| Some(backups::of(file?, version));
    assay_sqlite::migrate(connection, MIGRATIONS, backup).map_err(told)
}

fn told(error: MigrationError) -> AuditError {
    match error {
        MigrationError::Newer { found, known } => AuditError::Newer { found, known },
        MigrationError::Version(error) => sql("reading the format of the audit log", &error),
        MigrationError::File(error) => AuditError::io("making a backup of the audit log", &error),
        MigrationError::Backup(error) => sql("backing up the audit log before its migration", &error),
        MigrationError::Script { version, source } => {
            sql(&format!("migrating the audit log to format {version}"), &source)
        }
    }
}

/// A value of `meta`.
pub(super) fn meta(connection: &Connection, name: &str) -> Result<Option<String>, AuditError> {
    connection
        .query_row("SELECT value FROM meta WHERE name = ?1", [name], |row| row.get(0))
        .optional()
        .map_err(|error| sql("reading the name of the audit log", &error))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn a_changed_schema_is_told() {
        let mut connection = Connection::open_in_memory().unwrap();
        assert_eq!(differences(&connection), Ok(Vec::new()));
        migrate(&mut connection, None).unwrap();
        assert_eq!(differences(&connection), Ok(Vec::new()));
        for (change, told) in [
            (
                "CREATE TRIGGER t AFTER INSERT ON leaves BEGIN DELETE FROM payloads; END",
                "trigger t of leaves",
            ),
            ("CREATE VIEW v AS SELECT 1", "view v of v"),
            ("CREATE TABLE more (x)", "table more of more"),
            ("DROP INDEX payloads_by_day", "index payloads_by_day of payloads"),
            ("ALTER TABLE meta ADD COLUMN x TEXT", "table meta of meta"),
        ] {
            connection.execute_batch("BEGIN").unwrap();
            connection.execute_batch(change).unwrap();
            let found = differences(&connection).unwrap();
            assert!(found.len() == 1 && found[0].contains(told), "{change}: {found:?}");
            connection.execute_batch("ROLLBACK").unwrap();
        }
    }
}
