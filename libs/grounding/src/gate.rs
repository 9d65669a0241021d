//! Cuts a growing draft into segments that can be checked on their own: sentence, list item, table row, code block.
//!
//! The segments, one after the other, are the draft byte for byte, and do not depend on how it was cut into deltas. A
//! segment closes when the first character of what follows is known, so that a marker behind a sentence stays with it.

use crate::sentences;
use std::ops::Range;

/// A closed segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// Its bytes in the draft.
    pub range: Range<usize>,
    /// Its text with the white space behind it.
    pub text: String,
    /// Whether it is a code block.
    pub code: bool,
}

/// Collects deltas and yields segments.
#[derive(Debug, Clone, Default)]
pub struct SegmentGate {
    held: String,
    /// Bytes of the draft before the held text.
    closed: usize,
    /// Length at which closing is tried again.
    next_try: usize,
    /// Whether the held text begins in the middle of a paragraph.
    inside: bool,
}

/// Longest quotation or parenthesis that keeps a sentence open, in bytes.
const HELD_MAX: usize = 400;
/// Up to this length every delta is looked at; beyond it only after growing by an eighth.
const EAGER: usize = 1024;

impl SegmentGate {
    /// An empty gate.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a delta and returns what closed.
    pub fn push(&mut self, delta: &str) -> Vec<Segment> {
        self.held.push_str(delta);
        if self.held.len() < self.next_try {
            return Vec::new();
        }
        let closed = self.cut(false);
        self.next_try = if self.held.len() < EAGER { 0 } else { self.held.len() + self.held.len() / 8 };
        closed
    }

    /// The draft is complete: returns what is left.
    #[must_use]
    pub fn finish(mut self) -> Vec<Segment> {
        self.cut(true)
    }

    fn cut(&mut self, done: bool) -> Vec<Segment> {
        let mut closed = Vec::new();
        let mut at = 0;
        while at < self.held.len() {
            let Some((length, code, inside)) = first(&self.held[at..], self.inside, done) else { break };
            let range = self.closed + at..self.closed + at + length;
            closed.push(Segment { range, text: self.held[at..at + length].to_owned(), code });
            self.inside = inside;
            at += length;
        }
        self.held.drain(..at);
        self.closed += at;
        closed
    }
}

/// Length of the first segment, whether it is code, and whether a paragraph goes on behind it; `None` if still open.
fn first(text: &str, inside: bool, done: bool) -> Option<(usize, bool, bool)> {
    let start = text.len() - text.trim_start().len();
    if start == text.len() {
        return done.then_some((text.len(), false, false));
    }
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    if inside && line_start == 0 {
        return sentence(text, 0, done);
    }
    match opening(line(text, line_start)) {
        Opening::Unknown if !done && !complete(text, line_start) => None,
        Opening::Fence(mark, length) => {
            let end = fence_end(text, line_start, mark, length, done)?;
            Some((behind(text, end, done)?, true, false))
        }
        Opening::Row | Opening::Heading => {
            let end = line_end(text, line_start, done)?;
            Some((behind(text, end, done)?, false, false))
        }
        Opening::Item => {
            let (end, known) = region(text, line_start, done);
            known.then_some(())?;
            Some((after_marks(text, end, done)?, false, false))
        }
        Opening::Text | Opening::Unknown => sentence(text, line_start, done),
    }
}

/// What a line opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opening {
    Fence(char, usize),
    Heading,
    Row,
    Item,
    Text,
    /// Too short to tell.
    Unknown,
}

