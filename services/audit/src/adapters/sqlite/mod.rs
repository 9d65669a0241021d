//! The log in one SQLite file: write-ahead log, full synchronisation, STRICT tables, one writer thread, any readers.
//!
//! One process owns the folder through an advisory lock that dies with the process, so a crash leaves nothing stale.

mod reader;
mod schema;
mod writer;

use std::fs::{File, TryLockError};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use assay_domain::{AuditId, Record};
use assay_ledger::{Hash, Nodes, Salt, Signer, VerifierKey};
use assay_rpc::task;
use async_trait::async_trait;
use rusqlite::{Connection, ErrorCode, OptionalExtension as _};
use tokio::sync::{mpsc, oneshot};

use crate::adapters::keyfile;
use crate::error::AuditError;
use crate::options::Options;
use crate::ports::{Appended, Filter, Head, Kept, Log, Proof, Records, Scope, Stored, Writer};
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
    readers: Readers,
    key: VerifierKey,
}

/// Connections that only read, made on demand and kept.
#[derive(Debug, Clone)]
struct Readers {
    file: PathBuf,
    idle: std::sync::Arc<Mutex<Vec<Connection>>>,
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

// === opening ===

impl SqliteLog {
    /// Opens the log in `options.data_dir`, or makes it.
    ///
    /// # Errors
    /// [`AuditError`]; nothing that was there is changed by a refused start.
    pub async fn open(options: &Options, birth: Birth) -> Result<Self, AuditError> {
        let options = options.clone();
        let (writer, key, file) = task::blocking(move || open(&options, birth)).await??;
        let (commands, queue) = mpsc::channel(writer.queue());
        let running = task::blocking(move || writer.run(queue));
        task::spawn(async move {
            if let Err(error) = running.await {
                tracing::error!(%error, "the writer of the audit log stopped");
            }
        });
        let readers = Readers { file, idle: std::sync::Arc::default() };
        Ok(Self { commands, readers, key })
    }

    async fn send<T>(
        &self,
        command: impl FnOnce(oneshot::Sender<Result<T, AuditError>>) -> Command,
    ) -> Result<T, AuditError> {
        let (reply, answer) = oneshot::channel();
        self.commands.send(command(reply)).await.map_err(|_| AuditError::Closed)?;
        answer.await.map_err(|_| AuditError::Closed)?
    }

    async fn read<T: Send + 'static>(
        &self,
        doing: &'static str,
        work: impl FnOnce(&Connection) -> Result<T, AuditError> + Send + 'static,
    ) -> Result<T, AuditError> {
        let readers = self.readers.clone();
        task::blocking(move || readers.with(doing, work)).await?
    }
}

fn open(options: &Options, birth: Birth) -> Result<(writer::Thread, VerifierKey, PathBuf), AuditError> {
    let folder = &options.data_dir;
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(|error| AuditError::io(format!("making {}", folder.display()), &error))?;
    let lock = lock(folder)?;
    let file = folder.join(DATABASE);
    let doing = "opening the audit log";
    let fresh = !file.exists();
    // SQLite gives its side files the mode of this one.
    File::options()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(&file)
        .map_err(|error| AuditError::io(format!("opening {}", file.display()), &error))?;
    let mut connection = Connection::open(&file).map_err(|error| sql(doing, &error))?;
    configure(&connection).map_err(|error| sql(doing, &error))?;
    schema::migrate(&mut connection, &file, schema::MIGRATIONS)?;
    limit(&connection, options.max_bytes).map_err(|error| sql(doing, &error))?;
    let signer = identity(&mut connection, options, birth, fresh)?;
    let key = signer.verifier();
    let thread = writer::Thread::new(connection, lock, signer, options, birth.unix_ms)?;
    Ok((thread, key, file))
}

fn lock(folder: &Path) -> Result<File, AuditError> {
    let path = folder.join(LOCK);
    let doing = || format!("locking {}", path.display());
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(|error| AuditError::io(doing(), &error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(AuditError::InUse { path: folder.to_owned() }),
        Err(TryLockError::Error(error)) => Err(AuditError::io(doing(), &error)),
    }
}

fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    // Erased payloads are overwritten, not just unlinked.
    connection.pragma_update(None, "secure_delete", true)
}

fn limit(connection: &Connection, bytes: u64) -> rusqlite::Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    let page: i64 = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
    let pages = stored(bytes) / page.max(1);
    // The pragma answers with the limit that holds.
    connection.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))
}

