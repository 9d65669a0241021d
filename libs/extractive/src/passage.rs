//! Takes sources apart: sentences, list items, table rows and code fences, each with the headings above it.
//!
//! Link destinations, front matter, images, HTML and footnote marks are left out; the rest of the wording stays as
//! written, so that every sentence can be found in its source again.

use std::ops::Range;

use assay_domain::evidence::{Source, SourceKind};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};

use super::sentence::sentences;
use assay_reading::citations::neutralise_markers;
use assay_text::Language;

/// What kind of text a unit was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A sentence of a paragraph.
    Sentence,
    /// The first sentence of a list item; the number of its list and its depth from 1.
    Item { list: usize, depth: usize },
    /// A table row; the number of its table.
    Row { table: usize },
}

/// The smallest piece that an answer takes over.
#[derive(Debug, Clone)]
pub(crate) struct Unit {
    /// Index of the source.
    pub(crate) source: usize,
    /// Number of the block (paragraph, item, row or fence), increasing over all sources.
    pub(crate) block: usize,
    /// Number of the sentence in its block, from 0.
    pub(crate) ordinal: usize,
    /// Number of the section.
    pub(crate) section: usize,
    /// Number of the unit in its section, from 0.
    pub(crate) in_section: usize,
    /// What it was.
    pub(crate) shape: Shape,
    /// Its bytes in the source's text.
    pub(crate) bytes: Range<usize>,
    /// The words.
    pub(crate) text: String,
}

impl Unit {
    /// Whether it introduces what follows.
    pub(crate) fn leads(&self) -> bool {
        let text = self.text.trim_end_matches(['*', '_']);
        text.ends_with(':') || text.ends_with("...") || text.ends_with('…')
    }
}

/// A code block of a source.
#[derive(Debug, Clone)]
pub(crate) struct Fence {
    /// Index of the source.
    pub(crate) source: usize,
    /// Number of the block.
    pub(crate) block: usize,
    /// Number of the section.
    pub(crate) section: usize,
    /// Its bytes in the source's text.
    pub(crate) bytes: Range<usize>,
    /// First word of the info string.
    pub(crate) language: String,
    /// The program, with its last line break.
    pub(crate) code: String,
}

/// A stretch of text under one heading.
#[derive(Debug, Clone)]
pub(crate) struct Section {
    /// Headings above it, outermost first, including the document's title.
    pub(crate) headings: Vec<String>,
}

impl Section {
    /// The nearest heading.
    pub(crate) fn nearest(&self) -> &str {
        self.headings.last().map_or("", String::as_str)
    }
}

/// All sources, taken apart.
#[derive(Debug, Clone, Default)]
pub(crate) struct Passages {
    /// In reading order, source by source.
    pub(crate) units: Vec<Unit>,
    /// In reading order.
    pub(crate) fences: Vec<Fence>,
    /// In reading order.
    pub(crate) sections: Vec<Section>,
    /// One for each source.
    pub(crate) languages: Vec<Language>,
    /// Path of each source, or its id where it has none: passages of one file answer together.
    pub(crate) documents: Vec<String>,
}

impl Passages {
    /// Takes the sources apart. A source of kind code is one fence.
    pub(crate) fn of(sources: &[Source]) -> Self {
        let mut passages = Self::default();
        let mut blocks = 0;
        for (index, source) in sources.iter().enumerate() {
            let document = if source.path.is_empty() { &source.id } else { &source.path };
            passages.documents.push(document.clone());
            let language = Language::of_tag(&source.language).or_else(|| assay_text::detect(&source.text));
            passages.languages.push(language.unwrap_or(Language::English));
            let mut reader = Reader::new(index, source, &mut passages, blocks);
            if source.kind == SourceKind::Code {
                reader.fence(source.language.clone(), source.text.clone(), 0..source.text.len());
            } else {
                reader.read();
            }
            blocks = reader.block + 2;
        }
        passages
    }
}

/// Inline text being collected; `end` is the source byte behind its last piece.
#[derive(Default)]
struct Inline {
    out: String,
    /// Where each piece begins in `out`, and its bytes in the source.
    pieces: Vec<(usize, Range<usize>)>,
    code: Vec<Range<usize>>,
    marks: Vec<Mark>,
    open: Vec<usize>,
    end: usize,
}

/// An emphasis mark and the index of its partner.
struct Mark {
    range: Range<usize>,
    partner: Option<usize>,
}

impl Inline {
    fn push(&mut self, text: &str, source: &Range<usize>) {
        if text.is_empty() {
            return;
        }
        self.pieces.push((self.out.len(), source.clone()));
        self.out.push_str(text);
        self.end = source.end;
    }

