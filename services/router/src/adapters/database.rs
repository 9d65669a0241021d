//! An SQLite file of the router: for its owner alone, migrated forward, durable as asked, used off the async threads.

use std::fs::{DirBuilder, OpenOptions, Permissions, set_permissions};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use assay_domain::Failure;
use assay_rpc::task;
use rusqlite::Connection;

use crate::error::{corrupt, store};

/// A file and what it is called in messages.
#[derive(Clone)]
pub(crate) struct Database {
    connection: Arc<Mutex<Connection>>,
    name: &'static str,
}

impl Database {
    /// Opens or creates the file. `steps` lead from each version of its schema to the next, from nothing on; `durable`
    /// makes every commit survive a power cut.
    ///
    /// # Errors
    /// `UNAVAILABLE` if the file cannot be opened or migrated, `STORAGE_CORRUPT` if it is of a newer version.
    pub(crate) fn open(
        path: &Path,
        name: &'static str,
        steps: &[&str],
        durable: bool,
    ) -> Result<Self, Failure> {
        let failed = |error: rusqlite::Error| store(name, error);
        if let Some(folder) = path.parent() {
            private_folder(folder).map_err(|error| store(name, error))?;
        }
        private_file(path).map_err(|error| store(name, error))?;
        let mut connection = Connection::open(path).map_err(failed)?;
        connection.busy_timeout(std::time::Duration::from_secs(5)).map_err(failed)?;
        connection.pragma_update(None, "journal_mode", "WAL").map_err(failed)?;
        connection
            .pragma_update(None, "synchronous", if durable { "FULL" } else { "NORMAL" })
            .map_err(failed)?;
        // A migration may rebuild a table that others refer to.
        connection.pragma_update(None, "foreign_keys", false).map_err(failed)?;
        migrate(&mut connection, path, name, steps)?;
        connection.pragma_update(None, "foreign_keys", true).map_err(failed)?;
        Ok(Self { connection: Arc::new(Mutex::new(connection)), name })
    }

    /// Runs work in one transaction.
    ///
    /// # Errors
    /// That of the work, `UNAVAILABLE` if the transaction fails; nothing is changed then.
    pub(crate) async fn transaction<T: Send + 'static>(
        &self,
        work: impl FnOnce(&rusqlite::Transaction<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let (connection, name) = (self.connection.clone(), self.name);
        task::blocking(move || {
            let mut connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
            let transaction = connection
                .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
                .map_err(|error| store(name, error))?;
            let value = work(&transaction)?;
            transaction.commit().map_err(|error| store(name, error))?;
            Ok(value)
        })
        .await?
    }
}

/// Brings the schema to the newest version, each step whole, after a backup of what was there.
fn migrate(
    connection: &mut Connection,
    path: &Path,
    name: &'static str,
    steps: &[&str],
) -> Result<(), Failure> {
    let failed = |error: rusqlite::Error| store(name, error);
    let version: i64 =
        connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(failed)?;
    let found = usize::try_from(version).map_err(|error| corrupt(name, error))?;
    if found > steps.len() {
        let known = steps.len();
        return Err(corrupt(
            name,
            format!("it has version {found}, this program knows {known}; use a newer one"),
        ));
    }
    if (1..steps.len()).contains(&found) {
        let copy = path.with_extension(format!("v{found}.sqlite"));
        back_up(connection, &copy).map_err(|error| store(name, format!("no backup: {error}")))?;
        tracing::info!(store = name, from = found, to = steps.len(), backup = %copy.display(), "migrating");
    }
    for (step, version) in steps.iter().zip(1_i64..).skip(found) {
        let transaction = connection.transaction().map_err(failed)?;
        transaction.execute_batch(step).map_err(failed)?;
        transaction.pragma_update(None, "user_version", version).map_err(failed)?;
        transaction.commit().map_err(failed)?;
    }
    Ok(())
}

fn back_up(connection: &Connection, copy: &Path) -> Result<(), Box<dyn std::error::Error>> {
    match std::fs::remove_file(copy) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
        _ => private_file(copy)?,
    }
    connection.execute("VACUUM INTO ?1", [copy.to_str().ok_or("the path is no UTF-8")?])?;
    Ok(())
}

/// Makes a folder that only its owner can read; an older one is closed to others where that is ours to do.
pub(crate) fn private_folder(folder: &Path) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let mode = folder.metadata()?.permissions().mode();
    // A folder that everybody shares, such as /tmp, is not ours to close.
    let shared = mode & 0o1000 != 0;
    if mode & 0o077 != 0
        && !shared
        && let Err(error) = set_permissions(folder, Permissions::from_mode(0o700))
    {
        tracing::warn!(%error, folder = %folder.display(), "the folder stays open to others");
    }
    Ok(())
}

/// Makes a file that only its owner can read; SQLite gives its side files the same mode.
fn private_file(path: &Path) -> std::io::Result<()> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    for end in ["", "-wal", "-shm"] {
        let mut file = path.as_os_str().to_owned();
        file.push(end);
        match set_permissions(PathBuf::from(&file), Permissions::from_mode(0o600)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                tracing::warn!(%error, file = %file.display(), "the file may stay open to others");
            }
            _ => {}
        }
    }
    Ok(())
}
