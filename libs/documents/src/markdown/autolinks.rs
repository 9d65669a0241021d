//! Links of addresses that stand in the text, as GitHub makes them.

use crate::{Block, Span, Style};

/// Adds a link for each bare address outside code and links.
pub(super) fn add(block: &mut Block) {
    let taken = |span: &&Span| matches!(span.style, Style::Code | Style::Link(_));
    let mut taken = block.spans.iter().filter(taken).map(|span| span.range.clone()).collect::<Vec<_>>();
    taken.sort_by_key(|range| range.start);
    let (mut next, mut end) = (0, 0);
    let mut found = Vec::new();
    for (at, _) in block.text.match_indices("://") {
        let before = block.text.get(..at).unwrap_or("");
        let scheme = if before.ends_with("https") { 5 } else { 4 };
        let start = at.saturating_sub(scheme);
        if !(before.ends_with("http") || before.ends_with("https")) || start < end {
            continue;
        }
        end = start + length(block.text.get(start..).unwrap_or(""));
        while taken.get(next).is_some_and(|range| range.end <= start) {
            next += 1;
        }
        let is_free = taken.get(next).is_none_or(|range| range.start >= end);
        let target = block.text.get(start..end).unwrap_or("");
        if is_free && target.len() > scheme + 3 {
            found.push(Span { range: start..end, style: Style::Link(target.to_owned()) });
        }
    }
    if !found.is_empty() {
        block.spans.append(&mut found);
        block.spans.sort_by_key(|span| (span.range.start, std::cmp::Reverse(span.range.end)));
    }
}

/// Bytes of the address at the start of a text, without the punctuation behind it.
fn length(text: &str) -> usize {
    let end = text.find(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"')).unwrap_or(text.len());
    let address = text.get(..end).unwrap_or("");
    let has_bracket = address.contains('(');
    let is_mark = |c: char| matches!(c, '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '*' | '_' | '~');
    address.trim_end_matches(|c: char| is_mark(c) || c == ')' && !has_bracket).len()
}
