//! What the grammar of Rust accepts and Rust does not, and what it does not know.

use assay_domain::code::Diagnostic;
use tree_sitter::Tree;

use super::clip;
use super::walk::{said, visit};

/// Words of Rust that are no names.
const WORDS: &[&str] = &[
    "as", "break", "const", "continue", "else", "enum", "extern", "false", "fn", "for", "if", "impl", "in",
    "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "static", "struct", "trait",
    "true", "type", "unsafe", "use", "where", "while",
];

/// Rules of Rust beyond its grammar.
pub(super) fn check(code: &str, tree: &Tree, out: &mut Vec<Diagnostic>) {
    let root = tree.root_node();
    let mut cursor = root.walk();
    // A piece of a file, as answers hold them, may be statements alone.
    let whole = root.named_children(&mut cursor).any(|node| {
        let name = node.child_by_field_name("name").and_then(|name| code.get(name.byte_range()));
        node.kind() == "function_item" && name == Some("main")
    });
    visit(tree, |node| {
        let around = node.parent().map_or("", |parent| parent.kind());
        let text = || code.get(node.byte_range()).unwrap_or_default();
        let message = match node.kind() {
            "identifier" | "type_identifier"
                if WORDS.contains(&text())
                    && !matches!(around, "token_tree" | "lifetime" | "label" | "attribute") =>
            {
                format!("'{}' is a reserved word and cannot be a name", text())
            }
            "empty_statement"
                if matches!(around, "source_file" | "declaration_list")
                    && !node.prev_sibling().is_some_and(|before| {
                        before.kind().contains("macro")
                            || before.named_child(0).is_some_and(|inner| inner.kind().contains("macro"))
                    }) =>
            {
                "this ';' is one too many".to_owned()
            }
            "let_declaration" | "expression_statement" if whole && around == "source_file" => {
                let call = node.named_child(0).is_some_and(|child| child.kind() == "macro_invocation");
                if call {
                    return;
                }
                format!("'{}' stands outside of a function", clip(text()))
            }
            _ => return,
        };
        out.push(said(code, node, "RS004", message));
    });
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
