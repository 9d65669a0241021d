//! Turns the events of the CommonMark parser into what the writer opens, closes and collects.

use std::collections::HashSet;
use std::ops::Range;

use assay_domain::LineRange;
use pulldown_cmark::{BrokenLink, CodeBlockKind, CowStr, Event, LinkType, Options, Parser, Tag, TagEnd};

use super::frames::Role;
use super::info;
use super::source::{Origin, Source};
use super::tags::{self, Html};
use super::writer::Writer;
use crate::Style;
use crate::builder::Builder;
use crate::inline::Inline;

/// Reads lines into blocks.
pub(super) fn read(builder: &mut Builder<'_>, source: &Source) {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_DEFINITION_LIST;
    let is_part = builder.part;
    let unresolved = |link: BrokenLink<'_>| -> Option<(CowStr<'_>, CowStr<'_>)> {
        let is_wanted = is_reference(&link, is_part, source.resolves_names);
        is_wanted.then(|| (link.reference.into_string().into(), CowStr::Borrowed("")))
    };
    let mut events = Events::new(Writer::new(builder, source));
    let parser = Parser::new_with_broken_link_callback(&source.text, options, Some(unresolved));
    let mut parser = parser.into_offset_iter();
    let mut used = HashSet::new();
    for (event, bytes) in parser.by_ref() {
        if let Event::Start(Tag::Link { id, .. } | Tag::Image { id, .. }) = &event {
            used.insert(id.to_lowercase());
        }
        events.take(event, bytes);
    }
    events.writer.close_to(0);
    let unused =
        parser.reference_definitions().iter().filter(|(name, _)| !used.contains(&name.to_lowercase()));
    let mut unused: Vec<(String, u32)> =
        unused.map(|(_, link)| (link.dest.to_string(), source.at(link.span.start).line)).collect();
    unused.sort_by_key(|(_, line)| *line);
    builder.document.targets.append(&mut unused);
}

/// Whether brackets without a definition are a reference whose words alone are shown.
fn is_reference(link: &BrokenLink<'_>, is_part: bool, resolves_names: bool) -> bool {
    let name = link.reference.trim();
    let is_shortcut = matches!(link.link_type, LinkType::Shortcut | LinkType::ShortcutUnknown);
    let is_code = name.starts_with('`') && name.ends_with('`');
    let is_name = name.len() > 2 && name.starts_with(|c: char| c.is_alphabetic() || c == '`');
    if !is_shortcut || resolves_names {
        return is_name && (is_part || !name.contains(' ') || is_code);
    }
    is_part && is_name
}

struct Events<'w, 't> {
    writer: Writer<'w, 't>,
    /// The HTML block that is being read.
    html: Option<Html>,
    code: Option<Code>,
    image: Option<Image>,
}

#[derive(Default)]
struct Code {
    language: String,
    inline: Inline,
    /// Place of its first line.
    first: Origin,
    last: u32,
    /// Places of its fences, or of itself.
    fences: (Origin, Origin),
}

impl Code {
    /// Lines with the fences; without them where the code comes from another file.
    fn lines(&self) -> LineRange {
        let (open, close) = self.fences;
        let first = if open.file == self.first.file { open.line } else { self.first.line };
        let last = if close.file == self.first.file { close.line.max(self.last) } else { self.last };
        LineRange::new(first, last.max(first))
    }
}

struct Image {
    target: String,
    alternative: String,
    at: Origin,
    /// Images inside its alternative text.
    inner: usize,
}

impl<'w, 't> Events<'w, 't> {
    fn new(writer: Writer<'w, 't>) -> Self {
        Self { writer, html: None, code: None, image: None }
    }

    fn take(&mut self, event: Event<'_>, bytes: Range<usize>) {
        match event {
            Event::Start(tag) => self.start(tag, &bytes),
            Event::End(tag) => self.end(tag),
            Event::Text(text) if self.code.is_some() => self.code_lines(&text, bytes.start),
            Event::Text(text) => self.words(&text, &bytes),
            Event::Code(text) => {
                let at = self.writer.source.at(bytes.start);
                if self.image.is_none() {
                    self.writer.style("", Style::Code, at);
                }
                self.words(&text, &bytes);
                if self.image.is_none() {
                    self.writer.end_style("");
                }
            }
            Event::Html(text) | Event::InlineHtml(text) => {
                let row = self.writer.source.row_of(bytes.start);
                if let Some(html) = &mut self.html {
                    html.push(&text, row);
                } else if self.image.is_none() {
                    let mut html = Html::default();
                    for (row, line) in (row..).zip(text.split_inclusive('\n')) {
                        html.push(line, row);
                    }
                    tags::read(&mut self.writer, &html);
                }
            }
            // The number of a footnote is a mark of the page and no word of the sentence.
            Event::FootnoteReference(_) => {}
            Event::SoftBreak => match &mut self.image {
                Some(image) => image.alternative.push(' '),
                None => self.writer.space(),
            },
            Event::HardBreak if self.image.is_none() => self.writer.line_break(),
            Event::Rule => self.writer.flush(),
            Event::TaskListMarker(ticked) => self.writer.tick(ticked),
            _ => {}
        }
    }

