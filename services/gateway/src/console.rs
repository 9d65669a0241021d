//! The page at `/`, the pages of the error codes and the OpenAPI document.

use assay_domain::Code;
use assay_rpc::entropy;
use axum::extract::Path;
use axum::response::{Html, IntoResponse as _, Response};
use http::{HeaderValue, header};

use crate::problem::Problem;

/// The console; `{{nonce}}` stands where the page names its own style and script.
const PAGE: &str = include_str!("console.html");

/// One self-contained page: it loads nothing, may call only this server, and writes text as text.
pub(crate) async fn page() -> Response {
    let nonce = uuid::Uuid::from_bytes(entropy::bytes16()).simple().to_string();
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; \
         img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    let mut response = Html(PAGE.replace("{{nonce}}", &nonce)).into_response();
    if let Ok(value) = HeaderValue::from_str(&policy) {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, value);
    }
    response
}

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

    #[test]
    fn the_console_loads_nothing_and_writes_no_markup() {
        for forbidden in
            ["http://", "https://", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("]
        {
            assert!(!PAGE.contains(forbidden), "{forbidden}");
        }
        assert_eq!(PAGE.matches("nonce=\"{{nonce}}\"").count(), 2);
    }

    #[test]
    fn the_console_asks_for_a_key_only_when_told_to() {
        assert!(PAGE.contains("<form id=\"keyform\" class=\"row\" hidden>"));
        // A class that sets `display` would show it all the same.
        assert!(PAGE.contains("[hidden] { display: none !important; }"));
    }

    #[test]
    fn console_keeps_a_key_in_its_tab_and_one_header() {
        for forbidden in ["localStorage", "document.cookie", "location.search", "key="] {
            assert!(!PAGE.contains(forbidden), "{forbidden}");
        }
        assert_eq!(PAGE.matches("fetch(").count(), 1, "every call goes through the one that adds the header");
        assert!(PAGE.contains("authorization: \"Bearer \" + key"));
    }
}
