//! Manual pages, in the macros `man` or `mdoc`, with the tables of `tbl`, as a terminal shows them.
//!
//! Both sets of macros are read at once: no name is in both, and a passage does not say which its page uses.

mod blocks;
mod chars;
mod code;
mod condition;
mod escape;
mod flow;
mod inlines;
mod macros;
mod marks;
mod mdoc;
mod names;
mod phrases;
mod reference;
mod requests;
mod rows;
mod source;
mod standards;
mod table;
mod words;

use crate::builder::Builder;
use escape::Font;
use flow::{Capture, Flow};
use mdoc::Mdoc;
use source::{Line, Next, Source};
use table::Table;

/// Reads a page.
pub(crate) fn read(builder: &mut Builder<'_>) {
    let text = builder.text;
    let mut reader = Reader {
        source: Source::new(text),
        flow: Flow::new(builder),
        mdoc: Mdoc::default(),
        table: None,
        next_font: None,
        link: None,
        skipped_to: None,
        section: String::new(),
        name: String::new(),
    };
    loop {
        match reader.source.next() {
            Next::End => break,
            Next::Line(line) => reader.line(&line),
            Next::EndOfFile => {
                reader.finish();
                reader.flow.builder.end_include();
            }
        }
    }
    reader.finish();
    reader.entitle();
}

/// A page while it is read.
struct Reader<'b, 't> {
    source: Source,
    flow: Flow<'b, 't>,
    mdoc: Mdoc,
    table: Option<Table>,
    /// Font of the next line of text, after `.B` without arguments.
    next_font: Option<Font>,
    /// Target of the open link, and the bytes that were written when it began.
    link: Option<(String, usize)>,
    /// The macro that ends what is left out: an equation, a drawing.
    skipped_to: Option<&'static str>,
    /// Words of the last heading.
    section: String,
    /// Name and section as the head of the page has them.
    name: String,
}

impl Reader<'_, '_> {
    fn line(&mut self, line: &Line) {
        let text = line.text.as_str();
        if let Some(end) = self.skipped_to {
            if text.get(1..).is_some_and(|text| text.starts_with(end)) {
                self.skipped_to = None;
            }
            return;
        }
        if let Some(table) = self.table.as_mut() {
            if table.in_block() {
                if let Some(rest) = text.strip_prefix("T}") {
                    table.end_block(&mut self.flow, rest, line.number);
                    return;
                }
            } else if !text.starts_with(['.', '\''])
                || text.get(1..2).is_none_or(|c| c.starts_with(|c: char| c.is_ascii_digit()))
            {
                table.line(&mut self.flow, text, line.number);
                return;
            }
        }
        match text.strip_prefix(['.', '\'']) {
            Some(control) => self.control(control, line.number),
            None => self.text(text, line.number),
        }
    }

    fn control(&mut self, text: &str, number: u32) {
        let text = text.trim_start_matches([' ', '\t']);
        if let Some(rest) = text.strip_prefix("\\}") {
            if !rest.trim().is_empty() {
                self.line(&Line { text: rest.trim_start().trim_start_matches("\\}").to_owned(), number });
            }
            return;
        }
        let end = text.find([' ', '\t', '\n']).unwrap_or(text.len());
        let end = text.find('\\').map_or(end, |escape| end.min(escape));
        let (name, rest) = text.split_at(end);
        if name.is_empty() || self.source.call(name, rest, number) || self.source.request(name, rest, number)
        {
            return;
        }
        let words = words::split(rest, number);
        let _ = self.man(name, &words, number)
            || self.mdoc(name, &words, number)
            || self.roff(name, rest, number);
    }

    fn text(&mut self, text: &str, number: u32) {
        if text.trim().is_empty() {
            if self.flow.capture != Some(Capture::Term) {
                self.flow.paragraph();
            }
            return;
        }
        if text.starts_with([' ', '\t']) {
            self.flow.line_break();
        }
        match self.next_font.take() {
            Some(font) => self.flow.styled(font, text, number),
            None => self.flow.write(text, number),
        }
        self.flow.end_line();
        self.mdoc.after_line(&mut self.flow);
    }

    /// Ends what is open at the end of a file.
    fn finish(&mut self) {
        if let Some(table) = self.table.take() {
            let last = self.flow.builder.lines.count().max(1);
            table.finish(&mut self.flow, last);
        }
        self.flow.finish();
    }

    /// Names the page after its first name, in its own case, where the head of the page has that name in capitals.
    fn entitle(&mut self) {
        let document = &mut self.flow.builder.document;
        let Some((name, section)) = self.name.rsplit_once('(') else { return };
        let in_names = |block: &&crate::Block| {
            let headings = document.sections.get(block.section).map(|section| section.headings.as_slice());
            matches!(block.kind, crate::Kind::Paragraph)
                && headings.is_some_and(|headings| headings.len() == 1)
        };
        let names = document.blocks.iter().find(in_names).map_or("", |block| block.text.as_str());
        let own = names.split([',', ' ', '\n']).find(|own| own.eq_ignore_ascii_case(name));
        document.title = format!("{}({section}", own.unwrap_or(name));
    }
}
