//! Nests the tags of a page by the rules of browsers, as far as they decide what a reader sees.
//!
//! HTML, section 13.2.6: implied end tags and scopes. Formatting that is closed in the wrong order is not opened again.

use std::collections::HashMap;

use html5gum::{DefaultEmitter, Token, Tokenizer};

use super::names::{is_block, is_heading, is_of_head, is_raw, is_table, is_void, known};
use super::tree::{Id, Node, Tree};
use crate::builder::MAX_DEPTH;

/// Elements that may be open at once. Pages of generators stay below 40.
const MAX_OPEN: usize = 2 * MAX_DEPTH;

/// What was made of a page.
pub(super) struct Parsed<'t> {
    pub(super) tree: Tree<'t>,
    /// Byte of the first element that lies too deep.
    pub(super) too_deep: Option<usize>,
}

struct Parser<'t> {
    tree: Tree<'t>,
    open: Vec<Id>,
    /// Elements that are open beyond the limit, by name.
    beyond: HashMap<&'static str, usize>,
    too_deep: Option<usize>,
    part: bool,
    xml: bool,
    wraps: usize,
}

/// Reads the tags and texts of a page; `part` is a passage whose first elements may begin above it.
pub(super) fn parse(text: &str, part: bool) -> Parsed<'_> {
    let mut emitter = DefaultEmitter::<usize>::new_with_span();
    emitter.naively_switch_states(true);
    let xml = text.trim_start_matches('\u{feff}').starts_with("<?xml");
    let mut parser = Parser {
        tree: Tree::new(text),
        open: Vec::new(),
        beyond: HashMap::new(),
        too_deep: None,
        part,
        xml,
        wraps: 0,
    };
    let from = if part { inside_of_tag(text) } else { 0 };
    for Ok(token) in Tokenizer::new_with_emitter(text.get(from..).unwrap_or(""), emitter) {
        match token {
            Token::StartTag(tag) => {
                let name = known(&tag.name);
                let mut node = Node::new(name, tag.span.start + from, tag.span.end + from);
                node.set_attributes(
                    tag.attributes.iter().map(|(name, value)| (name.as_slice(), value.as_slice())),
                );
                parser.start(node, tag.self_closing);
            }
            Token::EndTag(tag) => parser.end(known(&tag.name)),
            Token::String(words) => parser.words(words.span.start + from, words.span.end + from),
            Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
    }
    Parsed { tree: parser.tree, too_deep: parser.too_deep }
}

/// Bytes at the start of a passage that end a comment or a tag which begins above it.
fn inside_of_tag(text: &str) -> usize {
    if let Some(end) =
        text.find("-->").filter(|end| !text.get(..*end).is_some_and(|above| above.contains("<!--")))
    {
        return end + 3;
    }
    let Some(end) =
        text.find(['<', '>']).filter(|at| text.get(*at..).is_some_and(|rest| rest.starts_with('>')))
    else {
        return 0;
    };
    let above = text.get(..end).unwrap_or("").trim_end();
    if above.ends_with(['"', '\'', '/', '?']) { end + 1 } else { 0 }
}

