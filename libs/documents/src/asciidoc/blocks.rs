//! Blocks of the tree: each becomes one of ours, or the blocks inside it.

use asciidoc_parser::HasSpan;
use asciidoc_parser::attributes::Attrlist;
use asciidoc_parser::blocks::{
    AdmonitionBlock, Block, IsBlock, MediaBlock, MediaType, QuoteBlock, QuoteType, SectionBlock,
    SimpleBlockStyle,
};
use asciidoc_parser::content::Content;
use asciidoc_parser::document::Footnote;
use assay_domain::LineRange;

use super::page::{Around, Page, breaks};
use super::words::Words;
use super::{attributes, markup};
use crate::builder::MAX_DEPTH;
use crate::{Kind, Style};

impl<'d> Page<'_, 'd, '_> {
    /// Reads blocks in their order.
    pub(super) fn blocks<'b>(&mut self, blocks: impl Iterator<Item = &'b Block<'b>>, around: &Around) {
        if self.depth >= MAX_DEPTH {
            return;
        }
        self.depth += 1;
        for block in blocks {
            self.block(block, around);
        }
        self.depth -= 1;
    }

    fn block(&mut self, block: &Block<'_>, around: &Around) {
        if let (Some(id), false) = (block.id(), matches!(block, Block::Section(_))) {
            let line = self.enter(block.span());
            self.anchor(id, line);
        }
        match block {
            Block::Section(section) => self.section(section, around),
            Block::Preamble(preamble) => self.blocks(preamble.child_blocks(), around),
            Block::Media(media) => self.media(media, around),
            Block::Simple(simple) => {
                let style = simple.style();
                let around = self.captioned(block, around);
                match (style, &*block.resolved_context()) {
                    _ if block.declared_style() == Some("comment") => {}
                    (SimpleBlockStyle::Paragraph, "listing" | "literal") => {
                        self.code(block, simple.content(), &around)
                    }
                    (SimpleBlockStyle::Paragraph, context) => {
                        self.paragraph(simple.content(), context == "verse", &around);
                    }
                    _ => self.code(block, simple.content(), &around),
                }
            }
            Block::RawDelimited(raw) => {
                let around = self.captioned(block, around);
                match &*block.resolved_context() {
                    "comment" => {}
                    context @ ("pass" | "verse") => {
                        self.paragraph(raw.content(), context == "verse", &around);
                    }
                    _ => self.code(block, raw.content(), &around),
                }
            }
            Block::CompoundDelimited(compound) => {
                let tabs = block.declared_style() == Some("tabs");
                let around = Around { tabs, ..self.captioned(block, around) };
                self.blocks(compound.child_blocks(), &around);
            }
            Block::Admonition(admonition) => {
                let around = self.captioned(block, around);
                self.admonition(admonition, &around);
            }
            Block::Quote(quote) => {
                let around = self.captioned(block, around);
                self.quote(quote, &around);
            }
            Block::List(list) => {
                let around = self.captioned(block, around);
                self.list(list, &around);
            }
            Block::Table(table) => {
                let around = self.captioned(block, around);
                self.table(table, &around);
            }
            _ => {}
        }
    }

    /// Words of a piece of content.
    pub(super) fn words(&self, content: &Content<'_>) -> Words<'d> {
        let mut words = self.fresh();
        words.content(content);
        words
    }

    /// Adds a block with the ids and notes in its words.
    pub(super) fn add(
        &mut self,
        kind: Kind,
        words: Words<'_>,
        lines: LineRange,
        group: u32,
        lead: Option<usize>,
    ) -> Option<usize> {
        for (id, line) in &words.anchors {
            self.anchor(id, *line);
        }
        let at = self.builder.block(kind, words.inline, lines, group, lead);
        for (note, line) in words.notes {
            self.builder.block(Kind::Paragraph, note, LineRange::new(line, line), 0, at);
        }
        at
    }

    /// Reads the title of a block as its caption; what it stands in, with that as its lead.
    fn captioned(&mut self, block: &Block<'_>, around: &Around) -> Around {
        let Some(title) = block.title_content() else { return around.clone() };
        let lines = self.lines(title.original());
        let mut words = self.fresh();
        // The parser numbers a titled admonition among the examples, which Asciidoctor does not show.
        self.titled += usize::from(matches!(block, Block::Admonition(_)));
        match (block, block.caption(), block.number()) {
            _ if block.declared_style() == Some("tabs") => {}
            (Block::CompoundDelimited(_), Some(label), Some(number)) => {
                let shown = number.saturating_sub(self.titled).to_string();
                words.markup(&label.replace(&number.to_string(), &shown), lines.first);
            }
            (_, label, _) => words.markup(label.unwrap_or_default(), lines.first),
        }
        words.nodes(title.inlines());
        let lead = around.lead.or_else(|| self.builder.lead());
        let caption = self.add(Kind::Caption, words, lines, 0, lead);
        around.led_by(caption)
    }

    /// Reads a section. The parser keeps its title only as HTML.
    fn section(&mut self, section: &SectionBlock<'_>, around: &Around) {
        let title = section.section_title();
        let lines = self.lines(section.section_title_source());
        let mut words = self.fresh();
        words.markup(section.caption().unwrap_or_default(), lines.first);
        words.markup(title, lines.first);
        for (id, line) in &words.anchors {
            self.anchor(id, *line);
        }
        let level = u8::try_from(section.level() + 1).unwrap_or(6).min(6);
        self.builder.heading(level, words.inline, lines, Some(section.id().unwrap_or_default()));
        if title.contains("_footnotedef_") {
            let here = |note: &&Footnote| title.contains(&format!("\"#_footnotedef_{}\"", note.index));
            for note in self.notes.iter().filter(here) {
                let mut words = self.fresh();
                words.markup(&note.text, lines.first);
                self.add(Kind::Paragraph, words, lines, 0, None);
            }
        }
        self.blocks(section.child_blocks(), around);
    }

    fn paragraph(&mut self, content: &Content<'_>, verse: bool, around: &Around) -> Option<usize> {
        let lines = self.lines(content.original());
        let mut words = self.fresh();
        words.lines = verse;
        words.content(content);
        let (kind, group) = around.paragraph();
        self.add(kind, words, lines, group, around.lead)
    }

    /// Reads code with the line of each of its lines: an include inside may have left some out.
    fn code(&mut self, block: &Block<'_>, content: &Content<'_>, around: &Around) {
        let code = dedented(&attributes::as_written(&markup::plain(content.rendered_html())));
        let original = content.original();
        // Blank lines above the code are not shown.
        let blank = original.data().lines().take_while(|line| line.trim().is_empty()).count();
        let mut lines = LineRange::new(self.at(original.line() + blank), 0);
        let mut words = self.fresh();
        for (number, text) in (original.line() + blank..).zip(code.split('\n')) {
            if number > original.line() + blank {
                words.inline.separate('\n');
            }
            lines.last = words.line(number);
            words.inline.verbatim(text, lines.last);
        }
        let fenced = matches!(block, Block::RawDelimited(_));
        let fences = [original.line().saturating_sub(1), block.span().line() + breaks(block.span().data())];
        for (file, line) in fences.map(|line| self.place.line(line)) {
            if fenced && file == self.builder.file {
                lines = LineRange::new(lines.first.min(line), lines.last.max(line));
            }
        }
        let kind = Kind::Code { language: language(block).to_lowercase() };
        let lead = around.lead.or_else(|| self.builder.lead());
        self.add(kind, words, lines, 0, lead);
    }

    fn media(&mut self, media: &MediaBlock<'_>, around: &Around) {
        let lines = self.lines(media.span());
        let target = attributes::as_written(media.resolved_target());
        if media.type_() != MediaType::Image {
            return self.builder.document.targets.push((target, lines.last));
        }
        let mut words = self.fresh();
        words.inline.open(Style::Image(target.clone()));
        match media.title_content() {
            Some(title) => {
                words.inline.close();
                words.markup(media.caption().unwrap_or_default(), lines.first);
                words.nodes(title.inlines());
            }
            None => {
                words.inline.push(&alternative(media.macro_attrlist(), &target), lines.last);
                words.inline.close();
            }
        }
        let lead = around.lead.or_else(|| self.builder.lead());
        self.add(Kind::Caption, words, lines, 0, lead);
    }

    fn admonition(&mut self, admonition: &AdmonitionBlock<'_>, around: &Around) {
        let group = self.builder.group();
        let inner = Around { admonition: Some((admonition.label().to_owned(), group)), ..around.clone() };
        if let Some(content) = admonition.content() {
            self.paragraph(content, false, &inner);
            return;
        }
        let mut first = None;
        for block in admonition.child_blocks() {
            let before = self.builder.document.blocks.len();
            let paragraph = matches!(block, Block::Simple(_));
            self.blocks(std::iter::once(block), &if paragraph { inner.clone() } else { inner.led_by(first) });
            first = first.or((self.builder.document.blocks.len() > before).then_some(before));
        }
    }

    fn quote(&mut self, quote: &QuoteBlock<'_>, around: &Around) {
        if let Some(content) = quote.content() {
            self.paragraph(content, quote.type_() == QuoteType::Verse, around);
        } else {
            let outer = self.place;
            if quote.span().data().starts_with('>') {
                self.place = outer.inside(quote.span());
            }
            self.blocks(quote.blocks().iter(), around);
            self.place = outer;
        }
        let source = [quote.attribution(), quote.citetitle()];
        let source: Vec<&str> = source.into_iter().flatten().filter(|part| !part.is_empty()).collect();
        if !source.is_empty() {
            let whole = self.lines(quote.span());
            let line = quote.attrlist().map_or(whole.last, |attributes| self.enter(attributes.span()));
            let mut words = self.fresh();
            words.markup(&format!("\u{2014} {}", source.join("<br>")), line);
            self.add(Kind::Paragraph, words, LineRange::new(line, line), 0, around.lead);
        }
    }
}

