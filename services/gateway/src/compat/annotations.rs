//! Citations as OpenAI's clients show them: a stretch of the text, and where a reader can follow it.

use assay_api::openai as api;
use assay_domain::Answer;
use http::{HeaderMap, header};

use super::Delivered;
use crate::options::SignInOptions;

/// Citations of a delivered answer that was not cut: each with its place in characters, and its source.
pub(super) fn of(delivered: &Delivered, origin: &str) -> Vec<api::UrlCitation> {
    let answer = &delivered.answer;
    let Some(report) = &answer.report else { return Vec::new() };
    // The places are those of the whole text, which footnotes only follow.
    if delivered.notice.is_some() || !delivered.text().starts_with(&report.text) {
        return Vec::new();
    }
    report.citations.iter().filter_map(|citation| cited(answer, citation, origin)).collect()
}

fn cited(
    answer: &Answer,
    citation: &assay_domain::report::Citation,
    origin: &str,
) -> Option<api::UrlCitation> {
    let index = usize::try_from(citation.marker).ok()?.checked_sub(1)?;
    let source = &answer.sources.get(index)?.source;
    let lines = citation.lines.unwrap_or(source.lines);
    let name = if source.path.is_empty() { &source.id } else { &source.path };
    Some(api::UrlCitation {
        start_index: citation.span.char_start,
        end_index: citation.span.char_end,
        url: format!("{origin}/records/{}", answer.audit_id),
        title: format!("{name}, lines {}-{}", lines.first, lines.last),
    })
}

/// The address of this server, as the settings say, else as the request does. A proxy says whether that came over TLS.
pub(super) fn origin(headers: &HeaderMap, sign_in: &SignInOptions) -> String {
    if sign_in.is_on() {
        return sign_in.address.clone();
    }
    let text = |name| headers.get(name).and_then(|value: &http::HeaderValue| value.to_str().ok());
    let secure = text(http::HeaderName::from_static("x-forwarded-proto")) == Some("https");
    let host = text(header::HOST).unwrap_or_default();
    format!("{}://{host}", if secure { "https" } else { "http" })
}
