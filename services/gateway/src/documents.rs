//! The pages of the error codes and the OpenAPI document.

use assay_domain::Code;
use axum::extract::Path;
use axum::response::{IntoResponse as _, Response};
use http::header;

use crate::problem::Problem;

macro_rules! pages {
    ($($code:literal),+ $(,)?) => {
        /// The page of every code; the `type` of a problem points here.
        const PAGES: &[(&str, &str)] =
            &[$(($code, include_str!(concat!("../../../docs/errors/", $code, ".md")))),+];
    };
}

pages!(
    "invalid_argument",
    "unauthenticated",
    "permission_denied",
    "not_found",
    "request_conflict",
    "session_conflict",
    "data_folder_in_use",
    "payload_too_large",
    "answer_rejected",
    "resource_exhausted",
    "cancelled",
    "internal",
    "unimplemented",
    "unavailable",
    "search_unavailable",
    "generation_unavailable",
    "validation_unavailable",
    "outbox_full",
    "storage_corrupt",
    "configuration",
    "evaluation_aborted",
    "deadline_exceeded",
);

/// The page of a code, as Markdown.
pub(crate) async fn error_page(Path(code): Path<String>) -> Result<Response, Problem> {
    let page = PAGES.iter().find(|(name, _)| *name == code);
    let (_, text) =
        page.ok_or_else(|| Problem::new(Code::NotFound, "there is no error code of this name"))?;
    Ok(([(header::CONTENT_TYPE, "text/markdown; charset=utf-8")], *text).into_response())
}

/// The OpenAPI document, as it stands in `docs/`.
pub(crate) async fn openapi() -> Response {
    let text = include_str!("../../../docs/openapi.json");
    ([(header::CONTENT_TYPE, "application/json")], text).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_its_page_here() {
        let pages: Vec<&str> = PAGES.iter().map(|(name, _)| *name).collect();
        let codes: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(pages, codes);
    }
}
