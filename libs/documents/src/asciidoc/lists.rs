//! Lists and descriptions of terms.

use asciidoc_parser::blocks::{Block, ListBlock, ListItem, ListItemMarker};
use asciidoc_parser::content::Content;
use asciidoc_parser::{HasSpan, Span};
use assay_domain::LineRange;

use super::page::{Around, Page};
use super::words::Words;
use crate::Kind;
use crate::builder::MAX_DEPTH;

impl<'d> Page<'_, 'd, '_> {
    /// Reads a list with what its items hold.
    pub(super) fn list(&mut self, list: &ListBlock<'_>, around: &Around) {
        let items = list.child_blocks().filter_map(|item| match item {
            Block::ListItem(item) => Some(item),
            _ => None,
        });
        let first = u32::try_from(list.start().unwrap_or(1)).unwrap_or(1);
        self.items(&items.collect::<Vec<_>>(), first, around);
    }

    /// Reads items. The parser takes one with another marker, below a blank line, for a sibling in inner lists: it and
    /// those like it are a list inside the item above.
    fn items(&mut self, items: &[&ListItem<'_>], first: u32, around: &Around) {
        let Some(marker) = items.first().map(|item| item.list_item_marker()) else { return };
        let callouts = matches!(marker, ListItemMarker::Callout(_));
        let code =
            || self.builder.document.blocks.iter().rposition(|block| matches!(block.kind, Kind::Code { .. }));
        let lead = if callouts { code() } else { around.lead.or_else(|| self.builder.lead()) };
        let inner =
            Around { admonition: None, lead, lists: around.lists.saturating_add(1), tabs: around.tabs };
        let mut open = Open { group: self.builder.group(), number: first, terms: None };
        let mut rest = items;
        let mut last = lead;
        while let Some((item, after)) = rest.split_first() {
            let others = rest.iter().take_while(|item| !alike(&marker, &item.list_item_marker())).count();
            let (others, behind) = rest.split_at_checked(others).unwrap_or((&[], rest));
            if !others.is_empty() && usize::from(inner.lists) < MAX_DEPTH {
                self.items(others, 1, &Around { lead: last, tabs: false, ..inner.clone() });
                rest = behind;
                continue;
            }
            last = match item.list_item_marker() {
                ListItemMarker::DefinedTerm { term, .. } => self.term(item, &term, &mut open, &inner),
                marker => self.item(item, &marker, &mut open, &inner),
            };
            rest = after;
        }
        self.definition(None, &mut open, &inner);
    }

    fn item(
        &mut self,
        item: &ListItem<'_>,
        marker: &ListItemMarker<'_>,
        open: &mut Open<'d>,
        around: &Around,
    ) -> Option<usize> {
        let mut children = item.child_blocks().peekable();
        let mut lead = around.lead;
        let bullet = matches!(
            marker,
            ListItemMarker::Hyphen(_) | ListItemMarker::Asterisks(_) | ListItemMarker::Bullet(_)
        );
        let number = (!bullet).then_some(open.number);
        open.number = open.number.saturating_add(1);
        let principal =
            |block: &&Block<'_>| matches!(block, Block::Simple(_)) && !item.has_empty_principal_text();
        if let Some(Block::Simple(text)) = children.next_if(principal) {
            let lines = self.lines_of_item(item.span(), text.content());
            let words = self.words(text.content());
            let kind = Kind::Item { depth: around.lists, number, ticked: item.checkbox() };
            lead = self.add(kind, words, lines, open.group, around.lead).or(lead);
        }
        self.blocks(children, &Around { lead, tabs: false, ..around.clone() });
        lead
    }

    /// Lines from the marker of an item to the end of its first paragraph.
    fn lines_of_item(&mut self, item: Span<'_>, content: &Content<'_>) -> LineRange {
        let first = self.enter(item);
        LineRange::new(first, self.last(content.original()).unwrap_or(first).max(first))
    }

    /// Keeps a term until one with a description ends them.
    fn term(
        &mut self,
        item: &ListItem<'_>,
        term: &Content<'_>,
        open: &mut Open<'d>,
        around: &Around,
    ) -> Option<usize> {
        let mut line = self.enter(term.original());
        match &mut open.terms {
            Some((terms, lines)) => {
                // A term out of another file belongs to the last line of this one.
                if self.builder.file != terms.file {
                    self.builder.file.clone_from(&terms.file);
                    line = lines.last;
                }
                lines.last = lines.last.max(line);
                self.line = line;
                let words = self.words(term);
                terms.inline.push(", ", line);
                terms.inline.append(words.inline);
                terms.anchors.extend(words.anchors);
                terms.notes.extend(words.notes);
            }
            None => open.terms = Some((self.words(term), LineRange::new(line, line))),
        }
        let mut children = item.child_blocks().peekable();
        children.peek()?;
        let text = match children.next_if(|block| matches!(block, Block::Simple(_))) {
            Some(Block::Simple(text)) => Some(text.content()),
            _ => None,
        };
        let lead = self.definition(text, open, around);
        self.blocks(children, &Around { lead: lead.or(around.lead), tabs: false, ..around.clone() });
        lead
    }

    /// Adds the terms that are kept, with the first paragraph of their description.
    fn definition(
        &mut self,
        text: Option<&Content<'_>>,
        open: &mut Open<'d>,
        around: &Around,
    ) -> Option<usize> {
        let (mut words, mut lines) = open.terms.take()?;
        self.builder.file.clone_from(&words.file);
        self.line = lines.last;
        // The end of the term is known when its trailing white space is gone.
        words.inline = words.inline.finished();
        let term = 0..words.inline.len();
        if let Some(text) = text {
            let more = self.words(text);
            words.anchors.extend(more.anchors);
            words.notes.extend(more.notes);
            words.inline.separate('\n');
            words.inline.append(more.inline);
            lines.last = lines.last.max(self.last(text.original()).unwrap_or(0));
        }
        let kind = if around.tabs && text.is_none() { Kind::Caption } else { Kind::Definition { term } };
        self.add(kind, words, lines, open.group, around.lead)
    }
}

/// A list while its items are read.
struct Open<'d> {
    group: u32,
    number: u32,
    /// Terms that wait for their description, and the line of the first.
    terms: Option<(Words<'d>, LineRange)>,
}

/// Whether two markers belong to one list.
fn alike(one: &ListItemMarker<'_>, other: &ListItemMarker<'_>) -> bool {
    use ListItemMarker::{Asterisks, DefinedTerm, Dots};
    match (one, other) {
        (Asterisks(one), Asterisks(other)) | (Dots(one), Dots(other)) => one.data() == other.data(),
        (DefinedTerm { marker: one, .. }, DefinedTerm { marker: other, .. }) => one.data() == other.data(),
        _ => std::mem::discriminant(one) == std::mem::discriminant(other),
    }
}
