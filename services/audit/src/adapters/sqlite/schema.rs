//! The tables, their versions and the way from an older one to the newest, behind a backup.

use std::path::Path;

use rusqlite::Connection;

use super::sql;
use crate::error::AuditError;

/// One script per version, in order; a script is never changed once released.
pub(super) const MIGRATIONS: &[&str] = &[V1];

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

/// Brings the database to the newest version. An older one is copied to `<file>.v<version>.backup` first.
pub(super) fn migrate(connection: &mut Connection, file: &Path, scripts: &[&str]) -> Result<(), AuditError> {
    let version: i64 = connection
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .map_err(|error| sql("reading the format of the audit log", &error))?;
    let known = i64::try_from(scripts.len()).unwrap_or(i64::MAX);
    if version > known || version < 0 {
        return Err(AuditError::Newer { found: version, known });
    }
    if version == known {
        return Ok(());
    }
    if version > 0 {
        let mut backup = file.as_os_str().to_owned();
        backup.push(format!(".v{version}.backup"));
        let backup = Path::new(&backup);
        if backup.exists() {
            std::fs::remove_file(backup)
                .map_err(|error| AuditError::io("replacing an older backup of the audit log", &error))?;
        }
        connection
            .execute("VACUUM INTO ?1", [backup.to_string_lossy()])
            .map_err(|error| sql("backing up the audit log before its migration", &error))?;
    }
    let applied = usize::try_from(version).unwrap_or(usize::MAX);
    for (number, script) in (1_i64..).zip(scripts).skip(applied) {
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
    use super::*;

    const OLD: &str = "CREATE TABLE a (x INTEGER) STRICT;";
    const NEW: &str = "ALTER TABLE a ADD COLUMN y INTEGER;";

    #[test]
    fn an_older_log_is_backed_up_then_migrated_and_a_newer_one_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("db");
        let mut connection = Connection::open(&file).unwrap();
        migrate(&mut connection, &file, &[OLD]).unwrap();
        connection.execute("INSERT INTO a VALUES (7)", []).unwrap();
        migrate(&mut connection, &file, &[OLD, NEW]).unwrap();
        let kept: (i64, Option<i64>) =
            connection.query_row("SELECT x, y FROM a", [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        assert_eq!(kept, (7, None));

        let backup = Connection::open(folder.path().join("db.v1.backup")).unwrap();
        assert_eq!(backup.query_row("SELECT x FROM a", [], |row| row.get::<_, i64>(0)).unwrap(), 7);
        assert!(backup.prepare("SELECT y FROM a").is_err(), "the backup is of the old format");

        let refused = migrate(&mut connection, &file, &[OLD]).unwrap_err();
        assert_eq!(refused, AuditError::Newer { found: 2, known: 1 });
    }

    #[test]
    fn a_failing_migration_leaves_the_old_format() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("db");
        let mut connection = Connection::open(&file).unwrap();
        migrate(&mut connection, &file, &[OLD]).unwrap();
        assert!(
            migrate(&mut connection, &file, &[OLD, "ALTER TABLE a ADD COLUMN y INTEGER; NONSENSE;"]).is_err()
        );
        assert!(connection.prepare("SELECT y FROM a").is_err());
        migrate(&mut connection, &file, &[OLD]).unwrap();
    }
}
