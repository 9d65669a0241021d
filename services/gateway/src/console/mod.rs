//! The console: pages that the server writes in the reader's language, and the files that they load.
//!
//! A page holds no data; its script asks the same routes as every other client. Nothing is loaded from elsewhere, no
//! script or style stands in a page, and text is written as text.
//!
//! | file | holds |
//! |---|---|
//! | `assets` | scripts and style |
//! | `words` | the languages |
//! | `../../templates` | the pages |
//! | `../../console` | scripts, style and words |

mod assets;
mod words;

use std::sync::Arc;

use askama::Template;
use assay_domain::{Named as _, Outcome, QueryType, Verdict};
use axum::Router;
use axum::extract::RawQuery;
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::get;
use http::{HeaderMap, HeaderValue, header};

use crate::problem::Problem;
use crate::shared::Shared;
use words::Words;

/// What a page may do: its own files, calls to this server, nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
     base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The pages of the menu: path and the name of their title.
const PLACES: [(&str, &str); 5] = [
    ("/", "nav.ask"),
    ("/review", "nav.review"),
    ("/records", "nav.records"),
    ("/evaluation", "nav.evaluation"),
    ("/index", "nav.index"),
];

const TYPES: &[&str] = QueryType::NAMES;
const VERDICTS: &[&str] = Verdict::NAMES;
const OUTCOMES: &[&str] = Outcome::NAMES;

/// The routes.
pub(crate) fn routes() -> Router<Arc<Shared>> {
    Router::new()
        .route("/", get(ask))
        .route("/review", get(review))
        .route("/records", get(records))
        .route("/records/{id}", get(records))
        .route("/evaluation", get(evaluation))
        .route("/index", get(library))
        .route("/console/{file}", get(assets::serve))
}

macro_rules! pages {
    ($($handler:ident: $page:ident, $path:literal, $title:literal, $script:literal;)+) => {$(
        #[derive(Template)]
        #[template(path = $path)]
        struct $page {
            lang: &'static str,
            words: &'static str,
            title: &'static str,
            script: &'static str,
            version: &'static str,
            spoken: &'static Words,
        }

        impl $page {
            fn t(&self, key: &str) -> &'static str {
                self.spoken.of(key)
            }
        }

        async fn $handler(RawQuery(query): RawQuery, headers: HeaderMap) -> Result<Response, Problem> {
            let (spoken, chosen) = words::chosen(query.as_deref(), &headers);
            let page = $page {
                lang: spoken.lang,
                words: &spoken.json,
                title: $title,
                script: $script,
                version: env!("CARGO_PKG_VERSION"),
                spoken,
            };
            shown(page.render(), spoken, chosen)
        }
    )+};
}

pages! {
    ask: Ask, "ask.html", "nav.ask", "ask";
    review: Review, "review.html", "nav.review", "review";
    records: Records, "records.html", "nav.records", "records";
    evaluation: Evaluation, "evaluation.html", "nav.evaluation", "evaluation";
    library: Library, "library.html", "nav.index", "library";
}

/// A page with what it may do; a language that the reader chose is remembered.
fn shown(page: askama::Result<String>, spoken: &Words, chosen: bool) -> Result<Response, Problem> {
    let page = page.map_err(|error| assay_domain::Failure::internal(format!("a page: {error}")))?;
    let mut response = Html(page).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Language, Cookie"));
    if chosen {
        headers.insert(header::SET_COOKIE, HeaderValue::from_static(spoken.cookie));
    }
    Ok(response)
}
