//! Models on disk: which were fetched, where from, and whether their files still hold those bytes.
//!
//! A models folder holds one folder for each model and the lock file [`LOCK`], which records the hub, the commit and the
//! SHA-256 of each file. [`find`] reads every byte before it hands a model out. Nothing here knows a network: fetching is
//! the business of the command line.

mod digest;
mod error;
mod held;
mod kind;
mod lock;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use crate::Files;

pub use digest::{Digest, digest};
pub use error::Error;
pub use held::Held;
pub use kind::Kind;
pub use lock::{Entry, LOCK, Lock, Recorded, State};

/// File name of the model inside its folder.
pub const MODEL: &str = "model.onnx";
/// File name of the tokenizer inside its folder.
pub const TOKENIZER: &str = "tokenizer.json";
/// File name of the configuration inside its folder.
pub const CONFIG: &str = "config.json";
/// A model whose files were read and hold what the lock file records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// Name in the lock file.
    pub name: String,
    /// Folder that holds the files.
    pub folder: PathBuf,
    /// What the lock file records.
    pub entry: Entry,
}

// === impl Located ===

impl Located {
    /// SHA-256 of the model file, lower-case hex; empty if the lock file records no model file.
    #[must_use]
    pub fn digest(&self) -> &str {
        self.entry.files.get(MODEL).map_or("", |file| file.sha256.as_str())
    }

    /// The files that an engine loads.
    #[must_use]
    pub fn files(&self) -> Files {
        let config = self.entry.files.contains_key(CONFIG).then(|| self.folder.join(CONFIG));
        Files { model: self.folder.join(MODEL), tokenizer: self.folder.join(TOKENIZER), config }
    }
}

/// The model of this name, after every file was read and compared with the lock file.
///
/// # Errors
/// If the lock file cannot be read or does not list the name, or a file is missing or changed.
pub fn find(models: &Path, name: &str) -> Result<Located, Error> {
    let lock = Lock::read(models)?;
    let Some(entry) = lock.models.get(name) else {
        let known = lock.models.keys().cloned().collect();
        return Err(Error::Unknown { name: name.to_owned(), lock: models.join(LOCK), known });
    };
    located(models, name, entry)
}

fn located(models: &Path, name: &str, entry: &Entry) -> Result<Located, Error> {
    let folder = folder(models, name)?;
    for (file, state) in entry.states(&folder) {
        let path = folder.join(file);
        let cure = entry.cure(name);
        match state {
            State::Verified => {}
            State::Missing => return Err(Error::Missing { path, cure }),
            State::Unreadable(reason) => return Err(Error::Unreadable { path, reason }),
            State::Changed { recorded, found } => {
                return Err(Error::Changed { path, recorded, found, cure });
            }
        }
    }
    Ok(Located { name: name.to_owned(), folder, entry: entry.clone() })
}

/// Folder of the model of this name.
///
/// # Errors
/// If the name cannot be that of a folder.
pub fn folder(models: &Path, name: &str) -> Result<PathBuf, Error> {
    if plain(name) { Ok(models.join(name)) } else { Err(Error::Name { name: name.to_owned() }) }
}

/// Whether a name is one plain part of a path: letters, digits, `-`, `_` and `.`, which does not come first.
fn plain(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.is_empty() && name.len() <= 128 && !name.starts_with('.') && name.chars().all(allowed)
}
