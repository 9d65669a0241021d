//! Why a model cannot be had from a hub: each error names the file or setting, and the cure.

use std::path::{Path, PathBuf};

use assay_domain::{Code, Failure};
use assay_models::store::Digest;

/// Why a model cannot be had from a hub.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// Nobody answers at the address.
    #[error("{address} cannot be reached: {reason}")]
    Unreachable {
        /// Where it was asked.
        address: String,
        /// What the system said.
        reason: String,
    },
    /// The transfer broke off, or no byte came for too long.
    #[error("{file}: {reason}; {have} bytes are kept, and the same command goes on from there")]
    Broken {
        /// File of the repository.
        file: String,
        /// What happened.
        reason: String,
        /// Bytes that are on disk.
        have: u64,
    },
    /// The hub does not let us in.
    #[error(
        "{address} answers {status}{said}: there is no such model, or it is private or behind a form of consent; put an \
         access token into a file and name it in models.token_file"
    )]
    Refused {
        /// Where it was asked.
        address: String,
        /// 401 or 403.
        status: u16,
        /// What the hub added, with a space in front.
        said: String,
    },
    /// The hub knows no such model, revision or file.
    #[error("{address} answers 404{said}: there is no such model, revision or file")]
    Absent {
        /// Where it was asked.
        address: String,
        /// What the hub added, with a space in front.
        said: String,
    },
    /// The answer is not one of a hub.
    #[error("{address} does not answer as a model hub: {reason}")]
    Reply {
        /// Where it was asked.
        address: String,
        /// What is wrong.
        reason: String,
    },
    /// The part that was asked for does not exist there.
    #[error("{address} answers 416: it has no such part of the file")]
    Range {
        /// Where it was asked.
        address: String,
    },
    /// Another size than the hub lists.
    #[error("{file}: the hub lists {listed} bytes, {found} came; they were thrown away")]
    Size {
        /// File of the repository.
        file: String,
        /// Size that the hub lists, in bytes.
        listed: u64,
        /// Size of what came, in bytes.
        found: u64,
    },
    /// More than the settings allow.
    #[error("{what} has {bytes} bytes; models.max_bytes allows {most}")]
    TooLarge {
        /// The model or file.
        what: String,
        /// Its size, or what had come of it.
        bytes: u64,
        /// What is allowed.
        most: u64,
    },
    /// Other bytes than the hub names.
    #[error("{file}: the hub names sha256 {expected}, what came has {found}; it was thrown away")]
    Digest {
        /// File of the repository.
        file: String,
        /// SHA-256 that the hub names.
        expected: String,
        /// Size and SHA-256 of what came.
        found: Digest,
    },
    /// The disk is full, or a quota is used up.
    #[error("{}: no room: {reason}; make room and run the same command again, it goes on from there", path.display())]
    Full {
        /// File that was written.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// A file or folder cannot be written.
    #[error("{} cannot be written: {reason}", path.display())]
    Write {
        /// File or folder.
        path: PathBuf,
        /// What the system said.
        reason: String,
    },
    /// The repository lacks what a model needs, or what was asked for.
    #[error("{repository}: {reason}")]
    Lacks {
        /// The repository and its commit.
        repository: String,
        /// What it lacks, and what it has.
        reason: String,
        /// Flag that helps; empty if none does.
        flag: &'static str,
    },
    /// The files came and cannot be used.
    #[error(
        "the files came and cannot be used as {kind}: {reason}; nothing was changed in the models folder"
    )]
    Unusable {
        /// What the model was taken for.
        kind: String,
        /// What the engine said.
        reason: String,
    },
}

// === impl Error ===

impl Error {
    /// What the system said about a file.
    pub(crate) fn of_file(path: &Path, error: &std::io::Error) -> Self {
        use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        let (path, reason) = (path.to_owned(), error.to_string());
        match error.kind() {
            StorageFull | QuotaExceeded | FileTooLarge => Self::Full { path, reason },
            _ => Self::Write { path, reason },
        }
    }

    /// Whether another try may end otherwise.
    pub(crate) fn passing(&self) -> bool {
        matches!(self, Self::Broken { .. })
    }

    /// Whether the hub cannot be had at all, so that what is on disk must do.
    pub(crate) fn offline(&self) -> bool {
        matches!(self, Self::Unreachable { .. })
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let (code, field) = match &error {
            Error::Unreachable { .. } | Error::Reply { .. } | Error::Range { .. } => {
                (Code::Unavailable, "models.hub")
            }
            Error::Broken { .. } => (Code::Unavailable, "models.stall_seconds"),
            Error::Refused { .. } => (Code::PermissionDenied, "models.token_file"),
            Error::Absent { .. } => (Code::NotFound, "model"),
            Error::TooLarge { .. } => (Code::PayloadTooLarge, "models.max_bytes"),
            Error::Digest { .. } | Error::Size { .. } => (Code::StorageCorrupt, "model"),
            Error::Full { .. } | Error::Write { .. } => (Code::Configuration, "models"),
            Error::Lacks { flag, .. } => (Code::InvalidArgument, *flag),
            Error::Unusable { .. } => (Code::InvalidArgument, "kind"),
        };
        Self::new(code, error.to_string()).field(field)
    }
}
