//! Notes, warnings and the like, what has a caption, and tabs.

use super::flow::{First, Place, Reader};
use super::names::is_heading;
use super::tree::{Id, Node};
use crate::Kind;
use crate::inline::Inline;

/// Classes that say that an element is a note of some kind.
const NOTES: &[&str] = &[
    // Docutils, Sphinx, MkDocs; topics and sidebars have a title of their own.
    "admonition",
    "topic",
    "sidebar",
    // Docusaurus, Asciidoctor, GitHub, VitePress, mdBook, Hugo Book, Bootstrap.
    "theme-admonition",
    "admonitionblock",
    "markdown-alert",
    "custom-block",
    "blockquote-tag",
    "book-hint",
    "callout",
    "alert",
];

/// Classes of tabs: MkDocs, two extensions of Sphinx, Docusaurus.
const TABS: &[&str] = &["tabbed-set", "sd-tab-set", "tab-set", "tabs-container"];

/// Kinds of notes, as classes of DocBook, of `details` in MkDocs, and behind `alert-`.
const KINDS: &[&str] = &[
    "note",
    "tip",
    "warning",
    "caution",
    "important",
    "danger",
    "attention",
    "hint",
    "error",
    "info",
    "seealso",
    "abstract",
    "success",
    "question",
    "failure",
    "bug",
    "example",
    "quote",
];

impl Reader<'_, '_> {
    /// Reads a note; `false` where the element is none.
    pub(super) fn note(&mut self, id: Id, place: &mut Place) -> bool {
        let tree = self.tree;
        let node = tree.node(id);
        if !is_note(node) {
            return self.footnote(id, place);
        }
        let title = self.title_of_note(id);
        let named = title.map(|title| tree.words(title)).filter(|words| !words.is_empty());
        let Some(label) = named.or_else(|| kind_of(node).map(str::to_owned)) else { return false };
        self.settle(place);
        let mut words = Inline::default();
        title.iter().for_each(|title| self.words_inside(*title, &mut words));
        self.taken.extend(title);
        let kind = kind_of(node).map(capital);
        let own = !KINDS.contains(&words.text().to_lowercase().as_str());
        let first = own.then_some(First::Titled(words, kind));
        let label = Some(capital(label.trim_end_matches(':')));
        let (group, lead, depth) = (self.builder.group(), place.lead, place.depth);
        let mut inner = Place { label, first, group, lead, depth, ..Place::default() };
        self.element_content(id, &mut inner);
        self.settle(&mut inner);
        true
    }

    /// The element that shows the label of a note.
    fn title_of_note(&self, id: Id) -> Option<Id> {
        let tree = self.tree;
        let is_title = |id: &Id| {
            let node = tree.node(*id);
            let named = |class: &str| class.contains("title") || class.contains("heading");
            is_heading(node.name)
                || node.name == "summary"
                || node.classes().any(|class| named(&class.to_ascii_lowercase()))
        };
        // mdBook's reference sets a quotation around it.
        let mut at = tree.elements(id).next();
        for _ in 0..2 {
            at = match at {
                Some(first) if !is_title(&first) && matches!(tree.node(first).name, "div" | "blockquote") => {
                    tree.elements(first).next()
                }
                at => at,
            };
        }
        // Asciidoctor sets the label into a cell beside the text.
        let cell = || tree.find(id, |node| node.name == "td" && node.has_class("icon"));
        at.filter(is_title).or_else(cell)
    }

    /// Reads a footnote of Docutils: its mark stands before its first paragraph.
    fn footnote(&mut self, id: Id, place: &mut Place) -> bool {
        let tree = self.tree;
        if !tree.node(id).classes().any(|class| matches!(class, "footnote" | "citation")) {
            return false;
        }
        let Some(label) = tree.elements(id).next().filter(|child| tree.node(*child).has_class("label"))
        else {
            return false;
        };
        self.settle(place);
        let mut mark = Inline::default();
        self.words(label, &mut mark);
        self.taken.insert(label);
        let mut inner = Place { first: Some(First::Marked(mark)), depth: place.depth, ..Place::default() };
        self.flow(id, &mut inner);
        self.flush(&mut inner);
        self.settle(&mut inner);
        true
    }

