//! The CommonMark structure of an answer: its text blocks, code blocks and everything in which a marker is mere text.

use assay_domain::report::DefectKind;
use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};
use std::ops::Range;

/// What a text block is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LeafKind {
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

/// How a run of a text block was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunKind {
    /// Plain text.
    Text,
    /// Inline code.
    Code,
    /// A line break: soft ones are white space, hard ones end a sentence.
    Break {
        /// Whether it is a hard one.
        hard: bool,
    },
}

/// A piece of a text block.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    /// Where it stands in the answer.
    pub(crate) range: Range<usize>,
    /// Its text, decoded.
    pub(crate) text: String,
    /// How it was written.
    pub(crate) kind: RunKind,
}

/// A block without blocks inside.
#[derive(Debug, Clone)]
pub(crate) struct Leaf {
    /// What it is.
    pub(crate) kind: LeafKind,
    /// Where it stands.
    pub(crate) range: Range<usize>,
    /// Its text; empty for code.
    pub(crate) runs: Vec<Run>,
    /// Nesting depth of lists around it.
    pub(crate) list_depth: usize,
}

/// The structure of one answer.
#[derive(Debug, Clone)]
pub(crate) struct Document<'a> {
    /// The answer.
    pub(crate) text: &'a str,
    /// Ranges whose brackets can open a marker, merged, in order.
    pub(crate) open: Vec<Range<usize>>,
    /// Footnote definition lines, from their bracket to the end of the line, in order.
    pub(crate) definitions: Vec<Range<usize>>,
    /// Fences and comments that never close, with the offset of their first character.
    pub(crate) unclosed: Vec<(DefectKind, usize)>,
    /// Text and code blocks, in order.
    pub(crate) leaves: Vec<Leaf>,
}

impl<'a> Document<'a> {
    /// Reads the structure; total and linear.
    pub(crate) fn parse(text: &'a str) -> Self {
        let definitions = definition_lines(text);
        let masked = mask(text, &definitions);
        let mut reader = Reader::new(text);
        // A byte order mark is no part of the first line, but counts in every offset.
        let mark = if masked.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        for (event, range) in Parser::new_ext(&masked[mark..], Options::ENABLE_TABLES).into_offset_iter() {
            reader.event(event, range.start + mark..range.end + mark);
        }
        reader.close_item_text();
        let mut open = reader.open;
        open.sort_by_key(|range| range.start);
        let mut merged: Vec<Range<usize>> = Vec::with_capacity(open.len());
        for range in open {
            match merged.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => merged.push(range),
            }
        }
        Self { text, open: merged, definitions, unclosed: reader.unclosed, leaves: reader.leaves }
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

/// Lines that, behind their container's prefix, begin with `[^label]:`.
fn definition_lines(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive(['\n', '\r']) {
        let body = line.trim_end_matches(['\n', '\r']);
        let prefix = container_prefix(body);
        if is_definition(&body[prefix..]) {
            found.push(start + prefix..start + body.len());
        }
        start += line.len();
    }
    found
}

/// Length of the quote marks, list marks and white space that a line begins with.
fn container_prefix(line: &str) -> usize {
    let bytes = line.as_bytes();
    let mut at = if line.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    loop {
        while bytes.get(at).is_some_and(|b| matches!(b, b' ' | b'\t')) {
            at += 1;
        }
        let blank = |at: usize| bytes.get(at).is_some_and(|b| matches!(b, b' ' | b'\t'));
        match bytes.get(at) {
            Some(b'>') => at += 1,
            Some(b'-' | b'*' | b'+') if blank(at + 1) => at += 1,
            Some(b'0'..=b'9') => {
                let digits = bytes[at..].iter().take_while(|b| b.is_ascii_digit()).count();
                let mark = bytes.get(at + digits).is_some_and(|b| matches!(b, b'.' | b')'));
                if digits > 9 || !mark || !blank(at + digits + 1) {
                    return at;
                }
                at += digits + 1;
            }
            _ => return at,
        }
    }
}

/// Whether a line without its prefix is a footnote definition: a caret label that is not empty, and a colon.
fn is_definition(line: &str) -> bool {
    let Some(label) = line.strip_prefix("[^") else { return false };
    let Some(end) = label.find([']', '[', '\\', ' ', '\t']) else { return false };
    end > 0 && label[end..].starts_with("]:")
}

/// Hides the brackets of definition labels, byte for byte, so that the parser sees no reference definition in them.
fn mask<'a>(text: &'a str, definitions: &[Range<usize>]) -> std::borrow::Cow<'a, str> {
    if definitions.is_empty() {
        return text.into();
    }
    let mut masked = String::with_capacity(text.len());
    let mut at = 0;
    for line in definitions {
        masked.push_str(&text[at..line.start]);
        let label_end = text[line.clone()].find("]:").map_or(line.end, |end| line.start + end);
        masked.push('x');
        masked.push_str(&text[line.start + 1..label_end]);
        if label_end < line.end {
            masked.push('x');
            at = label_end + 1;
        } else {
            at = label_end;
        }
    }
    masked.push_str(&text[at..]);
    masked.into()
}

