//! What the grammar of Python accepts and Python 3 does not, and where a mistake of layout really is: colons of headers,
//! indentation, statements of Python 2, `return` and `break` outside of what they leave.

use assay_domain::code::{Category, Diagnostic};
use tree_sitter::{Node, Tree};

use super::sitter::leaves;
use super::{clip, error};

/// Words that open a block and end their line, or their head, with a colon.
const HEADERS: &[&str] =
    &["if", "elif", "else", "for", "while", "def", "class", "with", "try", "except", "finally", "async"];

/// Rules beyond the grammar, for a program that the grammar accepts.
pub(super) fn check(code: &str, tree: &Tree, out: &mut Vec<Diagnostic>) {
    if let Some(mistake) = layout(code, tree) {
        // What else is wrong may follow from it.
        out.push(mistake);
        return;
    }
    let mut cursor = tree.walk();
    loop {
        node(code, cursor.node(), out);
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

/// A logical line: what stands between two line ends outside of brackets and strings.
struct Line<'tree> {
    first: Node<'tree>,
    last: Node<'tree>,
    /// Whether a colon stands outside of brackets.
    colon: bool,
}

/// The first mistake of layout: a header without its colon, a body without its indentation, a step that fits nothing.
pub(super) fn layout(code: &str, tree: &Tree) -> Option<Diagnostic> {
    let mut levels = vec![0];
    let mut header: Option<Node<'_>> = None;
    for line in lines(code, tree) {
        let say = |id: &str, message: String| {
            let range = line.first.start_byte()..line.last.end_byte();
            Some(error(code, range, id.to_owned(), Category::UnexpectedConstruct, message))
        };
        let first = clip(code.get(line.first.start_byte()..line.last.end_byte()).unwrap_or_default());
        let column = line.first.start_position().column;
        let current = levels.last().copied().unwrap_or(0);
        if let Some(header) = header {
            if column <= current {
                let opener = clip(code.get(header.start_byte()..).unwrap_or_default());
                return say("PY006", format!("'{opener}' needs an indented body before '{first}'"));
            }
            levels.push(column);
        } else if column > current {
            return say("PY007", format!("unexpected indentation before '{first}'"));
        } else {
            while levels.last().is_some_and(|level| *level > column) {
                levels.pop();
            }
            if levels.last() != Some(&column) {
                return say("PY007", format!("the indentation before '{first}' fits no outer block"));
            }
        }
        let word = text(code, line.first);
        if HEADERS.contains(&word) && !line.colon {
            let end = line.last.end_byte();
            let message = format!("':' is missing after '{first}'");
            return Some(error(code, end..end, "PY002".to_owned(), Category::SyntaxError, message));
        }
        header = (text(code, line.last) == ":").then_some(line.first);
    }
    None
}

fn lines<'tree>(code: &str, tree: &'tree Tree) -> Vec<Line<'tree>> {
    let mut out: Vec<Line<'tree>> = Vec::new();
    let mut depth = 0_i32;
    let mut continued = false;
    let mut strings = 0_u32;
    let mut row = None;
    for leaf in leaves(tree) {
        if leaf.is_missing() || leaf.kind() == "comment" || leaf.byte_range().is_empty() {
            continue;
        }
        if leaf.kind() == "line_continuation" {
            continued = true;
            continue;
        }
        let kind = leaf.kind();
        let colon = depth == 0 && kind == ":";
        let starts =
            depth == 0 && strings == 0 && !continued && row.is_none_or(|row| leaf.start_position().row > row);
        match out.last_mut().filter(|_| !starts) {
            Some(line) => {
                line.last = leaf;
                line.colon |= colon;
            }
            None => out.push(Line { first: leaf, last: leaf, colon }),
        }
        continued = code
            .get(leaf.end_byte()..)
            .is_some_and(|rest| rest.trim_start_matches([' ', '\t']).starts_with('\\'));
        row = Some(leaf.end_position().row);
        match kind {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = (depth - 1).max(0),
            "string_start" => strings += 1,
            "string_end" => strings = strings.saturating_sub(1),
            _ => {}
        }
    }
    out
}

fn node(code: &str, node: Node<'_>, out: &mut Vec<Diagnostic>) {
    let mut say = |id: &str, message: String| {
        out.push(error(code, node.byte_range(), id.to_owned(), Category::UnexpectedConstruct, message));
    };
    match node.kind() {
        "print_statement" | "exec_statement" => {
            say("PY003", format!("'{}' is Python 2; call it with parentheses", clip(text(code, node))));
        }
        "return_statement" | "yield" if within(node, &["function_definition", "lambda"]).is_none() => {
            say("PY004", format!("'{}' outside of a function", clip(text(code, node))));
        }
        "break_statement" | "continue_statement" => {
            // A loop around the function does not count.
            let around = within(
                node,
                &["for_statement", "while_statement", "function_definition", "class_definition"],
            );
            if !around.is_some_and(|kind| kind.ends_with("_statement")) {
                say("PY005", format!("'{}' outside of a loop", clip(text(code, node))));
            }
        }
        "list_splat" | "dictionary_splat"
            if node.parent().is_some_and(|around| splat_is_operand(around, node)) =>
        {
            say("PY001", format!("'{}' cannot stand here in Python", clip(text(code, node))));
        }
        _ => {}
    }
}

/// Whether a starred expression stands where only a value may.
fn splat_is_operand(around: Node<'_>, splat: Node<'_>) -> bool {
    around.kind().ends_with("_operator")
        || ["function", "value", "object"].iter().any(|field| {
            matches!(around.kind(), "call" | "subscript" | "attribute")
                && around.child_by_field_name(field) == Some(splat)
        })
}

fn text<'a>(code: &'a str, node: Node<'_>) -> &'a str {
    code.get(node.byte_range()).unwrap_or_default()
}

/// The kind of the nearest enclosing node that is one of these.
fn within<'tree>(node: Node<'tree>, kinds: &[&str]) -> Option<&'tree str> {
    let mut around = node.parent();
    while let Some(node) = around {
        if kinds.contains(&node.kind()) {
            return Some(node.kind());
        }
        around = node.parent();
    }
    None
}