    /// Reads an element with a caption; `false` where it has none.
    pub(super) fn figure(&mut self, id: Id, place: &mut Place) -> bool {
        let tree = self.tree;
        let is_caption = |child: Id| is_caption(tree.node(child), tree.node(id));
        if !tree.elements(id).any(is_caption) {
            return false;
        }
        self.settle(place);
        let (lead, depth, label, group) = (place.lead, place.depth, place.label.clone(), place.group);
        let mut inner = Place { lead, inner: place.inner, depth, label, group, ..Place::default() };
        for child in tree.children(id) {
            if is_caption(child) && !self.skips(child) {
                self.flush(&mut inner);
                inner.inner = self.caption(child, inner.inner).or(inner.inner);
            } else {
                self.element(child, &mut inner);
            }
        }
        self.flush(&mut inner);
        true
    }

    /// Reads tabs: the label of each leads what it shows; `false` where the element has none.
    pub(super) fn tabs(&mut self, id: Id, place: &mut Place) -> bool {
        let tree = self.tree;
        if !tree.node(id).classes().any(|class| TABS.contains(&class)) {
            return false;
        }
        let is_label = |node: &Node| node.name == "label" || node.attribute("role") == Some("tab");
        let is_panel = |node: &Node| {
            let panel = |class: &str| matches!(class, "tabbed-block" | "sd-tab-content" | "tab-content");
            node.attribute("role") == Some("tabpanel") || node.classes().any(panel)
        };
        let mut parts = Vec::new();
        tree.visit(id, |part, node| {
            if !node.skip && (is_label(node) || is_panel(node)) {
                parts.push(part);
                return false;
            }
            !node.skip
        });
        let panels = parts.iter().filter(|part| is_panel(tree.node(**part))).count();
        if panels == 0 || 2 * panels != parts.len() {
            return false;
        }
        self.settle(place);
        let (mut labels, mut shown) = (Vec::new(), 0);
        for part in parts {
            if is_label(tree.node(part)) {
                labels.push(self.caption(part, place.inner));
                continue;
            }
            let inner = labels.get(shown).copied().flatten().or(place.inner);
            shown += 1;
            let lead = inner.or(place.lead);
            let mut inner = Place { lead, inner, depth: place.depth, ..Place::default() };
            self.element_content(part, &mut inner);
        }
        true
    }

    /// Adds a caption.
    pub(super) fn caption(&mut self, id: Id, lead: Option<usize>) -> Option<usize> {
        self.sees(self.tree.node(id));
        let mut inline = Inline::default();
        self.words_inside(id, &mut inline);
        self.images.clear();
        self.add(Kind::Caption, inline, 0, lead)
    }
}

fn is_note(node: &Node) -> bool {
    match node.name {
        "div" | "aside" | "section" | "blockquote" | "details" => {
            node.classes().any(|class| NOTES.contains(&class)) || kind_of(node).is_some()
        }
        _ => false,
    }
}

/// Kind of a note by its classes.
fn kind_of(node: &Node) -> Option<&'static str> {
    let plain = |class: &str| {
        let class = class.strip_prefix("alert-").map_or(class, |kind| kind.trim_start_matches('-'));
        KINDS.iter().copied().find(|kind| *kind == class)
    };
    // A quotation or an example of DocBook has no label.
    let fits = |kind: &&str| {
        node.name == "details" || !matches!(*kind, "example" | "quote" | "abstract" | "question")
    };
    node.classes().filter_map(plain).find(fits)
}

/// A label as shown: Docusaurus writes the kind of a note small.
fn capital(label: &str) -> String {
    let mut chars = label.chars();
    match chars.next().filter(|_| KINDS.contains(&label)) {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => label.to_owned(),
    }
}

/// Whether an element is the caption of the one around it.
fn is_caption(node: &Node, around: &Node) -> bool {
    let titled = || {
        let parts =
            ["table", "example", "figure", "listing", "listingblock", "imageblock", "equation", "procedure"];
        around.name == "div" && around.classes().any(|class| parts.contains(&class))
    };
    node.name == "figcaption"
        // Sphinx, above code and below old figures; Javadoc, above tables.
        || node.has_class("code-block-caption")
        || matches!(node.name, "p" | "div") && node.has_class("caption")
        // MkDocs and Docusaurus, above code.
        || node.has_class("filename") && around.has_class("highlight")
        || node.classes().any(|class| class.starts_with("codeBlockTitle"))
        // DocBook and Asciidoctor.
        || matches!(node.name, "p" | "div") && node.has_class("title") && titled()
}