/// Builds a document from parser events.
struct Reader<'a> {
    text: &'a str,
    open: Vec<Range<usize>>,
    unclosed: Vec<(DefectKind, usize)>,
    leaves: Vec<Leaf>,
    /// The text block that is being read.
    leaf: Option<Leaf>,
    /// Whether that block is the bare text of a tight list item.
    bare: bool,
    /// Depth of lists around.
    lists: usize,
    /// Depth of images around; their text is no text of the answer.
    images: usize,
    /// Depth of addresses in angle brackets around; they are no text either.
    addresses: usize,
    /// Links around: start, and the end of what was read inside.
    links: Vec<(usize, usize)>,
    /// The code block that is being read: kind, range, content, end of its last line, start of its first.
    code: Option<CodeBlock>,
    /// Whether an HTML block is being read.
    html: bool,
    /// What of HTML is open at the end of what was read: nothing, a tag, a comment, or the element whose text is none.
    markup: Markup,
    tables: usize,
    row: usize,
}

/// A code block that is being read.
struct CodeBlock {
    fenced: bool,
    language: String,
    range: Range<usize>,
    code: String,
    body: Option<Range<usize>>,
}

/// What of HTML is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Markup {
    /// Nothing: words.
    Words,
    /// A tag.
    Tag,
    /// A comment.
    Comment,
    /// An element whose text nobody reads.
    Script,
    /// Another one.
    Style,
}

impl Markup {
    /// What a text that begins with `<` opens.
    fn opened_by(text: &str) -> Self {
        let starts = |name: &str| text.get(..name.len()).is_some_and(|head| head.eq_ignore_ascii_case(name));
        if text.starts_with("<!--") {
            Self::Comment
        } else if starts("<script") {
            Self::Script
        } else if starts("<style") {
            Self::Style
        } else {
            Self::Tag
        }
    }

    /// What closes it.
    const fn end(self) -> &'static str {
        match self {
            Self::Words | Self::Tag => ">",
            Self::Comment => "-->",
            Self::Script => "</script>",
            Self::Style => "</style>",
        }
    }
}

