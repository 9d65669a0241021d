//! What a grammar had to skip or to invent, in words: the token that cannot stand where it stands, and what is expected.

use assay_domain::code::{Category, Diagnostic};
use tree_sitter::{Language, Node, Tree};

use super::{Grammar, worded};
use crate::explain;
use crate::place::{Source, clip};
use crate::walk::{ENOUGH, Event, Next, walk};
use crate::watch::{Stopped, Watch};

/// What the nodes that hold errors stand for, in text order; each with the byte it begins at.
pub(super) fn find(
    grammar: &Grammar,
    source: &Source<'_>,
    tree: &Tree,
    watch: &Watch<'_>,
) -> Result<Vec<(usize, Diagnostic)>, Stopped> {
    let mut out = Vec::new();
    let mut halted = Ok(());
    walk(tree, watch, |event| {
        let Event::Enter(spot) = event else { return Next::Down };
        let node = spot.node;
        if node.is_missing() {
            if let Some(found) = semicolon_field(grammar, source, node) {
                out.push((node.start_byte(), found));
                // What follows it follows from it.
                return Next::End;
            }
            out.push((node.start_byte(), missing(grammar, source, node)));
        } else if node.is_error() && (!spot.is_root() || !has_inner_defect(node)) {
            out.push(unexpected(grammar, source, node, spot.previous()));
            halted = watch.ask();
        } else {
            return if node.has_error() { Next::Down } else { Next::Past };
        }
        if out.len() >= ENOUGH || halted.is_err() { Next::End } else { Next::Past }
    })?;
    halted?;
    if out.is_empty() {
        out.push(unexpected(grammar, source, tree.root_node(), None));
    }
    Ok(out)
}

fn has_inner_defect(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| child.has_error() || child.is_missing())
}

/// What stands where nothing of its kind may: the first token of the skipped text that the grammar has no place for.
/// `previous` ends before it.
fn unexpected(
    grammar: &Grammar,
    source: &Source<'_>,
    node: Node<'_>,
    previous: Option<Node<'_>>,
) -> (usize, Diagnostic) {
    let code = source.code();
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
    let mut past: Option<Node<'_>> = previous.map(last_leaf);
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
        return (node.start_byte(), worded(grammar, source, words, "001"));
    }
    let last = source.before(at);
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
    let id = format!("{}001", grammar.prefix);
    (node.start_byte(), source.error(range, id, Category::SyntaxError, message))
}

/// What is said of a program whose mistakes the grammar cannot sort out: the place near which the first was seen.
pub(super) fn given_up(grammar: &Grammar, source: &Source<'_>, near: Option<usize>) -> Diagnostic {
    let mut at = near.unwrap_or_default().min(source.code().len());
    while !source.code().is_char_boundary(at) {
        at -= 1;
    }
    // The grammar has read the token before it asked.
    let before = source.text(0..at).trim_end();
    let start = before.rfind(|c: char| c.is_whitespace()).map_or(0, |at| at + 1);
    let start = source.code().ceil_char_boundary(start.max(before.len().saturating_sub(40)));
    let text = clip(source.text(start..at));
    let message = format!(
        "the {} code cannot be read from '{text}' on: too much of it fits together in no way",
        grammar.name
    );
    source.error(start..at, format!("{}001", grammar.prefix), Category::SyntaxError, message)
}

/// The last leaf in a node.
fn last_leaf(node: Node<'_>) -> Node<'_> {
    let mut at = node;
    while let Some(last) = at.child_count().checked_sub(1).and_then(|last| at.child(last)) {
        at = last;
    }
    at
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

fn missing(grammar: &Grammar, source: &Source<'_>, node: Node<'_>) -> Diagnostic {
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
    let end = source.text(0..node.start_byte()).trim_end().len();
    let after = source.before(end);
    let message = if after.is_empty() { what } else { format!("{what} after '{after}'") };
    source.error(end..end, format!("{}002", grammar.prefix), Category::SyntaxError, message)
}

/// A field of a Rust struct that ends in a semicolon, which the grammar reads as the end of the struct.
fn semicolon_field(grammar: &Grammar, source: &Source<'_>, node: Node<'_>) -> Option<Diagnostic> {
    let end = source.text(0..node.start_byte()).trim_end().len();
    let rest = source.text(end..source.code().len());
    let at = end + (rest.len() - rest.trim_start().len());
    if grammar.name != "Rust" || node.kind() != "}" || !rest.trim_start().starts_with(';') {
        return None;
    }
    let message = "';' cannot stand here; fields are separated by ','".to_owned();
    Some(source.error(at..at + 1, format!("{}001", grammar.prefix), Category::SyntaxError, message))
}

fn article(kind: &str) -> String {
    let words = kind.trim_matches('_').replace('_', " ");
    match words.chars().next() {
        Some('a' | 'e' | 'i' | 'o' | 'u') => format!("an {words}"),
        _ => format!("a {words}"),
    }
}
