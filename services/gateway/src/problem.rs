//! Failures as problem documents (RFC 9457).
//!
//! A handler returns a [`Problem`]; the middleware writes its body, because only it knows the request id.

use assay_domain::{Code, Failure};
use assay_wire::http_status;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};

use crate::ports::Refused;

/// A failure on its way out.
#[derive(Debug, Clone)]
pub(crate) struct Problem {
    /// What went wrong.
    pub(crate) failure: Failure,
    /// HTTP status where it differs from the code's own.
    pub(crate) status: Option<StatusCode>,
    /// The record of the request, if there is one.
    pub(crate) audit_id: Option<String>,
    /// Headers that belong to it, such as when to come back.
    pub(crate) headers: Box<HeaderMap>,
    /// Whether the router was asked before.
    pub(crate) asked: bool,
    /// What was asked, as far as it is known, for the record alone.
    pub(crate) query: String,
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Self {
        let headers = Box::default();
        Self { failure, status: None, audit_id: None, headers, asked: false, query: String::new() }
    }
}

impl From<Refused> for Problem {
    fn from(refused: Refused) -> Self {
        Self { audit_id: refused.audit_id, asked: refused.asked, ..Self::from(refused.failure) }
    }
}

impl Problem {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Failure::new(code, message).into()
    }

    /// A status of its own, for what HTTP tells apart and the codes do not.
    pub(crate) fn with_status(mut self, status: StatusCode) -> Self {
        self.status = Some(status);
        self
    }

    /// Names the record of the request.
    pub(crate) fn with_audit(mut self, id: impl Into<String>) -> Self {
        self.audit_id = Some(id.into());
        self
    }

    /// Says what was asked.
    pub(crate) fn about(mut self, query: String) -> Self {
        self.query = query;
        self
    }

    /// Adds a header.
    pub(crate) fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.status.unwrap_or_else(|| {
            StatusCode::from_u16(http_status(self.failure.code)).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
        })
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = self.status().into_response();
        response.extensions_mut().insert(self);
        response
    }
}