/// Whether an inline tag breaks the line.
fn is_line_break(tag: &str) -> bool {
    tag.get(..3).is_some_and(|head| head.eq_ignore_ascii_case("<br"))
        && tag[3..].starts_with([' ', '/', '>', '\t'])
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            open: Vec::new(),
            unclosed: Vec::new(),
            leaves: Vec::new(),
            leaf: None,
            bare: false,
            lists: 0,
            images: 0,
            addresses: 0,
            links: Vec::new(),
            code: None,
            html: false,
            markup: Markup::Words,
            tables: 0,
            row: 0,
        }
    }

    fn event(&mut self, event: Event<'_>, range: Range<usize>) {
        if let (None, Some(link)) = (&self.code, self.links.last_mut())
            && range.start > link.0
        {
            link.1 = link.1.max(range.end);
        }
        match event {
            Event::Start(tag) => self.start(tag, range),
            Event::End(tag) => self.end(tag, range),
            Event::Text(text) => self.text(&text, range),
            Event::Code(code) => self.run(RunKind::Code, &code, range),
            Event::SoftBreak => self.run(RunKind::Break { hard: false }, " ", range),
            Event::HardBreak => self.run(RunKind::Break { hard: true }, " ", range),
            Event::InlineHtml(tag) if is_line_break(&tag) => {
                self.run(RunKind::Break { hard: true }, " ", range)
            }
            Event::Html(_) => self.html_words(range),
            _ => {}
        }
    }

    fn begin(&mut self, kind: LeafKind, range: Range<usize>) {
        self.leaf = Some(Leaf { kind, range, runs: Vec::new(), list_depth: self.lists });
    }

    fn finish(&mut self) {
        if let Some(leaf) = self.leaf.take() {
            self.leaves.push(leaf);
        }
        self.bare = false;
    }

    /// Ends the bare text of a tight list item, if one is being read.
    fn close_item_text(&mut self) {
        if self.bare {
            self.finish();
        }
    }

    fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Emphasis | Tag::Strong | Tag::Strikethrough | Tag::Superscript | Tag::Subscript => return,
            Tag::Link { link_type, .. } => {
                self.links.push((range.start, range.start + 1));
                if matches!(link_type, LinkType::Autolink | LinkType::Email) {
                    self.addresses += 1;
                } else {
                    // The brackets of a link are those of a marker where its text is one: `[^1](address)`.
                    self.open.push(range.start..range.start + 1);
                }
                return;
            }
            Tag::Image { .. } => {
                self.images += 1;
                return;
            }
            _ => self.close_item_text(),
        }
        match tag {
            Tag::Paragraph => {
                let kind = if self.lists == 0 { LeafKind::Paragraph } else { LeafKind::Item };
                self.begin(kind, range);
            }
            Tag::Heading { .. } => self.begin(LeafKind::Heading, range),
            Tag::List(_) => self.lists += 1,
            Tag::Table(_) => self.tables += 1,
            Tag::TableHead => self.row = 0,
            Tag::TableRow => self.row += 1,
            Tag::TableCell => self.begin(LeafKind::Cell { table: self.tables, row: self.row }, range),
            Tag::CodeBlock(kind) => {
                let (fenced, language) = match kind {
                    CodeBlockKind::Fenced(info) => {
                        let word = info.split([' ', '\t', ',', '{']).next().unwrap_or_default();
                        (true, word.to_lowercase())
                    }
                    CodeBlockKind::Indented => (false, String::new()),
                };
                self.code = Some(CodeBlock { fenced, language, range, code: String::new(), body: None });
            }
            Tag::HtmlBlock => {
                self.html = true;
                self.markup = Markup::Words;
                let source = &self.text[range.clone()];
                let lead = source.len() - source.trim_start().len();
                if source[lead..].starts_with("<!--") && !source.contains("-->") {
                    self.unclosed.push((DefectKind::UnclosedHtml, range.start + lead));
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::TableCell => self.finish(),
            TagEnd::Item => self.close_item_text(),
            TagEnd::List(_) => {
                self.close_item_text();
                self.lists = self.lists.saturating_sub(1);
            }
            TagEnd::Image => self.images = self.images.saturating_sub(1),
            TagEnd::Link => {
                if let Some((_, inner)) = self.links.pop() {
                    if self.addresses > 0 {
                        self.addresses -= 1;
                    } else if let Some(close) = self.text[inner.min(range.end)..range.end].find(']') {
                        self.open.push(inner + close..inner + close + 1);
                    }
                }
            }
            TagEnd::HtmlBlock => {
                self.html = false;
                self.finish();
            }
            TagEnd::CodeBlock => self.end_code(),
            _ => {}
        }
    }

    fn end_code(&mut self) {
        let Some(block) = self.code.take() else { return };
        let source = &self.text[block.range.clone()];
        let start = block.range.start + (source.len() - source.trim_start().len());
        if block.fenced {
            let mark = self.text[start..].chars().next().unwrap_or('`');
            let length = self.text[start..].chars().take_while(|c| *c == mark).count();
            let behind = block.body.as_ref().map_or_else(
                || self.text[start..block.range.end].find('\n').map_or(block.range.end, |line| start + line),
                |body| body.end,
            );
            let tail = &self.text[behind.min(block.range.end)..block.range.end];
            let closing = tail.trim().trim_start_matches([' ', '\t', '>', '\n', '\r']);
            let closed = closing.chars().take_while(|c| *c == mark).count() >= length;
            if !closed {
                self.unclosed.push((DefectKind::UnclosedFence, start));
            }
        }
        let body_start = block.body.map_or(block.range.end, |body| body.start);
        self.leaves.push(Leaf {
            kind: LeafKind::Code { language: block.language, code: block.code, body_start },
            range: start..block.range.end,
            runs: Vec::new(),
            list_depth: self.lists,
        });
    }

    /// The words of a line of an HTML block: a reader sees them, so that they are claims; a marker in them is text.
    fn html_words(&mut self, range: Range<usize>) {
        let mut at = range.start;
        while at < range.end {
            let rest = &self.text[at..range.end];
            let (length, next) = match self.markup {
                Markup::Words => match rest.find('<') {
                    Some(0) => (0, Markup::opened_by(rest)),
                    Some(length) => (length, Markup::Words),
                    None => (rest.len(), Markup::Words),
                },
                inside => match rest.find(inside.end()) {
                    Some(end) => (end + inside.end().len(), Markup::Words),
                    None => (rest.len(), inside),
                },
            };
            if self.markup == Markup::Words && length > 0 {
                self.html_run(at..at + length);
            } else if self.markup == Markup::Words {
                self.html_break(rest, at);
            }
            at += length;
            self.markup = next;
            if length == 0 {
                // The opening character; what follows it is looked at in its own state.
                at += 1;
            }
        }
    }

    fn html_run(&mut self, range: Range<usize>) {
        let text = &self.text[range.clone()];
        let words = text.trim_matches(['\n', '\r']);
        if self.leaf.is_none() && words.trim().is_empty() {
            return;
        }
        let kind = if self.lists == 0 { LeafKind::Paragraph } else { LeafKind::Item };
        if self.leaf.is_none() {
            self.begin(kind, range.clone());
        }
        if let Some(leaf) = &mut self.leaf {
            leaf.range.end = leaf.range.end.max(range.end);
            leaf.runs.push(Run { range, text: text.to_owned(), kind: RunKind::Text });
        }
    }

    /// A tag of a block, or a line break, ends the sentence before it.
    fn html_break(&mut self, tag: &str, at: usize) {
        let name = tag.trim_start_matches(['<', '/']);
        let name = name.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        let inline =
            ["b", "i", "em", "strong", "code", "a", "span", "sub", "sup", "u", "s", "small", "kbd", "mark"];
        if inline.iter().any(|one| name.eq_ignore_ascii_case(one)) {
            return;
        }
        if let Some(leaf) = &mut self.leaf {
            leaf.runs.push(Run { range: at..at, text: " ".to_owned(), kind: RunKind::Break { hard: true } });
        }
    }

    fn text(&mut self, text: &str, range: Range<usize>) {
        // The parser reads a copy in which some brackets are hidden; take the words from the answer itself.
        let text = if text.len() == range.len() { &self.text[range.clone()] } else { text };
        if let Some(block) = &mut self.code {
            block.code.push_str(text);
            let start = block.body.as_ref().map_or(range.start, |body| body.start);
            block.body = Some(start..range.end);
        } else if !self.html {
            if self.images == 0 && self.addresses == 0 {
                self.open.push(range.clone());
            }
            self.run(RunKind::Text, text, range);
        }
    }

    fn run(&mut self, kind: RunKind, text: &str, range: Range<usize>) {
        if self.html || self.code.is_some() || self.images > 0 {
            return;
        }
        if self.leaf.is_none() {
            self.begin(LeafKind::Item, range.clone());
            self.bare = true;
        }
        if let Some(leaf) = &mut self.leaf {
            leaf.range.end = leaf.range.end.max(range.end);
            leaf.runs.push(Run { range, text: text.to_owned(), kind });
        }
    }
}
