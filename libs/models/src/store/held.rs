//! A models folder that one process changes.

use std::fs::{File, TryLockError};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::{Entry, Error, LOCK, Lock, folder};

/// File that a process locks while it changes the folder.
const GUARD: &str = ".assay-models";

/// A models folder that no other process changes until this is dropped.
#[derive(Debug)]
pub struct Held {
    models: PathBuf,
    _guard: File,
}

// === impl Held ===

impl Held {
    /// Makes the folder if need be, and keeps other processes from changing it.
    ///
    /// # Errors
    /// [`Error::Busy`] if another process changes it, [`Error::Write`] if it cannot be written.
    pub fn open(models: &Path) -> Result<Self, Error> {
        let write = |path: &Path, error: std::io::Error| Error::Write {
            path: path.to_owned(),
            reason: error.to_string(),
        };
        std::fs::create_dir_all(models).map_err(|error| write(models, error))?;
        let path = models.join(GUARD);
        let guard = File::create(&path).map_err(|error| write(&path, error))?;
        match guard.try_lock() {
            Ok(()) => Ok(Self { models: models.to_owned(), _guard: guard }),
            Err(TryLockError::WouldBlock) => Err(Error::Busy { models: models.to_owned() }),
            Err(TryLockError::Error(error)) => Err(write(&path, error)),
        }
    }

    /// The folder.
    #[must_use]
    pub fn models(&self) -> &Path {
        &self.models
    }

    /// Records a model under a name, in place of what was recorded under it.
    ///
    /// # Errors
    /// If the name is no name of a folder, or the lock file cannot be read or written.
    pub fn record(&self, name: &str, entry: Entry) -> Result<(), Error> {
        folder(&self.models, name)?;
        let mut lock = Lock::read(&self.models)?;
        lock.models.insert(name.to_owned(), entry);
        self.write(&lock)
    }

    /// Forgets a model and removes its folder; false if the lock file does not list it.
    ///
    /// # Errors
    /// If the lock file cannot be read or written, or the folder cannot be removed.
    pub fn remove(&self, name: &str) -> Result<bool, Error> {
        let mut lock = Lock::read(&self.models)?;
        if lock.models.remove(name).is_none() {
            return Ok(false);
        }
        let folder = folder(&self.models, name)?;
        self.write(&lock)?;
        match std::fs::remove_dir_all(&folder) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Error::Write { path: folder, reason: error.to_string() })
            }
            _ => Ok(true),
        }
    }

    /// Writes the lock file beside its place and moves it there, so that a reader never meets half of it.
    fn write(&self, lock: &Lock) -> Result<(), Error> {
        let path = self.models.join(LOCK);
        let written = || -> std::io::Result<()> {
            let beside = self.models.join(format!("{LOCK}.part"));
            let mut text = serde_json::to_vec_pretty(lock)?;
            text.push(b'\n');
            let mut file = File::create(&beside)?;
            file.write_all(&text)?;
            file.sync_all()?;
            std::fs::rename(&beside, &path)
        };
        written().map_err(|error| Error::Write { path: path.clone(), reason: error.to_string() })
    }
}
