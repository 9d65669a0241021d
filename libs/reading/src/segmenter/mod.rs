//! Cuts a growing draft into segments that can be checked alone: sentence, list item, table row, code block.
//!
//! Concatenated, the segments are the draft, however it was cut into deltas. A segment closes when the first character of
//! the next is known, so that a marker after a sentence stays with it.

mod blocks;
mod marks;
mod sentence;

use blocks::{Opening, behind, complete, fence_end, line, line_end, opening, region};
use marks::after_marks;
use sentence::sentence;
use std::ops::Range;

/// A closed segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// Its bytes in the draft.
    pub range: Range<usize>,
    /// Its text, trailing white space included.
    pub text: String,
    /// Whether it is a code block.
    pub code: bool,
}

/// Collects deltas and yields segments.
#[derive(Debug, Clone, Default)]
pub struct Segmenter {
    held: String,
    /// Bytes of the draft that are already closed.
    closed: usize,
    /// Length of held text at which closing is tried again.
    next_try: usize,
    /// Whether the held text begins in the middle of a paragraph.
    inside: bool,
}

/// Longest quotation or parenthesis that keeps a sentence open, in bytes.
const HELD_MAX: usize = 400;

/// Up to this length every delta is looked at; beyond it only after growing by an eighth.
const EAGER: usize = 1024;

impl Segmenter {
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
        // How far the paragraph reaches that `at` stands in, once that was found: it has many sentences.
        let mut paragraph = None;
        while at < self.held.len() {
            let extent = paragraph.map(|extent: Extent| Extent { end: extent.end - at, ..extent });
            let Some(first) = first(&self.held[at..], self.inside, extent, done) else { break };
            let range = self.closed + at..self.closed + at + first.length;
            let text = self.held[at..at + first.length].to_owned();
            closed.push(Segment { range, text, code: first.code });
            self.inside = first.goes_on.is_some();
            paragraph = first.goes_on.map(|extent| Extent { end: at + extent.end, ..extent });
            at += first.length;
        }
        self.held.drain(..at);
        self.closed += at;
        closed
    }
}

/// A segment at the front of a text.
struct First {
    length: usize,
    code: bool,
    /// The paragraph that goes on behind it.
    goes_on: Option<Extent>,
}

impl First {
    /// One that ends a block.
    const fn block(length: usize, code: bool) -> Self {
        Self { length, code, goes_on: None }
    }
}

/// How far a block of lines reaches in a text, and whether that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Extent {
    end: usize,
    known: bool,
}

/// The first segment, `extent` being that of the paragraph in whose middle the text begins; `None` if it is still open.
fn first(text: &str, inside: bool, extent: Option<Extent>, done: bool) -> Option<First> {
    let start = text.len() - text.trim_start().len();
    if start == text.len() {
        return done.then_some(First::block(text.len(), false));
    }
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    if inside && line_start == 0 {
        return sentence(text, 0, extent.unwrap_or_else(|| region(text, 0, done)), done);
    }
    match opening(line(text, line_start)) {
        Opening::Unknown if !done && !complete(text, line_start) => None,
        Opening::Fence(mark, length) => {
            let end = fence_end(text, line_start, mark, length, done)?;
            Some(First::block(behind(text, end, done)?, true))
        }
        Opening::Row | Opening::Heading => {
            let end = line_end(text, line_start, done)?;
            Some(First::block(behind(text, end, done)?, false))
        }
        Opening::Item => {
            let item = region(text, line_start, done);
            item.known.then_some(())?;
            Some(First::block(after_marks(text, item.end, done)?, false))
        }
        Opening::Text | Opening::Unknown => sentence(text, line_start, region(text, line_start, done), done),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut(text: &str) -> Vec<String> {
        let mut gate = Segmenter::new();
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
        let mut gate = Segmenter::new();
        assert_eq!(gate.push("It stops."), []);
        assert_eq!(gate.push(" ["), []);
        assert_eq!(gate.push("^1"), []);
        assert_eq!(gate.push("] "), []);
        assert_eq!(gate.push("N").len(), 1);
    }

    #[test]
    fn code_waits_for_its_closing_fence() {
        let mut gate = Segmenter::new();
        assert_eq!(gate.push("```\na. B\n\n"), []);
        let closed = gate.push("```\nx");
        assert_eq!(closed, [Segment { range: 0..14, text: "```\na. B\n\n```\n".to_owned(), code: true }]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn segments_join_to_the_draft_for_any_deltas(
            pieces in prop::collection::vec(prop::sample::select(vec![
                "It ends. ", "word ", "[^1]", "[^2] ", "\n", "\n\n", "- item", "```", "```rust\n", "a.b ", "\"Quote. In.\" ", "(x. Y) ",
                "| c |\n", "# H\n", "1. ", "`code. X` ", "ñ", "> ", "e.g. ", "End!", " ", "[", "`", "(", "\"",
            ]), 0..30),
            cuts in prop::collection::vec(1_usize..9, 0..60),
        ) {
            let text: String = pieces.concat();
            let whole = cut(&text);
            prop_assert_eq!(whole.concat(), text.clone());
            let mut gate = Segmenter::new();
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
