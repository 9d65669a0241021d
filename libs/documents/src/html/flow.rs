//! Makes blocks of the content of elements: headings, paragraphs, and what the other files here read.

use std::collections::HashSet;

use super::names::{is_block, level};
use super::tree::{Id, Node, Tree};
use super::words::{Image, is_inline};
use crate::builder::Builder;
use crate::inline::Inline;
use crate::{Kind, Style};

/// Where content stands: what its paragraphs become, and which block they belong to.
#[derive(Debug, Clone, Default)]
pub(super) struct Place {
    /// What the first paragraph becomes.
    pub(super) first: Option<First>,
    /// Label of the note around; its paragraphs have it.
    pub(super) label: Option<String>,
    /// Number of the list or note.
    pub(super) group: u32,
    /// The block that a further paragraph belongs to.
    pub(super) lead: Option<usize>,
    /// The block that introduces a list, a table or code.
    pub(super) inner: Option<usize>,
    /// Lists around.
    pub(super) depth: u8,
    /// Words since the last block.
    pub(super) pending: Inline,
}

/// What the first paragraph of an item, a description or a footnote becomes.
#[derive(Debug, Clone)]
pub(super) enum First {
    /// An item, whose number or box comes from the list.
    Item(Kind),
    /// A definition with its terms.
    Definition(Inline),
    /// A paragraph behind its mark, such as that of a footnote.
    Marked(Inline),
    /// A paragraph of a note. Where something else comes first, the title stands for it, below the kind of the note.
    Titled(Inline, Option<String>),
}

/// Reads one page.
pub(super) struct Reader<'b, 't> {
    pub(super) builder: &'b mut Builder<'t>,
    pub(super) tree: &'b Tree<'t>,
    /// Elements that were read in another place: labels, captions, boxes.
    pub(super) taken: HashSet<Id>,
    /// Whether a line break parts two terms.
    pub(super) of_term: bool,
    /// Whether the next word begins a further term.
    pub(super) next_term: bool,
    /// Whether the words are a formula.
    pub(super) of_formula: bool,
    /// Images of the present words.
    pub(super) images: Vec<Image>,
    /// Ids since the last word: of a section, and of any other element.
    section_id: Option<String>,
    other_id: Option<String>,
}

impl<'b, 't> Reader<'b, 't> {
    pub(super) fn new(builder: &'b mut Builder<'t>, tree: &'b Tree<'t>) -> Self {
        Self {
            builder,
            tree,
            taken: HashSet::new(),
            of_term: false,
            next_term: false,
            of_formula: false,
            images: Vec::new(),
            section_id: None,
            other_id: None,
        }
    }

    /// Whether an element is not read here.
    pub(super) fn skips(&self, id: Id) -> bool {
        self.tree.node(id).skip || self.taken.contains(&id)
    }

    /// Keeps the id of an element for the next heading.
    pub(super) fn sees(&mut self, node: &Node) {
        let Some(id) = node.id() else { return };
        let kept = match node.name {
            "section" | "div" | "article" => &mut self.section_id,
            _ => &mut self.other_id,
        };
        *kept = Some(id.to_owned());
    }

    /// Forgets ids: they belong to words that are no heading.
    pub(super) fn says_something(&mut self) {
        self.section_id = None;
        self.other_id = None;
    }

    /// The line of an element's tag.
    pub(super) fn line(&self, id: Id) -> u32 {
        self.builder.line_of(self.tree.node(id).start)
    }

    /// What introduces a list, a table or code here.
    pub(super) fn lead(&self, place: &Place) -> Option<usize> {
        place.inner.or_else(|| self.builder.lead())
    }

