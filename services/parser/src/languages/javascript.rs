//! What the grammars of JavaScript and TypeScript accept and the languages do not.

use std::collections::HashSet;

use assay_domain::code::Diagnostic;
use tree_sitter::{Node, Tree};

use super::clip;
use super::walk::{said, visit};

/// Words of JavaScript that are no names.
const WORDS: &[&str] = &[
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "import",
    "in",
    "instanceof",
    "new",
    "null",
    "return",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "var",
    "void",
    "while",
    "with",
];

/// Rules of JavaScript beyond its grammar.
pub(super) fn check(code: &str, tree: &Tree, out: &mut Vec<Diagnostic>) {
    typescript(code, tree, out);
    visit(tree, |node| match node.kind() {
        "program" | "statement_block" => declared_twice(code, node, out),
        "variable_declarator" => unset_constant(code, node, out),
        "break_statement" | "continue_statement" if node.named_child_count() == 0 => {
            stray_jump(code, node, out)
        }
        _ => {}
    });
}

/// Rules of JavaScript and TypeScript beyond their grammars.
pub(super) fn typescript(code: &str, tree: &Tree, out: &mut Vec<Diagnostic>) {
    visit(tree, |node| {
        let parent = node.parent();
        let around = parent.map_or("", |parent| parent.kind());
        let text = || code.get(node.byte_range()).unwrap_or_default();
        let message = match node.kind() {
            "," => {
                let before = node.prev_sibling().map_or("", |before| before.kind());
                let hole = match around {
                    "arguments" => matches!(before, "," | "("),
                    "object" | "object_pattern" | "named_imports" | "export_clause" => {
                        matches!(before, "," | "{")
                    }
                    _ => false,
                };
                match (hole, around) {
                    (false, _) => return,
                    (true, "arguments") => "an argument is missing before ','".to_owned(),
                    (true, _) => "a property or name is missing before ','".to_owned(),
                }
            }
            "identifier" | "statement_identifier" | "shorthand_property_identifier" => {
                let named = matches!(
                    around,
                    "export_specifier"
                        | "import_specifier"
                        | "namespace_export"
                        | "jsx_attribute"
                        | "member_expression"
                );
                if named || !WORDS.contains(&text()) || around.starts_with("jsx_") {
                    return;
                }
                format!("'{}' is a reserved word and cannot be a name", text())
            }
            "try_statement" => {
                let caught =
                    node.child_by_field_name("handler").or_else(|| node.child_by_field_name("finalizer"));
                if caught.is_some() {
                    return;
                }
                "'try' needs a 'catch' or 'finally'".to_owned()
            }
            "jsx_element" => {
                let name = |field: &str| {
                    let tag = node.child_by_field_name(field)?;
                    Some(
                        tag.child_by_field_name("name")
                            .map_or("", |name| code.get(name.byte_range()).unwrap_or_default()),
                    )
                };
                match (name("open_tag"), name("close_tag")) {
                    (Some(open), Some(close)) if open != close => {
                        format!("'<{open}>' is closed by '</{close}>'")
                    }
                    _ => return,
                }
            }
            "jsx_expression" if matches!(around, "jsx_opening_element" | "jsx_self_closing_element") => {
                if node.named_child(0).is_none_or(|child| child.kind() == "spread_element") {
                    return;
                }
                format!("'=' or '...' is missing before '{}'", clip(text()))
            }
            "import_statement" | "export_statement" if around == "statement_block" => {
                let outer = parent.and_then(|block| block.parent()).map_or("", |outer| outer.kind());
                if matches!(outer, "module" | "internal_module" | "ambient_declaration" | "ERROR") {
                    return;
                }
                format!("'{}' stands inside of a block; imports and exports stand outside", clip(text()))
            }
            "expression_statement"
                if node
                    .named_child(0)
                    .is_some_and(|child| matches!(child.kind(), "function_expression" | "class")) =>
            {
                let word = text().split([' ', '(', '{', '*']).next().unwrap_or_default();
                format!("a name is missing after '{word}'")
            }
            "return_statement"
            | "expression_statement"
            | "lexical_declaration"
            | "variable_declaration"
            | "break_statement"
            | "continue_statement"
            | "throw_statement" => {
                let Some(next) =
                    node.next_sibling().filter(|next| next.is_named() && next.kind() != "comment")
                else {
                    return;
                };
                let ended =
                    text().ends_with([';', '}']) || next.start_position().row > node.end_position().row;
                if ended
                    || next.kind() == "empty_statement"
                    || !matches!(around, "program" | "statement_block")
                {
                    return;
                }
                format!(
                    "';' or a line end is missing before '{}'",
                    clip(code.get(next.byte_range()).unwrap_or_default())
                )
            }
            _ => return,
        };
        out.push(said(code, node, "JS004", message));
    });
}

/// Names that a block declares twice.
fn declared_twice(code: &str, block: Node<'_>, out: &mut Vec<Diagnostic>) {
    let mut names = HashSet::new();
    let mut cursor = block.walk();
    let statements: Vec<Node<'_>> = block.named_children(&mut cursor).collect();
    for statement in statements {
        if !matches!(statement.kind(), "lexical_declaration" | "class_declaration") {
            continue;
        }
        let mut cursor = statement.walk();
        let found: Vec<Node<'_>> = match statement.kind() {
            "class_declaration" => statement.child_by_field_name("name").into_iter().collect(),
            _ => statement
                .named_children(&mut cursor)
                .filter_map(|one| one.child_by_field_name("name"))
                .collect(),
        };
        for name in found.into_iter().filter(|name| name.kind() == "identifier") {
            let text = code.get(name.byte_range()).unwrap_or_default();
            if !names.insert(text) {
                out.push(said(code, name, "JS005", format!("'{text}' is declared twice in this block")));
            } else if text == "let" {
                out.push(said(
                    code,
                    name,
                    "JS004",
                    "'let' is a reserved word and cannot be a name".to_owned(),
                ));
            }
        }
    }
}

fn unset_constant(code: &str, declarator: Node<'_>, out: &mut Vec<Diagnostic>) {
    let Some(declaration) = declarator.parent() else { return };
    let constant = declaration.kind() == "lexical_declaration"
        && declaration.child(0).is_some_and(|kind| kind.kind() == "const");
    if constant && declarator.child_by_field_name("value").is_none() {
        let text = clip(code.get(declarator.byte_range()).unwrap_or_default());
        out.push(said(
            code,
            declarator,
            "JS006",
            format!("the constant '{text}' has no value; '= …' is missing"),
        ));
    }
}

fn stray_jump(code: &str, jump: Node<'_>, out: &mut Vec<Diagnostic>) {
    let mut around = jump.parent();
    while let Some(node) = around {
        match node.kind() {
            "for_statement" | "for_in_statement" | "while_statement" | "do_statement" => return,
            "switch_statement" if jump.kind() == "break_statement" => return,
            kind if kind.contains("function") || matches!(kind, "method_definition" | "class_body") => break,
            _ => around = node.parent(),
        }
    }
    let word = clip(code.get(jump.byte_range()).unwrap_or_default());
    out.push(said(code, jump, "JS007", format!("'{}' outside of a loop", word.trim_end_matches(';'))));
}
