//! The reading half of a log: of the file that a writer of this process owns, or of a private copy.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use assay_domain::AuditId;
use assay_ledger::{Hash, Signer, VerifierKey};
use assay_rpc::{clock, task};
use async_trait::async_trait;
use rusqlite::Connection;

use super::copy::Copy;
use super::{DATABASE, Tree, harden, inspect, list, open, reader, remembered, reviews, schema, sql, words};
use crate::adapters::keyfile;
use crate::error::AuditError;
use crate::options::Options;
use crate::ports::{
    Decided, Filter, Head, Kept, Log, Noted, Proof, Records, Remembered, Reviews, Scope, Stored, Verified,
    Waiting, WaitingFilter,
};
use crate::rates::Judged;

/// Longest time of a verification that somebody waits for.
const VERIFY_AT_MOST: Duration = Duration::from_secs(24 * 3600);

/// Reads a log.
#[derive(Debug, Clone)]
pub struct SqliteReader {
    file: PathBuf,
    key: VerifierKey,
    /// Connections that only read, made on demand and kept.
    idle: Arc<Mutex<Vec<Connection>>>,
    /// The copy that is read, and what cannot be known of it.
    copy: Option<Arc<(Copy, Vec<String>)>>,
}

impl SqliteReader {
    pub(super) fn new(file: PathBuf, key: VerifierKey) -> Self {
        Self { file, key, idle: Arc::default(), copy: None }
    }

    /// Reads a private copy of the log in `options.data_dir`, whoever else has it open; nothing in the folder is
    /// written. Signatures are held against `trusted`, else the signing key, else the log's own word.
    ///
    /// # Errors
    /// [`AuditError::Missing`], [`AuditError::Gone`], or what the database says.
    pub async fn copied(options: &Options, trusted: Option<VerifierKey>) -> Result<Self, AuditError> {
        let options = options.clone();
        task::blocking(move || copied(&options, trusted)).await?
    }

    /// Name and key of the log.
    #[must_use]
    pub fn key(&self) -> &VerifierKey {
        &self.key
    }

    /// Closes the connections that nobody uses.
    pub(super) fn clear(&self) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    async fn read<T: Send + 'static>(
        &self,
        doing: &'static str,
        work: impl FnOnce(&Connection) -> Result<T, AuditError> + Send + 'static,
    ) -> Result<T, AuditError> {
        let reader = self.clone();
        task::blocking(move || reader.with(doing, work)).await?
    }

    fn with<T>(
        &self,
        doing: &str,
        work: impl FnOnce(&Connection) -> Result<T, AuditError>,
    ) -> Result<T, AuditError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => Connection::open(&self.file)
                .and_then(|connection| {
                    harden(&connection)?;
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
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        }
        result
    }
}

fn copied(options: &Options, trusted: Option<VerifierKey>) -> Result<SqliteReader, AuditError> {
    let folder = &options.data_dir;
    // A key that cannot be read is as good as none: whoever reads a log need not be able to write it.
    let seed = keyfile::read(options).unwrap_or_default();
    let absent = || match options.key_path() {
        key if key.exists() => AuditError::Gone { path: folder.clone(), key },
        _ => AuditError::Missing { path: folder.clone() },
    };
    let copy = Copy::of(&folder.join(DATABASE))?.ok_or_else(absent)?;
    let mut connection = copy.open("opening a copy of the audit log")?;
    let version = schema::version(&connection)?;
    // A copy of the newest format is read as it is: what is wrong with it is for the verification to say.
    if version < schema::MIGRATIONS.len() {
        if let Some(what) = schema::differences(&connection)?.into_iter().next() {
            return Err(AuditError::corrupt(what));
        }
        if version == 0 {
            return Err(absent());
        }
        schema::migrate(&mut connection, None)?;
        words::fill(&mut connection)?;
    }
    let origin = open::origin(&connection)?.ok_or_else(absent)?;
    let mut unknown = Vec::new();
    let key = match (trusted, seed.and_then(|seed| Signer::from_seed(&origin, &seed))) {
        (Some(trusted), _) => trusted,
        (None, Some(signer)) => signer.verifier(),
        (None, None) => {
            unknown.push(
                "whose log it is: the signing key is not at hand, and no other key was given".to_owned(),
            );
            let own = schema::meta(&connection, "key")?.unwrap_or_default();
            VerifierKey::parse(&own)
                .ok_or_else(|| AuditError::corrupt(format!("its key {own:?} is not one")))?
        }
    };
    let mut reader = SqliteReader::new(copy.file().to_owned(), key);
    reader.copy = Some(Arc::new((copy, unknown)));
    Ok(reader)
}

