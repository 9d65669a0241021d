//! Languages with a tree-sitter grammar: the places where the grammar had to skip or to invent text become errors in
//! words. Walks with a cursor, never by recursion.

use std::ops::ControlFlow;

use assay_domain::code::{Category, Diagnostic};
use tree_sitter::{Language, Node, ParseOptions, Parser, Tree};

use super::explain::{self, Words};
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
    GO = "GO", "Go", tree_sitter_go::LANGUAGE, true, Some(go::check), None;
    JAVA = "JAVA", "Java", tree_sitter_java::LANGUAGE, true, Some(stray::java), None;
    JAVASCRIPT = "JS", "JavaScript", tree_sitter_javascript::LANGUAGE, true, Some(stray::javascript), None;
    RUST = "RS", "Rust", tree_sitter_rust::LANGUAGE, true, Some(stray::rust), Some(stray::rust_types);
    SQL = "SQL", "SQL", tree_sitter_sequel::LANGUAGE, false, None, Some(stray::sql);
    TSX = "TSX", "TypeScript", tree_sitter_typescript::LANGUAGE_TSX, true, Some(stray::typescript), None;
    TYPESCRIPT = "TS", "TypeScript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT, true, Some(stray::typescript), None;
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
        let place = Some(()).filter(|()| grammar.brackets).and_then(|()| {
            let holds = |at: usize| in_error(&tree, code, at);
            let open = explain::open_text(grammar.name, code, &holds)
                .map(|words| worded(grammar, code, words, "003"));
            open.or_else(|| unbalanced(grammar, code, &tree))
        });
        let place = place.or_else(|| grammar.layout.and_then(|layout| layout(code, &tree)));
        match place {
            Some(diagnostic) => out.push(diagnostic),
            None => {
                let mut found = Vec::new();
                defects(grammar, code, &tree, &mut found);
                out = one_each(&tree, found);
            }
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

fn worded(grammar: &Grammar, code: &str, words: Words, number: &str) -> Diagnostic {
    let Words { at, length, message } = words;
    error(code, at..at + length, format!("{}{number}", grammar.prefix), Category::SyntaxError, message)
}

/// Whether the line of a place holds what the grammar skipped or invented.
fn in_error(tree: &Tree, code: &str, at: usize) -> bool {
    let start = code.get(..at).and_then(|text| text.rfind('\n')).map_or(0, |end| end + 1);
    let end = code.get(at..).and_then(|text| text.find('\n')).map_or(code.len(), |length| at + length);
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let touches = node.start_byte() <= end && node.end_byte() >= start;
        if touches && (node.is_error() && node.parent().is_some() || node.is_missing()) {
            return true;
        }
        if touches && node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
        }
    }
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

/// The column of a token that its line begins with.
fn first_of_line(code: &str, node: Node<'_>) -> Option<usize> {
    let line = code.get(..node.start_byte())?.rsplit('\n').next()?;
    line.trim().is_empty().then_some(line.len())
}

