//! Failures as problem documents (RFC 9457).

use assay_domain::{Code, Failure};
use assay_wire::meaning;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Name, filled};

/// A problem document (RFC 9457).
#[derive(Debug, Serialize, JsonSchema)]
pub struct Problem<'a> {
    /// `/errors/CODE`, a path of this server.
    pub r#type: String,
    /// Meaning of the code.
    pub title: &'a str,
    /// HTTP status.
    pub status: u16,
    /// What is wrong, and the cure.
    pub detail: &'a str,
    /// Stable error code: decide by this field.
    pub code: Name<Code>,
    /// Field, header or setting to blame; left out where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<&'a str>,
    /// Record of the request; left out where it has none of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub audit_id: Option<&'a str>,
    /// `X-Request-Id` of the response, not the `request_id` of the question.
    pub request_id: &'a str,
}

impl<'a> Problem<'a> {
    /// The document of a failure.
    #[must_use]
    pub fn new(failure: &'a Failure, status: u16, audit_id: Option<&'a str>, request_id: &'a str) -> Self {
        Self {
            r#type: format!("/errors/{}", failure.code),
            title: meaning(failure.code).trim_end_matches('.'),
            status,
            detail: &failure.message,
            code: Name(failure.code),
            field: filled(&failure.field),
            audit_id,
            request_id,
        }
    }
}