    /// Bytes in the source of the pieces that a range of the collected text touches.
    fn bytes(&self, range: &Range<usize>) -> Range<usize> {
        let at = |place: usize| {
            let next = self.pieces.partition_point(|(start, _)| *start <= place);
            self.pieces
                .get(next.saturating_sub(1))
                .map_or(0..0, |(start, source)| (source.start + (place - start)).min(source.end)..source.end)
        };
        let last = range.end.saturating_sub(1).max(range.start);
        at(range.start).start..(at(last).start + 1).min(at(last).end)
    }

    fn space(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with(' ') {
            self.out.push(' ');
        }
    }

    fn open_mark(&mut self, mark: &str, source: &Range<usize>) {
        let start = self.out.len();
        self.push(mark, &(source.start..source.start + mark.len()));
        self.open.push(self.marks.len());
        self.marks.push(Mark { range: start..self.out.len(), partner: None });
    }

    fn close_mark(&mut self) {
        let Some(opener) = self.open.pop() else { return };
        let start = self.out.len();
        let text = self.out[self.marks[opener].range.clone()].to_owned();
        self.out.push_str(&text);
        let closer = self.marks.len();
        self.marks[opener].partner = Some(closer);
        self.marks.push(Mark { range: start..self.out.len(), partner: Some(opener) });
    }

    /// The text of a range without marks whose partner lies outside it.
    fn slice(&self, range: &Range<usize>) -> String {
        let mut text = String::with_capacity(range.len());
        let mut at = range.start;
        for mark in &self.marks {
            let inside = mark.range.start >= range.start && mark.range.end <= range.end;
            let paired = mark
                .partner
                .and_then(|partner| self.marks.get(partner))
                .is_some_and(|partner| partner.range.start >= range.start && partner.range.end <= range.end);
            if inside && !paired && mark.range.start >= at {
                text.push_str(&self.out[at..mark.range.start]);
                at = mark.range.end;
            }
        }
        text.push_str(&self.out[at..range.end]);
        neutralise_markers(text.trim())
    }
}

struct Reader<'a> {
    index: usize,
    source: &'a Source,
    passages: &'a mut Passages,
    block: usize,
    in_section: usize,
    levels: Vec<(u8, String)>,
    lists: Vec<usize>,
    list_count: usize,
    item_fresh: bool,
    inline: Option<Inline>,
}

impl<'a> Reader<'a> {
    fn new(index: usize, source: &'a Source, passages: &'a mut Passages, first_block: usize) -> Self {
        let mut reader = Self {
            index,
            source,
            passages,
            block: first_block,
            in_section: 0,
            levels: Vec::new(),
            lists: Vec::new(),
            list_count: first_block,
            item_fresh: false,
            inline: None,
        };
        reader.start_section();
        reader
    }

    fn start_section(&mut self) {
        let mut headings: Vec<String> = Vec::new();
        let given = std::iter::once(&self.source.title).chain(&self.source.headings);
        for heading in given.chain(self.levels.iter().map(|(_, text)| text)) {
            let plain = heading.trim();
            if !plain.is_empty() && headings.iter().all(|earlier| earlier != plain) {
                headings.push(plain.to_owned());
            }
        }
        self.passages.sections.push(Section { headings });
        self.in_section = 0;
    }

    fn fence(&mut self, language: String, code: String, bytes: Range<usize>) {
        if code.trim().is_empty() {
            return;
        }
        self.block += 1;
        let section = self.passages.sections.len() - 1;
        self.passages.fences.push(Fence {
            source: self.index,
            block: self.block,
            section,
            bytes,
            language,
            code,
        });
    }

    fn flush(&mut self) {
        let Some(inline) = self.inline.take() else { return };
        if inline.out.trim().is_empty() {
            return;
        }
        self.block += 1;
        let depth = self.lists.len();
        for (ordinal, range) in sentences(&inline.out, &inline.code).into_iter().enumerate() {
            let shape = match self.lists.last() {
                Some(&list) if self.item_fresh && ordinal == 0 => Shape::Item { list, depth },
                _ => Shape::Sentence,
            };
            let text = inline.slice(&range);
            self.unit(ordinal, shape, inline.bytes(&range), text);
        }
        self.item_fresh = false;
    }

