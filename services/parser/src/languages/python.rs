//! What the grammar of Python accepts and Python 3 does not, and where a mistake of layout really is: colons of headers,
//! indentation, statements of Python 2, `return` and `break` outside of what they leave.

use assay_domain::code::{Category, Diagnostic};
use tree_sitter::{Node, Tree};

use super::walk::{leaves, visit};
use super::{clip, error};

/// Words that open a block and end their line, or their head, with a colon.
const HEADERS: &[&str] =
    &["if", "elif", "else", "for", "while", "def", "class", "with", "try", "except", "finally", "async"];

/// Rules beyond the grammar, for a program that the grammar accepts.
pub(super) fn check(code: &str, tree: &Tree, out: &mut Vec<Diagnostic>) {
    if let Some(mistake) = layout(code, tree) {
        // What else is wrong may follow from it.
        out.push(mistake);
        return;
    }
    visit(tree, |found| node(code, found, out));
}

/// A logical line: what stands between two line ends outside of brackets and strings.
struct Line<'tree> {
    first: Node<'tree>,
    last: Node<'tree>,
    /// Whether a colon stands outside of brackets.
    colon: bool,
}

/// The first mistake of layout: a header without its colon, a body without its indentation, a step that fits nothing.
pub(super) fn layout(code: &str, tree: &Tree) -> Option<Diagnostic> {
    let mut levels = vec![0];
    let mut header: Option<Node<'_>> = None;
    for line in lines(code, tree) {
        let say = |id: &str, message: String| {
            let range = line.first.start_byte()..line.last.end_byte();
            Some(error(code, range, id.to_owned(), Category::UnexpectedConstruct, message))
        };
        let first = clip(code.get(line.first.start_byte()..line.last.end_byte()).unwrap_or_default());
        let column = line.first.start_position().column;
        let current = levels.last().copied().unwrap_or(0);
        if let Some(header) = header {
            if column <= current {
                let opener = clip(code.get(header.start_byte()..).unwrap_or_default());
                return say("PY006", format!("'{opener}' needs an indented body before '{first}'"));
            }
            levels.push(column);
        } else if column > current {
            return say("PY007", format!("unexpected indentation before '{first}'"));
        } else {
            while levels.last().is_some_and(|level| *level > column) {
                levels.pop();
            }
            if levels.last() != Some(&column) {
                return say("PY007", format!("the indentation before '{first}' fits no outer block"));
            }
        }
        let word = text(code, line.first);
        if HEADERS.contains(&word) && !line.colon {
            let end = line.last.end_byte();
            let message = format!("':' is missing after '{first}'");
            return Some(error(code, end..end, "PY002".to_owned(), Category::SyntaxError, message));
        }
        header = (text(code, line.last) == ":").then_some(line.first);
    }
    let header = header?;
    let opener = clip(code.get(header.start_byte()..).unwrap_or_default());
    let message = format!("'{opener}' needs an indented body before the end");
    Some(error(code, header.byte_range(), "PY006".to_owned(), Category::UnexpectedConstruct, message))
}

fn lines<'tree>(code: &str, tree: &'tree Tree) -> Vec<Line<'tree>> {
    let mut out: Vec<Line<'tree>> = Vec::new();
    let mut depth = 0_i32;
    let mut continued = false;
    let mut strings = 0_u32;
    let mut row = None;
    for leaf in leaves(tree) {
        if leaf.is_missing() || leaf.kind() == "comment" || leaf.byte_range().is_empty() {
            continue;
        }
        if leaf.kind() == "line_continuation" {
            continued = true;
            continue;
        }
        let kind = leaf.kind();
        let colon = depth == 0 && kind == ":";
        let starts =
            depth == 0 && strings == 0 && !continued && row.is_none_or(|row| leaf.start_position().row > row);
        match out.last_mut().filter(|_| !starts) {
            Some(line) => {
                line.last = leaf;
                line.colon |= colon;
            }
            None => out.push(Line { first: leaf, last: leaf, colon }),
        }
        continued = code
            .get(leaf.end_byte()..)
            .is_some_and(|rest| rest.trim_start_matches([' ', '\t']).starts_with('\\'));
        row = Some(leaf.end_position().row);
        match kind {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = (depth - 1).max(0),
            "string_start" => strings += 1,
            "string_end" => strings = strings.saturating_sub(1),
            _ => {}
        }
    }
    out
}

