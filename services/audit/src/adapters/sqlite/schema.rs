//! The tables, their versions and the way from an older one to the newest, behind a backup.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rusqlite::Connection;

use super::sql;
use crate::error::AuditError;

/// One script per version, in order; a script is never changed once released.
pub(super) const MIGRATIONS: &[&str] = &[V1, V2];

/// Key in `meta`: the day bound of erasures from before erasures were leaves, until the writer has recorded them.
pub(super) const ERASED_BEFORE: &str = "erased_before";

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

/// Version of the database; 0 for one without tables.
///
/// # Errors
/// [`AuditError::Newer`]; what the database says.
pub(super) fn version(connection: &Connection, scripts: &[&str]) -> Result<usize, AuditError> {
    let found: i64 = connection
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .map_err(|error| sql("reading the format of the audit log", &error))?;
    let known = i64::try_from(scripts.len()).unwrap_or(i64::MAX);
    usize::try_from(found)
        .ok()
        .filter(|found| *found <= scripts.len())
        .ok_or(AuditError::Newer { found, known })
}

/// What the schema has more, less or otherwise than its version's scripts make: tables, indexes, triggers, views.
///
/// # Errors
/// As [`version`].
pub(super) fn differences(connection: &Connection, scripts: &[&str]) -> Result<Vec<String>, AuditError> {
    let doing = "reading the schema of the audit log";
    let version = version(connection, scripts)?;
    let objects = |connection: &Connection| -> rusqlite::Result<BTreeMap<String, Option<String>>> {
        let mut query =
            connection.prepare("SELECT type || ' ' || name || ' of ' || tbl_name, sql FROM sqlite_schema")?;
        query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    };
    let expected = Connection::open_in_memory().and_then(|model| {
        for script in scripts.iter().take(version) {
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
pub(super) fn migrate(
    connection: &mut Connection,
    file: Option<&Path>,
    scripts: &[&str],
) -> Result<(), AuditError> {
    let version = version(connection, scripts)?;
    if version == scripts.len() {
        return Ok(());
    }
    if let Some(file) = file.filter(|_| version > 0) {
        let mut backup = file.as_os_str().to_owned();
        backup.push(format!(".v{version}.backup"));
        let backup = Path::new(&backup);
        if backup.exists() {
            std::fs::remove_file(backup)
                .map_err(|error| AuditError::io("replacing an older backup of the audit log", &error))?;
        }
        // SQLite keeps the mode of an empty file.
        File::options()
            .create(true)
            .append(true)
            .mode(0o600)
            .open(backup)
            .map_err(|error| AuditError::io("making a backup of the audit log", &error))?;
        connection
            .execute("VACUUM INTO ?1", [backup.to_string_lossy()])
            .map_err(|error| sql("backing up the audit log before its migration", &error))?;
    }
    for (number, script) in (1_i64..).zip(scripts).skip(version) {
        let migrated = (|| {
            let transaction = connection.transaction()?;
            transaction.execute_batch(script)?;
            transaction.pragma_update(None, "user_version", number)?;
            transaction.commit()
        })();
        migrated.map_err(|error| sql(&format!("migrating the audit log to format {number}"), &error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    const OLD: &str = "CREATE TABLE a (x INTEGER) STRICT;";
    const NEW: &str = "ALTER TABLE a ADD COLUMN y INTEGER;";

    #[test]
    fn an_older_log_is_backed_up_then_migrated_and_a_newer_one_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("db");
        let mut connection = Connection::open(&file).unwrap();
        migrate(&mut connection, Some(&file), &[OLD]).unwrap();
        connection.execute("INSERT INTO a VALUES (7)", []).unwrap();
        migrate(&mut connection, Some(&file), &[OLD, NEW]).unwrap();
        let kept: (i64, Option<i64>) =
            connection.query_row("SELECT x, y FROM a", [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        assert_eq!(kept, (7, None));

        let backup = Connection::open(folder.path().join("db.v1.backup")).unwrap();
        assert_eq!(backup.query_row("SELECT x FROM a", [], |row| row.get::<_, i64>(0)).unwrap(), 7);
        assert!(backup.prepare("SELECT y FROM a").is_err(), "the backup is of the old format");
        let mode = std::fs::metadata(folder.path().join("db.v1.backup")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);

        let refused = migrate(&mut connection, Some(&file), &[OLD]).unwrap_err();
        assert_eq!(refused, AuditError::Newer { found: 2, known: 1 });
    }

    #[test]
    fn a_failing_migration_leaves_the_old_format() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("db");
        let mut connection = Connection::open(&file).unwrap();
        migrate(&mut connection, Some(&file), &[OLD]).unwrap();
        assert!(
            migrate(&mut connection, Some(&file), &[OLD, "ALTER TABLE a ADD COLUMN y INTEGER; NONSENSE;"])
                .is_err()
        );
        assert!(connection.prepare("SELECT y FROM a").is_err());
        migrate(&mut connection, Some(&file), &[OLD]).unwrap();
    }

    #[test]
    fn a_changed_schema_is_told() {
        let mut connection = Connection::open_in_memory().unwrap();
        assert_eq!(differences(&connection, MIGRATIONS), Ok(Vec::new()));
        migrate(&mut connection, None, MIGRATIONS).unwrap();
        assert_eq!(differences(&connection, MIGRATIONS), Ok(Vec::new()));
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
            let found = differences(&connection, MIGRATIONS).unwrap();
            assert!(found.len() == 1 && found[0].contains(told), "{change}: {found:?}");
            connection.execute_batch("ROLLBACK").unwrap();
        }
    }
}
