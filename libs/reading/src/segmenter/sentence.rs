//! Finds the end of the first sentence of a growing paragraph.

use super::marks::{after_marks, skip_marks};
use super::{Extent, First, HELD_MAX};
use assay_text::sentences;
use std::ops::Range;

/// First window of a paragraph in which the end of its first sentence is searched, in bytes.
const WINDOW: usize = 1024;
/// Bytes after a sentence's end that may still move it: the end of a quotation, and a few words.
const BEHIND: usize = HELD_MAX + 64;

/// The first sentence of the paragraph that begins at `start`.
pub(super) fn sentence(text: &str, start: usize, extent: Extent, done: bool) -> Option<First> {
    let Extent { end, known } = extent;
    let paragraph = &text[start..end];
    let Cut { at: cut, code, open_code } = Cut::of(paragraph);
    if cut < paragraph.len() {
        // Backticks that may still close change what is a quotation up to here, and a little behind.
        let unsettled =
            || open_code.is_some_and(|start| start < cut + HELD_MAX) || unclosed(paragraph, cut, &code);
        if !known && unsettled() {
            return None;
        }
        // Markers right behind the sentence belong to it.
        let (cut, open) = skip_marks(paragraph, cut);
        if (open || cut >= paragraph.len()) && !known {
            return None;
        }
        if cut < paragraph.len() {
            return Some(First { length: start + cut, code: false, goes_on: Some(extent) });
        }
    }
    known.then_some(())?;
    Some(First::block(after_marks(text, end, done)?, false))
}

/// Where the first sentence of a paragraph ends, with what of its inline code is known up to there and a little behind.
struct Cut {
    at: usize,
    code: Vec<Range<usize>>,
    /// Where a run of backticks is open.
    open_code: Option<usize>,
}

impl Cut {
    /// Reads no more of a paragraph than its first sentence follows from: paragraphs may be long, and have many.
    fn of(paragraph: &str) -> Self {
        let mut window = WINDOW;
        loop {
            let end = window_end(paragraph, window);
            let part = &paragraph[..end];
            let (code, open_code) = code_spans(part);
            let at = sentences::split(part, &code, &[]).first().map_or(end, |first| first.end);
            let far = at + BEHIND;
            if end == paragraph.len() || (far <= end && open_code.is_none_or(|open| open >= far)) {
                return Self { at, code, open_code };
            }
            window *= 4;
        }
    }
}

/// The end of a window: no character and no run of backticks is cut.
fn window_end(text: &str, window: usize) -> usize {
    let bytes = text.as_bytes();
    let cuts = |at: &usize| !text.is_char_boundary(*at) || (bytes[*at] == b'`' && bytes[*at - 1] == b'`');
    (window.max(1)..text.len()).find(|at| !cuts(at)).unwrap_or(text.len())
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn first_sentence_is_the_same_in_window_and_paragraph(
            pieces in prop::collection::vec((0_usize..14, 1_usize..300), 1..12),
        ) {
            let mut paragraph = String::new();
            for (kind, size) in pieces {
                match kind {
                    0 => paragraph.push_str("It ends. "),
                    1 => paragraph.push_str("\"Quoted. Words\" "),
                    2 => paragraph.push('"'),
                    3 => paragraph.push('('),
                    4 => paragraph.push_str("b) "),
                    5 => paragraph.push('`'),
                    6 => paragraph.push_str(&"`".repeat(size % 4)),
                    7 => paragraph.push_str("`code. X` "),
                    8 => paragraph.push_str(&" ".repeat(size)),
                    9 => paragraph.push_str("«É. ¿Ñ» "),
                    10 => paragraph.push_str(". "),
                    11 => paragraph.push_str("e.g. U.S. "),
                    _ => paragraph.push_str(&"word ".repeat(size)),
                }
            }
            let (code, _) = code_spans(&paragraph);
            let whole = sentences::split(&paragraph, &code, &[]).first().map_or(paragraph.len(), |first| first.end);
            prop_assert_eq!(Cut::of(&paragraph).at, whole);
        }
    }
}
