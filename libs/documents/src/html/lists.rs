//! Lists, tasks and definitions.

use super::flow::{First, Place, Reader};
use super::tree::Id;
use crate::inline::Inline;
use crate::{Kind, Style};

/// Elements between an item and its box: a paragraph, a label.
const BOX_DEPTH: usize = 4;

impl Reader<'_, '_> {
    /// Reads the items of a list.
    pub(super) fn items(&mut self, children: &[Id], list: Option<Id>, place: &mut Place) {
        self.settle(place);
        let tree = self.tree;
        let ordered = list.filter(|list| tree.node(*list).name == "ol");
        let number =
            |id: Id, name: &str| tree.node(id).attribute(name).and_then(|value| value.trim().parse().ok());
        let mut next: u32 = ordered.and_then(|list| number(list, "start")).unwrap_or(1);
        let group = self.builder.group();
        let lead = self.lead(place);
        let depth = place.depth.saturating_add(1);
        let said = |child: &Id| !tree.node(*child).skip && !tree.raw(*child).trim().is_empty();
        for child in children.iter().copied().filter(said) {
            if tree.node(child).name != "li" {
                self.loose(child, depth - 1, lead);
                continue;
            }
            self.sees(tree.node(child));
            let shown = number(child, "value").unwrap_or(next);
            next = shown.saturating_add(1);
            let kind = Kind::Item { depth, number: ordered.map(|_| shown), ticked: self.ticked(child) };
            let first = Some(First::Item(kind));
            let mut place = Place { first, group, lead, inner: lead, depth, ..Place::default() };
            self.flow(child, &mut place);
            self.flush(&mut place);
        }
    }

    /// Reads what stands between the items of a list: a list without an item of its own, or words.
    fn loose(&mut self, child: Id, depth: u8, lead: Option<usize>) {
        let last = self.builder.document.blocks.len().checked_sub(1).filter(|last| Some(*last) > lead);
        let mut place = Place { depth: depth + 1, inner: last.or(lead), ..Place::default() };
        self.element(child, &mut place);
        self.flush(&mut place);
    }

    /// Whether the box at the start of an item is ticked.
    fn ticked(&self, item: Id) -> Option<bool> {
        let tree = self.tree;
        let mut at = item;
        for _ in 0..BOX_DEPTH {
            let shown = |child: &Id| !tree.raw(*child).trim().is_empty();
            at = tree.children(at).find(shown)?;
            let node = tree.node(at);
            if node.name == "input" {
                let is_box = node.attribute("type").is_some_and(|kind| kind.eq_ignore_ascii_case("checkbox"));
                return is_box.then(|| node.attribute("checked").is_some());
            }
        }
        None
    }

    /// Reads the terms and descriptions of a list.
    pub(super) fn definitions(&mut self, children: &[Id], place: &mut Place) {
        self.settle(place);
        let (group, lead, depth) = (self.builder.group(), self.lead(place), place.depth);
        let mut members = Vec::new();
        self.members(children, &mut members);
        let mut term = Inline::default();
        for child in members {
            let tree = self.tree;
            if tree.node(child).name == "dt" {
                self.term(child, &mut term);
                continue;
            }
            let mut inner = Place { group, lead, inner: lead, depth, ..Place::default() };
            let words = std::mem::take(&mut term);
            if !words.is_empty() {
                inner.first = Some(First::Definition(words));
            }
            match tree.node(child).name {
                "dd" => self.element_content(child, &mut inner),
                _ => self.element(child, &mut inner),
            }
            self.flush(&mut inner);
            self.settle(&mut inner);
        }
        if !term.is_empty() {
            self.settle(&mut Place { first: Some(First::Definition(term)), group, lead, ..Place::default() });
        }
    }

    /// Terms and descriptions, also those that stand in a group of their own.
    fn members(&self, children: &[Id], members: &mut Vec<Id>) {
        let tree = self.tree;
        for child in children.iter().copied().filter(|child| !self.skips(*child)) {
            let node = tree.node(child);
            match node.name {
                "div" => {
                    members.extend(tree.children(child).filter(|child| !tree.raw(*child).trim().is_empty()))
                }
                _ if tree.raw(child).trim().is_empty() => {}
                _ => members.push(child),
            }
        }
    }

    /// Adds a term to those of the same description.
    fn term(&mut self, id: Id, terms: &mut Inline) {
        self.sees(self.tree.node(id));
        self.of_term = true;
        let mut term = Inline::default();
        // Sphinx: the signature of an object is set as code.
        let signature = self.tree.node(id).has_class("sig");
        if signature {
            term.open(Style::Code);
        }
        self.words_inside(id, &mut term);
        if signature {
            term.close();
        }
        self.of_term = false;
        self.next_term = false;
        self.images.clear();
        if term.is_empty() {
            return;
        }
        if !terms.is_empty() {
            terms.separate(',');
            terms.space();
        }
        terms.append(term);
    }
}
