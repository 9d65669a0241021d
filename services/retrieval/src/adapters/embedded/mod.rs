//! Indexes on local disk: tantivy for BM25, a file of vectors scanned exactly, the original texts beside them.
//!
//! ```text
//! <root>/<tenant>/.building/<collection>   locked by the process that builds or deletes the collection
//! <root>/<tenant>/<collection>/
//!   CURRENT            name of the generation that is searched; replaced by a rename
//!   vectors.partial    vectors that an interrupted build has already made
//!   g-00000007/        one generation, never changed once CURRENT names it
//!     manifest.json  texts.bin  texts.idx  passages.jsonl  passages.idx  ids.json  vectors.f32  names.txt  lexical/
//! ```
//! A generation that CURRENT does not name is half-built or old and is removed when the next build starts or ends.
//! So a process may die at any moment: either CURRENT names the old generation, or a complete new one.

mod admitted;
mod build;
mod layout;
mod lexical;
mod lock;
mod partial;
mod records;
mod snapshot;
mod vectors;

use crate::corpus::Scope;
use crate::error::Error;
use crate::ports::{Build, Snapshot, Store};
use async_trait::async_trait;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

pub use layout::CURRENT;

/// Indexes below a folder. Several processes may use the folder: all of them search, one at a time builds a collection.
#[derive(Debug)]
pub struct EmbeddedStore {
    root: PathBuf,
    open: Arc<Mutex<HashMap<Scope, Arc<snapshot::DiskSnapshot>>>>,
    /// One build per collection: a step of a build that was dropped may still write into its folder.
    building: Mutex<HashMap<Scope, Arc<tokio::sync::Mutex<()>>>>,
}

impl EmbeddedStore {
    /// Uses the folder, which is made at the first write.
    #[must_use]
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), open: Arc::default(), building: Mutex::default() }
    }

    fn folder(&self, scope: &Scope) -> PathBuf {
        self.root.join(layout::encode(scope.tenant())).join(layout::encode(scope.collection()))
    }

    /// The right to change a collection: first within this process, then between processes.
    async fn turn(&self, scope: &Scope) -> Result<Turn, Error> {
        let turns = {
            let mut building = self.building.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(building.entry(scope.clone()).or_default())
        };
        let here = turns.lock_owned().await;
        let lock = lock::take(&self.root.join(layout::encode(scope.tenant())), scope.collection()).await?;
        Ok(Turn { _lock: lock, _here: here })
    }
}

/// The turn of a build, which ends with its last step.
#[derive(Debug)]
struct Turn {
    _lock: std::fs::File,
    _here: tokio::sync::OwnedMutexGuard<()>,
}

/// Runs file work beside the async threads.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    assay_rpc::task::blocking(work).await.map_err(|panic| Error::Internal(panic.to_string()))?
}

#[async_trait]
impl Store for EmbeddedStore {
    async fn collections(&self, tenant: &str) -> Result<Vec<Scope>, Error> {
        let folder = self.root.join(layout::encode(tenant));
        let tenant = tenant.to_owned();
        blocking(move || {
            let entries = match std::fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
                Err(error) => return Err(Error::io("cannot list collections", &error)),
            };
            let mut out: Vec<Scope> = entries
                .filter_map(Result::ok)
                .filter(|entry| entry.path().join(CURRENT).is_file())
                .filter_map(|entry| Scope::new(&tenant, &layout::decode(entry.file_name().to_str()?)?).ok())
                .collect();
            out.sort();
            Ok(out)
        })
        .await
    }

    async fn open(&self, scope: &Scope) -> Result<Option<Arc<dyn Snapshot>>, Error> {
        let (folder, scope, open) = (self.folder(scope), scope.clone(), Arc::clone(&self.open));
        blocking(move || {
            let Some(mut generation) = layout::current(&folder)? else { return Ok(None) };
            let known = open.lock().unwrap_or_else(PoisonError::into_inner).get(&scope).cloned();
            if let Some(snapshot) = known.filter(|snapshot| snapshot.is_generation(&generation)) {
                return Ok(Some(snapshot as Arc<dyn Snapshot>));
            }
            let snapshot = loop {
                match snapshot::DiskSnapshot::open(&folder, &generation) {
                    Ok(snapshot) => break Arc::new(snapshot),
                    // Another process may have switched, and removed what CURRENT named a moment ago.
                    Err(error) => match layout::current(&folder)? {
                        Some(newer) if newer != generation => generation = newer,
                        Some(_) => return Err(error),
                        None => return Ok(None),
                    },
                }
            };
            open.lock().unwrap_or_else(PoisonError::into_inner).insert(scope, Arc::clone(&snapshot));
            Ok(Some(snapshot as Arc<dyn Snapshot>))
        })
        .await
    }

    async fn build(&self, scope: &Scope, _: usize) -> Result<Box<dyn Build>, Error> {
        let turn = self.turn(scope).await?;
        let (folder, scope, open) = (self.folder(scope), scope.clone(), Arc::clone(&self.open));
        blocking(move || Ok(Box::new(build::DiskBuild::start(folder, scope, open, turn)?) as Box<dyn Build>))
            .await
    }

    async fn delete(&self, scope: &Scope) -> Result<bool, Error> {
        let turn = self.turn(scope).await?;
        let (folder, open, scope) = (self.folder(scope), Arc::clone(&self.open), scope.clone());
        blocking(move || {
            let _turn = turn;
            let there = layout::current(&folder)?.is_some();
            open.lock().unwrap_or_else(PoisonError::into_inner).remove(&scope);
            layout::remove(&folder)?;
            Ok(there)
        })
        .await
    }

    async fn check(&self) -> Result<(), Error> {
        let root = self.root.clone();
        blocking(move || {
            layout::make_root(&root).map_err(|error| Error::io("cannot make the index folder", &error))?;
            // A name of its own, since other processes may probe too.
            let probe = root.join(format!(".probe-{}", std::process::id()));
            layout::create(&probe)
                .and_then(|mut file| std::io::Write::write_all(&mut file, b"ok"))
                .map_err(|error| Error::io("cannot write to the index folder", &error))?;
            std::fs::remove_file(&probe)
                .map_err(|error| Error::io("cannot write to the index folder", &error))
        })
        .await
    }
}