    fn unit(&mut self, ordinal: usize, shape: Shape, bytes: Range<usize>, text: String) {
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
            bytes,
            text,
        });
        self.in_section += 1;
    }

    fn read(&mut self) {
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_FOOTNOTES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS
            | Options::ENABLE_PLUSES_DELIMITED_METADATA_BLOCKS;
        let text = self.source.text.clone();
        let mut table: Option<Table> = None;
        let mut code: Option<(String, String)> = None;
        let mut skipped = 0usize;
        let mut links: Vec<bool> = Vec::new();
        for (event, range) in Parser::new_ext(&text, options).into_offset_iter() {
            match &event {
                Event::Start(
                    Tag::MetadataBlock(_) | Tag::FootnoteDefinition(_) | Tag::Image { .. } | Tag::HtmlBlock,
                ) => {
                    skipped += 1;
                    continue;
                }
                Event::End(
                    TagEnd::MetadataBlock(_) | TagEnd::FootnoteDefinition | TagEnd::Image | TagEnd::HtmlBlock,
                ) => {
                    skipped = skipped.saturating_sub(1);
                    continue;
                }
                _ if skipped > 0 => continue,
                _ => {}
            }
            match event {
                Event::Start(Tag::Heading { .. }) => {
                    self.flush();
                    self.inline = Some(Inline::default());
                }
                Event::End(TagEnd::Heading(level)) => self.end_heading(level),
                Event::Start(Tag::CodeBlock(kind)) => {
                    self.flush();
                    let language = match kind {
                        CodeBlockKind::Fenced(info) => {
                            let word = info
                                .split(|c: char| c.is_whitespace() || c == ',' || c == '{')
                                .next()
                                .unwrap_or_default();
                            word.strip_prefix("language-").unwrap_or(word).to_owned()
                        }
                        CodeBlockKind::Indented => String::new(),
                    };
                    code = Some((language, String::new()));
                }
                Event::End(TagEnd::CodeBlock) => {
                    if let Some((language, program)) = code.take() {
                        self.fence(language, program, range);
                    }
                }
                Event::Text(part) if code.is_some() => {
                    if let Some((_, program)) = code.as_mut() {
                        program.push_str(&part);
                    }
                }
                Event::Start(Tag::List(_)) => {
                    self.flush();
                    self.list_count += 1;
                    self.lists.push(self.list_count);
                }
                Event::End(TagEnd::List(_)) => {
                    self.flush();
                    self.lists.pop();
                }
                Event::Start(Tag::Item) => {
                    self.flush();
                    self.item_fresh = true;
                }
                Event::End(TagEnd::Item | TagEnd::Paragraph) => {
                    self.flush();
                }
                Event::Start(Tag::Paragraph) => {
                    self.flush();
                    self.inline = Some(Inline::default());
                }
                Event::Start(Tag::Table(_)) => {
                    self.flush();
                    self.list_count += 1;
                    table = Some(Table { number: self.list_count, ..Table::default() });
                }
                Event::End(TagEnd::Table) => table = None,
                Event::Start(Tag::TableCell) => self.inline = Some(Inline::default()),
                Event::End(TagEnd::TableCell) => {
                    let cell = self
                        .inline
                        .take()
                        .map(|inline| inline.slice(&(0..inline.out.len())))
                        .unwrap_or_default();
                    if let Some(table) = table.as_mut() {
                        table.row.push(cell);
                    }
                }
                Event::End(TagEnd::TableHead) => {
                    if let Some(table) = table.as_mut() {
                        table.head = std::mem::take(&mut table.row);
                    }
                }
                Event::End(TagEnd::TableRow) => {
                    if let Some(table) = table.as_mut() {
                        let (row, number) = (table.take_row(), table.number);
                        self.block += 1;
                        self.unit(0, Shape::Row { table: number }, range, row);
                    }
                }
                Event::Start(Tag::Link { link_type, .. }) => {
                    links.push(matches!(link_type, LinkType::Autolink | LinkType::Email));
                }
                Event::End(TagEnd::Link) => {
                    links.pop();
                }
                other => self.inline_event(&other, &range, &text),
            }
        }
        self.flush();
    }

    fn inline_event(&mut self, event: &Event<'_>, range: &Range<usize>, text: &str) {
        let inline = self.inline.get_or_insert_with(Inline::default);
        match event {
            Event::Text(_) => {
                if range.start > 0
                    && text.as_bytes().get(range.start - 1) == Some(&b'\\')
                    && inline.end + 1 == range.start
                {
                    inline.push("\\", &(range.start - 1..range.start));
                }
                inline.push(&text[range.clone()].replace('\n', " "), range);
            }
            Event::Code(_) => {
                let start = inline.out.len();
                inline.push(&text[range.clone()].replace('\n', " "), range);
                inline.code.push(start..inline.out.len());
            }
            Event::SoftBreak | Event::HardBreak => inline.space(),
            Event::InlineHtml(tag) => match tag.to_ascii_lowercase().as_str() {
                "<code>" | "</code>" => inline.push("`", range),
                "<sup>" => inline.push("^", range),
                "<sub>" => inline.push("_", range),
                "<br>" | "<br/>" | "<br />" => inline.space(),
                _ => {}
            },
            Event::Start(Tag::Emphasis) => inline.open_mark(mark(text, range, 1), range),
            Event::Start(Tag::Strong | Tag::Strikethrough) => inline.open_mark(mark(text, range, 2), range),
            Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough) => inline.close_mark(),
            _ => {}
        }
    }

    fn end_heading(&mut self, level: HeadingLevel) {
        let heading =
            self.inline.take().map(|inline| inline.slice(&(0..inline.out.len()))).unwrap_or_default();
        let level = level as u8;
        while self.levels.last().is_some_and(|&(above, _)| above >= level) {
            self.levels.pop();
        }
        self.levels.push((level, heading));
        self.block += 2;
        self.start_section();
    }
}