/// Name and key of the log: read, or made with it.
fn identity(
    connection: &mut Connection,
    options: &Options,
    birth: Birth,
    fresh: bool,
) -> Result<Signer, AuditError> {
    let doing = "reading the name of the audit log";
    let meta = |connection: &Connection, name: &str| -> Result<Option<String>, AuditError> {
        connection
            .query_row("SELECT value FROM meta WHERE name = ?1", [name], |row| row.get(0))
            .optional()
            .map_err(|error| sql(doing, &error))
    };
    let invalid = |name: &str| AuditError::corrupt(format!("its name {name:?} is not one"));
    if let Some(origin) = meta(connection, "origin")? {
        if !options.log_id.is_empty() && options.log_id != origin {
            return Err(AuditError::OtherLog { found: origin, wanted: options.log_id.clone() });
        }
        let seed = keyfile::read(&options.data_dir)?
            .ok_or_else(|| AuditError::Key { what: format!("the signing key of log {origin} is missing") })?;
        let signer = Signer::from_seed(&origin, &seed).ok_or_else(|| invalid(&origin))?;
        if meta(connection, "key")?.as_deref() != Some(signer.verifier().to_string().as_str()) {
            return Err(AuditError::Key { what: format!("the signing key is not the one of log {origin}") });
        }
        return Ok(signer);
    }
    if !fresh {
        tracing::info!("an earlier start ended before the audit log was made; it is made now");
    }
    let origin = match options.log_id.as_str() {
        "" => format!("assay-{}/0", hex::encode(birth.name)),
        name => name.to_owned(),
    };
    let seed = match keyfile::read(&options.data_dir)? {
        Some(seed) => seed,
        None => {
            keyfile::write(&options.data_dir, &birth.seed)?;
            birth.seed
        }
    };
    let signer = Signer::from_seed(&origin, &seed).ok_or_else(|| invalid(&origin))?;
    let made = (|| {
        let transaction = connection.transaction()?;
        let key = signer.verifier().to_string();
        for (name, value) in [("origin", &origin), ("key", &key)] {
            transaction.execute("INSERT INTO meta (name, value) VALUES (?1, ?2)", [name, value.as_str()])?;
        }
        let note = signer.sign(0, Hash::empty_root());
        transaction.execute(
            "INSERT INTO checkpoints (size, note, unix_ms) VALUES (0, ?1, ?2)",
            (note, stored(birth.unix_ms)),
        )?;
        transaction.commit()
    })();
    made.map_err(|error| sql("making the audit log", &error))?;
    Ok(signer)
}

// === impl Readers ===

impl Readers {
    fn with<T>(
        &self,
        doing: &str,
        work: impl FnOnce(&Connection) -> Result<T, AuditError>,
    ) -> Result<T, AuditError> {
        let idle = self.idle.lock().unwrap_or_else(std::sync::PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => Connection::open(&self.file)
                .and_then(|connection| {
                    connection.pragma_update(None, "query_only", true)?;
                    Ok(connection)
                })
                .map_err(|error| sql(doing, &error))?,
        };
        // One snapshot for everything that `work` reads.
        let snapshot = connection.unchecked_transaction().map_err(|error| sql(doing, &error))?;
        let result = work(&connection);
        drop(snapshot);
        if result.is_ok() {
            self.idle.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(connection);
        }
        result
    }
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

// === ports ===

#[async_trait]
impl Writer for SqliteLog {
    async fn append(&self, record: Record, salt: Salt, now_unix_ms: u64) -> Result<Appended, AuditError> {
        let record = Box::new(record);
        self.send(|reply| Command::Append { record, salt, now_unix_ms, reply }).await
    }

    async fn erase_before(&self, day: u64, now_unix_ms: u64) -> Result<u64, AuditError> {
        self.send(|reply| Command::Erase { day, now_unix_ms, reply }).await
    }

    async fn close(&self) {
        let closed = self.send(|reply| Command::Close { reply }).await;
        self.readers.idle.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clear();
        if let Err(error) = closed {
            tracing::debug!(%error, "the audit log was closed before");
        }
    }
}

#[async_trait]
impl Records for SqliteLog {
    async fn get(&self, scope: &Scope, id: AuditId) -> Result<Option<Kept>, AuditError> {
        let scope = scope.clone();
        self.read("reading a record", move |connection| reader::get(connection, &scope, id)).await
    }

    async fn list(&self, scope: &Scope, filter: &Filter) -> Result<Vec<Kept>, AuditError> {
        let (scope, filter) = (scope.clone(), filter.clone());
        self.read("listing records", move |connection| reader::list(connection, &scope, &filter)).await
    }

    async fn prove(&self, scope: &Scope, id: AuditId) -> Result<Option<Proof>, AuditError> {
        let (scope, key) = (scope.clone(), self.key.clone());
        self.read("proving a record", move |connection| reader::prove(connection, &scope, id, key)).await
    }
}

#[async_trait]
impl Log for SqliteLog {
    async fn head(&self) -> Result<Head, AuditError> {
        let key = self.key.clone();
        self.read("reading the checkpoint", move |connection| reader::head(connection, key)).await
    }

    async fn consistency(&self, old: u64) -> Result<Option<(Head, Vec<Hash>)>, AuditError> {
        let key = self.key.clone();
        self.read("proving consistency", move |connection| {
            let head = reader::head(connection, key)?;
            let path = assay_ledger::tree::consistency_proof(&Tree(connection), old, head.size)?;
            Ok(path.map(|path| (head, path)))
        })
        .await
    }

    async fn entries(&self, first: u64, count: usize) -> Result<Vec<Stored>, AuditError> {
        self.read("reading the log", move |connection| reader::entries(connection, first, count)).await
    }

    async fn nodes(&self, places: Vec<(u32, u64)>) -> Result<Vec<Option<Hash>>, AuditError> {
        self.read("reading the tree", move |connection| {
            places.into_iter().map(|(level, index)| reader::node(connection, level, index)).collect()
        })
        .await
    }

    async fn checkpoints(&self, size: u64, count: usize) -> Result<Vec<(u64, String)>, AuditError> {
        self.read("reading checkpoints", move |connection| reader::checkpoints(connection, size, count)).await
    }
}
