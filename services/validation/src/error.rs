//! What can go wrong here, each with a code.

use assay_domain::{Code, Failure};

/// A failure of validation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The messages of a check do not follow each other as they must.
    #[error("{0}")]
    Order(&'static str),
    /// A field has a value that is not accepted.
    #[error("{message}")]
    Invalid {
        /// The field.
        field: &'static str,
        /// What is wrong and what to do.
        message: String,
    },
    /// Something is larger than a setting allows.
    #[error("{size} {what}; at most {limit} are checked (setting {setting})")]
    TooLarge {
        /// What there is too much of, with its unit.
        what: &'static str,
        /// Its size.
        size: usize,
        /// The limit, in the same unit.
        limit: usize,
        /// The setting or field.
        setting: &'static str,
    },
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let (code, field) = match &error {
            Error::Order(_) => (Code::InvalidArgument, "part"),
            Error::Invalid { field, .. } => (Code::InvalidArgument, *field),
            Error::TooLarge { setting, .. } => (Code::PayloadTooLarge, *setting),
        };
        Self::new(code, error.to_string()).field(field)
    }
}
