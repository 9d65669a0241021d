//! The stored text of a PDF: written from its paragraphs, and read into blocks.

use std::fmt::Write;

use assay_domain::LineRange;
use assay_text::sentences;
use unicode_normalization::UnicodeNormalization;

use super::layout::without_leaders;
use super::paragraphs::Paragraph;
use crate::Kind;
use crate::builder::Builder;
use crate::inline::Inline;

/// Stands before the first line of a page.
pub const PAGE_BREAK: char = '\u{c}';

/// Stands before a line of code.
const CODE: &str = "    ";
/// Most levels of headings.
const MAX_LEVEL: usize = 6;

/// The text of the pages.
pub(super) fn write(pages: Vec<Vec<Paragraph>>) -> String {
    let mut out = String::new();
    for page in pages {
        out.push(PAGE_BREAK);
        for (index, paragraph) in page.into_iter().enumerate() {
            if index > 0 {
                out.push('\n');
            }
            match paragraph {
                Paragraph::Heading(level, text) => {
                    let _ = writeln!(out, "{} {}", "#".repeat(level.min(MAX_LEVEL)), clean(&text));
                }
                Paragraph::Text(text) => write_sentences(&mut out, &clean(&text)),
                Paragraph::Code(lines) => {
                    for line in lines {
                        let _ = writeln!(out, "{CODE}{}", characters(&line));
                    }
                }
            }
        }
        if out.ends_with(PAGE_BREAK) {
            out.push('\n');
        }
    }
    out
}

fn write_sentences(out: &mut String, text: &str) {
    for sentence in sentences::split(text, &[], &[]).into_iter().filter_map(|range| text.get(range)) {
        let sentence = sentence.trim();
        // Text that begins as a heading of the stored text does is told apart by a space.
        if level(sentence).is_some() {
            out.push(' ');
        }
        out.push_str(sentence);
        out.push('\n');
    }
}

/// Words with single spaces, without rows of dots.
fn clean(text: &str) -> String {
    without_leaders(&characters(text)).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Ligatures as letters, composed accents, no control characters and no hyphens that show only at a line end.
fn characters(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.nfc() {
        match c {
            '\u{fb00}'..='\u{fb06}' => out.extend(c.to_string().nfkc()),
            '\u{ad}' => {}
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Level and words of a heading of the stored text.
fn level(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    let words = rest.strip_prefix(' ')?;
    (1..=MAX_LEVEL).contains(&level).then_some((level, words))
}

/// Reads the stored text.
pub(crate) fn read(builder: &mut Builder<'_>) {
    let text = builder.text;
    let mut reader = Reader { builder, page: 0, open: Vec::new(), code: false, headings: Vec::new() };
    for (number, line) in (1..).zip(text.lines()) {
        reader.line(line, number);
    }
    reader.flush();
}

/// A stored text while it is read.
struct Reader<'b, 't> {
    builder: &'b mut Builder<'t>,
    page: u32,
    /// Lines of the open paragraph or code.
    open: Vec<(&'t str, u32)>,
    code: bool,
    headings: Vec<(u8, String)>,
}

impl<'t> Reader<'_, 't> {
    fn line(&mut self, line: &'t str, number: u32) {
        let breaks = line.len() - line.trim_start_matches(PAGE_BREAK).len();
        let line = line.get(breaks..).unwrap_or("");
        if breaks > 0 {
            self.flush();
            self.page = self.page.saturating_add(u32::try_from(breaks).unwrap_or(u32::MAX));
            self.section(number);
        }
        let is_code = line.starts_with(CODE);
        if line.trim().is_empty() || is_code != self.code {
            self.flush();
        }
        if let Some((level, words)) = level(line) {
            self.flush();
            let mut inline = Inline::default();
            inline.push(words, number);
            let level = u8::try_from(level + 1).unwrap_or(u8::MAX);
            self.headings.retain(|(above, _)| *above < level);
            self.headings.push((level, words.trim().to_owned()));
            self.builder.heading(level, inline, LineRange::new(number, number), None);
        } else if !line.trim().is_empty() {
            self.code = is_code;
            self.open.push((line, number));
        }
    }

    /// Begins a page: a section of its own below the headings that it stands under.
    fn section(&mut self, line: u32) {
        let name = format!("Page {}", self.page);
        let headings = self.headings.iter().cloned();
        let path = std::iter::once((1, name)).chain(headings).collect();
        self.builder.open_section(path, &format!("page={}", self.page), line);
    }

    fn flush(&mut self) {
        let lines = std::mem::take(&mut self.open);
        let is_code = std::mem::take(&mut self.code);
        let (Some((_, first)), Some((_, last))) = (lines.first(), lines.last()) else { return };
        let range = LineRange::new(*first, *last);
        let mut inline = Inline::default();
        if is_code {
            for (index, (line, number)) in lines.iter().enumerate() {
                if index > 0 {
                    inline.separate('\n');
                }
                inline.verbatim(line.get(CODE.len()..).unwrap_or(""), *number);
            }
            let lead = self.builder.lead();
            self.builder.block(Kind::Code { language: String::new() }, inline, range, 0, lead);
            return;
        }
        for (line, number) in lines {
            inline.push(line, number);
            inline.space();
        }
        self.builder.block(Kind::Paragraph, inline, range, 0, None);
    }
}

/// Page and paragraph, both counted from 1, of each line of a stored text; a heading counts with the paragraph below it.
#[must_use]
pub fn pages_and_paragraphs(text: &str) -> Vec<Option<(u32, u32)>> {
    let (mut page, mut paragraph, mut inside) = (0_u32, 0_u32, false);
    let place = |text: &str| {
        let rest = text.trim_start_matches(PAGE_BREAK);
        if rest.len() < text.len() {
            page = page.saturating_add(u32::try_from(text.len() - rest.len()).unwrap_or(u32::MAX));
            (paragraph, inside) = (0, false);
        }
        let is_text = !rest.trim().is_empty() && level(rest).is_none();
        paragraph += u32::from(is_text && !inside);
        inside = is_text;
        (page > 0).then_some((page, if is_text { paragraph } else { paragraph + 1 }))
    };
    text.lines().map(place).collect()
}
