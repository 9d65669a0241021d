//! Walks over syntax trees with a cursor, never by recursion.

use assay_domain::code::{Category, Diagnostic};
use tree_sitter::{Node, Tree};

use super::error;

/// Calls `each` with every node of a tree, in text order.
pub(super) fn visit<'tree>(tree: &'tree Tree, mut each: impl FnMut(Node<'tree>)) {
    let mut cursor = tree.walk();
    loop {
        each(cursor.node());
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// The leaves of a tree, in text order.
pub(super) fn leaves(tree: &Tree) -> Vec<Node<'_>> {
    let mut out = Vec::new();
    visit(tree, |node| {
        if node.child_count() == 0 {
            out.push(node);
        }
    });
    out
}

/// A mistake of form over a node.
pub(super) fn said(code: &str, node: Node<'_>, id: &str, message: String) -> Diagnostic {
    error(code, node.byte_range(), id.to_owned(), Category::SyntaxError, message)
}
