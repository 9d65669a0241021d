//! Scripts and style of the console, with a hash that says whether a browser has them already.

use std::sync::LazyLock;

use assay_domain::Code;
use axum::extract::Path;
use axum::response::Response;
use http::{HeaderMap, HeaderValue, header};

use crate::problem::Problem;
use crate::repeat;

/// A file.
struct Asset {
    name: &'static str,
    kind: &'static str,
    text: &'static str,
}

macro_rules! assets {
    ($($name:literal: $kind:literal),+ $(,)?) => {
        static ASSETS: &[Asset] =
            &[$(Asset { name: $name, kind: $kind, text: include_str!(concat!("../../console/", $name)) }),+];
    };
}

assets! {
    "console.css": "text/css; charset=utf-8",
    "page.js": "text/javascript; charset=utf-8",
    "markdown.js": "text/javascript; charset=utf-8",
    "answer.js": "text/javascript; charset=utf-8",
    "verify.js": "text/javascript; charset=utf-8",
    "record.js": "text/javascript; charset=utf-8",
    "ask.js": "text/javascript; charset=utf-8",
    "review.js": "text/javascript; charset=utf-8",
    "records.js": "text/javascript; charset=utf-8",
    "evaluation.js": "text/javascript; charset=utf-8",
    "library.js": "text/javascript; charset=utf-8",
}

/// Hashes of the files, in their order.
static TAGS: LazyLock<Vec<String>> =
    LazyLock::new(|| ASSETS.iter().map(|asset| repeat::tag(asset.text.as_bytes())).collect());

/// Serves a file; 304 where the browser has it.
pub(super) async fn serve(Path(file): Path<String>, headers: HeaderMap) -> Result<Response, Problem> {
    let found = ASSETS.iter().zip(&*TAGS).find(|(asset, _)| asset.name == file);
    let (asset, tag) =
        found.ok_or_else(|| Problem::new(Code::NotFound, format!("the console has no file {file:?}")))?;
    let mut response = repeat::unless_known(&headers, asset.kind, asset.text, tag)?;
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    Ok(response)
}

/// The text of every file.
#[cfg(test)]
pub(super) fn sources() -> impl Iterator<Item = &'static str> {
    ASSETS.iter().map(|asset| asset.text)
}

/// The text of every page.
#[cfg(test)]
pub(super) const TEMPLATES: [&str; 6] = [
    include_str!("../../templates/shell.html"),
    include_str!("../../templates/ask.html"),
    include_str!("../../templates/review.html"),
    include_str!("../../templates/records.html"),
    include_str!("../../templates/evaluation.html"),
    include_str!("../../templates/library.html"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_loaded_from_elsewhere_and_no_markup_is_written() {
        for text in sources().chain(TEMPLATES) {
            for forbidden in [
                "http://",
                "https://",
                "innerHTML",
                "outerHTML",
                "insertAdjacentHTML",
                "document.write",
                "eval(",
                "document.cookie",
                " style=\"",
                " onclick=\"",
            ] {
                assert!(!text.contains(forbidden), "{forbidden}");
            }
        }
    }

    #[test]
    fn console_keeps_a_key_in_its_tab_and_one_header() {
        let all: String = sources().collect();
        assert_eq!(all.matches("fetch(").count(), 1, "every call goes through the one that adds the header");
        assert!(all.contains("headers.authorization = `Bearer ${key}`"));
        assert_eq!(all.matches("sessionStorage.setItem").count(), 1);
        assert_eq!(all.matches("localStorage.setItem").count(), 1);
        assert!(all.contains("localStorage.setItem(OFF, \"1\")"), "what is kept longer is no secret");
    }

    #[test]
    fn a_page_and_its_files_fit_in_150_kilobytes() {
        let all: usize = sources().chain(TEMPLATES).map(str::len).sum();
        assert!(all + include_str!("../../console/words/es.json").len() < 150_000, "{all}");
    }
}
