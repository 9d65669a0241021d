//! Databases on their way to the newest version, and files closed to others.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs::{Permissions, metadata, set_permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use assay_sqlite::{MigrationError, migrate, private_file, version};
use rusqlite::Connection;

const OLD: &str = "CREATE TABLE a (x INTEGER) STRICT;";
const NEW: &str = "ALTER TABLE a ADD COLUMN y INTEGER;";

fn mode(file: &Path) -> u32 {
    metadata(file).unwrap().permissions().mode() & 0o777
}

/// A database of version 1 with one row, and where its backup goes.
fn older(folder: &Path) -> (Connection, PathBuf) {
    let mut connection = Connection::open(folder.join("db")).unwrap();
    migrate(&mut connection, &[OLD], |_| panic!("a new database needs no backup")).unwrap();
    connection.execute("INSERT INTO a VALUES (7)", []).unwrap();
    (connection, folder.join("db.v1"))
}

#[test]
fn an_older_database_is_backed_up_then_migrated() {
    let folder = tempfile::tempdir().unwrap();
    let (mut connection, copy) = older(folder.path());
    // A backup of an earlier attempt gives way.
    std::fs::write(&copy, "half a backup").unwrap();
    migrate(&mut connection, &[OLD, NEW], |found| {
        assert_eq!(found, 1);
        Some(copy.clone())
    })
    .unwrap();
    let kept: (i64, Option<i64>) =
        connection.query_row("SELECT x, y FROM a", [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    assert_eq!(kept, (7, None));
    let backup = Connection::open(&copy).unwrap();
    assert_eq!(backup.query_row("SELECT x FROM a", [], |row| row.get::<_, i64>(0)).unwrap(), 7);
    assert!(backup.prepare("SELECT y FROM a").is_err(), "the backup is of the old version");
    assert_eq!((version(&backup, &[OLD, NEW]).unwrap(), mode(&copy)), (1, 0o600));
    migrate(&mut connection, &[OLD, NEW], |_| panic!("the newest version needs no backup")).unwrap();
}

#[test]
fn versions_of_no_known_program_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (mut connection, _) = older(folder.path());
    for found in [2, -1] {
        connection.pragma_update(None, "user_version", found).unwrap();
        let refused = migrate(&mut connection, &[OLD], |_| panic!("nothing is backed up")).unwrap_err();
        assert!(matches!(refused, MigrationError::Newer { found: f, known: 1 } if f == found), "{refused}");
    }
}

#[test]
fn a_failing_migration_leaves_the_version_before() {
    let folder = tempfile::tempdir().unwrap();
    let (mut connection, copy) = older(folder.path());
    let broken = format!("{NEW} NONSENSE;");
    let failed = migrate(&mut connection, &[OLD, &broken], |_| Some(copy.clone())).unwrap_err();
    assert!(matches!(failed, MigrationError::Script { version: 2, .. }), "{failed}");
    assert!(connection.prepare("SELECT y FROM a").is_err());
    assert_eq!(version(&connection, &[OLD]).unwrap(), 1);
}

#[test]
fn without_its_backup_nothing_is_migrated() {
    let folder = tempfile::tempdir().unwrap();
    let (mut connection, _) = older(folder.path());
    let nowhere = folder.path().join("missing/db.v1");
    let failed = migrate(&mut connection, &[OLD, NEW], |_| Some(nowhere)).unwrap_err();
    assert!(matches!(failed, MigrationError::File(_)), "{failed}");
    assert_eq!(version(&connection, &[OLD, NEW]).unwrap(), 1);
}

#[test]
fn files_are_closed_to_others() {
    let folder = tempfile::tempdir().unwrap();
    let (file, log) = (folder.path().join("db"), folder.path().join("db-wal"));
    for open in [&file, &log] {
        std::fs::write(open, "").unwrap();
        set_permissions(open, Permissions::from_mode(0o644)).unwrap();
    }
    private_file(&file).unwrap();
    assert_eq!((mode(&file), mode(&log)), (0o600, 0o600));
    assert!(!folder.path().join("db-shm").exists());
}
