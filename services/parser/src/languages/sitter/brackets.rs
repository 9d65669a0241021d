//! Brackets of a program that its grammar rejects: the first that is not closed, or that closes nothing.

use assay_domain::code::{Category, Diagnostic};
use tree_sitter::{Node, Tree};

use super::Grammar;
use super::defects::before;
use crate::languages::error;
use crate::languages::walk::leaves;

/// Whether the line of a place holds what the grammar skipped or invented.
pub(super) fn in_error(tree: &Tree, code: &str, at: usize) -> bool {
    let start = code.get(..at).and_then(|text| text.rfind('\n')).map_or(0, |end| end + 1);
    let end = code.get(at..).and_then(|text| text.find('\n')).map_or(code.len(), |length| at + length);
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let touches = node.start_byte() <= end && node.end_byte() >= start;
        if touches && (node.is_error() && node.parent().is_some() || node.is_missing()) {
            return true;
        }
        if touches && node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
        }
    }
}

/// The column of a token that its line begins with.
fn first_of_line(code: &str, node: Node<'_>) -> Option<usize> {
    let line = code.get(..node.start_byte())?.rsplit('\n').next()?;
    line.trim().is_empty().then_some(line.len())
}

/// How far the line of a node is set in.
fn indent_of(code: &str, node: Node<'_>) -> usize {
    let start = code.get(..node.start_byte()).and_then(|text| text.rfind('\n')).map_or(0, |end| end + 1);
    let line = code.get(start..).unwrap_or_default();
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

/// The first bracket that is not closed, or that closes nothing.
pub(super) fn unbalanced(grammar: &Grammar, code: &str, tree: &Tree) -> Option<Diagnostic> {
    let mut open: Vec<Node<'_>> = Vec::new();
    let say = |node: Node<'_>, what: &str| {
        let (kind, after) = (node.kind(), before(code, node.start_byte()));
        let after = if after.is_empty() { String::new() } else { format!(", after '{after}'") };
        let message = format!("'{kind}' {what}{after}");
        Some(error(code, node.byte_range(), format!("{}003", grammar.prefix), Category::SyntaxError, message))
    };
    for leaf in leaves(tree) {
        if leaf.is_missing() {
            continue;
        }
        let opener = match leaf.kind() {
            "(" | "[" | "{" => {
                open.push(leaf);
                continue;
            }
            ")" => "(",
            "]" => "[",
            "}" => "{",
            _ => continue,
        };
        // A closer that begins its line and is set in as an outer opener is belongs to that one.
        if leaf.kind() == "}"
            && let Some(last) = open.last()
            && last.kind() == "{"
            && let Some(indent) = first_of_line(code, leaf)
            && last.start_position().row != leaf.start_position().row
            && indent_of(code, *last) != indent
            && open.iter().rev().skip(1).any(|outer| outer.kind() == "{" && indent_of(code, *outer) == indent)
            && indent_of(code, *last) > indent
        {
            return say(*last, "is not closed");
        }
        match open.last() {
            Some(last) if last.kind() == opener => {
                open.pop();
            }
            Some(last) if open.iter().any(|node| node.kind() == opener) => {
                return say(*last, "is not closed");
            }
            _ => return say(leaf, "closes nothing"),
        }
    }
    open.last().and_then(|node| say(*node, "is not closed"))
}
