//! Writes a part of a block as Markdown: code between back-ticks, emphasis, everything else as words.

use std::ops::Range;

use assay_documents::{Block, Style};
use assay_reading::citations::neutralise_markers;

/// A part of a block's text as Markdown that shows the same. A style that is only partly inside is left out.
pub(super) fn markdown(block: &Block, range: &Range<usize>) -> String {
    let inside =
        block.spans_in(range.clone()).filter(|span| !span.range.is_empty() && span.range.end <= range.end);
    let mut out = String::with_capacity(range.len() + 16);
    // Marks that are open, the inner one last: where each ends.
    let mut open: Vec<(usize, &'static str)> = Vec::new();
    let mut at = range.start;
    for span in inside {
        let mark = match span.style {
            Style::Emphasis => "*",
            Style::Strong => "**",
            Style::Code => "",
            _ => continue,
        };
        if span.range.start < at {
            continue;
        }
        close(block, &mut out, &mut open, &mut at, span.range.start);
        words(block, &mut out, at..span.range.start);
        at = span.range.start;
        if span.style == Style::Code {
            out.push_str(&code(block.text.get(span.range.clone()).unwrap_or("")));
            at = span.range.end;
        } else if !open.iter().any(|(_, outer)| outer.ends_with(mark) || mark.ends_with(outer)) {
            out.push_str(mark);
            open.push((span.range.end, mark));
        }
    }
    close(block, &mut out, &mut open, &mut at, range.end);
    words(block, &mut out, at..range.end);
    neutralise_markers(out.trim())
}

/// Ends the styles that end up to a place.
fn close(
    block: &Block,
    out: &mut String,
    open: &mut Vec<(usize, &'static str)>,
    at: &mut usize,
    place: usize,
) {
    while let Some((end, mark)) = open.pop_if(|(end, _)| *end <= place) {
        words(block, out, *at..end.max(*at));
        *at = end.max(*at);
        out.push_str(mark);
    }
}

/// Adds words; what Markdown would take for markup is escaped.
fn words(block: &Block, out: &mut String, range: Range<usize>) {
    let text = block.text.get(range).unwrap_or("");
    let mut before = out.chars().next_back();
    for (at, c) in text.char_indices() {
        let next = text[at + c.len_utf8()..].chars().next();
        let inner = before.is_some_and(char::is_alphanumeric) && next.is_some_and(char::is_alphanumeric);
        let spaced = before.is_none_or(char::is_whitespace) && next.is_none_or(char::is_whitespace);
        let markup = match c {
            '`' => true,
            '*' => !spaced,
            '_' => !inner && !spaced,
            '<' => next.is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?')),
            '&' => next.is_some_and(|next| next == '#' || next.is_ascii_alphabetic()),
            '~' => next == Some('~') || before == Some('~'),
            ']' => next == Some('('),
            '\\' => next.is_some_and(|next| next.is_ascii_punctuation()),
            _ => false,
        };
        if markup {
            out.push('\\');
        }
        out.push(if c == '\n' { ' ' } else { c });
        before = Some(c);
    }
}

/// Inline code with marks that are longer than any run inside.
fn code(text: &str) -> String {
    let runs = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let mark = "`".repeat(runs + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{mark}{pad}{}{pad}{mark}", text.replace('\n', " "))
}