fn opening(line: &str) -> Opening {
    let bare = line.trim_start_matches([' ', '\t', '>']);
    let mark = bare.chars().next().unwrap_or(' ');
    let run = bare.chars().take_while(|c| *c == mark).count();
    let rest = &bare[run * mark.len_utf8()..];
    match mark {
        '`' | '~' if run >= 3 => Opening::Fence(mark, run),
        '`' | '~' if rest.is_empty() => Opening::Unknown,
        '#' if rest.starts_with(' ') && run <= 6 => Opening::Heading,
        '#' if rest.is_empty() => Opening::Unknown,
        '|' => Opening::Row,
        '-' | '*' | '+' if run == 1 && rest.starts_with([' ', '\t']) => fenced_item(rest),
        '-' | '*' | '+' if rest.is_empty() => Opening::Unknown,
        '0'..='9' => {
            let digits = bare.bytes().take_while(u8::is_ascii_digit).count();
            let mut behind = bare[digits..].chars();
            match (behind.next(), behind.next()) {
                (Some('.' | ')'), Some(' ' | '\t')) if digits <= 9 => Opening::Item,
                (None, _) | (Some('.' | ')'), None) => Opening::Unknown,
                _ => Opening::Text,
            }
        }
        _ => Opening::Text,
    }
}

/// A list item, unless its first line opens a fence.
fn fenced_item(rest: &str) -> Opening {
    match opening(rest) {
        Opening::Fence(mark, run) => Opening::Fence(mark, run),
        _ => Opening::Item,
    }
}

fn line(text: &str, start: usize) -> &str {
    text[start..].split('\n').next().unwrap_or_default()
}

/// Whether the line that begins at `start` has ended.
fn complete(text: &str, start: usize) -> bool {
    text[start..].contains('\n')
}

fn line_end(text: &str, start: usize, done: bool) -> Option<usize> {
    match text[start..].find('\n') {
        Some(at) => Some(start + at + 1),
        None => done.then_some(text.len()),
    }
}

/// End of the line that closes a fence, or of the text.
fn fence_end(text: &str, start: usize, mark: char, length: usize, done: bool) -> Option<usize> {
    let mut at = line_end(text, start, done)?;
    while at < text.len() {
        let current = line(text, at);
        let bare = current.trim_start_matches([' ', '\t', '>']).trim_end();
        let closes = bare.chars().all(|c| c == mark) && bare.chars().count() >= length;
        let end = line_end(text, at, done)?;
        if closes {
            return Some(end);
        }
        at = end;
    }
    done.then_some(text.len())
}

/// The white space behind an end belongs to the segment; what follows it must be known.
fn behind(text: &str, end: usize, done: bool) -> Option<usize> {
    let rest = &text[end..];
    let next = rest.len() - rest.trim_start().len();
    if next == rest.len() {
        return done.then_some(text.len());
    }
    // Indentation belongs to the line that it begins.
    Some(end + rest[..next].rfind('\n').map_or(0, |at| at + 1))
}

/// End of the block of lines that begins at `start`, and whether it is known.
fn region(text: &str, start: usize, done: bool) -> (usize, bool) {
    let mut at = start;
    let mut first = true;
    while at < text.len() {
        let current = line(text, at);
        let opened = opening(current);
        let blank = current.trim_matches([' ', '\t', '>', '\r']).is_empty();
        if !first
            && (blank && complete(text, at) || !blank && !matches!(opened, Opening::Text | Opening::Unknown))
        {
            return (at, true);
        }
        if !first && !done && !complete(text, at) && (blank || opened == Opening::Unknown) {
            return (at, false);
        }
        match text[at..].find('\n') {
            Some(end) => at += end + 1,
            None => return (text.len(), done),
        }
        first = false;
    }
    (text.len(), done)
}

