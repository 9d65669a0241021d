//! A page of Markdown as the rules see it: anchors, links and blocks of text, each with its lines.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use assay_chunk::Lines;
use assay_domain::LineRange;
use html5gum::{DefaultEmitter, Token, Tokenizer};
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};
use unicode_normalization::char::is_combining_mark;

use crate::{File, Place};

/// A page.
pub(crate) struct Page<'f> {
    pub(crate) path: &'f str,
    /// Whether it has front matter, from which the generator of a site makes menus.
    pub(crate) front: bool,
    /// Names that a fragment may have.
    pub(crate) anchors: HashSet<String>,
    pub(crate) links: Vec<Link>,
    pub(crate) blocks: Vec<Block>,
}

/// A link or an image.
pub(crate) struct Link {
    /// Its target as written.
    pub(crate) target: String,
    pub(crate) image: bool,
    pub(crate) lines: LineRange,
}

/// A block of text that holds no other block.
pub(crate) struct Block {
    /// Its text without markup.
    pub(crate) text: String,
    pub(crate) lines: LineRange,
    /// Whether it holds sentences, and no code or table.
    pub(crate) prose: bool,
    /// Inline code in the text.
    pub(crate) code: Vec<Range<usize>>,
    /// Offsets in the text at which a line of the file begins.
    starts: Vec<(usize, u32)>,
}

impl Block {
    /// The line of the file that holds an offset of the text.
    pub(crate) fn line_at(&self, offset: usize) -> u32 {
        let after = self.starts.partition_point(|(start, _)| *start <= offset);
        after.checked_sub(1).map_or(self.lines.first, |at| self.starts[at].1)
    }
}

impl<'f> Page<'f> {
    pub(crate) fn of(file: &'f File) -> Self {
        // The parser would take front matter for a ruler and a heading.
        let front = assay_chunk::front_matter_bytes(&file.text);
        let page = Self {
            path: &file.path,
            front: front > 0,
            anchors: HashSet::new(),
            links: Vec::new(),
            blocks: Vec::new(),
        };
        let lines = Lines::of(&file.text);
        let mut reader = Reader {
            page,
            lines,
            heading: None,
            repeats: HashMap::new(),
            open: None,
            tables: 0,
            html: String::new(),
        };
        let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH;
        for (event, span) in Parser::new_ext(&file.text[front..], options).into_offset_iter() {
            reader.take(&event, front + span.start..front + span.end);
        }
        reader.close();
        reader.page.anchors.extend(ids(&reader.html));
        reader.page
    }

    pub(crate) fn place(&self, lines: LineRange) -> Place {
        Place { path: self.path.to_owned(), lines }
    }
}

/// Reads the events of a page.
struct Reader<'f> {
    page: Page<'f>,
    lines: Lines,
    heading: Option<String>,
    /// How often the slug of a heading came before.
    repeats: HashMap<String, u32>,
    open: Option<Block>,
    /// Tables that are open: 0 or 1.
    tables: usize,
    html: String,
}

impl Reader<'_> {
    fn take(&mut self, event: &Event<'_>, span: Range<usize>) {
        match event {
            Event::Start(Tag::Link { link_type, dest_url, .. }) if *link_type != LinkType::Email => {
                self.link(dest_url, false, &span);
            }
            Event::Start(Tag::Image { dest_url, .. }) => self.link(dest_url, true, &span),
            Event::Start(Tag::Heading { .. }) => {
                self.close();
                self.heading = Some(String::new());
            }
            Event::End(TagEnd::Heading(_)) => {
                if let Some(name) = self.heading.take() {
                    self.anchor(&name);
                }
            }
            Event::Start(Tag::Paragraph | Tag::Item) => self.start(true),
            Event::Start(Tag::CodeBlock(_)) => self.start(false),
            Event::Start(Tag::Table(_)) => {
                self.start(false);
                self.tables = 1;
            }
            Event::End(TagEnd::Table) => {
                self.tables = 0;
                self.close();
            }
            Event::Start(Tag::TableCell) => self.push(" ", &span),
            Event::Start(Tag::List(_) | Tag::BlockQuote(_) | Tag::HtmlBlock | Tag::FootnoteDefinition(_))
            | Event::End(TagEnd::Paragraph | TagEnd::Item | TagEnd::CodeBlock) => self.close(),
            Event::Text(text) => self.push(text, &span),
            Event::Code(text) => {
                let start = self.open.as_ref().map_or(0, |block| block.text.len());
                self.push(text, &span);
                if let Some(block) = &mut self.open {
                    block.code.push(start..block.text.len());
                }
            }
            Event::SoftBreak | Event::HardBreak => self.push(" ", &span),
            Event::Html(text) | Event::InlineHtml(text) => self.html.push_str(text),
            _ => {}
        }
    }

    fn link(&mut self, target: &str, image: bool, span: &Range<usize>) {
        let lines = self.range(span);
        self.page.links.push(Link { target: target.to_owned(), image, lines });
    }

    fn start(&mut self, prose: bool) {
        self.close();
        let lines = LineRange::new(0, 0);
        let (text, code, starts) = (String::new(), Vec::new(), Vec::new());
        self.open = Some(Block { text, lines, prose, code, starts });
    }

    fn push(&mut self, text: &str, span: &Range<usize>) {
        if let Some(name) = &mut self.heading {
            name.push_str(text);
            return;
        }
        let lines = self.range(span);
        let Some(block) = &mut self.open else { return };
        if block.starts.is_empty() {
            block.lines = lines;
        }
        block.starts.push((block.text.len(), lines.first));
        block.text.push_str(text);
        block.lines.last = lines.last;
    }

    fn close(&mut self) {
        if self.tables == 0 {
            self.page.blocks.extend(self.open.take().filter(|block| !block.text.trim().is_empty()));
        }
    }

    /// Adds the anchors of a heading: the id that it gives itself, and the slug of its words.
    fn anchor(&mut self, heading: &str) {
        let own = heading.trim_end().strip_suffix('}').and_then(|text| text.rsplit_once("{#"));
        let name = match own {
            Some((name, id)) => {
                self.page.anchors.extend(id.split_whitespace().next().map(str::to_owned));
                name
            }
            None => heading,
        };
        let slug = slug(name.trim());
        let repeats = self.repeats.entry(slug.clone()).or_default();
        let mut unique = slug.clone();
        while self.page.anchors.contains(&unique) {
            *repeats += 1;
            unique = format!("{slug}-{repeats}");
        }
        self.page.anchors.insert(unique);
    }

    fn range(&self, span: &Range<usize>) -> LineRange {
        let line = |byte| u32::try_from(self.lines.line_of(byte) + 1).unwrap_or(u32::MAX);
        LineRange::new(line(span.start), line(span.end.saturating_sub(1).max(span.start)))
    }
}

/// The anchor that GitHub makes of a heading: lower case, `-` for a space, no punctuation but `-` and `_`.
pub(crate) fn slug(heading: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || is_combining_mark(*c) || matches!(c, '-' | '_' | ' ');
    let kept = heading.chars().filter(kept).flat_map(char::to_lowercase);
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The anchors of HTML: every `id`, and the `name` of `a`.
fn ids(html: &str) -> Vec<String> {
    let mut found = Vec::new();
    for token in Tokenizer::new_with_emitter(html, DefaultEmitter::default()) {
        let Ok(Token::StartTag(tag)) = token else { continue };
        for (name, value) in &tag.attributes {
            if name.as_slice() == b"id" || (name.as_slice() == b"name" && tag.name.as_slice() == b"a") {
                found.push(String::from_utf8_lossy(value).into_owned());
            }
        }
    }
    found
}
