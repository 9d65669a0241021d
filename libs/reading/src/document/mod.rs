//! Parses the CommonMark structure of an answer: text blocks, code blocks, and the ranges that may hold markers.

mod active;
mod beside;
mod definitions;
mod footnotes;
mod html;
mod reader;

pub use active::Active;
use assay_domain::code::with_line_feeds;
use assay_domain::report::DefectKind;
use definitions::{definition_lines, mask};
use pulldown_cmark::{Options, Parser};
use reader::Reader;
use std::ops::Range;
use std::sync::Arc;

/// Kind of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LeafKind {
    /// A paragraph.
    Paragraph,
    /// The text of a list item, or a paragraph inside one.
    Item,
    /// A heading.
    Heading,
    /// A table cell.
    Cell {
        /// Number of the table in the document.
        table: usize,
        /// Row, 0 is the head.
        row: usize,
    },
    /// An aside: a footnote, image text or title. No marker cites it.
    Aside,
    /// A code block, fenced or indented.
    Code {
        /// First word of the info string; empty for none.
        language: String,
        /// The program text.
        code: String,
        /// Where its first line of code begins, if it has one.
        body_start: usize,
    },
}

/// Markup of a run of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunKind {
    /// Plain text.
    Text,
    /// Inline code.
    Code,
    /// Struck out.
    Struck,
    /// A line break: soft ones are white space, hard ones end a sentence.
    Break {
        /// Whether it is a hard one.
        hard: bool,
    },
}

/// A piece of a text block.
#[derive(Debug, Clone)]
pub struct Run {
    /// Bytes in the answer.
    pub range: Range<usize>,
    /// Its text, decoded.
    pub text: String,
    /// Its markup.
    pub kind: RunKind,
}

/// A block without blocks inside.
#[derive(Debug, Clone)]
pub struct Leaf {
    /// Its kind.
    pub kind: LeafKind,
    /// Bytes in the answer.
    pub range: Range<usize>,
    /// Its text; empty for code.
    pub runs: Vec<Run>,
    /// Nesting depth of lists around it.
    pub list_depth: usize,
}

/// The structure of one answer.
#[derive(Debug, Clone)]
pub struct Document {
    /// The answer.
    pub text: Arc<str>,
    /// Ranges whose brackets can open a marker, merged, in order.
    pub open: Vec<Range<usize>>,
    /// Footnote definition lines, from their bracket to the end of the line, in order.
    pub definitions: Vec<Range<usize>>,
    /// Fences and comments that never close, with the offset of their first character.
    pub unclosed: Vec<(DefectKind, usize)>,
    /// Text and code blocks in order; the asides of a block follow it.
    pub leaves: Vec<Leaf>,
    /// Active content, in order.
    pub active: Vec<Active>,
}

/// Extensions of CommonMark that clients render.
const SHOWN: Options = Options::ENABLE_TABLES.union(Options::ENABLE_STRIKETHROUGH);

impl Document {
    /// Reads the structure; total and linear.
    #[must_use]
    pub fn parse(text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        let lines = with_line_feeds(&text);
        let definitions = definition_lines(&lines);
        let masked = mask(&lines, &definitions);
        let mut reader = Reader::new(&lines);
        // A byte order mark is no part of the first line, but counts in every offset.
        let mark = if masked.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        for (event, range) in Parser::new_ext(&masked[mark..], SHOWN).into_offset_iter() {
            reader.event(event, range.start + mark..range.end + mark);
        }
        reader.close_item_text();
        reader.flush_asides();
        let mut open = reader.open;
        open.sort_by_key(|range| range.start);
        let mut merged: Vec<Range<usize>> = Vec::with_capacity(open.len());
        for range in open {
            match merged.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => merged.push(range),
            }
        }
        let leaves = footnotes::apart(reader.leaves, &definitions, &text);
        let (unclosed, active) = (reader.unclosed, reader.active);
        Self { text, open: merged, definitions, unclosed, leaves, active }
    }

    /// Whether a byte lies on a footnote definition line, behind its bracket.
    pub(crate) fn in_definition(&self, byte: usize) -> bool {
        contains(&self.definitions, byte)
    }

    /// Whether a byte is plain text of a block.
    pub(crate) fn is_open(&self, byte: usize) -> bool {
        contains(&self.open, byte)
    }
}

/// Whether one of the ordered ranges holds the byte.
fn contains(ranges: &[Range<usize>], byte: usize) -> bool {
    let after = ranges.partition_point(|range| range.start <= byte);
    after > 0 && ranges[after - 1].end > byte
}
