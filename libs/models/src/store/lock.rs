//! The lock file: where each model came from and what its files hold.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Digest, Error, Kind, digest, plain};

/// File name of the lock file inside the models folder.
pub const LOCK: &str = "models.lock.json";
/// Largest lock file that is read, in bytes.
const MAX_BYTES: u64 = 4 << 20;
/// Version of the format.
const VERSION: u32 = 1;

/// What a models folder holds, by the names of the models.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lock {
    /// Version of the format.
    pub version: u32,
    /// The models.
    pub models: BTreeMap<String, Entry>,
}

/// One model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Repository on the hub, `OWNER/NAME`; or `pypi:PACKAGE` for a model out of a Python package.
    pub hub: String,
    /// Commit on the hub, 40 hex digits; or the version of the package.
    pub revision: String,
    /// What the model is for.
    pub kind: Kind,
    /// Licence that the hub names, in its own words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    /// Its files, by their names inside the model's folder.
    pub files: BTreeMap<String, Recorded>,
}

/// One file of a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recorded {
    /// Path inside the repository or package.
    pub from: String,
    /// Size in bytes.
    pub bytes: u64,
    /// SHA-256, lower-case hex.
    pub sha256: String,
}

/// A file on disk beside what the lock file records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// The same bytes.
    Verified,
    /// There is no such file.
    Missing,
    /// The file cannot be read; the reason.
    Unreadable(String),
    /// Other bytes.
    Changed {
        /// What the lock file records.
        recorded: Digest,
        /// What the file holds.
        found: Digest,
    },
}

// === impl Lock ===

impl Default for Lock {
    fn default() -> Self {
        Self { version: VERSION, models: BTreeMap::new() }
    }
}

impl Lock {
    /// The lock file of a models folder; empty if there is none.
    ///
    /// # Errors
    /// If the file cannot be read, is no lock file of this version, or names a model or a file by a path.
    pub fn read(models: &Path) -> Result<Self, Error> {
        let path = models.join(LOCK);
        let wrong = |reason: String| Error::Lock { path: path.clone(), reason };
        let size = match std::fs::metadata(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(wrong(error.to_string())),
            Ok(found) => found.len(),
        };
        if size > MAX_BYTES {
            return Err(wrong(format!("it holds {size} bytes, and a lock file at most {MAX_BYTES}")));
        }
        let text = std::fs::read(&path).map_err(|error| wrong(error.to_string()))?;
        let lock: Self = serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
        if lock.version != VERSION {
            return Err(wrong(format!(
                "it is of version {}, and this program reads {VERSION}",
                lock.version
            )));
        }
        let files = lock.models.values().flat_map(|entry| entry.files.keys());
        match lock.models.keys().chain(files).find(|name| !plain(name)) {
            Some(name) => Err(wrong(format!("{name:?} is no plain name"))),
            None => Ok(lock),
        }
    }
}

// === impl Entry ===

impl Entry {
    /// The command that fetches the model again.
    #[must_use]
    pub fn cure(&self, name: &str) -> String {
        if self.hub.starts_with("pypi:") {
            return "assay models pull".to_owned();
        }
        let mut cure = format!("assay models pull hub:{}@{}", self.hub, self.revision);
        if self.hub.rsplit('/').next() != Some(name) {
            cure.push_str(&format!(" --name {name}"));
        }
        cure
    }

    /// Reads and hashes every file in the model's folder.
    pub fn states<'a>(&'a self, folder: &Path) -> impl Iterator<Item = (&'a str, State)> {
        self.files.iter().map(|(name, file)| (name.as_str(), file.state(&folder.join(name))))
    }
}

// === impl Recorded ===

impl Recorded {
    /// Size and checksum.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest { bytes: self.bytes, sha256: self.sha256.clone() }
    }

    /// Reads and hashes the file at this path.
    #[must_use]
    pub fn state(&self, path: &Path) -> State {
        match digest(path) {
            Ok(found) if found == self.digest() => State::Verified,
            Ok(found) => State::Changed { recorded: self.digest(), found },
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => State::Missing,
            Err(error) => State::Unreadable(error.to_string()),
        }
    }
}
