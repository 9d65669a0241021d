//! Extracts the plain text of a block and maps its offsets back to the answer.

use super::Cutter;
use crate::document::{Leaf, Run, RunKind};
use assay_quantities::is_word;
use assay_text::fold;
use std::ops::Range;

/// Plain text of a block with a map to offsets of the answer.
#[derive(Default)]
pub(super) struct Plain {
    pub(super) text: String,
    /// Start in the plain text, source range, whether the source has the same bytes.
    pieces: Vec<(usize, Range<usize>, bool)>,
    pub(super) code: Vec<Range<usize>>,
    pub(super) breaks: Vec<usize>,
    /// Plain offsets at which figures were struck out.
    pub(super) struck: Vec<usize>,
    /// Index of each mark and the plain offset where it was removed.
    pub(super) marks: Vec<(usize, usize)>,
}

impl Cutter<'_> {
    /// Plain text of a block, markers removed.
    pub(super) fn plain(&self, leaf: &Leaf) -> Plain {
        let mut plain = Plain::default();
        let inside = self.marks_in(&leaf.range);
        let mut next = inside.start;
        let mut taken = false;
        // Nothing takes the place of a text that is struck out as a whole: it is read.
        let shown = |run: &Run| run.kind != RunKind::Struck && run.text.contains(char::is_alphanumeric);
        let whole = !leaf.runs.iter().any(shown);
        for run in &leaf.runs {
            match run.kind {
                RunKind::Break { hard } => {
                    if hard {
                        plain.breaks.push(plain.text.len());
                    }
                    plain.push(" ", run.range.clone(), false);
                }
                RunKind::Struck if !whole => {
                    if has_figure(&run.text) {
                        plain.struck.push(plain.text.len());
                    }
                }
                RunKind::Code => {
                    if taken && plain.text.ends_with(|c: char| !c.is_whitespace()) {
                        plain.push(" ", run.range.start..run.range.start, false);
                    }
                    taken = false;
                    let start = plain.text.len();
                    plain.push(&run.text, run.range.clone(), false);
                    plain.code.push(start..plain.text.len());
                }
                RunKind::Text | RunKind::Struck => {
                    for part in self.outside_marks(run) {
                        while next < inside.end && self.marks[next].range.start < part.start {
                            plain.marks.push((next, plain.text.len()));
                            taken = true;
                            next += 1;
                        }
                        let exact = run.text.len() == run.range.len();
                        let text = if exact {
                            &run.text[part.start - run.range.start..part.end - run.range.start]
                        } else {
                            run.text.as_str()
                        };
                        if taken {
                            plain.mend(text, part.start);
                            taken = false;
                        }
                        plain.push(text, part, exact);
                    }
                }
            }
        }
        for mark in next..inside.end {
            plain.marks.push((mark, plain.text.len()));
        }
        plain
    }

    /// Parts of a text run outside markers.
    fn outside_marks(&self, run: &Run) -> Vec<Range<usize>> {
        let first = self.marks.partition_point(|mark| mark.range.end <= run.range.start);
        let mut parts = Vec::new();
        let mut at = run.range.start;
        for mark in &self.marks[first..] {
            if mark.range.start >= run.range.end {
                break;
            }
            if mark.range.start > at {
                parts.push(at..mark.range.start);
            }
            at = at.max(mark.range.end);
        }
        if at < run.range.end {
            parts.push(at..run.range.end);
        }
        parts
    }
}

/// Whether a word of a text is a figure.
fn has_figure(text: &str) -> bool {
    text.split_whitespace().any(|word| word.contains(char::is_numeric) || is_word(&fold(word)))
}

impl Plain {
    pub(super) fn push(&mut self, text: &str, source: Range<usize>, exact: bool) {
        self.pieces.push((self.text.len(), source, exact));
        self.text.push_str(text);
    }

    /// Truncates the text and the lists that refer to it; the lists are sorted, so only their ends are visited.
    fn cut(&mut self, kept: usize) {
        self.text.truncate(kept);
        self.pieces.truncate(self.pieces.partition_point(|piece| piece.0 < kept));
        while self.code.last().is_some_and(|code| code.start >= kept) {
            self.code.pop();
        }
        if let Some(code) = self.code.last_mut() {
            code.end = code.end.min(kept);
        }
        self.marks.iter_mut().rev().take_while(|mark| mark.1 > kept).for_each(|mark| mark.1 = kept);
        self.struck.iter_mut().rev().take_while(|place| **place > kept).for_each(|place| *place = kept);
        self.breaks.iter_mut().rev().take_while(|place| **place > kept).for_each(|place| *place = kept);
    }

    /// Closes the gap of a removed marker: no space before punctuation, one between words.
    pub(super) fn mend(&mut self, next: &str, at: usize) {
        match next.chars().next() {
            Some('.' | ',' | ';' | ':' | '!' | '?') => {
                let kept = self.text.trim_end_matches(' ').len();
                if kept > 0 {
                    self.cut(kept);
                }
            }
            Some(c)
                if !c.is_whitespace()
                    && c != ')'
                    && self.text.ends_with(|c: char| !c.is_whitespace() && c != '(') =>
            {
                self.push(" ", at..at, false);
            }
            _ => {}
        }
    }

    /// The source offset of the plain character that begins at `at`.
    pub(super) fn source_start(&self, at: usize) -> usize {
        match self.piece(at) {
            Some((start, source, true)) => (source.start + (at - start)).min(source.end),
            Some((_, source, _)) => source.start,
            None => 0,
        }
    }

    /// The source offset after the plain character that ends at `at`.
    pub(super) fn source_end(&self, at: usize) -> usize {
        match self.piece(at.saturating_sub(1)) {
            Some((start, source, true)) => (source.start + (at - start)).min(source.end),
            Some((_, source, _)) => source.end,
            None => 0,
        }
    }

    fn piece(&self, at: usize) -> Option<&(usize, Range<usize>, bool)> {
        let after = self.pieces.partition_point(|piece| piece.0 <= at);
        self.pieces.get(after.checked_sub(1)?)
    }

    pub(super) fn with_backticks(&self, range: Range<usize>) -> String {
        let mut out = String::with_capacity(range.len() + 8);
        let mut at = range.start;
        let first = self.code.partition_point(|code| code.end <= range.start);
        for code in &self.code[first..] {
            if code.start >= range.end {
                break;
            }
            let (start, end) = (code.start.max(at), code.end.min(range.end));
            out.push_str(&self.text[at..start]);
            out.push('`');
            out.push_str(&self.text[start..end]);
            out.push('`');
            at = end;
        }
        out.push_str(&self.text[at..range.end]);
        single_spaced(&out)
    }
}

/// White space as single spaces, none at the ends.
pub(super) fn single_spaced(text: &str) -> String {
    // Most texts are so already.
    let mut space = true;
    let plain = text.bytes().all(|byte| {
        let twice = space && byte == b' ';
        space = byte == b' ';
        byte.is_ascii() && (byte > b' ' || space) && !twice
    });
    if plain && !space {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}
