//! What the grammar of Rust accepts and Rust does not, and what it does not know.

use assay_domain::code::Diagnostic;
use tree_sitter::{Node, Tree};

use super::place::{Source, clip};
use super::walk::{enough, said, visit};
use super::watch::{Stopped, Watch};

/// Words of Rust that are no names.
const WORDS: &[&str] = &[
    "as", "break", "const", "continue", "else", "enum", "extern", "false", "fn", "for", "if", "impl", "in",
    "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "static", "struct", "trait",
    "true", "type", "unsafe", "use", "where", "while",
];

/// Rules of Rust beyond its grammar.
pub(super) fn check(
    source: &Source<'_>,
    tree: &Tree,
    watch: &Watch<'_>,
    out: &mut Vec<Diagnostic>,
) -> Result<(), Stopped> {
    let root = tree.root_node();
    let mut cursor = root.walk();
    // A piece of a file, as answers hold them, may be statements alone.
    let whole = root.named_children(&mut cursor).any(|node| {
        node.kind() == "function_item"
            && node.child_by_field_name("name").is_some_and(|name| source.text(name.byte_range()) == "main")
    });
    visit(tree, watch, |spot| {
        let (node, around) = (spot.node, spot.parent_kind());
        let text = || source.text(node.byte_range());
        let message = match spot.kind {
            "identifier" | "type_identifier"
                if WORDS.contains(&text())
                    && !matches!(around, "token_tree" | "lifetime" | "label" | "attribute") =>
            {
                Some(format!("'{}' is a reserved word and cannot be a name", text()))
            }
            "empty_statement"
                if matches!(around, "source_file" | "declaration_list")
                    && !spot.before.is_some_and(is_macro) =>
            {
                Some("this ';' is one too many".to_owned())
            }
            "let_declaration" | "expression_statement" if whole && around == "source_file" => {
                let call = node.named_child(0).is_some_and(|child| child.kind() == "macro_invocation");
                (!call).then(|| format!("'{}' stands outside of a function", clip(text())))
            }
            _ => None,
        };
        out.extend(message.map(|message| said(source, node, "RS004", message)));
        enough(out)
    })
}

/// Whether a statement is the call of a macro, or defines one.
fn is_macro(node: Node<'_>) -> bool {
    node.kind().contains("macro") || node.named_child(0).is_some_and(|inner| inner.kind().contains("macro"))
}

/// Rust without the types of which only the name is told, as blocks of foreign functions have them and the grammar does
/// not know; same length, same lines.
pub(super) fn dialect(code: &str) -> String {
    let mut out = String::with_capacity(code.len());
    for line in code.split_inclusive('\n') {
        let body = line.trim();
        let body = body.strip_prefix("pub ").unwrap_or(body).trim_start();
        let name = body.strip_prefix("type ").and_then(|rest| rest.strip_suffix(';')).map(str::trim);
        let named = name
            .is_some_and(|name| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_'));
        match named {
            true => out.extend(line.chars().flat_map(|c| {
                let blank = if matches!(c, '\n' | '\r') { c } else { ' ' };
                std::iter::repeat_n(blank, c.len_utf8())
            })),
            false => out.push_str(line),
        }
    }
    out
}
