//! The page that is read: places of its words in files, and what a block stands in.

use std::sync::Arc;

use asciidoc_parser::document::Footnote;
use asciidoc_parser::parser::SourceMap;
use asciidoc_parser::{Document, Span};
use assay_domain::LineRange;

use super::source::Source;
use super::words::Words;
use crate::Kind;
use crate::builder::Builder;

/// Where the lines of a tree lie.
#[derive(Clone, Copy)]
pub(super) struct Place<'d> {
    map: &'d SourceMap,
    source: &'d Source,
    /// Lines above a tree that has a text of its own: a quotation in the way of Markdown.
    above: usize,
    /// Last line that such a tree can have.
    last: usize,
}

impl<'d> Place<'d> {
    /// Lines of the whole page.
    pub(super) fn of(document: &'d Document<'_>, source: &'d Source) -> Self {
        Self { map: document.source_map(), source, above: 0, last: usize::MAX }
    }

    /// Lines of a tree with a text of its own, written where the span is.
    pub(super) fn inside(self, span: Span<'_>) -> Self {
        let first = self.above + span.line();
        Self { above: first.saturating_sub(1), last: first + breaks(span.data()), ..self }
    }

    /// Title of another page that a reference names.
    pub(super) fn title(self, target: &str) -> Option<&'d String> {
        self.source.titles.get(target)
    }

    /// File, none for the page itself, and line of a line of the tree.
    pub(super) fn line(self, line: usize) -> (Option<Arc<str>>, u32) {
        let line = line.saturating_add(self.above).min(self.last);
        let line = self.map.original_file_and_line(line).map_or(line, |origin| origin.1);
        let place = self.source.places.get(line.saturating_sub(1)).or_else(|| self.source.places.last());
        place.cloned().unwrap_or((None, 1))
    }
}

/// Line breaks inside a text, its end apart.
pub(super) fn breaks(text: &str) -> usize {
    text.trim_end().matches('\n').count()
}

/// What a block stands in.
#[derive(Debug, Clone, Default)]
pub(super) struct Around {
    /// Label and group of the admonition.
    pub(super) admonition: Option<(String, u32)>,
    /// Block that introduces it.
    pub(super) lead: Option<usize>,
    /// Lists above.
    pub(super) lists: u8,
    /// Whether its list of terms is one of tabs, as an extension of Antora shows it.
    pub(super) tabs: bool,
}

impl Around {
    /// The same with another lead, if there is one.
    pub(super) fn led_by(&self, lead: Option<usize>) -> Self {
        Self { lead: lead.or(self.lead), ..self.clone() }
    }

    /// Kind and group of a paragraph.
    pub(super) fn paragraph(&self) -> (Kind, u32) {
        match &self.admonition {
            Some((label, group)) => (Kind::Admonition { label: label.clone() }, *group),
            None => (Kind::Paragraph, 0),
        }
    }
}

/// A page while its tree is read.
pub(super) struct Page<'p, 'd, 't> {
    pub(super) builder: &'p mut Builder<'t>,
    pub(super) place: Place<'d>,
    /// Notes of the whole page.
    pub(super) notes: &'d [Footnote],
    /// Levels of blocks above.
    pub(super) depth: usize,
    /// Admonitions with a title so far.
    pub(super) titled: usize,
    /// Line of what is read.
    pub(super) line: u32,
}

impl<'d> Page<'_, 'd, '_> {
    /// Collects words of the file and line that were entered last.
    pub(super) fn fresh(&self) -> Words<'d> {
        Words::new(self.place, self.builder.part, self.builder.file.clone(), self.line)
    }

    /// Sets the file of what is read next; gives its line.
    pub(super) fn enter(&mut self, span: Span<'_>) -> u32 {
        self.at(span.line())
    }

    /// Sets the file of what is read next by a line of the tree; gives its line.
    pub(super) fn at(&mut self, line: usize) -> u32 {
        let (file, line) = self.place.line(line);
        self.builder.file = file;
        self.line = line;
        line
    }

    /// Sets the file of what is read next; gives its lines, those of its first file alone.
    pub(super) fn lines(&mut self, span: Span<'_>) -> LineRange {
        let first = self.enter(span);
        LineRange::new(first, self.last(span).unwrap_or(first).max(first))
    }

    /// Last line of a span that lies in the file that was entered.
    pub(super) fn last(&self, span: Span<'_>) -> Option<u32> {
        let lines = span.line()..=span.line() + breaks(span.data());
        let places = lines.map(|line| self.place.line(line));
        places.filter(|(file, _)| *file == self.builder.file).map(|(_, line)| line).max()
    }

    /// Keeps an id that a link may name.
    pub(super) fn anchor(&mut self, id: &str, line: u32) {
        if !id.is_empty() {
            self.builder.document.anchors.push((id.to_owned(), line));
        }
    }
}
