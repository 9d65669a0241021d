//! SQLite files of the services: readable by their owner alone, migrated forward by scripts, each older version backed
//! up first. What the tables mean is the caller's.

use std::fs::{OpenOptions, Permissions, set_permissions};
use std::io::ErrorKind;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rusqlite::Connection;

/// Why a database is not of the newest version.
#[derive(Debug, thiserror::Error)]
pub enum MigrationError {
    /// A newer program wrote it; no program writes a negative version.
    #[error("it has version {found}, this program knows {known}; use a newer one")]
    Newer {
        /// Version of the database.
        found: i64,
        /// Newest version known here.
        known: i64,
    },
    /// Its version cannot be read.
    #[error(transparent)]
    Version(rusqlite::Error),
    /// The file of the backup cannot be made.
    #[error("no backup: {0}")]
    File(std::io::Error),
    /// The backup cannot be written.
    #[error("no backup: {0}")]
    Backup(rusqlite::Error),
    /// A script failed; the database is of the version before.
    #[error("{source}")]
    Script {
        /// Version that the script leads to.
        version: i64,
        /// What the database says.
        source: rusqlite::Error,
    },
}

/// Version of a database whose newest version is the number of `scripts`; 0 for one without tables.
///
/// # Errors
/// [`MigrationError::Newer`] or [`MigrationError::Version`].
pub fn version(connection: &Connection, scripts: &[&str]) -> Result<usize, MigrationError> {
    let found: i64 = connection
        .pragma_query_value(None, "user_version", |row| row.get(0))
        .map_err(MigrationError::Version)?;
    let known = i64::try_from(scripts.len()).unwrap_or(i64::MAX);
    usize::try_from(found)
        .ok()
        .filter(|found| *found <= scripts.len())
        .ok_or(MigrationError::Newer { found, known })
}

/// Brings a database to the newest version. Each script leads from one version to the next, from nothing on, in a
/// transaction of its own. `backup` names the copy of an older version; without a name none is made.
///
/// # Errors
/// [`MigrationError`].
pub fn migrate(
    connection: &mut Connection,
    scripts: &[&str],
    backup: impl FnOnce(usize) -> Option<PathBuf>,
) -> Result<(), MigrationError> {
    let found = version(connection, scripts)?;
    if (1..scripts.len()).contains(&found)
        && let Some(copy) = backup(found)
    {
        back_up(connection, &copy)?;
        tracing::info!(from = found, to = scripts.len(), backup = %copy.display(), "migrating");
    }
    for (version, script) in (1_i64..).zip(scripts).skip(found) {
        let migrated = (|| {
            let transaction = connection.transaction()?;
            transaction.execute_batch(script)?;
            transaction.pragma_update(None, "user_version", version)?;
            transaction.commit()
        })();
        migrated.map_err(|source| MigrationError::Script { version, source })?;
    }
    Ok(())
}

fn back_up(connection: &Connection, copy: &Path) -> Result<(), MigrationError> {
    match std::fs::remove_file(copy) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(MigrationError::File(error)),
        // SQLite keeps the mode of an empty file.
        _ => private_file(copy).map_err(MigrationError::File)?,
    }
    let name = copy.to_str().ok_or_else(|| MigrationError::File(ErrorKind::InvalidFilename.into()))?;
    connection.execute("VACUUM INTO ?1", [name]).map_err(MigrationError::Backup)?;
    Ok(())
}

/// Makes a file that only its owner can read; SQLite gives its side files the same mode. An older one is closed to
/// others, where it is ours to close.
///
/// # Errors
/// What the file system says.
pub fn private_file(path: &Path) -> std::io::Result<()> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    for end in ["", "-wal", "-shm"] {
        let mut file = path.as_os_str().to_owned();
        file.push(end);
        match set_permissions(PathBuf::from(&file), Permissions::from_mode(0o600)) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                tracing::warn!(%error, file = %file.display(), "the file may stay open to others");
            }
            _ => {}
        }
    }
    Ok(())
}

/// Removes the backups beside a database whose names are `prefix`, a version, `suffix`; returns their names, sorted.
///
/// # Errors
/// What the file system says, with the path that stays.
pub fn remove_backups(
    folder: &Path,
    prefix: &str,
    suffix: &str,
) -> Result<Vec<String>, (PathBuf, std::io::Error)> {
    let mut removed = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| (folder.to_owned(), error))? {
        let path = entry.map_err(|error| (folder.to_owned(), error))?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        let version = name.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(suffix));
        if version.is_some_and(|version| version.parse::<usize>().is_ok()) {
            std::fs::remove_file(&path).map_err(|error| (path.clone(), error))?;
            removed.push(name.to_owned());
        }
    }
    removed.sort();
    Ok(removed)
}
