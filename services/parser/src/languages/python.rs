//! What the grammar of Python accepts and Python 3 does not: empty bodies, stray indentation, statements of Python 2,
//! `return` and `break` outside of what they leave.

use assay_domain::code::{Category, Diagnostic};
use tree_sitter::{Node, Tree};

use super::{clip, error};

pub(super) fn check(code: &str, tree: &Tree, out: &mut Vec<Diagnostic>) {
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
            // A loop of an enclosing function does not count.
            let around = within(
                node,
                &["for_statement", "while_statement", "function_definition", "class_definition"],
            );
            if !around.is_some_and(|kind| kind.ends_with("_statement")) {
                say("PY005", format!("'{}' outside of a loop", clip(text(code, node))));
            }
        }
        "block" | "module" => indentation(code, node, out),
        _ => {
            if let Some(body) =
                node.child_by_field_name("body").or_else(|| node.child_by_field_name("consequence"))
                && body.kind() == "block"
                && body.named_child_count() == 0
            {
                say("PY006", format!("'{}' needs an indented body", clip(text(code, node))));
            }
        }
    }
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

/// Statements of one block start in one column; those of the module in the first.
fn indentation(code: &str, block: Node<'_>, out: &mut Vec<Diagnostic>) {
    let mut expected = (block.kind() == "module").then_some(0);
    let mut line = None;
    let mut cursor = block.walk();
    for child in block.named_children(&mut cursor) {
        let start = child.start_position();
        if child.kind() == "comment" || child.kind() == "line_continuation" || line == Some(start.row) {
            continue;
        }
        line = Some(child.end_position().row);
        match expected {
            None => expected = Some(start.column),
            Some(column) if column != start.column => {
                let first = clip(text(code, child));
                out.push(error(
                    code,
                    child.byte_range(),
                    "PY007".to_owned(),
                    Category::UnexpectedConstruct,
                    format!("unexpected indentation before '{first}'"),
                ));
                return;
            }
            Some(_) => {}
        }
    }
}
