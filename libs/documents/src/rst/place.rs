//! The place of a block: what holds it, and what its first paragraph becomes.

use assay_domain::LineRange;

use super::Reader;
use crate::Kind;
use crate::inline::Inline;

/// What holds the lines that are read.
#[derive(Debug, Clone, Default)]
pub(super) struct Place {
    /// Levels of nesting.
    pub(super) depth: usize,
    /// Levels of lists.
    pub(super) lists: u8,
    /// The block that introduces what comes.
    pub(super) lead: Option<usize>,
    /// The admonition that holds the lines.
    pub(super) note: Option<Note>,
    /// What the next paragraph becomes or is added to.
    pub(super) pending: Option<Pending>,
    /// Whether titles open sections.
    pub(super) titles: bool,
    /// Full name of the object that is described.
    pub(super) object: String,
}

/// An admonition.
#[derive(Debug, Clone)]
pub(super) struct Note {
    pub(super) label: String,
    pub(super) group: u32,
    /// The block that introduces it.
    pub(super) lead: Option<usize>,
}

/// What waits for a paragraph.
#[derive(Debug, Clone)]
pub(super) enum Pending {
    /// A list item.
    Item { number: Option<u32>, group: u32, line: u32 },
    /// Terms, which also stand without a description, each for itself then.
    Terms(Vec<Terms>),
    /// Words before the paragraph, which also stand alone.
    Prefix { words: Inline, lines: LineRange },
    /// An image, whose caption the paragraph is.
    Caption { image: Inline, lines: LineRange },
}

/// Terms of a definition.
#[derive(Debug, Clone)]
pub(super) struct Terms {
    pub(super) words: Inline,
    pub(super) group: u32,
    pub(super) lines: LineRange,
    /// Whether their description is not indented: it is one paragraph, and holds nothing further.
    pub(super) bare: bool,
}

impl Terms {
    /// Terms that share a description.
    fn together(terms: Vec<Self>) -> Option<Self> {
        terms.into_iter().reduce(|mut all, next| {
            all.words.push(", ", next.lines.first);
            all.words.append(next.words);
            all.lines.last = next.lines.last;
            all
        })
    }
}

impl Place {
    /// A place inside of this one, without what waits and without titles.
    pub(super) fn inner(&self) -> Self {
        Self { depth: self.depth + 1, pending: None, titles: false, ..self.clone() }
    }

    /// A place inside of this one whose first paragraph becomes something.
    pub(super) fn holding(&self, pending: Pending) -> Self {
        Self { pending: Some(pending), note: None, ..self.inner() }
    }
}

impl Reader<'_, '_> {
    /// Adds a paragraph as what the place makes of it.
    pub(super) fn paragraph(&mut self, inline: Inline, lines: LineRange, place: &mut Place) {
        if inline.is_empty() {
            return;
        }
        match place.pending.take() {
            Some(Pending::Item { number, group, line }) => {
                let kind = Kind::Item { depth: place.lists, number, ticked: None };
                let lines = LineRange::new(line, lines.last);
                place.lead = self.builder.block(kind, inline, lines, group, place.lead).or(place.lead);
            }
            Some(Pending::Terms(terms)) => {
                if let Some(terms) = Terms::together(terms) {
                    self.definition(terms, Some((inline, lines)), place);
                }
            }
            Some(Pending::Prefix { mut words, lines: above }) => {
                words.space();
                words.append(inline);
                self.prose(words, LineRange::new(above.first, lines.last), place);
            }
            Some(Pending::Caption { mut image, lines: above }) => {
                image.append(inline);
                let lines = LineRange::new(above.first, lines.last);
                place.lead = self.builder.block(Kind::Caption, image, lines, 0, place.lead).or(place.lead);
            }
            None => self.prose(inline, lines, place),
        }
    }

    fn prose(&mut self, inline: Inline, lines: LineRange, place: &mut Place) {
        let Some(Note { label, group, lead }) = place.note.clone() else {
            self.builder.block(Kind::Paragraph, inline, lines, 0, place.lead);
            return;
        };
        let first = place.lead == lead;
        let added = self.builder.block(Kind::Admonition { label }, inline, lines, group, lead);
        if first {
            place.lead = added.or(place.lead);
        }
    }

    fn definition(&mut self, terms: Terms, description: Option<(Inline, LineRange)>, place: &mut Place) {
        let Terms { words: mut text, group, mut lines, bare } = terms;
        let kind = Kind::Definition { term: 0..text.len() };
        if let Some((words, below)) = description {
            text.separate('\n');
            text.append(words);
            lines.last = below.last;
        }
        let added = self.builder.block(kind, text, lines, group, place.lead);
        place.lead = added.filter(|_| !bare).or(place.lead);
    }

    /// Adds what waits for a paragraph and stands without one.
    pub(super) fn settle(&mut self, place: &mut Place) {
        match place.pending.take() {
            Some(Pending::Terms(terms)) => {
                terms.into_iter().for_each(|terms| self.definition(terms, None, place));
            }
            Some(Pending::Prefix { words, lines }) => self.prose(words, lines, place),
            Some(Pending::Caption { image, lines }) => {
                place.lead = self.builder.block(Kind::Caption, image, lines, 0, place.lead).or(place.lead);
            }
            Some(Pending::Item { .. }) | None => {}
        }
    }

    /// The block that introduces a list, a table or code here.
    pub(super) fn lead(&mut self, place: &mut Place) -> Option<usize> {
        self.settle(place);
        self.builder.lead().or(place.lead)
    }
}
