//! What the grammar of Java accepts and Java does not.

use assay_domain::code::Diagnostic;
use tree_sitter::{Node, Tree};

use super::place::{Source, clip};
use super::walk::{enough, said, visit};
use super::watch::{Stopped, Watch};

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
pub(super) fn check(
    source: &Source<'_>,
    tree: &Tree,
    watch: &Watch<'_>,
    out: &mut Vec<Diagnostic>,
) -> Result<(), Stopped> {
    let root = tree.root_node();
    let mut cursor = root.walk();
    let imports = root.children(&mut cursor).filter(|node| node.kind() == "import_declaration");
    let last_import = imports.last().map_or(0, |node| node.start_byte());
    visit(tree, watch, |spot| {
        let node = spot.node;
        let text = || source.text(node.byte_range());
        let message = match spot.kind {
            "identifier" | "type_identifier"
                if WORDS.contains(&text()) && spot.parent_kind() != "switch_label" =>
            {
                Some(format!("'{}' is a reserved word and cannot be a name", text()))
            }
            "expression_statement" if spot.parent_kind() != "switch_rule" && !acts(node) => {
                Some(format!("'{}' is a value and no statement", clip(text())))
            }
            "constructor_declaration" => {
                // In an enum its constants stand between.
                let class = if spot.outer_kind(2) == "enum_body" { spot.outer(3) } else { spot.outer(2) };
                let (class, own) = (class.map_or("", |class| name(source, class)), name(source, node));
                (!class.is_empty() && class != own).then(|| format!("the method '{own}' needs a return type"))
            }
            ";" if spot.parent_kind() == "program" && node.start_byte() < last_import => {
                Some("this ';' is one too many".to_owned())
            }
            _ => None,
        };
        out.extend(message.map(|message| said(source, node, "JAVA004", message)));
        enough(out)
    })
}

/// Whether an expression does something and so can be a statement.
fn acts(statement: Node<'_>) -> bool {
    statement.named_child(0).is_none_or(|child| {
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
    })
}

fn name<'a>(source: &Source<'a>, node: Node<'_>) -> &'a str {
    node.child_by_field_name("name").map_or("", |name| source.text(name.byte_range()))
}