/// How far the line of a node is set in.
fn indent_of(code: &str, node: Node<'_>) -> usize {
    let start = code.get(..node.start_byte()).and_then(|text| text.rfind('\n')).map_or(0, |end| end + 1);
    let line = code.get(start..).unwrap_or_default();
    line.len() - line.trim_start_matches([' ', '\t']).len()
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
        // A closer that begins its line and is set in as an outer opener is belongs to that one.
        if leaf.kind() == "}"
            && let Some(last) = open.last()
            && last.kind() == "{"
            && let Some(indent) = first_of_line(code, leaf)
            && last.start_position().row != leaf.start_position().row
            && indent_of(code, *last) != indent
            && open.iter().rev().skip(1).any(|outer| outer.kind() == "{" && indent_of(code, *outer) == indent)
            && indent_of(code, *last) > indent
        {
            return say(*last, "is not closed");
        }
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

/// The first finding in each piece of the program: what follows it inside of the piece mostly follows from it.
fn one_each(tree: &Tree, mut found: Vec<(usize, Diagnostic)>) -> Vec<Diagnostic> {
    let root = tree.root_node();
    found.sort_by_key(|(at, _)| *at);
    if root.is_error() {
        return found.into_iter().take(1).map(|(_, diagnostic)| diagnostic).collect();
    }
    let mut cursor = root.walk();
    let ends: Vec<usize> = root.children(&mut cursor).map(|child| child.end_byte()).collect();
    let mut last = None;
    found.retain(|(at, _)| {
        let piece = ends.partition_point(|end| end <= at);
        // Pieces in a row that all hold errors are mostly one mistake.
        let fresh = last.is_none_or(|last| piece > last + 1);
        last = Some(piece);
        fresh
    });
    found.into_iter().map(|(_, diagnostic)| diagnostic).collect()
}

/// Visits the nodes that hold errors, in text order; each with the byte it begins at.
fn defects(grammar: &Grammar, code: &str, tree: &Tree, out: &mut Vec<(usize, Diagnostic)>) {
    let mut cursor = tree.walk();
    // Descending may have to be repeated beside a node that was left.
    loop {
        let node = cursor.node();
        let mut down = node.has_error();
        if node.is_missing() {
            out.push((node.start_byte(), missing(grammar, code, node)));
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

/// What stands where nothing of its kind may: the first token of the skipped text that the grammar has no place for.
fn unexpected(grammar: &Grammar, code: &str, node: Node<'_>) -> (usize, Diagnostic) {
    let language = (grammar.language)();
    let mut leaves = Vec::new();
    let mut cursor = node.walk();
    'all: loop {
        if cursor.goto_first_child() {
            continue;
        }
        leaves.push(cursor.node());
        if leaves.len() > 400 {
            break;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'all;
            }
        }
    }
    leaves.retain(|leaf| !leaf.is_extra() || leaf.is_error());
    // The token after the skipped text may be the one.
    let after = code.get(node.end_byte()..).unwrap_or_default();
    let next = node.end_byte() + (after.len() - after.trim_start().len());
    let mut at = node.start_byte();
    let mut wanted = Vec::new();
    let mut past: Option<Node<'_>> = node.parent().and_then(|_| previous_leaf(node));
    let mut found = false;
    for leaf in &leaves {
        if leaf.is_error() || leaf.kind() == "ERROR" {
            at = leaf.start_byte();
            found = true;
            break;
        }
        if let Some(last) = past {
            let expected = expected(&language, last.next_parse_state());
            if !expected.is_empty() && !expected.contains(&leaf.kind()) {
                at = leaf.start_byte();
                wanted = expected;
                found = true;
                break;
            }
        }
        past = Some(*leaf);
    }
    if !found
        && leaves.len() > 1
        && let Some(last) = past.filter(|last| last.next_parse_state() != 0)
    {
        wanted = expected(&language, last.next_parse_state());
        at = if wanted.is_empty() { node.start_byte() } else { next };
    }
    let rest = code.get(at..).unwrap_or_default();
    let lead = rest.len() - rest.trim_start().len();
    at += lead;
    let mut near = token(code.get(at..).unwrap_or_default());
    if near.is_empty() && !leaves.is_empty() {
        // Every token fits where it stands, but not all of them together.
        at = node.start_byte();
        near = clip(code.get(node.byte_range()).unwrap_or_default());
        wanted.clear();
    }
    if grammar.brackets
        && let Some(words) = explain::explain(grammar.name, code, at, &near, node.byte_range())
    {
        return (node.start_byte(), worded(grammar, code, words, "001"));
    }
    let last = before(code, at);
    let mut message = match near.is_empty() {
        true => format!("the {} code ends too early", grammar.name),
        false => format!("'{near}' cannot stand here in {}", grammar.name),
    };
    if !last.is_empty() {
        message.push_str(&format!(", after '{last}'"));
    }
    let signs = signs(&wanted);
    if !signs.is_empty() {
        message.push_str(&format!("; {signs} is expected"));
    }
    let range = at..at + near.len();
    (node.start_byte(), error(code, range, format!("{}001", grammar.prefix), Category::SyntaxError, message))
}

/// The leaf that ends before a node begins.
fn previous_leaf(node: Node<'_>) -> Option<Node<'_>> {
    let mut at = node;
    let mut before = loop {
        if let Some(sibling) = at.prev_sibling() {
            break sibling;
        }
        at = at.parent()?;
    };
    while before.child_count() > 0 {
        let last = before.child_count() - 1;
        before = before.child(last)?;
    }
    Some(before)
}

/// The kinds of tokens that may follow in a state of the grammar.
fn expected(language: &Language, state: u16) -> Vec<&str> {
    match language.lookahead_iterator(state) {
        Some(symbols) => symbols.filter_map(|symbol| language.node_kind_for_id(symbol)).collect(),
        None => Vec::new(),
    }
}

/// The signs among what may follow that a person would look for; empty if there are many.
fn signs(wanted: &[&str]) -> String {
    const SIGNS: &[&str] =
        &[",", ";", ":", "=", "=>", "->", ")", "]", "}", "(", "{", "in", "then", "do", "from", "of"];
    let found: Vec<String> =
        SIGNS.iter().filter(|sign| wanted.contains(sign)).map(|sign| format!("'{sign}'")).collect();
    match found.as_slice() {
        [one] => one.clone(),
        [one, two] => format!("{one} or {two}"),
        [one, two, three] => format!("{one}, {two} or {three}"),
        _ => String::new(),
    }
}

/// The first word, number or sign of a text.
fn token(text: &str) -> String {
    let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '@');
    let first = text.chars().next();
    let end = match first {
        None => 0,
        Some(quote @ ('"' | '\'' | '`')) => {
            let rest = &text[1..];
            rest.find([quote, '\n'])
                .map_or(text.len(), |end| end + 1 + usize::from(rest[end..].starts_with(quote)))
        }
        Some(c) if word(c) => text.find(|c| !word(c)).unwrap_or(text.len()),
        Some(c) => {
            let same = text
                .chars()
                .take_while(|other| *other == c && matches!(c, '=' | '&' | '|' | '+' | '-' | '.'))
                .count();
            c.len_utf8() * same.max(1)
        }
    };
    clip(text.get(..end).unwrap_or_default())
}

fn missing(grammar: &Grammar, code: &str, node: Node<'_>) -> Diagnostic {
    let kind = node.kind();
    let what = match kind {
        "identifier"
        | "type_identifier"
        | "field_identifier"
        | "property_identifier"
        | "word"
        | "variable_name" => "a name or value is missing".to_owned(),
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
