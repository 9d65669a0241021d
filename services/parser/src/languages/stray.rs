//! What the grammars of shell and JavaScript accept and the languages do not: ends of cases outside of a case, closing
//! braces as commands, arguments that are left out; and what the grammar of SQL does not know.

use assay_domain::code::{Category, Diagnostic};
use tree_sitter::{Node, Tree};

use super::{clip, error};

/// Rules of shell beyond its grammar.
pub(super) fn shell(code: &str, tree: &Tree, out: &mut Vec<Diagnostic>) {
    visit(tree, |node| {
        let text = code.get(node.byte_range()).unwrap_or_default();
        let stray = match node.kind() {
            ";;" | ";&" | ";;&" => node.parent().is_none_or(|around| around.kind() != "case_item"),
            "command_name" => matches!(text, "}" | "fi" | "done" | "esac" | "then" | "do"),
            _ => false,
        };
        if stray {
            let message = format!("'{}' closes nothing in shell", clip(text));
            out.push(error(code, node.byte_range(), "SH003".to_owned(), Category::SyntaxError, message));
        }
    });
}

/// Rules of JavaScript and TypeScript beyond their grammars.
pub(super) fn javascript(code: &str, tree: &Tree, out: &mut Vec<Diagnostic>) {
    visit(tree, |node| {
        let hole = node.kind() == ","
            && node.parent().is_some_and(|around| around.kind() == "arguments")
            && node.prev_sibling().is_some_and(|before| matches!(before.kind(), "," | "("));
        if hole {
            let message = "an argument is missing before ','".to_owned();
            out.push(error(code, node.byte_range(), "JS004".to_owned(), Category::SyntaxError, message));
        }
    });
}

/// SQL without the words of SQLite and the commands of psql that its grammar does not know; same length, same lines.
pub(super) fn sql(code: &str) -> String {
    const WORD: &str = "autoincrement";
    let mut out = code.as_bytes().to_vec();
    let mut start = 0;
    for line in code.split_inclusive('\n') {
        let blank = |out: &mut Vec<u8>, from: usize, to: usize| {
            for byte in out.get_mut(from..to).unwrap_or_default() {
                if !matches!(byte, b'\n' | b'\r') {
                    *byte = b' ';
                }
            }
        };
        if line.starts_with('\\') {
            blank(&mut out, start, start + line.len());
        }
        let lower = line.to_ascii_lowercase();
        for (at, _) in lower.match_indices(WORD) {
            // Inside a text or a comment it is no word of the language.
            let before = &lower[..at];
            let quoted = before.matches('\'').count() % 2 == 1 || before.contains("--");
            let bounded = !before.ends_with(|c: char| c.is_alphanumeric() || c == '_')
                && !lower[at + WORD.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
            if !quoted && bounded {
                blank(&mut out, start + at, start + at + WORD.len());
            }
        }
        start += line.len();
    }
    String::from_utf8(out).unwrap_or_else(|_| code.to_owned())
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
