//! Reads the Markdown of a source: blocks, lists, tables and fences, each under its headings.

use std::ops::Range;

use assay_domain::evidence::Source;
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd};

use super::inline::Inline;
use super::{Fence, Passages, Section, Shape, Unit};
use crate::sentence::sentences;

/// Reads the Markdown of one source into units, fences and sections.
pub(super) struct Reader<'a> {
    index: usize,
    source: &'a Source,
    passages: &'a mut Passages,
    /// Number of the present block.
    pub(super) block: usize,
    in_section: usize,
    levels: Vec<(u8, String)>,
    lists: Vec<usize>,
    list_count: usize,
    item_fresh: bool,
    inline: Option<Inline>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        index: usize,
        source: &'a Source,
        passages: &'a mut Passages,
        first_block: usize,
    ) -> Self {
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

    pub(super) fn fence(&mut self, language: String, code: String, bytes: Range<usize>) {
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

    pub(super) fn read(&mut self) {
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