/// Sizes and roots that the router was told, the newest first; none without such a database.
///
/// # Errors
/// What the copying and the database say.
pub async fn remembered_heads(outbox: &Path) -> Result<Vec<crate::ports::TreeHead>, AuditError> {
    let outbox = outbox.to_owned();
    task::blocking(move || remembered::heads(&outbox)).await?
}

#[async_trait]
impl Records for SqliteReader {
    async fn get(&self, scope: &Scope, id: AuditId) -> Result<Option<Kept>, AuditError> {
        let scope = scope.clone();
        self.read("reading a record", move |connection| reader::get(connection, &scope, id)).await
    }

    async fn list(&self, scope: &Scope, filter: &Filter) -> Result<Vec<Kept>, AuditError> {
        let (scope, filter) = (scope.clone(), filter.clone());
        self.read("listing records", move |connection| list::list(connection, &scope, &filter)).await
    }

    async fn prove(&self, scope: &Scope, id: AuditId) -> Result<Option<Proof>, AuditError> {
        let (scope, key) = (scope.clone(), self.key.clone());
        self.read("proving a record", move |connection| reader::prove(connection, &scope, id, key)).await
    }
}

#[async_trait]
impl Reviews for SqliteReader {
    async fn waiting(&self, tenant: &str, filter: &WaitingFilter) -> Result<Vec<Waiting>, AuditError> {
        let (tenant, filter) = (tenant.to_owned(), filter.clone());
        self.read("reading the review queue", move |connection| {
            reviews::waiting(connection, &tenant, &filter)
        })
        .await
    }

    async fn waits(&self, leaf_index: u64) -> Result<bool, AuditError> {
        self.read("reading the review queue", move |connection| reviews::waits(connection, leaf_index)).await
    }

    async fn noted(&self, kept: &Kept) -> Result<Vec<Noted>, AuditError> {
        let about = kept.receipt.leaf_index;
        self.read("reading notes", move |connection| reviews::noted(connection, about)).await
    }

    async fn decided(&self, tenant: &str, from: u64, until: u64) -> Result<Vec<Decided>, AuditError> {
        let tenant = tenant.to_owned();
        self.read("reading decisions", move |connection| reviews::decided(connection, &tenant, from, until))
            .await
    }

    async fn judged(&self, tenant: &str, from: u64, until: u64) -> Result<Judged, AuditError> {
        let tenant = tenant.to_owned();
        self.read("counting verdicts", move |connection| reviews::judged(connection, &tenant, from, until))
            .await
    }
}

#[async_trait]
impl Log for SqliteReader {
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

    async fn checkpoints(&self, size: u64, count: usize) -> Result<Vec<(u64, String)>, AuditError> {
        self.read("reading checkpoints", move |connection| reader::checkpoints(connection, size, count)).await
    }

    async fn verify(&self, remembered: Remembered) -> Result<Verified, AuditError> {
        let key = self.key.clone();
        // Dropped with this future, which ends the work.
        let waiting = task::Waiting::default();
        let over = waiting.over(clock::now() + VERIFY_AT_MOST);
        let mut verified = self
            .read("verifying the audit log", move |connection| {
                inspect::inspect(connection, &key, &remembered, &over)
            })
            .await?;
        let unknown = self.copy.iter().flat_map(|copy| copy.1.clone());
        verified.verification.not_covered.extend(unknown);
        Ok(verified)
    }
}