/// The first sentence of the paragraph at `start`.
fn sentence(text: &str, start: usize, done: bool) -> Option<(usize, bool, bool)> {
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

/// Skips `[^…]` markers and the white space behind them; says whether the last one may be incomplete.
fn skip_marks(text: &str, mut at: usize) -> (usize, bool) {
    loop {
        let rest = &text[at..];
        if rest.is_empty() || rest == "[" {
            return (at, true);
        }
        if !rest.starts_with("[^") {
            return (at, false);
        }
        let Some(end) = rest.find([']', '\n']) else { return (at, true) };
        if rest.as_bytes()[end] == b'\n' {
            return (at, false);
        }
        let behind = &rest[end + 1..];
        at += end + 1 + (behind.len() - behind.trim_start().len());
    }
}

/// A paragraph of markers alone belongs to the block before it.
fn after_marks(text: &str, end: usize, done: bool) -> Option<usize> {
    let end = behind(text, end, done)?;
    let next = line(text, end);
    if !next.trim_start().starts_with("[^") && next.trim() != "[" {
        return Some(end);
    }
    if !complete(text, end) && !done {
        return None;
    }
    let lead = next.len() - next.trim_start().len();
    let (at, _) = skip_marks(next, lead);
    if at > lead && next[at..].trim_matches([' ', '.', ',', ')', '\r']).is_empty() {
        behind(text, line_end(text, end, done)?, done)
    } else {
        Some(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut(text: &str) -> Vec<String> {
        let mut gate = SegmentGate::new();
        let mut found = gate.push(text);
        found.extend(gate.finish());
        found.into_iter().map(|segment| segment.text).collect()
    }

    #[test]
    fn sentences_close_with_their_markers() {
        assert_eq!(
            cut("It starts. It stops [^1]. Done. [^2] End"),
            ["It starts. ", "It stops [^1]. ", "Done. [^2] ", "End"]
        );
        assert_eq!(cut("It stops.\n\n[^1]\n\nNext one."), ["It stops.\n\n[^1]\n\n", "Next one."]);
    }

    #[test]
    fn blocks_close_as_a_whole() {
        assert_eq!(
            cut("# Title\n\nText.\n\n- one. And two.\n- three\n\n```rust\nfn a() {}\n\nb\n```\nEnd."),
            [
                "# Title\n\n",
                "Text.\n\n",
                "- one. And two.\n",
                "- three\n\n",
                "```rust\nfn a() {}\n\nb\n```\n",
                "End."
            ]
        );
        assert_eq!(
            cut("| a | b |\n|---|---|\n| c | d |\n\nEnd."),
            ["| a | b |\n", "|---|---|\n", "| c | d |\n\n", "End."]
        );
    }

    #[test]
    fn an_open_sentence_waits_for_its_marker() {
        let mut gate = SegmentGate::new();
        assert_eq!(gate.push("It stops."), []);
        assert_eq!(gate.push(" ["), []);
        assert_eq!(gate.push("^1"), []);
        assert_eq!(gate.push("] "), []);
        assert_eq!(gate.push("N").len(), 1);
    }

    #[test]
    fn code_waits_for_its_closing_fence() {
        let mut gate = SegmentGate::new();
        assert_eq!(gate.push("```\na. B\n\n"), []);
        let closed = gate.push("```\nx");
        assert_eq!(closed, [Segment { range: 0..14, text: "```\na. B\n\n```\n".to_owned(), code: true }]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn segments_are_the_draft_and_do_not_depend_on_its_deltas(
            pieces in prop::collection::vec(prop::sample::select(vec![
                "It ends. ", "word ", "[^1]", "[^2] ", "\n", "\n\n", "- item", "```", "```rust\n", "a.b ", "\"Quote. In.\" ", "(x. Y) ",
                "| c |\n", "# H\n", "1. ", "`code. X` ", "ñ", "> ", "e.g. ", "End!", " ", "[", "`", "(", "\"",
            ]), 0..30),
            cuts in prop::collection::vec(1_usize..9, 0..60),
        ) {
            let text: String = pieces.concat();
            let whole = cut(&text);
            prop_assert_eq!(whole.concat(), text.clone());
            let mut gate = SegmentGate::new();
            let mut found = Vec::new();
            let chars: Vec<char> = text.chars().collect();
            let mut at = 0;
            let mut sizes = cuts.into_iter();
            while at < chars.len() {
                let size = sizes.next().unwrap_or(1).min(chars.len() - at);
                let delta: String = chars[at..at + size].iter().collect();
                found.extend(gate.push(&delta));
                at += size;
            }
            found.extend(gate.finish());
            let found: Vec<String> = found.into_iter().map(|segment| segment.text).collect();
            prop_assert_eq!(found, whole);
        }
    }
}
