//! An SQLite file of the router: for its owner alone, migrated forward, durable as asked, used off the async threads.

use std::fs::{DirBuilder, Permissions, set_permissions};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use assay_domain::Failure;
use assay_rpc::task;
use assay_sqlite::MigrationError;
use rusqlite::Connection;

use crate::error::{corrupt, store};

/// A file and what it is called in messages.
#[derive(Clone)]
pub(crate) struct Database {
    connection: Arc<Mutex<Connection>>,
    path: PathBuf,
    name: &'static str,
    /// Set by a failure; only a successful write of [`Database::usable`] clears it.
    failed: Arc<AtomicBool>,
}

/// What a file must take to be usable again after a failure: as many bytes as a large record.
const PROBE: &str =
    "CREATE TABLE IF NOT EXISTS probe (bytes BLOB); INSERT INTO probe VALUES (zeroblob(262144));";

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
        assay_sqlite::private_file(path).map_err(|error| store(name, error))?;
        let mut connection = Connection::open(path).map_err(failed)?;
        connection.busy_timeout(std::time::Duration::from_secs(5)).map_err(failed)?;
        connection.pragma_update(None, "journal_mode", "WAL").map_err(failed)?;
        connection
            .pragma_update(None, "synchronous", if durable { "FULL" } else { "NORMAL" })
            .map_err(failed)?;
        // What is erased is overwritten.
        connection.pragma_update(None, "secure_delete", true).map_err(failed)?;
        // A migration may rebuild a table that others refer to.
        connection.pragma_update(None, "foreign_keys", false).map_err(failed)?;
        let backup = |version| Some(path.with_extension(format!("v{version}.sqlite")));
        assay_sqlite::migrate(&mut connection, steps, backup).map_err(|error| match error {
            MigrationError::Newer { .. } => corrupt(name, error),
            _ => store(name, error),
        })?;
        connection.pragma_update(None, "foreign_keys", true).map_err(failed)?;
        Ok(Self {
            connection: Arc::new(Mutex::new(connection)),
            path: path.to_owned(),
            name,
            failed: Arc::default(),
        })
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
        let done = task::blocking(move || {
            let mut connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
            let transaction = connection
                .transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)
                .map_err(|error| store(name, error))?;
            let value = work(&transaction)?;
            transaction.commit().map_err(|error| store(name, error))?;
            Ok(value)
        })
        .await?;
        if done.is_err() {
            self.failed.store(true, Ordering::Release);
        }
        done
    }

    /// As [`Self::transaction`], for work that erases: afterwards neither gaps of pages nor the write-ahead log hold
    /// anything of it, for the file is written anew.
    ///
    /// # Errors
    /// As [`Self::transaction`]; the rows are gone, and repeating it overwrites them.
    pub(crate) async fn forget(
        &self,
        work: impl FnOnce(&rusqlite::Transaction<'_>) -> rusqlite::Result<usize> + Send + 'static,
    ) -> Result<u64, Failure> {
        let name = self.name;
        let erased = self.transaction(move |at| work(at).map_err(|error| store(name, error))).await?;
        let connection = self.connection.clone();
        let cut: Result<i64, rusqlite::Error> = task::blocking(move || {
            let connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
            connection.execute_batch("VACUUM")?;
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
        })
        .await?;
        let busy = cut.map_err(|error| store(name, error))?;
        if busy != 0 {
            return Err(store(name, "somebody still reads what was erased; repeat the erasure"));
        }
        Ok(u64::try_from(erased).unwrap_or(u64::MAX))
    }

    /// Removes the backups that migrations made; returns their names.
    ///
    /// # Errors
    /// `UNAVAILABLE` with the path that stays.
    pub(crate) fn remove_backups(&self) -> Result<Vec<String>, Failure> {
        let (Some(folder), Some(stem)) = (self.path.parent(), self.path.file_stem()) else {
            return Ok(Vec::new());
        };
        assay_sqlite::remove_backups(folder, &format!("{}.v", stem.to_string_lossy()), ".sqlite").map_err(
            |(path, error)| store(self.name, format!("the backup {} stays: {error}", path.display())),
        )
    }

    /// Whether the file takes writes, as far as the last ones tell. After a failure it is written to find out.
    ///
    /// # Errors
    /// `UNAVAILABLE` if that write fails.
    pub(crate) async fn usable(&self) -> Result<(), Failure> {
        if !self.failed.load(Ordering::Acquire) {
            return self.transaction(|_| Ok(())).await;
        }
        let name = self.name;
        for statement in [PROBE, "DROP TABLE probe"] {
            self.transaction(move |at| at.execute_batch(statement).map_err(|error| store(name, error)))
                .await?;
        }
        self.failed.store(false, Ordering::Release);
        Ok(())
    }
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