    /// Reads the content of an element.
    pub(super) fn flow(&mut self, id: Id, place: &mut Place) {
        let tree = self.tree;
        let mut last = None;
        for child in tree.children(id) {
            if tree.raw(child).trim().is_empty() {
                place.pending.space();
                continue;
            }
            if self.skips(child) {
                continue;
            }
            // A passage may begin inside of a list or table: neighbours without one make one.
            let run = run(tree.node(child).name);
            if let Some(name) = run.filter(|_| last != run) {
                self.orphans(name, child, place);
            } else if run.is_none() {
                self.element(child, place);
            }
            last = run;
        }
    }

    /// Reads an element with its tag.
    pub(super) fn element(&mut self, id: Id, place: &mut Place) {
        let node = self.tree.node(id);
        if is_inline(node) {
            let mut pending = std::mem::take(&mut place.pending);
            self.words(id, &mut pending);
            place.pending = pending;
        } else if !self.skips(id) {
            self.sees(node);
            self.block(id, node, place);
        }
    }

    /// Reads the content of an element as blocks of its own.
    pub(super) fn element_content(&mut self, id: Id, place: &mut Place) {
        self.sees(self.tree.node(id));
        self.flow(id, place);
        self.flush(place);
    }

    /// Reads items, terms or rows that stand in no list or table, from one on.
    fn orphans(&mut self, name: &str, from: Id, place: &mut Place) {
        self.flush(place);
        let tree = self.tree;
        let beside = |id: &Id| self.skips(*id) || tree.raw(*id).trim().is_empty();
        let member = |id: &Id| run(tree.node(*id).name) == Some(name) || beside(id);
        let run = tree.from(from).take_while(member);
        let run: Vec<Id> = run.collect();
        match name {
            "li" => self.items(&run, None, place),
            "dl" => self.definitions(&run, place),
            _ => self.rows(&run, None, place),
        }
    }

    /// Reads an element that is no part of a line.
    fn block(&mut self, id: Id, node: &Node, place: &mut Place) {
        if !is_block(node.name) {
            self.flow(id, place);
            return;
        }
        self.flush(place);
        match node.name {
            name if level(name).is_some() => self.heading(id, level(name).unwrap_or(1), place),
            "ul" | "ol" | "menu" | "dir" => {
                let items: Vec<Id> = self.tree.children(id).collect();
                self.items(&items, Some(id), place);
            }
            "dl" => {
                let children: Vec<Id> = self.tree.children(id).collect();
                self.definitions(&children, place);
            }
            "table" => self.table(id, place),
            "pre" | "listing" | "xmp" | "plaintext" => self.code(id, place),
            _ if self.grid(id, place) => {}
            // Docutils: lines that are kept as they are.
            _ if node.has_class("line-block") => {
                let mut lines = Inline::default();
                self.words_inside(id, &mut lines);
                place.pending = lines;
                self.flush(place);
            }
            _ if self.note(id, place) || self.figure(id, place) || self.tabs(id, place) => {}
            _ => {
                self.flow(id, place);
                self.flush(place);
            }
        }
    }

    fn heading(&mut self, id: Id, level: u8, place: &mut Place) {
        self.settle(place);
        let (section, other) = (self.section_id.take(), self.other_id.take());
        let own = self.own_id(id).or(section).or(other).unwrap_or_default();
        let mut inline = Inline::default();
        self.words_inside(id, &mut inline);
        self.images.clear();
        if let Some(lines) = inline.lines() {
            self.builder.heading(level, inline, lines, Some(&own));
        }
    }

    /// The id that a heading has itself: its own, the target of its permalink, or that of an element in it.
    fn own_id(&self, id: Id) -> Option<String> {
        let tree = self.tree;
        if let Some(own) = tree.node(id).id() {
            return Some(own.to_owned());
        }
        let mut target = None;
        let mut inner = None;
        tree.visit(id, |_, node| {
            let link = node
                .attribute("href")
                .filter(|_| node.name == "a")
                .and_then(|target| target.strip_prefix('#'));
            target = target.take().or_else(|| link.map(str::to_owned));
            inner = inner.take().or_else(|| node.id().map(str::to_owned));
            true
        });
        // Sphinx and MkDocs have the section's id in the permalink alone.
        target.filter(|target| !target.is_empty()).or(inner)
    }