fn node(code: &str, node: Node<'_>, out: &mut Vec<Diagnostic>) {
    let mut say = |id: &str, message: String| {
        out.push(error(code, node.byte_range(), id.to_owned(), Category::UnexpectedConstruct, message));
    };
    match node.kind() {
        "print_statement" | "exec_statement" => {
            say("PY011", format!("'{}' is Python 2; call it with parentheses", clip(text(code, node))));
        }
        "return_statement" | "yield" if within(node, &["function_definition", "lambda"]).is_none() => {
            say("PY004", format!("'{}' outside of a function", clip(text(code, node))));
        }
        "break_statement" | "continue_statement" => {
            // A loop around the function does not count.
            let around = within(
                node,
                &["for_statement", "while_statement", "function_definition", "class_definition"],
            );
            if !around.is_some_and(|kind| kind.ends_with("_statement")) {
                say("PY005", format!("'{}' outside of a loop", clip(text(code, node))));
            }
        }
        "nonlocal_statement" if within(node, &["function_definition"]).is_none() => {
            say("PY004", format!("'{}' outside of a function", clip(text(code, node))));
        }
        "try_statement" => {
            let mut cursor = node.walk();
            let caught = node
                .children(&mut cursor)
                .any(|child| child.kind().starts_with("except") || child.kind() == "finally_clause");
            if !caught {
                say("PY008", "'try' needs an 'except' or 'finally'".to_owned());
            }
        }
        "argument_list" => arguments(code, node, out),
        "parameters" | "lambda_parameters" => parameters(code, node, out),
        "list_splat" | "dictionary_splat"
            if node.parent().is_some_and(|around| splat_is_operand(around, node)) =>
        {
            say("PY001", format!("'{}' cannot stand here in Python", clip(text(code, node))));
        }
        _ => {}
    }
}

/// Positional arguments behind named ones, and names given twice.
fn arguments(code: &str, list: Node<'_>, out: &mut Vec<Diagnostic>) {
    let mut cursor = list.walk();
    let mut named: Vec<&str> = Vec::new();
    let mut behind = false;
    for argument in list.named_children(&mut cursor) {
        let message = match argument.kind() {
            "keyword_argument" => {
                behind = true;
                let name = argument.child_by_field_name("name").map_or("", |name| text(code, name));
                if !named.contains(&name) {
                    named.push(name);
                    continue;
                }
                format!("the argument '{name}' is given twice")
            }
            "dictionary_splat" => {
                behind = true;
                continue;
            }
            "list_splat" | "comment" => continue,
            _ if !behind => continue,
            _ => format!("the positional argument '{}' follows a named one", clip(text(code, argument))),
        };
        out.push(error(
            code,
            argument.byte_range(),
            "PY009".to_owned(),
            Category::UnexpectedConstruct,
            message,
        ));
    }
}

/// Parameters without a default behind ones with a default, and names that stand twice.
fn parameters(code: &str, list: Node<'_>, out: &mut Vec<Diagnostic>) {
    let mut cursor = list.walk();
    let mut names: Vec<&str> = Vec::new();
    let mut defaults = false;
    let mut starred = false;
    for parameter in list.named_children(&mut cursor) {
        let first = parameter.named_child(0);
        let name = match parameter.kind() {
            "identifier" => Some(parameter),
            "default_parameter" | "typed_default_parameter" => parameter.child_by_field_name("name"),
            "typed_parameter" => first.filter(|first| first.kind() == "identifier"),
            "list_splat_pattern" | "dictionary_splat_pattern" => first,
            _ => None,
        };
        let plain = matches!(parameter.kind(), "identifier")
            || parameter.kind() == "typed_parameter" && name.is_some();
        match parameter.kind() {
            "default_parameter" | "typed_default_parameter" => defaults = true,
            // What follows a star is given by name.
            "keyword_separator" | "list_splat_pattern" => starred = true,
            "typed_parameter" if name.is_none() => starred = true,
            _ => {}
        }
        let Some(name) = name.map(|name| text(code, name)) else { continue };
        let message = if names.contains(&name) {
            format!("the parameter '{name}' stands twice")
        } else if plain && defaults && !starred {
            format!("the parameter '{name}' without a default follows one with a default")
        } else {
            names.push(name);
            continue;
        };
        out.push(error(
            code,
            parameter.byte_range(),
            "PY010".to_owned(),
            Category::UnexpectedConstruct,
            message,
        ));
    }
}

/// Whether a starred expression stands where only a value may.
fn splat_is_operand(around: Node<'_>, splat: Node<'_>) -> bool {
    around.kind().ends_with("_operator")
        || ["function", "value", "object"].iter().any(|field| {
            matches!(around.kind(), "call" | "subscript" | "attribute")
                && around.child_by_field_name(field) == Some(splat)
        })
}

fn text<'a>(code: &'a str, node: Node<'_>) -> &'a str {
    code.get(node.byte_range()).unwrap_or_default()
}

/// The kind of the nearest enclosing node that is one of these.
fn within<'tree>(node: Node<'tree>, kinds: &[&str]) -> Option<&'tree str> {
    let mut around = node.parent();
    while let Some(node) = around {
        if kinds.contains(&node.kind()) {
            return Some(node.kind());
        }
        around = node.parent();
    }
    None
}
