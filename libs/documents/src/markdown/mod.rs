//! Markdown in its dialects: lines are rewritten to CommonMark first, then its events and the HTML in it become blocks.

mod autolinks;
mod components;
mod containers;
mod dialect;
mod directives;
mod events;
mod fences;
mod frames;
mod include;
mod info;
mod lists;
mod mdx;
mod place;
mod rewrite;
mod roles;
mod shortcodes;
mod small;
mod source;
mod spans;
mod table;
mod tags;
mod writer;

use std::borrow::Cow;

use rewrite::{Input, Rewriter};
use source::Source;

use crate::builder::Builder;
use crate::front_matter;

/// Reads a page.
pub(crate) fn read(builder: &mut Builder<'_>) {
    let front = front_matter::read(builder.text, &builder.lines);
    builder.document.title = front.title;
    builder.document.tags = front.tags;
    builder.document.front_matter_lines = u32::try_from(front.lines).unwrap_or(u32::MAX);
    let text = builder.text;
    let source = Rewriter::new(builder, text).run(Input::new(Cow::Borrowed(text), front.lines, 0, None));
    read_source(builder, &source);
}

/// Reads the lines of a text that is part of the page; each has its line of the file.
pub(crate) fn read_lines(builder: &mut Builder<'_>, text: String, places: Vec<u32>) {
    let rewriter = Rewriter::new(builder, &text);
    let source = rewriter.run(Input::new(Cow::Owned(text), 0, 0, Some(places)));
    read_source(builder, &source);
}

/// Reads lines that were rewritten, into blocks of the page.
fn read_source(builder: &mut Builder<'_>, source: &Source) {
    builder.file = None;
    builder.document.anchors.extend(source.anchors.iter().cloned());
    events::read(builder, source);
    builder.file = None;
}
