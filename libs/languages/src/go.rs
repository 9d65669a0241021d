//! What the grammar of Go accepts and Go does not: statements beside the declarations of a file, lines inside brackets
//! that end without their comma, and braces that begin a line of their own.

use assay_domain::code::{Category, Diagnostic};
use tree_sitter::{Node, Tree};

use super::place::{Source, clip};
use super::walk::{Spot, enough, visit};
use super::watch::{Stopped, Watch};

/// Rules beyond the grammar, for a program that the grammar accepts.
pub(super) fn check(
    source: &Source<'_>,
    tree: &Tree,
    watch: &Watch<'_>,
    out: &mut Vec<Diagnostic>,
) -> Result<(), Stopped> {
    let root = tree.root_node();
    let mut cursor = root.walk();
    let children: Vec<Node<'_>> = root.named_children(&mut cursor).collect();
    // A piece of a file, as answers hold them, may be statements alone.
    if children.iter().any(|node| node.kind() == "package_clause") {
        let stray = children.iter().find(|node| {
            !matches!(
                node.kind(),
                "package_clause"
                    | "import_declaration"
                    | "function_declaration"
                    | "method_declaration"
                    | "type_declaration"
                    | "var_declaration"
                    | "const_declaration"
                    | "comment"
            )
        });
        if let Some(node) = stray {
            let text = clip(source.text(node.byte_range()));
            let message = format!("'{text}' is no declaration; statements stand inside functions");
            out.push(source.error(node.byte_range(), "GO004", Category::UnexpectedConstruct, message));
        }
    }
    visit(tree, watch, |spot| {
        if matches!(spot.kind, "literal_value" | "argument_list" | "parameter_list") {
            commas(source, spot.node, out);
        }
        if let Some(before) = spot.before.filter(|before| parted(source, &spot, *before)) {
            let text = source.before(before.end_byte());
            let message = format!("'{{' must stand in the line of what is before it, behind '{text}'");
            let at = spot.node.start_byte();
            out.push(source.error(at..at + 1, "GO001", Category::SyntaxError, message));
        }
        enough(out)
    })
}

/// Whether a block begins in another line than the head before it, whose line end is a semicolon to Go.
fn parted(source: &Source<'_>, spot: &Spot<'_, '_>, before: Node<'_>) -> bool {
    let headed = match spot.kind {
        "block" => matches!(
            spot.parent_kind(),
            "if_statement" | "for_statement" | "function_declaration" | "method_declaration" | "func_literal"
        ),
        "{" => matches!(spot.parent_kind(), "expression_switch_statement" | "type_switch_statement"),
        _ => false,
    };
    headed
        && before.end_position().row < spot.node.start_position().row
        && !matches!(before.kind(), "for" | "else" | "if" | "switch" | ";" | "comment")
        // The clauses of a `for` may end in a semicolon of their own.
        && !source.text(before.byte_range()).ends_with(';')
}

/// A closing bracket on a line of its own needs a comma before it.
fn commas(source: &Source<'_>, node: Node<'_>, out: &mut Vec<Diagnostic>) {
    let mut cursor = node.walk();
    let mut children =
        node.children(&mut cursor).filter(|child| child.kind() != "comment").collect::<Vec<_>>();
    let (Some(close), Some(before)) = (children.pop(), children.pop()) else { return };
    let open = matches!(before.kind(), "(" | "{" | ",");
    if !open && close.start_position().row > before.end_position().row {
        let end = before.end_byte();
        let text = clip(source.text(before.byte_range()));
        let message = format!("',' is missing before the line end, after '{text}'");
        out.push(source.error(end..end, "GO002", Category::SyntaxError, message));
    }
}
