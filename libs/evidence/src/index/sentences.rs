//! Sentences of a text that is read as it is: plain text, lines wrapped or not.

use super::shown::trimmed;
use crate::sentences;
use std::ops::Range;

/// Sentences of plain text: list marks, headings, table rows, blank lines and short lines end one too.
pub(super) fn source_sentences(text: &str) -> Vec<Range<usize>> {
    let mut breaks = Vec::new();
    let mut at = 0;
    let mut before = "";
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        let marked = bare.starts_with(['-', '*', '#', '|', '>', '`', '+', '~'])
            || bare.split_once(['.', ')']).is_some_and(|(number, _)| {
                !number.is_empty() && number.len() < 4 && number.bytes().all(|b| b.is_ascii_digit())
            });
        let ended = before.ends_with(['.', '!', '?', ':', '"', '”', '»', ')', '`', '|', '{', '}', ';']);
        let fresh = bare.starts_with(|c: char| !c.is_lowercase()) && (ended || before.len() < 60);
        let indented = line.starts_with("    ") || line.starts_with('\t');
        if at > 0
            && (bare.is_empty()
                || before.is_empty()
                || marked
                || fresh
                || indented
                || before.starts_with(['#', '|']))
        {
            breaks.push(at);
        }
        before = bare;
        at += line.len();
    }
    trimmed(text, sentences::split(text, &[], &breaks))
}
