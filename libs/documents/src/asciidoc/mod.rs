//! Reads AsciiDoc: the parser of `asciidoc-parser` follows Asciidoctor; its tree becomes blocks with lines of their files.

mod attributes;
mod blocks;
mod guard;
mod include;
mod lists;
mod markup;
mod page;
mod source;
mod tables;
mod words;

use asciidoc_parser::Document;
use asciidoc_parser::blocks::FindBlocks;
use asciidoc_parser::warnings::WarningType;
use assay_domain::LineRange;

use crate::builder::Builder;
use crate::{WarningKind, front_matter};
use guard::Lengths;
use page::{Around, Page, Place};
use source::Source;

/// Reads a page.
pub(crate) fn read(builder: &mut Builder<'_>) {
    let front = front_matter::read(builder.text, &builder.lines);
    if !builder.part {
        builder.document.front_matter_lines = u32::try_from(front.lines).unwrap_or(u32::MAX);
        builder.document.title = front.title;
        builder.document.tags = front.tags;
    }
    let text = guard::prepared(builder.text, front.lines);
    let mut lengths = Lengths::new();
    if let Some(reason) = guard::refusal(&text, &mut lengths) {
        builder.warn(0, WarningKind::TooLarge, format!("the page is read as plain text: {reason}"));
        return crate::plain::read(builder);
    }
    let source = Source::of(builder, &text, lengths);
    let document = source.parse();
    let deep = |kind: &WarningType| matches!(kind, WarningType::MaxBlockNestingExceeded(_));
    if let Some(warning) = document.warnings().find(|warning| deep(&warning.warning)) {
        // The parser drops what is too deep; the plain page keeps its words.
        let (_, line) = Place::of(&document, &source).line(warning.source.line());
        let message = "the page is read as plain text: its blocks are nested too deep";
        builder.warn(line, WarningKind::TooDeep, message.to_owned());
        return crate::plain::read(builder);
    }
    let (place, notes) = (Place::of(&document, &source), document.catalog().footnotes());
    let mut page = Page { builder, place, notes, depth: 0, titled: 0, line: 1 };
    title(&mut page, &document);
    page.blocks(document.child_blocks(), &Around::default());
    page.builder.file = None;
    if builder.document.title.is_empty() && !builder.part {
        builder.document.title = document.doctitle().map(markup::plain).unwrap_or_default();
    }
}

/// Reads the title of the header; lines of authors, revision and attributes are not shown.
fn title(page: &mut Page<'_, '_, '_>, document: &Document<'_>) {
    let header = document.header();
    let (Some(title), Some(source)) = (header.title(), header.title_source()) else { return };
    let line = page.enter(source);
    let mut words = page.fresh();
    words.markup(title, line);
    let own = header.id().unwrap_or_default();
    page.builder.heading(1, words.inline, LineRange::new(line, line), Some(own));
}
