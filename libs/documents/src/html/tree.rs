//! The elements and texts of a page, as a browser nests them.

use std::borrow::Cow;

use html5gum::{Token, Tokenizer};

/// Number of a node; the root is 0.
pub(super) type Id = u32;

/// Attributes that a rule asks for.
const ATTRIBUTES: &[&str] = &[
    "alt",
    "aria-hidden",
    "aria-label",
    "checked",
    "class",
    "colspan",
    "data-lang",
    "data-language",
    "hidden",
    "href",
    "id",
    "name",
    "role",
    "rowspan",
    "src",
    "start",
    "style",
    "title",
    "type",
    "value",
];

/// An element or a text.
#[derive(Debug)]
pub(super) struct Node {
    /// Name of the element; empty for one without rules; `#` for a text.
    pub(super) name: &'static str,
    /// First byte of the tag or text.
    pub(super) start: usize,
    /// Byte behind the tag or text.
    pub(super) end: usize,
    /// Whether a block is inside.
    pub(super) has_block: bool,
    /// Whether it is not shown, or is no part of what the page says.
    pub(super) skip: bool,
    pub(super) parent: Option<Id>,
    first: Option<Id>,
    last: Option<Id>,
    next: Option<Id>,
    attributes: Option<Box<[(&'static str, String)]>>,
}

/// What an unknown number names.
static NOWHERE: Node = Node::new("", 0, 0);

impl Node {
    pub(super) const fn new(name: &'static str, start: usize, end: usize) -> Self {
        Self {
            name,
            start,
            end,
            has_block: false,
            skip: false,
            parent: None,
            first: None,
            last: None,
            next: None,
            attributes: None,
        }
    }

    pub(super) fn is_text(&self) -> bool {
        self.name == "#"
    }

    /// Value of an attribute.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        let attributes = self.attributes.as_deref()?;
        attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    /// Keeps the attributes that a rule asks for.
    pub(super) fn set_attributes<'a>(&mut self, all: impl Iterator<Item = (&'a [u8], &'a [u8])>) {
        let kept = all.filter_map(|(name, value)| {
            let name = ATTRIBUTES.iter().find(|known| known.as_bytes() == name)?;
            Some((*name, String::from_utf8_lossy(value).into_owned()))
        });
        let kept: Box<[_]> = kept.collect();
        self.attributes = (!kept.is_empty()).then_some(kept);
    }

    /// Its classes.
    pub(super) fn classes(&self) -> impl Iterator<Item = &str> {
        self.attribute("class").unwrap_or("").split_ascii_whitespace()
    }

    pub(super) fn has_class(&self, name: &str) -> bool {
        self.classes().any(|class| class == name)
    }

    /// Its id, or the name of an anchor.
    pub(super) fn id(&self) -> Option<&str> {
        let name = || self.attribute("name").filter(|_| self.name == "a");
        self.attribute("id").or_else(name).map(str::trim).filter(|id| !id.is_empty())
    }
}

/// A page.
#[derive(Debug)]
pub(super) struct Tree<'t> {
    pub(super) text: &'t str,
    nodes: Vec<Node>,
}

