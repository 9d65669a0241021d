//! Where the first sentence of a growing paragraph ends.

use super::HELD_MAX;
use super::blocks::region;
use super::marks::{after_marks, skip_marks};
use crate::sentences;
use std::ops::Range;

/// The first sentence of the paragraph at `start`.
pub(super) fn sentence(text: &str, start: usize, done: bool) -> Option<(usize, bool, bool)> {
    let (end, known) = region(text, start, done);
    let paragraph = &text[start..end];
    let (code, open_code) = code_spans(paragraph);
    let cut = sentences::split(paragraph, &code, &[]).first().map_or(paragraph.len(), |first| first.end);
    if cut < paragraph.len() {
        // Backticks that may still close change what is a quotation up to here, and a little behind.
        let unsettled =
            open_code.is_some_and(|start| start < cut + HELD_MAX) || unclosed(paragraph, cut, &code);
        if !known && unsettled {
            return None;
        }
        // Markers right behind the sentence belong to it.
        let (cut, open) = skip_marks(paragraph, cut);
        if (open || cut >= paragraph.len()) && !known {
            return None;
        }
        if cut < paragraph.len() {
            return Some((start + cut, false, true));
        }
    }
    known.then_some(())?;
    Some((after_marks(text, end, done)?, false, false))
}

/// Inline code of a paragraph, and where a run of backticks is open at its end.
fn code_spans(text: &str) -> (Vec<Range<usize>>, Option<usize>) {
    let mut spans = Vec::new();
    let mut open: Option<(usize, usize)> = None;
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        let start = at + found;
        let run = text[start..].bytes().take_while(|b| *b == b'`').count();
        match open {
            Some((from, length)) if length == run => {
                spans.push(from..start + run);
                open = None;
            }
            None => open = Some((start, run)),
            Some(_) => {}
        }
        at = start + run;
    }
    (spans, open.map(|(start, _)| start))
}

/// Whether a quotation or parenthesis outside code that was opened before the cut may still close behind it.
fn unclosed(paragraph: &str, cut: usize, code: &[Range<usize>]) -> bool {
    let mut straight = None;
    let mut stack: Vec<(char, usize)> = Vec::new();
    for (at, c) in paragraph[..cut].char_indices() {
        let mate = match c {
            '"' | '(' | '“' | '«' => None,
            ')' => Some('('),
            '”' => Some('“'),
            '»' => Some('«'),
            _ => continue,
        };
        let place = code.partition_point(|span| span.start <= at);
        if place > 0 && code[place - 1].end > at {
            continue;
        }
        match (c, mate) {
            ('"', _) => straight = if straight.is_none() { Some(at) } else { None },
            (_, Some(mate)) => drop(stack.pop_if(|(opening, _)| *opening == mate)),
            (_, None) => stack.push((c, at)),
        }
    }
    let near = |at: usize| paragraph.len() - at <= HELD_MAX;
    straight.is_some_and(near) || stack.iter().any(|(_, at)| near(*at))
}