/// Language of code: second place of `[source,java]`, or by name.
fn language(block: &Block<'_>) -> String {
    let Some(attributes) = block.attrlist() else { return String::new() };
    let language = attributes.named_attribute("language").or_else(|| attributes.nth_attribute(2));
    language.map(|language| language.value().trim().to_owned()).unwrap_or_default()
}

/// Alternative text of an image: the first place, or the words of its name as Asciidoctor takes them.
fn alternative(attributes: &Attrlist<'_>, target: &str) -> String {
    let alt =
        attributes.named_attribute("alt").or_else(|| attributes.nth_attribute(1)).map(|alt| alt.value());
    if let Some(alt) = alt.filter(|alt| !alt.trim().is_empty()) {
        return markup::plain(alt);
    }
    let name = target.rsplit('/').next().unwrap_or(target);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem).replace(['-', '_'], " ")
}

/// Code without the indentation that all its lines share.
fn dedented(code: &str) -> String {
    let mut shared: Option<&str> = None;
    for line in code.lines().filter(|line| !line.trim().is_empty()) {
        let end = line.find(|c| c != ' ' && c != '\t').unwrap_or(line.len());
        let indent = line.get(..end).unwrap_or("");
        let same = |one: &str| one.bytes().zip(indent.bytes()).take_while(|(a, b)| a == b).count();
        shared = Some(shared.map_or(indent, |one| one.get(..same(one)).unwrap_or("")));
    }
    let least = shared.map_or(0, str::len);
    let lines = code.lines().skip_while(|line| line.trim().is_empty());
    let lines: Vec<&str> = lines.map(|line| line.get(least..).unwrap_or("").trim_end()).collect();
    lines.join("\n").trim_end().to_owned()
}