impl<'t> Tree<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, nodes: vec![Node::new("", 0, 0)] }
    }

    pub(super) fn node(&self, id: Id) -> &Node {
        self.nodes.get(id as usize).unwrap_or(&NOWHERE)
    }

    pub(super) fn node_mut(&mut self, id: Id) -> Option<&mut Node> {
        self.nodes.get_mut(id as usize)
    }

    /// Number of nodes.
    pub(super) fn len(&self) -> Id {
        Id::try_from(self.nodes.len()).unwrap_or(Id::MAX)
    }

    /// Adds a node as the last child. Says that a block is inside where it is one.
    pub(super) fn append(&mut self, parent: Id, node: Node, block: bool) -> Id {
        let id = self.len();
        self.nodes.push(Node { parent: Some(parent), ..node });
        let last = self.node(parent).last;
        if let Some(last) = last.and_then(|last| self.node_mut(last)) {
            last.next = Some(id);
        }
        if let Some(parent) = self.node_mut(parent) {
            parent.first = parent.first.or(Some(id));
            parent.last = Some(id);
        }
        let mut above = block.then_some(parent);
        while let Some(node) = above.and_then(|at| self.node_mut(at)).filter(|node| !node.has_block) {
            node.has_block = true;
            above = node.parent;
        }
        id
    }

    /// Puts everything so far into one element: what an end tag ends whose start lies above the passage.
    pub(super) fn wrap(&mut self, name: &'static str, block: bool) {
        let id = self.len();
        let children: Vec<Id> = self.children(0).collect();
        let root = self.node(0);
        let (first, last, has_block) = (root.first, root.last, root.has_block);
        for child in children {
            if let Some(child) = self.node_mut(child) {
                child.parent = Some(id);
            }
        }
        self.nodes.push(Node { first, last, has_block, parent: Some(0), ..Node::new(name, 0, 0) });
        if let Some(root) = self.node_mut(0) {
            root.first = Some(id);
            root.last = Some(id);
            root.has_block |= block;
        }
    }

    /// Children of a node, in order.
    pub(super) fn children(&self, id: Id) -> impl Iterator<Item = Id> {
        std::iter::successors(self.node(id).first, |child| self.node(*child).next)
    }

    /// A node and those behind it in the same element.
    pub(super) fn from(&self, id: Id) -> impl Iterator<Item = Id> {
        std::iter::successors(Some(id), |at| self.node(*at).next)
    }

    /// A text as written; `.` for an element.
    pub(super) fn raw(&self, id: Id) -> &'t str {
        let node = self.node(id);
        if node.is_text() { self.text.get(node.start..node.end).unwrap_or("") } else { "." }
    }

    /// Element children of a node that are shown.
    pub(super) fn elements(&self, id: Id) -> impl Iterator<Item = Id> {
        self.children(id).filter(|child| !self.node(*child).is_text() && !self.node(*child).skip)
    }

    /// Nodes above one, the nearest first.
    pub(super) fn ancestors(&self, id: Id) -> impl Iterator<Item = Id> {
        std::iter::successors(self.node(id).parent, |above| self.node(*above).parent)
    }

    /// Visits the nodes below one in order; `each` says whether to go into a node.
    pub(super) fn visit(&self, root: Id, mut each: impl FnMut(Id, &Node) -> bool) {
        let mut at = self.node(root).first;
        while let Some(id) = at {
            let node = self.node(id);
            let enters = each(id, node);
            at = node.first.filter(|_| enters).or_else(|| self.behind(id, root));
        }
    }

    /// The next node that is not below this one.
    fn behind(&self, id: Id, root: Id) -> Option<Id> {
        let mut id = id;
        loop {
            let node = self.node(id);
            if node.next.is_some() {
                return node.next;
            }
            id = node.parent.filter(|parent| *parent != root)?;
        }
    }

    /// The first shown element below one that a rule is true for.
    pub(super) fn find(&self, root: Id, rule: impl Fn(&Node) -> bool) -> Option<Id> {
        let mut at = self.node(root).first;
        while let Some(id) = at {
            let node = self.node(id);
            if !node.skip && !node.is_text() && rule(node) {
                return Some(id);
            }
            at = node.first.filter(|_| !node.skip).or_else(|| self.behind(id, root));
        }
        None
    }

    /// Words of a text as shown, line by line, each with its first byte. A line keeps its line break.
    pub(super) fn lines_of(&self, node: &Node) -> impl Iterator<Item = (usize, Cow<'t, str>)> {
        let raw = self.text.get(node.start..node.end).unwrap_or("");
        let mut at = node.start;
        raw.split_inclusive('\n').map(move |line| {
            let start = at;
            at += line.len();
            (start, decoded(line))
        })
    }

    /// Words below a node with single spaces: for labels and titles.
    pub(super) fn words(&self, root: Id) -> String {
        let mut words = String::new();
        self.visit(root, |_, node| {
            if node.is_text() && !node.skip {
                self.lines_of(node).for_each(|(_, line)| words.push_str(&line));
            }
            !node.skip
        });
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// Resolves character references; drops NUL, soft hyphens and spaces without width.
pub(super) fn decoded(line: &str) -> Cow<'_, str> {
    let dropped = |c: char| matches!(c, '\0' | '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}');
    let resolved = if line.contains('&') { Cow::Owned(resolved(line)) } else { Cow::Borrowed(line) };
    if resolved.contains(dropped) || resolved.contains('\r') {
        return Cow::Owned(resolved.replace("\r\n", "\n").replace('\r', " ").replace(dropped, ""));
    }
    resolved
}

/// Resolves character references of text without tags.
fn resolved(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    // A `<` would begin a tag here where the text is that of a title.
    for (index, part) in line.split('<').enumerate() {
        if index > 0 {
            out.push('<');
        }
        for Ok(token) in Tokenizer::new(part) {
            if let Token::String(words) = token {
                out.push_str(&String::from_utf8_lossy(&words));
            }
        }
    }
    out
}
