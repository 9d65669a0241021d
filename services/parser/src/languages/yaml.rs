//! YAML, through a port of the reference parser: every document of a stream, its anchors included.

use assay_domain::code::{Category, Diagnostic};
use serde::Deserialize as _;
use serde::de::IgnoredAny;

use super::{clip, error, explain};

pub(super) fn parse(code: &str) -> Vec<Diagnostic> {
    for document in serde_yaml_ng::Deserializer::from_str(code) {
        let Err(failure) = IgnoredAny::deserialize(document) else { continue };
        let whole = failure.to_string();
        // An empty document is a document.
        if whole.contains("EOF while parsing a value") {
            continue;
        }
        let at = failure.location().map_or(code.len(), |place| place.index()).min(code.len());
        let at = (0..=at).rev().find(|at| code.is_char_boundary(*at)).unwrap_or(0);
        // The place is told by the diagnostic.
        let what = whole.split(" at line ").next().unwrap_or(&whole).trim().to_owned();
        let rest = code.get(at..).unwrap_or_default();
        let near = clip(rest);
        let tab = code[..at].ends_with('\t') || rest.starts_with('\t');
        let what = explain::yaml(&what, if tab { "\t" } else { rest }).map_or(what, str::to_owned);
        let message = if near.is_empty() { what } else { format!("{what}, near '{near}'") };
        let end = at + rest.find(['\n', '\r']).unwrap_or(rest.len());
        return vec![error(code, at..end, "YAML001".to_owned(), Category::SyntaxError, message)];
    }
    Vec::new()
}
