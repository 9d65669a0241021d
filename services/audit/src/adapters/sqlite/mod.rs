//! The log in one SQLite file: write-ahead log, full synchronisation, STRICT tables, one writer thread, any readers.
//!
//! One process owns the folder through an advisory lock that dies with the process, so a crash leaves nothing stale.
//! Whoever only reads, reads a private copy and needs no lock.

mod backups;
mod columns;
mod copy;
mod erase;
mod inspect;
mod list;
mod notes;
mod open;
mod put;
mod reader;
mod readers;
mod remembered;
mod reviews;
mod schema;
mod words;
mod writer;

pub use readers::{SqliteReader, remembered_heads};

use assay_domain::Record;
use assay_ledger::{Hash, Nodes, Salt};
use assay_rpc::task;
use async_trait::async_trait;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode};
use tokio::sync::{mpsc, oneshot};

use crate::error::AuditError;
use crate::options::Options;
use crate::ports::{Appended, Erased, ErasedOf, Notes, Reading, Remark, Remarked, Selector, Writer};
use writer::Command;

/// Name of the database file.
pub const DATABASE: &str = "audit.sqlite3";
/// Name of the lock file.
pub const LOCK: &str = "audit.lock";

/// What a new log needs of chance: drawn by the caller, used only if there is no log yet.
#[derive(Debug, Clone, Copy)]
pub struct Birth {
    /// Secret bytes of the signing key.
    pub seed: [u8; 32],
    /// Becomes part of the log's name where the settings give none.
    pub name: [u8; 4],
    /// Milliseconds since the Unix epoch.
    pub unix_ms: u64,
}

/// The log in a folder.
#[derive(Debug)]
pub struct SqliteLog {
    commands: mpsc::Sender<Command>,
    reader: SqliteReader,
}

/// A database failure as one of ours.
fn sql(doing: &str, error: &rusqlite::Error) -> AuditError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => AuditError::Full,
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            AuditError::corrupt(format!("{doing}: {error}"))
        }
        _ => match error {
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::Utf8Error(..) => AuditError::corrupt(format!("{doing}: {error}")),
            _ => AuditError::Io { doing: doing.to_owned(), reason: error.to_string() },
        },
    }
}

/// A number as SQLite keeps it.
fn stored(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A number from SQLite; negative ones, which we never write, read as 0.
fn loaded(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

/// Lets a connection trust nothing that the file says about code: no triggers, no views, no functions in the schema.
fn harden(connection: &Connection) -> rusqlite::Result<()> {
    for (setting, on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
    ] {
        connection.set_db_config(setting, on)?;
    }
    connection.pragma_update(None, "cell_size_check", true)
}

/// Stored hashes of a connection.
struct Tree<'a>(&'a Connection);

impl Nodes for Tree<'_> {
    type Error = AuditError;

    fn node(&self, level: u32, index: u64) -> Result<Hash, AuditError> {
        reader::node(self.0, level, index)?
            .ok_or_else(|| AuditError::corrupt(format!("node (level {level}, index {index}) is missing")))
    }
}

// === impl SqliteLog ===

impl SqliteLog {
    /// Opens the log in `options.data_dir`, or makes it.
    ///
    /// # Errors
    /// [`AuditError`]; nothing that was there is changed by a refused start.
    pub async fn open(options: &Options, birth: Birth) -> Result<Self, AuditError> {
        let options = options.clone();
        let (writer, key, file) = task::blocking(move || open::open(&options, birth)).await??;
        let (commands, queue) = mpsc::channel(writer.queue());
        let running = task::blocking(move || writer.run(queue));
        task::spawn(async move {
            if let Err(error) = running.await {
                tracing::error!(%error, "the writer of the audit log stopped");
            }
        });
        Ok(Self { commands, reader: SqliteReader::new(file, key) })
    }

    /// The reading half.
    #[must_use]
    pub fn reader(&self) -> SqliteReader {
        self.reader.clone()
    }

    async fn send<T>(
        &self,
        command: impl FnOnce(oneshot::Sender<Result<T, AuditError>>) -> Command,
    ) -> Result<T, AuditError> {
        let (reply, answer) = oneshot::channel();
        self.commands.send(command(reply)).await.map_err(|_| AuditError::Closed)?;
        answer.await.map_err(|_| AuditError::Closed)?
    }
}

#[async_trait]
impl Writer for SqliteLog {
    async fn append(&self, record: Record, salt: Salt, now_unix_ms: u64) -> Result<Appended, AuditError> {
        let record = Box::new(record);
        self.send(|reply| Command::Append { record, salt, now_unix_ms, reply }).await
    }

    async fn erase_before(&self, day: u64, now_unix_ms: u64) -> Result<Erased, AuditError> {
        self.send(|reply| Command::Erase { day, now_unix_ms, reply }).await
    }

    async fn close(&self) {
        let closed = self.send(|reply| Command::Close { reply }).await;
        self.reader.clear();
        if let Err(error) = closed {
            tracing::debug!(%error, "the audit log was closed before");
        }
    }
}

#[async_trait]
impl Notes for SqliteLog {
    async fn erase(&self, tenant: &str, what: Selector, now_unix_ms: u64) -> Result<ErasedOf, AuditError> {
        let tenant = tenant.to_owned();
        self.send(|reply| Command::EraseOf { tenant, what, now_unix_ms, reply }).await
    }

    async fn remark(&self, remark: Remark) -> Result<Remarked, AuditError> {
        let remark = Box::new(remark);
        self.send(|reply| Command::Remark { remark, reply }).await
    }

    async fn read(&self, reading: Reading) -> Result<(), AuditError> {
        let reading = Box::new(reading);
        self.send(|reply| Command::Read { reading, reply }).await
    }
}
