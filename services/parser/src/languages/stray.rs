//! What the grammars of JavaScript, TypeScript, Java and Rust accept and the languages do not.

use std::collections::HashSet;

use assay_domain::code::{Category, Diagnostic};
use tree_sitter::{Node, Tree};

use super::{clip, error};

/// Words of JavaScript that are no names.
const JS_WORDS: &[&str] = &[
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
/// Words of Java that are no names.
const JAVA_WORDS: &[&str] = &[
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
/// Words of Rust that are no names.
const RUST_WORDS: &[&str] = &[
    "as", "break", "const", "continue", "else", "enum", "extern", "false", "fn", "for", "if", "impl", "in",
    "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "static", "struct", "trait",
    "true", "type", "unsafe", "use", "where", "while",
];

/// Rules of JavaScript beyond its grammar.
pub(super) fn javascript(code: &str, tree: &Tree, out: &mut Vec<Diagnostic>) {
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
                if named || !JS_WORDS.contains(&text()) || around.starts_with("jsx_") {
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
        out.push(say(code, node, "JS004", message));
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
                out.push(say(code, name, "JS005", format!("'{text}' is declared twice in this block")));
            } else if text == "let" {
                out.push(say(
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
        out.push(say(
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
    out.push(say(code, jump, "JS007", format!("'{}' outside of a loop", word.trim_end_matches(';'))));
}

/// Rules of Java beyond its grammar.
pub(super) fn java(code: &str, tree: &Tree, out: &mut Vec<Diagnostic>) {
    visit(tree, |node| {
        let text = || code.get(node.byte_range()).unwrap_or_default();
        let message = match node.kind() {
            "identifier" | "type_identifier"
                if JAVA_WORDS.contains(&text())
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
        out.push(say(code, node, "JAVA004", message));
    });
}

/// Rules of Rust beyond its grammar.
pub(super) fn rust(code: &str, tree: &Tree, out: &mut Vec<Diagnostic>) {
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
                if RUST_WORDS.contains(&text())
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
        out.push(say(code, node, "RS004", message));
    });
}

/// Rust without the types of which only the name is told, as blocks of foreign functions have them and the grammar does
/// not know; same length, same lines.
pub(super) fn rust_types(code: &str) -> String {
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

/// SQL without the words of SQLite that its grammar does not know; same length, same lines.
pub(super) fn sql(code: &str) -> String {
    const WORD: &str = "autoincrement";
    let mut out = code.as_bytes().to_vec();
    let lower = code.to_ascii_lowercase();
    for (at, _) in lower.match_indices(WORD) {
        out[at..at + WORD.len()].fill(b' ');
    }
    String::from_utf8(out).unwrap_or_else(|_| code.to_owned())
}

fn say(code: &str, node: Node<'_>, id: &str, message: String) -> Diagnostic {
    error(code, node.byte_range(), id.to_owned(), Category::SyntaxError, message)
}

fn visit<'tree>(tree: &'tree Tree, mut each: impl FnMut(Node<'tree>)) {
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
