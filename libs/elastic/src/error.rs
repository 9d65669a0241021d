//! What can go wrong between us and a cluster.

/// A request that did not succeed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// No node answered.
    #[error("no Elasticsearch node answers: {0}")]
    Unreachable(String),
    /// The credentials are missing or wrong.
    #[error(
        "Elasticsearch does not accept the credentials (HTTP {0}); check api_key_file, or user and password_file, \
         and what they may do"
    )]
    Credentials(u16),
    /// The server is no Elasticsearch that can be used.
    #[error("{0}")]
    Version(String),
    /// The request was answered with an error.
    #[error("Elasticsearch refused {path}: HTTP {status} {kind}: {reason}")]
    Refused {
        /// HTTP status.
        status: u16,
        /// What was asked for.
        path: String,
        /// Type of the error, as `version_conflict_engine_exception`.
        kind: String,
        /// What the server said.
        reason: String,
    },
    /// Documents of a bulk request were not taken.
    #[error("Elasticsearch did not take {count} documents, first `{id}`: {reason}")]
    Documents {
        /// How many.
        count: usize,
        /// Id of the first.
        id: String,
        /// Why.
        reason: String,
    },
    /// A document is larger than the server accepts.
    #[error(
        "a document of {bytes} bytes is larger than the cluster accepts; raise its http.max_content_length"
    )]
    TooLarge {
        /// Size of the request.
        bytes: usize,
    },
    /// The answer is not what the protocol says.
    #[error("the answer of Elasticsearch cannot be read: {0}")]
    Unreadable(String),
}

impl Error {
    /// The error of one part of an answer to several searches, if it failed.
    #[must_use]
    pub fn of_part(path: &str, part: &serde_json::Value) -> Option<Self> {
        let error = part.get("error")?;
        let status = part["status"].as_u64().and_then(|status| u16::try_from(status).ok()).unwrap_or(500);
        let (kind, reason) = crate::client::told_error(error, &[]);
        Some(Self::Refused { status, path: path.to_owned(), kind, reason })
    }

    /// Whether the same request can succeed a moment later.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Unreachable(_) => true,
            Self::Refused { status, .. } => busy(*status),
            _ => false,
        }
    }

    /// Whether what was asked for does not exist.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(self, Self::Refused { status: 404, .. })
    }

    /// Whether somebody else wrote first.
    #[must_use]
    pub fn is_conflict(&self) -> bool {
        matches!(self, Self::Refused { status: 409, .. })
            || matches!(self, Self::Refused { kind, .. } if kind == "resource_already_exists_exception")
    }
}

/// Statuses with which a server asks to come back later.
pub(crate) fn busy(status: u16) -> bool {
    matches!(status, 429 | 502..=504)
}