/// The mark that opens an emphasised range.
fn mark<'t>(text: &'t str, range: &Range<usize>, length: usize) -> &'t str {
    text.get(range.start..range.start + length).unwrap_or("")
}

#[derive(Default)]
struct Table {
    number: usize,
    head: Vec<String>,
    row: Vec<String>,
}

impl Table {
    /// The row as words: the first cell, then each further cell after its column's name.
    fn take_row(&mut self) -> String {
        let mut text = String::new();
        for (column, cell) in std::mem::take(&mut self.row).into_iter().enumerate() {
            if cell.is_empty() {
                continue;
            }
            if column == 0 || text.is_empty() {
                text.push_str(&cell);
                continue;
            }
            text.push_str(if text.contains(": ") && column > 1 { "; " } else { " – " });
            if let Some(name) = self.head.get(column).filter(|name| !name.is_empty()) {
                text.push_str(name);
                text.push_str(": ");
            }
            text.push_str(&cell);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passages(text: &str) -> Passages {
        let mut source = Source::given("s", SourceKind::Doc, text, 10);
        source.path = "a.md".into();
        Passages::of(&[source])
    }

    fn texts(passages: &Passages) -> Vec<&str> {
        passages.units.iter().map(|unit| unit.text.as_str()).collect()
    }

    #[test]
    fn links_lose_their_address_and_sentences_keep_their_words() {
        let found =
            passages("# Types\n\nA _counter_ is a [monotonic\ncounter](https://example.org/x). It grows.\n");
        assert_eq!(texts(&found), ["A _counter_ is a monotonic counter.", "It grows."]);
        assert_eq!(found.sections[found.units[0].section].nearest(), "Types");
    }

    #[test]
    fn front_matter_images_html_and_footnote_marks_are_left_out() {
        let found =
            passages("---\ntitle: X\n---\n\n![a](b.svg)\n\n<div>no</div>\n\nText here[^1].\n\n[^1]: note\n");
        assert_eq!(texts(&found), ["Text here."]);
    }

    #[test]
    fn a_citation_marker_without_definition_is_neutralised() {
        let found = passages("Plain words [^7] here.");
        assert_eq!(texts(&found), ["Plain words [7] here."]);
    }

    #[test]
    fn items_rows_and_fences_are_told_apart() {
        let found = passages(
            "Steps:\n\n1. Run `a`.\n2. Stop.\n\n```sh\nls\n```\n\n| N | V |\n|---|---|\n| x | 1 |\n",
        );
        assert_eq!(texts(&found), ["Steps:", "Run `a`.", "Stop.", "x – V: 1"]);
        assert!(matches!(found.units[1].shape, Shape::Item { depth: 1, .. }));
        assert!(matches!(found.units[3].shape, Shape::Row { .. }));
        assert_eq!((found.fences[0].language.as_str(), found.fences[0].code.as_str()), ("sh", "ls\n"));
        assert_eq!(found.fences[0].block, found.units[2].block + 1);
    }

    #[test]
    fn a_mark_without_its_partner_in_the_sentence_goes() {
        let found = passages("**Note. This is** so.");
        assert_eq!(texts(&found), ["Note.", "This is so."]);
    }

    #[test]
    fn html_code_becomes_inline_code() {
        let found = passages("Use <code>a\\_b</code> here.");
        assert_eq!(texts(&found), ["Use `a\\_b` here."]);
    }
}
