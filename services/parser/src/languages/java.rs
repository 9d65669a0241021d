//! What the grammar of Java accepts and Java does not.

use assay_domain::code::Diagnostic;
use tree_sitter::{Node, Tree};

use super::clip;
use super::walk::{said, visit};

/// Words of Java that are no names.
const WORDS: &[&str] = &[
    "abstract",
    "assert",
    "boolean",
    "break",
    "byte",
    "case",
    "catch",
    "char",
    "class",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extends",
    "false",
    "final",
    "finally",
    "float",
    "for",
    "goto",
    "if",
    "implements",
    "import",
    "instanceof",
    "int",
    "interface",
    "long",
    "native",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "short",
    "static",
    "strictfp",
    "super",
    "switch",
    "synchronized",
    "this",
    "throw",
    "throws",
    "transient",
    "true",
    "try",
    "void",
    "volatile",
    "while",
];

/// Rules of Java beyond its grammar.
pub(super) fn check(code: &str, tree: &Tree, out: &mut Vec<Diagnostic>) {
    visit(tree, |node| {
        let text = || code.get(node.byte_range()).unwrap_or_default();
        let message = match node.kind() {
            "identifier" | "type_identifier"
                if WORDS.contains(&text())
                    && node.parent().is_none_or(|around| around.kind() != "switch_label") =>
            {
                format!("'{}' is a reserved word and cannot be a name", text())
            }
            "expression_statement" if node.parent().is_none_or(|around| around.kind() != "switch_rule") => {
                let acts = node.named_child(0).is_none_or(|child| {
                    matches!(
                        child.kind(),
                        "assignment_expression"
                            | "update_expression"
                            | "method_invocation"
                            | "object_creation_expression"
                            | "switch_expression"
                            | "line_comment"
                            | "block_comment"
                    )
                });
                if acts {
                    return;
                }
                format!("'{}' is a value and no statement", clip(text()))
            }
            "constructor_declaration" => {
                let name = |node: Node<'_>| {
                    node.child_by_field_name("name")
                        .and_then(|name| code.get(name.byte_range()))
                        .unwrap_or_default()
                };
                let class = node.parent().and_then(|body| body.parent());
                // In an enum its constants stand between.
                let class = class
                    .filter(|class| class.kind() != "enum_body")
                    .or_else(|| class.and_then(|body| body.parent()));
                match class {
                    Some(class) if !name(class).is_empty() && name(class) != name(node) => {
                        format!("the method '{}' needs a return type", name(node))
                    }
                    _ => return,
                }
            }
            ";" if node.parent().is_some_and(|around| around.kind() == "program") => {
                let mut next = node.next_sibling();
                while next.is_some_and(|next| next.kind() != "import_declaration") {
                    next = next.and_then(|next| next.next_sibling());
                }
                if next.is_none() {
                    return;
                }
                "this ';' is one too many".to_owned()
            }
            _ => return,
        };
        out.push(said(code, node, "JAVA004", message));
    });
}
