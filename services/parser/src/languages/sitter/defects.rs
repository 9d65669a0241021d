//! What a grammar had to skip or to invent, in words: the token that cannot stand where it stands, and what is expected.

use assay_domain::code::{Category, Diagnostic};
use tree_sitter::{Language, Node, Tree};

use super::{Grammar, MOST, worded};
use crate::languages::{clip, error, explain};

/// Visits the nodes that hold errors, in text order; each with the byte it begins at.
pub(super) fn find(grammar: &Grammar, code: &str, tree: &Tree, out: &mut Vec<(usize, Diagnostic)>) {
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

/// The end of the line before a place, at most 30 characters of it.
pub(super) fn before(code: &str, offset: usize) -> String {
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
