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
    /// A policy of the caller's or operator's own cannot be used.
    #[error("the policy cannot be used: {0}")]
    Policy(assay_grounding::policy::Wrong),
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
    /// More is open than a setting allows.
    #[error(
        "the {what}{whose} that are open reach {limit} (setting {setting}); try again when one has ended"
    )]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// ` of one caller`, or nothing for all.
        whose: &'static str,
        /// The limit.
        limit: usize,
        /// The setting.
        setting: &'static str,
    },
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let (code, field) = match &error {
            Error::Order(_) => (Code::InvalidArgument, "part".to_owned()),
            Error::Invalid { field, .. } => (Code::InvalidArgument, (*field).to_owned()),
            Error::Policy(wrong) if wrong.field.is_empty() => (Code::InvalidArgument, "policy".to_owned()),
            Error::Policy(wrong) => (Code::InvalidArgument, format!("policy.{}", wrong.field)),
            Error::TooLarge { setting, .. } => (Code::PayloadTooLarge, (*setting).to_owned()),
            Error::TooMany { setting, .. } => (Code::ResourceExhausted, (*setting).to_owned()),
        };
        Self::new(code, error.to_string()).field(field)
    }
}
