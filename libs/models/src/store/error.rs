//! Why a model on disk cannot be used; each error names the file and the command that mends it.

use std::path::PathBuf;

use super::Digest;

/// Why a model on disk cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The lock file cannot be read or is no lock file.
    #[error("{} cannot be used: {reason}; mend it, or remove it and fetch the models again with `assay models pull`", path.display())]
    Lock {
        /// The lock file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The lock file does not list the model.
    #[error("{} lists no model {name:?}{}; fetch it with `assay models pull hub:OWNER/NAME --name {name}`", lock.display(), listed(known))]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The lock file.
        lock: PathBuf,
        /// Names that it lists.
        known: Vec<String>,
    },
    /// The name cannot be that of a folder.
    #[error(
        "{name:?} cannot name a model: use letters, digits, '-', '_' and '.', at most 128, and no '.' in front"
    )]
    Name {
        /// The name.
        name: String,
    },
    /// A recorded file is not there.
    #[error("{} is missing; fetch it again with `{cure}`", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
        /// The command that fetches it.
        cure: String,
    },
    /// A recorded file cannot be read.
    #[error("{} cannot be read: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// A recorded file holds other bytes.
    #[error("{} was changed: the lock file records {recorded}, the file holds {found}; fetch it again with `{cure}`", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// What the lock file records.
        recorded: Digest,
        /// What the file holds.
        found: Digest,
        /// The command that fetches it.
        cure: String,
    },
    /// Another process changes the folder.
    #[error("another `assay models` command is changing {}; run this one again when it has ended", models.display())]
    Busy {
        /// The models folder.
        models: PathBuf,
    },
    /// A file or folder cannot be written.
    #[error("{} cannot be written: {reason}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
}

fn listed(known: &[String]) -> String {
    if known.is_empty() { String::new() } else { format!(" (it lists {})", known.join(", ")) }
}
