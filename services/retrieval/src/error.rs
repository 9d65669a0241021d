//! What can go wrong here, each with a code.

use assay_domain::{Code, Failure};

/// A failure of retrieval.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The tenant has no such collection.
    #[error("there is no collection `{0}`; `assay ingest PATH --collection {0}` makes it")]
    NoCollection(String),
    /// A field has a value that is not accepted.
    #[error("{message}")]
    Invalid {
        /// The field.
        field: &'static str,
        /// What is wrong and what to do.
        message: String,
    },
    /// A field or stream is too large.
    #[error("{message}")]
    TooLarge {
        /// The field or setting.
        field: &'static str,
        /// The limit and the size.
        message: String,
    },
    /// The collection does not hold the document.
    #[error("the index does not hold {0:?}; `assay index show --files` lists what it holds")]
    NoDocument(String),
    /// Files of the index cannot be read or written.
    #[error("the index cannot be used: {0}")]
    Storage(String),
    /// Files of the index contradict themselves or come from a newer version.
    #[error("the index is damaged: {0}; remove the collection's folder and ingest again")]
    Corrupt(String),
    /// The embedding model cannot be used.
    #[error("embeddings are unavailable: {0}")]
    Embedding(String),
    /// The files of the embedding model are not those of the lock file.
    #[error("embeddings are unavailable: {0}")]
    Model(#[from] assay_models::store::Error),
    /// The index was made with another embedding model than the one that runs.
    #[error(
        "the index holds vectors of `{index}`, this system embeds with `{running}`; run `assay ingest --reembed \
         --collection {collection}`, or search with mode bm25_only"
    )]
    OtherVectorSpace {
        /// Collection that was searched.
        collection: String,
        /// Model of the index.
        index: String,
        /// Model that runs.
        running: String,
    },
    /// The search cluster does not do what it was asked for.
    #[error("{0}")]
    Cluster(#[from] assay_elastic::Error),
    /// Another process writes the collection.
    #[error("another process writes `{0}` at the moment; try again when it has ended")]
    Busy(String),
    /// Nobody waits for the result any more.
    #[error("the caller went away")]
    Stopped,
    /// A defect of ours.
    #[error("retrieval defect: {0}")]
    Internal(String),
}

impl Error {
    /// Its stable code.
    #[must_use]
    pub const fn code(&self) -> Code {
        match self {
            Self::NoCollection(_) | Self::NoDocument(_) => Code::NotFound,
            Self::Invalid { .. } => Code::InvalidArgument,
            Self::TooLarge { .. } => Code::PayloadTooLarge,
            Self::Corrupt(_) => Code::StorageCorrupt,
            Self::Cluster(assay_elastic::Error::Version(_)) => Code::Configuration,
            Self::Busy(_) => Code::Unavailable,
            Self::Cluster(_)
            | Self::Storage(_)
            | Self::Embedding(_)
            | Self::Model(_)
            | Self::OtherVectorSpace { .. } => Code::SearchUnavailable,
            Self::Stopped => Code::Cancelled,
            Self::Internal(_) => Code::Internal,
        }
    }

    /// An unacceptable field.
    pub(crate) fn invalid(field: &'static str, message: impl Into<String>) -> Self {
        Self::Invalid { field, message: message.into() }
    }

    /// A failed file operation, with what it was for.
    pub(crate) fn io(what: &str, error: &std::io::Error) -> Self {
        Self::Storage(format!("{what}: {error}"))
    }
}

impl From<assay_models::Error> for Error {
    fn from(error: assay_models::Error) -> Self {
        match error {
            assay_models::Error::Stopped => Self::Stopped,
            error => Self::Embedding(error.to_string()),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let field = match &error {
            Error::NoCollection(_) => "collection",
            Error::NoDocument(_) => "path",
            Error::Invalid { field, .. } | Error::TooLarge { field, .. } => field,
            _ => "",
        };
        Self::new(error.code(), error.to_string()).field(field)
    }
}
