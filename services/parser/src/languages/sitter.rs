//! Languages with a tree-sitter grammar: the places where the grammar had to skip or to invent text become errors in
//! words. Walks with a cursor, never by recursion.

use std::ops::ControlFlow;

use assay_domain::code::{Category, Diagnostic};
use tree_sitter::{Language, Node, ParseOptions, Parser, Tree};

use super::{Stop, clip, error, go, python, stray};

/// Errors of one program that are reported; what follows many is noise.
const MOST: usize = 20;

/// A grammar with what its diagnostics are called.
pub(super) struct Grammar {
    /// Prefix of its codes.
    prefix: &'static str,
    /// Name in messages.
    name: &'static str,
    language: fn() -> Language,
    /// Whether brackets pair up in every program; in shell and SQL they need not.
    brackets: bool,
    /// What the grammar accepts and the language does not.
    stricter: Option<fn(&str, &Tree, &mut Vec<Diagnostic>)>,
    /// Takes out words of dialects that the grammar does not know; the text keeps its length.
    dialect: Option<fn(&str) -> String>,
    /// Where a mistake of layout really is, for a program that the grammar rejects.
    layout: Option<fn(&str, &Tree) -> Option<Diagnostic>>,
}

macro_rules! grammars {
    ($($constant:ident = $prefix:literal, $name:literal, $language:expr, $brackets:literal, $stricter:expr, $dialect:expr;)*) => {
        $(pub(super) static $constant: Grammar = Grammar {
            prefix: $prefix,
            name: $name,
            language: || $language.into(),
            brackets: $brackets,
            stricter: $stricter,
            dialect: $dialect,
            layout: None,
        };)*
    };
}

grammars! {
    BASH = "SH", "shell", tree_sitter_bash::LANGUAGE, false, Some(stray::shell), None;
    GO = "GO", "Go", tree_sitter_go::LANGUAGE, true, Some(go::check), None;
    JAVA = "JAVA", "Java", tree_sitter_java::LANGUAGE, true, None, None;
    JAVASCRIPT = "JS", "JavaScript", tree_sitter_javascript::LANGUAGE, true, Some(stray::javascript), None;
    RUST = "RS", "Rust", tree_sitter_rust::LANGUAGE, true, None, None;
    SQL = "SQL", "SQL", tree_sitter_sequel::LANGUAGE, false, None, Some(stray::sql);
    TSX = "TSX", "TypeScript", tree_sitter_typescript::LANGUAGE_TSX, true, Some(stray::javascript), None;
    TYPESCRIPT = "TS", "TypeScript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT, true, Some(stray::javascript), None;
}

pub(super) static PYTHON: Grammar = Grammar {
    prefix: "PY",
    name: "Python",
    language: || tree_sitter_python::LANGUAGE.into(),
    brackets: true,
    stricter: Some(python::check),
    dialect: None,
    layout: Some(python::layout),
};

/// Parses; `None` if stopped, or if the grammar cannot be loaded at all.
pub(super) fn parse(grammar: &Grammar, code: &str, stop: Stop<'_>) -> Option<Vec<Diagnostic>> {
    let mut parser = Parser::new();
    parser.set_language(&(grammar.language)()).ok()?;
    let known = grammar.dialect.map(|dialect| dialect(code));
    let bytes = known.as_deref().unwrap_or(code).as_bytes();
    let mut progress = |_: &tree_sitter::ParseState| {
        if stop() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let tree = parser.parse_with_options(
        &mut |offset, _| bytes.get(offset..).unwrap_or_default(),
        None,
        Some(ParseOptions::new().progress_callback(&mut progress)),
    )?;
    let mut out = Vec::new();
    if tree.root_node().has_error() {
        // The grammar recovers late; brackets and layout tell the place better where they are the mistake.
        let place = Some(()).filter(|()| grammar.brackets).and_then(|()| unbalanced(grammar, code, &tree));
        let place = place.or_else(|| grammar.layout.and_then(|layout| layout(code, &tree)));
        match place {
            Some(diagnostic) => out.push(diagnostic),
            None => defects(grammar, code, &tree, &mut out),
        }
    }
    if out.is_empty()
        && let Some(stricter) = grammar.stricter
    {
        stricter(code, &tree, &mut out);
    }
    out.sort_by_key(|diagnostic| (diagnostic.line, diagnostic.column));
    out.dedup_by_key(|diagnostic| diagnostic.line);
    out.truncate(MOST);
    Some(out)
}

/// The leaves of a tree, in text order.
pub(super) fn leaves(tree: &Tree) -> Vec<Node<'_>> {
    let mut out = Vec::new();
    let mut cursor = tree.walk();
    loop {
        if cursor.goto_first_child() {
            continue;
        }
        out.push(cursor.node());
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return out;
            }
        }
    }
}