    /// Adds a block with the lines of its words; none without words.
    pub(super) fn add(
        &mut self,
        kind: Kind,
        inline: Inline,
        group: u32,
        lead: Option<usize>,
    ) -> Option<usize> {
        let inline = inline.finished();
        let lines = inline.lines()?;
        self.builder.block(kind, inline, lines, group, lead)
    }

    /// Ends the present paragraph.
    pub(super) fn flush(&mut self, place: &mut Place) {
        let inline = std::mem::take(&mut place.pending);
        let images = std::mem::take(&mut self.images);
        if !inline.text().trim().is_empty() {
            self.paragraph(inline, place, None);
        } else if !images.is_empty() {
            self.pictures(images, place);
        }
    }

    /// Adds images that stand alone by the words that stand for them.
    fn pictures(&mut self, images: Vec<Image>, place: &mut Place) {
        let mut inline = Inline::default();
        for image in images {
            if image.alt.trim().is_empty() {
                self.builder.document.targets.push((image.target, image.line));
                continue;
            }
            inline.space();
            inline.styled(Style::Image(image.target), &image.alt, image.line);
        }
        if !inline.is_empty() {
            self.paragraph(inline, place, Some(Kind::Caption));
        }
    }

    /// Adds a paragraph as what its place makes of it.
    fn paragraph(&mut self, inline: Inline, place: &mut Place, kind: Option<Kind>) {
        let (kind, inline) = match place.first.take() {
            Some(First::Item(item)) => (item, inline),
            Some(First::Definition(term)) => return self.definition(term, Some(inline), place),
            Some(First::Marked(mut mark)) => {
                mark.space();
                mark.append(inline);
                (Kind::Paragraph, mark)
            }
            Some(First::Titled(..)) | None => return self.further(inline, place, kind),
        };
        let added = self.add(kind, inline, place.group, place.lead);
        place.lead = added.or(place.lead);
        place.inner = added.or(place.inner);
    }

    /// Adds a paragraph that is not the first one of an item or a description.
    fn further(&mut self, inline: Inline, place: &mut Place, kind: Option<Kind>) {
        let label = || place.label.clone().map(|label| Kind::Admonition { label });
        let kind = kind.or_else(label).unwrap_or(Kind::Paragraph);
        let group = if matches!(kind, Kind::Admonition { .. }) { place.group } else { 0 };
        let added = self.add(kind, inline, group, place.lead);
        if place.label.is_some() {
            place.inner = place.inner.or(added);
        }
    }

    /// Adds a definition: its terms, and the first paragraph where there is one.
    fn definition(&mut self, term: Inline, description: Option<Inline>, place: &mut Place) {
        let mut inline = term.finished();
        let term = 0..inline.len();
        if let Some(description) = description {
            inline.separate('\n');
            inline.append(description);
        }
        let added = self.add(Kind::Definition { term }, inline, place.group, place.lead);
        place.lead = added.or(place.lead);
        place.inner = added.or(place.inner);
    }

    /// Adds a term whose description does not begin with a paragraph.
    pub(super) fn settle(&mut self, place: &mut Place) {
        match place.first.take() {
            Some(First::Definition(term)) => self.definition(term, None, place),
            Some(First::Marked(mark)) => self.further(mark, place, None),
            Some(First::Titled(title, label)) => {
                let kind = label.map(|label| Kind::Admonition { label });
                self.further(title, place, kind);
            }
            first => place.first = first,
        }
    }
}

/// What an element makes with its neighbours where no list or table is around.
fn run(name: &str) -> Option<&'static str> {
    match name {
        "li" => Some("li"),
        "dt" | "dd" => Some("dl"),
        "tr" | "td" | "th" | "tbody" | "thead" | "tfoot" => Some("table"),
        _ => None,
    }
}