    /// Adds words; each of them knows its line.
    fn words(&mut self, text: &str, bytes: &Range<usize>) {
        if let Some(image) = &mut self.image {
            return image.alternative.push_str(text);
        }
        let source = self.writer.source;
        let first = source.row_of(bytes.start);
        if source.row_of(bytes.end.saturating_sub(1).max(bytes.start)) == first {
            return self.writer.push(text, source.origin(first));
        }
        let mut cursor = bytes.start;
        for (index, word) in text.split_whitespace().enumerate() {
            let found = source.text.get(cursor..bytes.end).and_then(|rest| rest.find(word));
            let start = found.map_or(cursor, |at| cursor + at);
            cursor = if found.is_some() { start + word.len() } else { cursor };
            if index > 0 {
                self.writer.space();
            }
            self.writer.push(word, source.at(start));
        }
    }

    /// Adds lines of a code block.
    fn code_lines(&mut self, text: &str, start: usize) {
        let Some(code) = &mut self.code else { return };
        let source = self.writer.source;
        let first = source.row_of(start);
        for (row, line) in (first..).zip(text.split_inclusive('\n')) {
            let (body, ends) = line.strip_suffix('\n').map_or((line, false), |body| (body, true));
            let at = source.origin(row);
            if code.inline.text().is_empty() {
                if body.trim().is_empty() {
                    continue;
                }
                code.first = at;
            }
            let line = if at.file == code.first.file { at.line } else { code.last };
            code.inline.verbatim(body, line);
            code.last = line;
            if ends {
                code.inline.separate('\n');
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>, bytes: &Range<usize>) {
        let at = self.writer.source.at(bytes.start);
        match tag {
            Tag::HtmlBlock => self.html = Some(Html::default()),
            Tag::CodeBlock(kind) => self.start_code(&kind, bytes),
            Tag::Emphasis if self.image.is_none() => self.writer.style("", Style::Emphasis, at),
            Tag::Strong if self.image.is_none() => self.writer.style("", Style::Strong, at),
            Tag::Strikethrough if self.image.is_none() => self.writer.style("", Style::Struck, at),
            Tag::Link { dest_url, .. } if self.image.is_none() => {
                self.writer.style("", Style::Link(dest_url.into_string()), at);
            }
            Tag::Image { dest_url, .. } => match &mut self.image {
                Some(image) => image.inner += 1,
                None => {
                    let (target, alternative) = (dest_url.into_string(), String::new());
                    self.image = Some(Image { target, alternative, at, inner: 0 });
                }
            },
            tag => self.start_block(&tag, bytes.start),
        }
    }

    fn start_block(&mut self, tag: &Tag<'_>, start: usize) {
        let writer = &mut self.writer;
        match tag {
            Tag::Heading { level, .. } => {
                let own = writer.source.id_of(writer.source.row_of(start)).map(str::to_owned);
                writer.begin_markdown();
                writer.open("", Role::Heading { level: *level as u8, own });
            }
            Tag::BlockQuote(_) => {
                writer.begin_markdown();
                writer.open("", Role::Quote);
            }
            Tag::FootnoteDefinition(label) => {
                let line = writer.source.at(start).line;
                writer.builder.document.anchors.push((format!("fn-{label}"), line));
                writer.begin_markdown();
                writer.open("", Role::Plain);
            }
            Tag::List(first) => {
                writer.begin_markdown();
                writer.open_list("", first.map(|first| u32::try_from(first).unwrap_or(u32::MAX)));
            }
            Tag::Item => {
                writer.begin_markdown();
                writer.open_item("", None);
            }
            Tag::DefinitionList => {
                writer.begin_markdown();
                writer.open_definitions("");
            }
            Tag::DefinitionListTitle => {
                writer.begin_markdown();
                writer.open("", Role::Term);
            }
            Tag::DefinitionListDefinition => {
                writer.begin_markdown();
                writer.open("", Role::Description { block: None });
            }
            Tag::Table(_) => {
                writer.begin_markdown();
                writer.open_table("");
            }
            Tag::TableHead | Tag::TableRow => {
                writer.begin_markdown();
                if let Some((table, _)) = writer.table() {
                    table.in_head = matches!(tag, Tag::TableHead);
                }
                writer.open_table_part("tr", 1, 1);
            }
            Tag::TableCell => {
                writer.begin_markdown();
                writer.open_table_part("td", 1, 1);
            }
            _ => writer.flush(),
        }
    }

    fn start_code(&mut self, kind: &CodeBlockKind<'_>, bytes: &Range<usize>) {
        self.writer.flush();
        let source = self.writer.source;
        let at = source.at(bytes.start);
        let mut language = String::new();
        if let CodeBlockKind::Fenced(info) = kind {
            let info = info::read(info);
            language = info.language;
            if let Some(title) = info.title {
                self.writer.show_title(&title, at);
            }
        }
        let last = source.at(bytes.end.saturating_sub(1).max(bytes.start));
        self.code = Some(Code { language, first: at, last: at.line, fences: (at, last), ..Code::default() });
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::HtmlBlock => {
                if let Some(html) = self.html.take() {
                    tags::read(&mut self.writer, &html);
                }
                self.writer.flush();
            }
            TagEnd::CodeBlock => {
                if let Some(code) = self.code.take() {
                    self.writer.builder.file = self.writer.source.path(code.first.file);
                    let lines = code.lines();
                    self.writer.code(&code.language, code.inline, lines);
                }
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link => {
                if self.image.is_none() {
                    self.writer.end_style("");
                }
            }
            TagEnd::Image => match &mut self.image {
                Some(image) if image.inner > 0 => image.inner -= 1,
                _ => {
                    if let Some(image) = self.image.take() {
                        self.writer.image(image.target, &image.alternative, image.at);
                    }
                }
            },
            TagEnd::Paragraph => self.writer.flush(),
            _ => self.writer.end_markdown(),
        }
    }
}
