//! What a source shows a reader: the text in which claims are looked for, with the lines that it comes from.

use crate::readable::readable;
use crate::sentences;
use assay_documents::{Block, Format, Style, read_part};
use assay_domain::evidence::{Source, SourceKind};
use std::ops::Range;

use super::sentences::source_sentences;

/// The visible text of a source, cut into sentences.
pub(super) struct Shown {
    /// A block below the other; inline code between back-ticks, struck-out words left out.
    pub(super) text: String,
    /// Byte ranges of its sentences.
    pub(super) sentences: Vec<Range<usize>>,
    /// Bytes at which words of a line of the source begin, ascending; lines from 0.
    starts: Vec<(usize, u32)>,
}

impl Shown {
    /// Documents are read by their format; code, facts and what an editor holds are read as they are.
    pub(super) fn of(source: &Source) -> Self {
        if source.kind != SourceKind::Doc {
            return Self::raw(&readable(&source.text));
        }
        let document = read_part(Format::of_source(&source.path, &source.text), &source.text);
        let mut shown = Self {
            text: String::with_capacity(source.text.len()),
            sentences: Vec::new(),
            starts: Vec::new(),
        };
        let mut breaks = Vec::new();
        for block in &document.blocks {
            shown.add(block, &mut breaks);
        }
        shown.sentences = trimmed(&shown.text, sentences::split(&shown.text, &[], &breaks));
        shown
    }

    /// A text as it is.
    fn raw(text: &str) -> Self {
        let lines = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(lines).zip(0..).collect();
        Self { text: text.to_owned(), sentences: source_sentences(text), starts }
    }

    fn add(&mut self, block: &Block, breaks: &mut Vec<usize>) {
        if !self.text.is_empty() {
            self.text.push('\n');
            breaks.push(self.text.len());
        }
        for range in unstruck(block) {
            let (text, starts) = block.marked(range);
            // Invisible characters go line by line, so that lines keep their places.
            let mut from = 0;
            let ends = starts.iter().skip(1).map(|(start, _)| *start).chain([text.len()]);
            for ((_, line), end) in starts.iter().zip(ends) {
                self.starts.push((self.text.len(), line.saturating_sub(1)));
                self.text.push_str(&readable(text.get(from..end).unwrap_or("")));
                from = end;
            }
        }
        // Lines of code and what a reader sees as a line of its own are sentences of their own.
        let start = breaks.last().copied().unwrap_or(0);
        let shown = self.text.get(start..).unwrap_or("");
        breaks.extend(shown.match_indices('\n').map(|(at, _)| start + at + 1));
    }

    /// The line of the source, from 0, that holds a byte of the text.
    pub(super) fn line_at(&self, byte: usize) -> u32 {
        let after = self.starts.partition_point(|(start, _)| *start <= byte);
        after.checked_sub(1).and_then(|at| self.starts.get(at)).map_or(0, |(_, line)| *line)
    }
}

/// The parts of a block that are not struck out.
fn unstruck(block: &Block) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let mut from = 0;
    for span in block.spans.iter().filter(|span| span.style == Style::Struck) {
        parts.push(from..span.range.start.max(from));
        from = from.max(span.range.end);
    }
    parts.push(from..block.text.len());
    parts.retain(|part| !part.is_empty());
    parts
}

/// Ranges without the white space around them; none that is empty.
pub(super) fn trimmed(text: &str, mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.retain_mut(|range| {
        let part = &text[range.clone()];
        range.start += part.len() - part.trim_start().len();
        range.end = range.start + part.trim().len();
        range.start < range.end
    });
    ranges
}
