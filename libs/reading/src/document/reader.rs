//! Builds a document from the events of the Markdown parser.

use super::active::{self, Active};
use super::html::Markup;
use super::{Leaf, LeafKind, Run, RunKind};
use assay_domain::report::DefectKind;
use pulldown_cmark::{CodeBlockKind, Event, LinkType, Tag, TagEnd};
use std::ops::Range;

/// Builds a document from parser events.
pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) open: Vec<Range<usize>>,
    pub(super) unclosed: Vec<(DefectKind, usize)>,
    pub(super) leaves: Vec<Leaf>,
    /// The text block that is being read.
    pub(super) leaf: Option<Leaf>,
    /// Whether that block is the bare text of a tight list item.
    pub(super) bare: bool,
    /// Depth of lists around.
    pub(super) lists: usize,
    /// Depth of images around; their text stands beside that of the answer.
    pub(super) images: usize,
    /// Depth of struck-out text around, by Markdown and by tags.
    pub(super) struck: usize,
    pub(super) struck_by_tags: usize,
    /// The text of the image that is being read.
    pub(super) alternative: Option<Leaf>,
    /// What stands beside the text of the block that is being read.
    pub(super) asides: Vec<Leaf>,
    pub(super) active: Vec<Active>,
    /// Depth of addresses in angle brackets around; they are no text either.
    pub(super) addresses: usize,
    /// Links around: start, and the end of what was read inside.
    pub(super) links: Vec<(usize, usize)>,
    /// The code block that is being read: kind, range, content, end of its last line, start of its first.
    pub(super) code: Option<CodeBlock>,
    /// Whether an HTML block is being read.
    pub(super) html: bool,
    /// Its text, and where each of its lines begins there and in the answer.
    pub(super) block: (String, Vec<(usize, usize)>),
    /// What of HTML is open at the end of what was read: nothing, a tag, a comment, or the element whose text is none.
    pub(super) markup: Markup,
    pub(super) tables: usize,
    pub(super) row: usize,
}

/// A code block that is being read.
pub(super) struct CodeBlock {
    fenced: bool,
    language: String,
    range: Range<usize>,
    code: String,
    body: Option<Range<usize>>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            open: Vec::new(),
            unclosed: Vec::new(),
            leaves: Vec::new(),
            leaf: None,
            bare: false,
            lists: 0,
            images: 0,
            struck: 0,
            struck_by_tags: 0,
            alternative: None,
            asides: Vec::new(),
            active: Vec::new(),
            addresses: 0,
            links: Vec::new(),
            code: None,
            html: false,
            block: (String::new(), Vec::new()),
            markup: Markup::Words,
            tables: 0,
            row: 0,
        }
    }

    pub(super) fn event(&mut self, event: Event<'_>, range: Range<usize>) {
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
            Event::InlineHtml(html) => self.inline_html(&html, range),
            Event::Html(html) => {
                self.block.1.push((self.block.0.len(), range.start));
                self.block.0.push_str(&html);
                self.html_words(range);
            }
            _ => {}
        }
    }

    pub(super) fn begin(&mut self, kind: LeafKind, range: Range<usize>) {
        self.leaf = Some(Leaf { kind, range, runs: Vec::new(), list_depth: self.lists });
    }

    fn finish(&mut self) {
        if let Some(leaf) = self.leaf.take() {
            self.leaves.push(leaf);
        }
        self.flush_asides();
        // A tag that is never closed strikes its own block only.
        self.struck_by_tags = 0;
        self.bare = false;
    }

    /// Puts what stands beside a block behind it.
    pub(super) fn flush_asides(&mut self) {
        self.leaves.append(&mut self.asides);
    }

    /// Ends the bare text of a tight list item, if one is being read.
    pub(super) fn close_item_text(&mut self) {
        if self.bare {
            self.finish();
        }
    }

    pub(super) fn start(&mut self, tag: Tag<'_>, range: Range<usize>) {
        match tag {
            Tag::Strikethrough => {
                self.struck += 1;
                return;
            }
            Tag::Emphasis | Tag::Strong | Tag::Superscript | Tag::Subscript => return,
            Tag::Link { link_type, dest_url, title, .. } => {
                self.found_active(active::in_link(&dest_url), &range);
                self.title(&title, &range);
                self.links.push((range.start, range.start + 1));
                if matches!(link_type, LinkType::Autolink | LinkType::Email) {
                    self.addresses += 1;
                } else {
                    // The brackets of a link are those of a marker where its text is one: `[^1](address)`.
                    self.open.push(range.start..range.start + 1);
                }
                return;
            }
            Tag::Image { dest_url, title, .. } => {
                self.found_active(active::in_image(&dest_url), &range);
                self.title(&title, &range);
                if self.images == 0 {
                    self.alternative = Some(self.aside(range));
                }
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

    pub(super) fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        match tag {
            TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::TableCell => self.finish(),
            TagEnd::Item => self.close_item_text(),
            TagEnd::List(_) => {
                self.close_item_text();
                self.lists = self.lists.saturating_sub(1);
            }
            TagEnd::Strikethrough => self.struck = self.struck.saturating_sub(1),
            TagEnd::Image => {
                self.images = self.images.saturating_sub(1);
                if self.images == 0 {
                    self.asides.extend(self.alternative.take());
                }
            }
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
                self.end_html();
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
            if let Some((at, what)) = active::in_text(text) {
                self.found_active(Some(what), &(range.start + at..range.end));
            }
            self.run(RunKind::Text, text, range);
        }
    }

    pub(super) fn run(&mut self, kind: RunKind, text: &str, range: Range<usize>) {
        if self.html || self.code.is_some() {
            return;
        }
        let struck = self.struck + self.struck_by_tags > 0 && matches!(kind, RunKind::Text | RunKind::Code);
        let kind = if struck { RunKind::Struck } else { kind };
        if let Some(image) = &mut self.alternative {
            image.runs.push(Run { range, text: text.to_owned(), kind });
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
