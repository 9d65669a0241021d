//! Cuts the blocks of a source into units, fences and sections, each under its headings.

use std::ops::Range;

use assay_documents::{Block, Cell, Document, Format, Kind, Style, read_part};
use assay_domain::evidence::{LineRange, Source};

use super::inline::markdown;
use super::{Fence, Passages, Section, Shape, Unit};
use crate::sentence::sentences;

/// Reads one source into units, fences and sections.
pub(super) struct Reader<'a> {
    index: usize,
    source: &'a Source,
    passages: &'a mut Passages,
    /// Number of the present block.
    pub(super) block: usize,
    in_section: usize,
    /// Section of the present block in the document.
    section: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        index: usize,
        source: &'a Source,
        passages: &'a mut Passages,
        first_block: usize,
    ) -> Self {
        let mut reader = Self { index, source, passages, block: first_block, in_section: 0, section: 0 };
        reader.start_section(&[]);
        reader
    }

    fn start_section(&mut self, own: &[String]) {
        let mut headings: Vec<String> = Vec::new();
        let given = std::iter::once(&self.source.title).chain(&self.source.headings);
        for heading in given.chain(own) {
            let plain = heading.trim();
            if !plain.is_empty() && headings.iter().all(|earlier| earlier != plain) {
                headings.push(plain.to_owned());
            }
        }
        self.passages.sections.push(Section { headings });
        self.in_section = 0;
    }

    pub(super) fn fence(&mut self, language: String, code: String, lines: LineRange) {
        if code.trim().is_empty() {
            return;
        }
        self.block += 1;
        let section = self.passages.sections.len() - 1;
        self.passages.fences.push(Fence {
            source: self.index,
            block: self.block,
            section,
            lines,
            language,
            code,
        });
    }

    pub(super) fn read(&mut self) {
        let format = Format::of_source(&self.source.path, &self.source.text);
        let document = read_part(format, &self.source.text);
        for block in &document.blocks {
            self.take(&document, block);
        }
    }

    fn take(&mut self, document: &Document, block: &Block) {
        // A page of a PDF begins a section without a heading.
        if block.section != self.section {
            self.section = block.section;
            self.block += 2;
            let section = document.sections.get(block.section);
            self.start_section(section.map_or(&[], |section| &section.headings));
        }
        match &block.kind {
            Kind::Heading { .. } => {}
            Kind::Code { language } => self.fence(language.clone(), format!("{}\n", block.text), block.lines),
            Kind::Row { head: true, .. } => {}
            Kind::Row { headers, cells, .. } => {
                self.block += 1;
                let text = row(block, headers, cells);
                self.unit(0, Shape::Row { table: list(block) }, block.lines, text);
            }
            Kind::Item { depth, .. } => {
                let shape = Shape::Item { list: list(block), depth: usize::from(*depth) };
                self.prose(block, 0..block.text.len(), shape, "");
            }
            Kind::Definition { term } => {
                let description = term.end..block.text.len();
                let shape = Shape::Item { list: list(block), depth: 1 };
                let lead = format!("{}: ", markdown(block, term));
                self.prose(block, description, shape, &lead);
            }
            // Words that stand for an image are no sentence of the page.
            Kind::Caption if block.spans.iter().any(|span| matches!(span.style, Style::Image(_))) => {}
            Kind::Paragraph | Kind::Admonition { .. } | Kind::Caption => {
                self.prose(block, 0..block.text.len(), Shape::Sentence, "");
            }
        }
    }

    /// Adds the sentences of a part of a block, the first one behind a lead.
    fn prose(&mut self, block: &Block, range: Range<usize>, first: Shape, lead: &str) {
        self.block += 1;
        let start = range.start;
        let code = block.spans.iter().filter(|span| span.style == Style::Code && span.range.start >= start);
        let code: Vec<_> =
            code.map(|span| span.range.start - start..span.range.end.max(start) - start).collect();
        let text = block.text.get(range).unwrap_or("");
        for (ordinal, sentence) in sentences(text, &code).into_iter().enumerate() {
            let sentence = sentence.start + start..sentence.end + start;
            if is_struck(block, &sentence) {
                continue;
            }
            let text = markdown(block, &sentence);
            let lines = block.lines_of(&sentence);
            let (shape, text) = match ordinal {
                0 => (first, format!("{lead}{text}")),
                _ => (Shape::Sentence, text),
            };
            self.unit(ordinal, shape, lines, text);
        }
    }

    fn unit(&mut self, ordinal: usize, shape: Shape, lines: LineRange, text: String) {
        if !text.chars().any(char::is_alphanumeric) {
            return;
        }
        let section = self.passages.sections.len() - 1;
        self.passages.units.push(Unit {
            source: self.index,
            block: self.block,
            ordinal,
            section,
            in_section: self.in_section,
            shape,
            lines,
            text,
        });
        self.in_section += 1;
    }
}

/// Number of the list or table that a block belongs to.
fn list(block: &Block) -> usize {
    block.group as usize
}

/// Whether any of a sentence is struck out: it is not said any more.
fn is_struck(block: &Block, sentence: &Range<usize>) -> bool {
    let before = block.spans.iter().take_while(|span| span.range.start < sentence.end);
    before.filter(|span| span.style == Style::Struck).any(|span| sentence.start < span.range.end)
}

/// A row as words: the first cell, then each further cell after its column's name.
fn row(block: &Block, headers: &[String], cells: &[Cell]) -> String {
    let mut text = String::new();
    for (place, cell) in cells.iter().enumerate() {
        let words = markdown(block, &cell.text);
        if words.is_empty() || is_struck(block, &cell.text) {
            continue;
        }
        if text.is_empty() {
            text.push_str(&words);
            continue;
        }
        text.push_str(if text.contains(": ") && place > 1 { "; " } else { " – " });
        if let Some(name) = headers.get(cell.column).filter(|name| !name.is_empty()) {
            text.push_str(name);
            text.push_str(": ");
        }
        text.push_str(&words);
    }
    text
}
