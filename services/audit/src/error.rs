//! What can go wrong with the log, each with a code and its cure.

use std::path::PathBuf;

use assay_domain::{AuditId, Code, Failure};

/// A failure of the log or its store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AuditError {
    /// Another process holds the lock file.
    #[error("the audit log in {} belongs to another running process; stop it, or talk to it with --endpoint", path.display())]
    InUse {
        /// Folder of the log.
        path: PathBuf,
    },
    /// The database or a stored value cannot be read.
    #[error(
        "the audit log is damaged ({what}); nothing was changed: run `assay audit verify`, then restore the folder from a backup"
    )]
    Corrupt {
        /// What was found.
        what: String,
    },
    /// Written by a later version.
    #[error(
        "the audit log has format {found}, this version knows up to {known}; run the newer version, or restore the backup that it made"
    )]
    Newer {
        /// Format of the file.
        found: i64,
        /// Newest format known here.
        known: i64,
    },
    /// No room.
    #[error(
        "no room to store the record; free disk space or raise audit.max_bytes: records wait in the outbox until then"
    )]
    Full,
    /// There is no log to read.
    #[error("there is no audit log in {}; a first start makes one (`assay up`), --data names another folder", path.display())]
    Missing {
        /// Folder of the log.
        path: PathBuf,
    },
    /// The signing key is there, the log is not.
    #[error(
        "the audit log is gone: {} has signed one, and {} holds none; restore audit.sqlite3 and audit.sqlite3-wal from \
         a backup. To begin a new log on purpose, move the key away and keep it: it verifies older checkpoints and \
         receipts",
        key.display(),
        path.display()
    )]
    Gone {
        /// Folder of the log.
        path: PathBuf,
        /// File of the signing key.
        key: PathBuf,
    },
    /// The log is written too fast to be copied.
    #[error("{} is written too fast to be copied; ask the running system with --endpoint", path.display())]
    Busy {
        /// The database file.
        path: PathBuf,
    },
    /// Somebody reads the state from before an erasure.
    #[error(
        "the payloads are erased, but a verification or a listing still reads their bytes; repeat the erasure later"
    )]
    Read,
    /// The signing key does not fit the log.
    #[error("{what}; restore the key from a backup (audit.key, or the file of audit.key_file)")]
    Key {
        /// What is wrong with it.
        what: String,
    },
    /// The folder holds a log of another name.
    #[error(
        "the folder holds the log {found:?}, the settings name {wanted:?}; a log keeps its name for ever"
    )]
    OtherLog {
        /// Name in the folder.
        found: String,
        /// Name in the settings.
        wanted: String,
    },
    /// The id is taken by other content.
    #[error(
        "audit id {id} is already in the log, at leaf {leaf_index}, with other content; the first record stands"
    )]
    Conflict {
        /// The id.
        id: AuditId,
        /// Where the first record stands.
        leaf_index: u64,
    },
    /// The store was closed.
    #[error("the audit log is closed; deliver the record again after the restart")]
    Closed,
    /// Storing took longer than its own budget.
    #[error("the record was not stored within {ms} ms; deliver it again, which is safe")]
    TooSlow {
        /// The budget.
        ms: u64,
    },
    /// The file system or the database refused something.
    #[error("{doing}: {reason}; check that the folder exists and can be written")]
    Io {
        /// What was tried.
        doing: String,
        /// What the system said.
        reason: String,
    },
}

impl AuditError {
    /// A file-system failure.
    pub(crate) fn io(doing: impl Into<String>, error: &std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Self::Full,
            _ => Self::Io { doing: doing.into(), reason: error.to_string() },
        }
    }

    /// Stored bytes that make no sense.
    pub(crate) fn corrupt(what: impl Into<String>) -> Self {
        Self::Corrupt { what: what.into() }
    }
}

impl From<AuditError> for Failure {
    fn from(error: AuditError) -> Self {
        let (code, field) = match &error {
            AuditError::InUse { .. } => (Code::DataFolderInUse, "audit.data_dir"),
            AuditError::Corrupt { .. } | AuditError::Newer { .. } | AuditError::Gone { .. } => {
                (Code::StorageCorrupt, "audit.data_dir")
            }
            AuditError::Missing { .. } => (Code::NotFound, "audit.data_dir"),
            AuditError::Busy { .. } => (Code::Unavailable, "audit.data_dir"),
            AuditError::Full => (Code::ResourceExhausted, "audit.max_bytes"),
            AuditError::Key { .. } => (Code::Configuration, "audit.key_file"),
            AuditError::OtherLog { .. } => (Code::Configuration, "audit.log_id"),
            AuditError::Conflict { .. } => (Code::RequestConflict, "audit_id"),
            AuditError::Read | AuditError::Closed | AuditError::TooSlow { .. } => (Code::Unavailable, ""),
            AuditError::Io { .. } => (Code::Unavailable, "audit.data_dir"),
        };
        Self::new(code, error.to_string()).field(field)
    }
}

impl From<assay_rpc::task::Panicked> for AuditError {
    fn from(panicked: assay_rpc::task::Panicked) -> Self {
        Self::Io { doing: "reading the audit log".to_owned(), reason: panicked.to_string() }
    }
}