impl Parser<'_> {
    fn name(&self, id: Id) -> &'static str {
        self.tree.node(id).name
    }

    fn top(&self) -> Id {
        self.open.last().copied().unwrap_or(0)
    }

    fn words(&mut self, start: usize, end: usize) {
        let blank = self.tree.text.get(start..end).is_none_or(|words| words.trim().is_empty());
        if self.name(self.top()) == "head" && !blank {
            self.open.pop();
        }
        let parent = self.top();
        self.tree.append(parent, Node::new("#", start, end), false);
    }

    fn start(&mut self, node: Node, self_closing: bool) {
        let name = node.name;
        self.close_before(name);
        let empty = is_void(name) || self_closing && (self.xml || matches!(name, "" | "svg"));
        let parent = self.top();
        if self.open.len() >= MAX_OPEN && !empty && !is_raw(name) {
            self.too_deep = self.too_deep.or(Some(node.start));
            *self.beyond.entry(name).or_default() += 1;
            // Words of two blocks are not one word.
            if is_block(name) {
                self.tree.append(parent, Node::new("hr", node.start, node.end), true);
            }
            return;
        }
        let id = self.tree.append(parent, node, is_block(name));
        if !empty {
            self.open.push(id);
        }
    }

    /// Closes what the start of an element ends.
    fn close_before(&mut self, name: &str) {
        if self.open.last().is_some_and(|top| self.name(*top) == "head") && !is_of_head(name) {
            self.open.pop();
        }
        if is_block(name) {
            self.close(|open| open == "p", is_scope);
        }
        match name {
            "li" => self.close(|open| open == "li", is_special),
            "dt" | "dd" => self.close(|open| matches!(open, "dt" | "dd"), is_special),
            "a" => self.close(|open| open == "a", is_block),
            "td" | "th" => {
                self.close(|open| matches!(open, "td" | "th"), |open| matches!(open, "table" | "tr"))
            }
            "tr" => self.close(
                |open| matches!(open, "tr" | "caption" | "colgroup"),
                |open| matches!(open, "table" | "tbody" | "thead" | "tfoot"),
            ),
            "tbody" | "thead" | "tfoot" | "caption" | "colgroup" => self.close(
                |open| matches!(open, "tbody" | "thead" | "tfoot" | "caption" | "colgroup"),
                |open| open == "table",
            ),
            name if is_heading(name) && is_heading(self.name(self.top())) => drop(self.open.pop()),
            _ => {}
        }
    }

    /// Closes the innermost open element of these, unless one that stops the search lies inside of it.
    fn close(&mut self, these: impl Fn(&str) -> bool, stops: impl Fn(&str) -> bool) {
        self.close_found(these, stops);
    }

    fn close_found(&mut self, these: impl Fn(&str) -> bool, stops: impl Fn(&str) -> bool) -> bool {
        for at in (0..self.open.len()).rev() {
            let name = self.open.get(at).map_or("", |id| self.name(*id));
            if these(name) {
                self.open.truncate(at);
                self.beyond.clear();
                return true;
            }
            if stops(name) {
                return false;
            }
        }
        false
    }

    fn end(&mut self, name: &'static str) {
        if let Some(count) = self.beyond.get_mut(name).filter(|count| **count > 0) {
            *count -= 1;
            if is_block(name) {
                let at = self.tree.text.len();
                let parent = self.top();
                self.tree.append(parent, Node::new("hr", at, at), true);
            }
            return;
        }
        let found = match name {
            _ if is_heading(name) => self.close_found(is_heading, is_scope),
            "table" => self.close_found(|open| open == name, |_| false),
            _ if is_table(name) => self.close_found(|open| open == name, |open| open == "table"),
            "li" => {
                self.close_found(|open| open == name, |open| is_scope(open) || matches!(open, "ul" | "ol"))
            }
            _ if is_block(name)
                || is_raw(name)
                || matches!(name, "head" | "noscript" | "template" | "svg") =>
            {
                self.close_found(|open| open == name, is_scope)
            }
            _ => self.close_found(|open| open == name, is_block),
        };
        if !found && self.part {
            self.end_of_above(name);
        }
    }

    /// Ends an element that begins above the passage: everything so far is inside.
    fn end_of_above(&mut self, name: &'static str) {
        let implied = |id: &Id| {
            let name = self.name(*id);
            name == "p" || matches!(name, "li" | "dt" | "dd" | "option") || is_table(name) && name != "table"
        };
        let holds_words =
            matches!(name, "p" | "dt") || is_heading(name) || !is_block(name) && !is_hidden_raw(name);
        let fits = !(name.is_empty() || is_void(name) || holds_words && self.tree.node(0).has_block);
        if fits && self.wraps < MAX_DEPTH && self.open.iter().all(implied) {
            self.wraps += 1;
            self.open.clear();
            self.tree.wrap(name, is_block(name));
        }
    }
}

/// Whether what came before its end tag is surely not shown.
fn is_hidden_raw(name: &str) -> bool {
    is_raw(name) || matches!(name, "head" | "noscript" | "svg" | "select" | "template")
}

/// Whether an end tag does not reach beyond an element.
fn is_scope(name: &str) -> bool {
    matches!(name, "table" | "td" | "th" | "caption" | "html" | "template" | "button" | "object" | "svg")
}

/// Whether the start of an item does not end items beyond an element.
fn is_special(name: &str) -> bool {
    is_block(name) && !matches!(name, "address" | "div" | "p" | "li" | "dt" | "dd") || is_scope(name)
}