/// The first bracket that is not closed, or that closes nothing.
fn unbalanced(grammar: &Grammar, code: &str, tree: &Tree) -> Option<Diagnostic> {
    let mut open: Vec<Node<'_>> = Vec::new();
    let say = |node: Node<'_>, what: &str| {
        let (kind, after) = (node.kind(), before(code, node.start_byte()));
        let after = if after.is_empty() { String::new() } else { format!(", after '{after}'") };
        let message = format!("'{kind}' {what}{after}");
        Some(error(code, node.byte_range(), format!("{}003", grammar.prefix), Category::SyntaxError, message))
    };
    for leaf in leaves(tree) {
        if leaf.is_missing() {
            continue;
        }
        let opener = match leaf.kind() {
            "(" | "[" | "{" => {
                open.push(leaf);
                continue;
            }
            ")" => "(",
            "]" => "[",
            "}" => "{",
            _ => continue,
        };
        match open.last() {
            Some(last) if last.kind() == opener => {
                open.pop();
            }
            Some(last) if open.iter().any(|node| node.kind() == opener) => {
                return say(*last, "is not closed");
            }
            _ => return say(leaf, "closes nothing"),
        }
    }
    open.last().and_then(|node| say(*node, "is not closed"))
}

/// Visits the nodes that hold errors, in text order.
fn defects(grammar: &Grammar, code: &str, tree: &Tree, out: &mut Vec<Diagnostic>) {
    let mut cursor = tree.walk();
    // Descending may have to be repeated beside a node that was left.
    loop {
        let node = cursor.node();
        let mut down = node.has_error();
        if node.is_missing() {
            out.push(missing(grammar, code, node));
            down = false;
        } else if node.is_error() && node.parent().is_some() {
            out.push(unexpected(grammar, code, node));
            down = false;
        } else if node.is_error() && !has_inner_defect(node) {
            // The whole text is one error.
            out.push(unexpected(grammar, code, node));
            down = false;
        }
        if out.len() >= 4 * MOST || (down && cursor.goto_first_child()) {
            if out.len() >= 4 * MOST {
                return;
            }
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                if out.is_empty() {
                    out.push(unexpected(grammar, code, tree.root_node()));
                }
                return;
            }
        }
    }
}

fn has_inner_defect(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| child.has_error() || child.is_missing())
}

fn before(code: &str, offset: usize) -> String {
    let line = code.get(..offset).unwrap_or_default().trim_end();
    let line = line.rsplit('\n').next().unwrap_or_default().trim_start();
    let start = line.char_indices().rev().nth(29).map_or(0, |(at, _)| at);
    line[start..].to_owned()
}

fn unexpected(grammar: &Grammar, code: &str, node: Node<'_>) -> Diagnostic {
    let mut range = node.byte_range();
    // White space in front belongs to nobody.
    let text = code.get(range.clone()).unwrap_or_default();
    range.start += text.len() - text.trim_start().len();
    let near = clip(code.get(range.start..).unwrap_or_default().get(..range.len().max(1)).unwrap_or(text));
    let after = before(code, range.start);
    let mut message = if near.is_empty() {
        format!("the {} code ends too early", grammar.name)
    } else {
        format!("'{near}' cannot stand here in {}", grammar.name)
    };
    if !after.is_empty() {
        message.push_str(&format!(", after '{after}'"));
    }
    error(code, range, format!("{}001", grammar.prefix), Category::SyntaxError, message)
}

fn missing(grammar: &Grammar, code: &str, node: Node<'_>) -> Diagnostic {
    let kind = node.kind();
    let what = match kind {
        "identifier"
        | "type_identifier"
        | "field_identifier"
        | "property_identifier"
        | "word"
        | "variable_name" => "a name is missing".to_owned(),
        _ if !node.is_named() => format!("'{kind}' is missing"),
        "\n" | "_newline" | "newline" => "a line end is missing".to_owned(),
        _ => format!("{} is missing", article(kind)),
    };
    // A missing token stands where the next one begins; the place to look at is the end of the text before.
    let end = code.get(..node.start_byte()).unwrap_or_default().trim_end().len();
    let after = before(code, end);
    let message = if after.is_empty() { what } else { format!("{what} after '{after}'") };
    error(code, end..end, format!("{}002", grammar.prefix), Category::SyntaxError, message)
}

fn article(kind: &str) -> String {
    let words = kind.trim_matches('_').replace('_', " ");
    match words.chars().next() {
        Some('a' | 'e' | 'i' | 'o' | 'u') => format!("an {words}"),
        _ => format!("a {words}"),
    }
}
