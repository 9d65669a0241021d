//! An SQLite file of the router: opened with the right durability, of a known version, used off the async threads.

use std::path::Path;
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
    /// Opens or creates the file. `durable` makes every commit survive a power cut.
    ///
    /// # Errors
    /// `UNAVAILABLE` if the file cannot be opened, `STORAGE_CORRUPT` if it is of a newer version.
    pub(crate) fn open(
        path: &Path,
        name: &'static str,
        version: i64,
        schema: &str,
        durable: bool,
    ) -> Result<Self, Failure> {
        let failed = |error: rusqlite::Error| store(name, error);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(|error| store(name, error))?;
        }
        let connection = Connection::open(path).map_err(failed)?;
        connection.busy_timeout(std::time::Duration::from_secs(5)).map_err(failed)?;
        connection.pragma_update(None, "journal_mode", "WAL").map_err(failed)?;
        connection
            .pragma_update(None, "synchronous", if durable { "FULL" } else { "NORMAL" })
            .map_err(failed)?;
        connection.pragma_update(None, "foreign_keys", "ON").map_err(failed)?;
        let found: i64 =
            connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(failed)?;
        if found > version {
            return Err(corrupt(
                name,
                format!("it has version {found}, this program knows {version}; use a newer one"),
            ));
        }
        if found < version {
            connection.execute_batch(schema).map_err(failed)?;
            connection.pragma_update(None, "user_version", version).map_err(failed)?;
        }
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
