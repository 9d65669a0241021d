//! What the grammar of Python accepts and Python 3 does not, and where a mistake of layout really is: colons of headers,
//! indentation, statements of Python 2, `return` and `break` outside of what they leave.

use std::collections::HashSet;
use std::ops::ControlFlow;

use assay_domain::code::{Category, Diagnostic};
use tree_sitter::{Node, Tree};

use super::place::{Source, clip};
use super::walk::{ENOUGH, Event, Next, Spot, visit, walk};
use super::watch::{Stopped, Watch};

/// Words that open a block and end their line, or their head, with a colon.
const HEADERS: &[&str] =
    &["if", "elif", "else", "for", "while", "def", "class", "with", "try", "except", "finally", "async"];

/// Rules beyond the grammar, for a program that the grammar accepts.
pub(super) fn check(
    source: &Source<'_>,
    tree: &Tree,
    watch: &Watch<'_>,
    out: &mut Vec<Diagnostic>,
) -> Result<(), Stopped> {
    if let Some(mistake) = layout(source, tree, watch)? {
        // What else is wrong may follow from it.
        out.push(mistake);
        return Ok(());
    }
    let mut rules = Rules { source, out, functions: 0, lambdas: 0, blocks: Vec::new() };
    walk(tree, watch, |event| {
        match event {
            Event::Enter(spot) => rules.enter(&spot),
            Event::Leave(kind) => rules.leave(kind),
        }
        if rules.out.len() < ENOUGH { Next::Down } else { Next::End }
    })
}

/// A logical line: what stands between two line ends outside of brackets and strings.
struct Line<'tree> {
    first: Node<'tree>,
    last: Node<'tree>,
    /// Whether a colon stands outside of brackets.
    colon: bool,
}

/// The first mistake of layout: a header without its colon, a body without its indentation, a step that fits nothing.
pub(super) fn layout(
    source: &Source<'_>,
    tree: &Tree,
    watch: &Watch<'_>,
) -> Result<Option<Diagnostic>, Stopped> {
    let mut levels = vec![0];
    let mut header: Option<Node<'_>> = None;
    for line in lines(source.code(), tree, watch)? {
        watch.step()?;
        let range = line.first.start_byte()..line.last.end_byte();
        let first = clip(source.text(range.clone()));
        let say = |id: &str, message: String| source.error(range, id, Category::UnexpectedConstruct, message);
        let column = line.first.start_position().column;
        let current = levels.last().copied().unwrap_or(0);
        if let Some(header) = header {
            if column <= current {
                let opener = clip(source.text(header.start_byte()..source.code().len()));
                let message = format!("'{opener}' needs an indented body before '{first}'");
                return Ok(Some(say("PY006", message)));
            }
            levels.push(column);
        } else if column > current {
            return Ok(Some(say("PY007", format!("unexpected indentation before '{first}'"))));
        } else {
            while levels.last().is_some_and(|level| *level > column) {
                levels.pop();
            }
            if levels.last() != Some(&column) {
                let message = format!("the indentation before '{first}' fits no outer block");
                return Ok(Some(say("PY007", message)));
            }
        }
        let word = source.text(line.first.byte_range());
        if HEADERS.contains(&word) && !line.colon {
            let end = line.last.end_byte();
            let message = format!("':' is missing after '{first}'");
            return Ok(Some(source.error(end..end, "PY002", Category::SyntaxError, message)));
        }
        header = (source.text(line.last.byte_range()) == ":").then_some(line.first);
    }
    let Some(header) = header else { return Ok(None) };
    let opener = clip(source.text(header.start_byte()..source.code().len()));
    let message = format!("'{opener}' needs an indented body before the end");
    Ok(Some(source.error(header.byte_range(), "PY006", Category::UnexpectedConstruct, message)))
}

fn lines<'tree>(code: &str, tree: &'tree Tree, watch: &Watch<'_>) -> Result<Vec<Line<'tree>>, Stopped> {
    let mut out: Vec<Line<'tree>> = Vec::new();
    let mut depth = 0_i32;
    let mut continued = false;
    let mut strings = 0_u32;
    let mut row = None;
    visit(tree, watch, |spot| {
        let (leaf, kind) = (spot.node, spot.kind);
        let skipped = leaf.child_count() > 0 || leaf.is_missing() || kind == "comment";
        if skipped || leaf.byte_range().is_empty() {
            return ControlFlow::Continue(());
        }
        if kind == "line_continuation" {
            continued = true;
            return ControlFlow::Continue(());
        }
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
        ControlFlow::Continue(())
    })?;
    Ok(out)
}

/// The rules that are held against every node.
struct Rules<'a, 'code> {
    source: &'a Source<'code>,
    out: &'a mut Vec<Diagnostic>,
    /// Functions and lambdas that the walk is inside of.
    functions: u32,
    lambdas: u32,
    /// What a `break` could leave, or cannot leave: whether each is a loop.
    blocks: Vec<bool>,
}

impl Rules<'_, '_> {
    fn enter(&mut self, spot: &Spot<'_, '_>) {
        self.node(spot);
        match spot.kind {
            "lambda" => self.lambdas += 1,
            "for_statement" | "while_statement" => self.blocks.push(true),
            "class_definition" => self.blocks.push(false),
            "function_definition" => {
                self.functions += 1;
                self.blocks.push(false);
            }
            _ => {}
        }
    }

    fn leave(&mut self, kind: &str) {
        match kind {
            "lambda" => self.lambdas = self.lambdas.saturating_sub(1),
            "for_statement" | "while_statement" | "class_definition" => {
                self.blocks.pop();
            }
            "function_definition" => {
                self.functions = self.functions.saturating_sub(1);
                self.blocks.pop();
            }
            _ => {}
        }
    }

    fn say(&mut self, node: Node<'_>, id: &str, message: String) {
        self.out.push(self.source.error(node.byte_range(), id, Category::UnexpectedConstruct, message));
    }

    fn node(&mut self, spot: &Spot<'_, '_>) {
        let node = spot.node;
        let text = || clip(self.source.text(node.byte_range()));
        let (id, message) = match spot.kind {
            "print_statement" | "exec_statement" => {
                ("PY011", format!("'{}' is Python 2; call it with parentheses", text()))
            }
            "return_statement" | "yield" if self.functions == 0 && self.lambdas == 0 => {
                ("PY004", format!("'{}' outside of a function", text()))
            }
            // A loop around the function does not count.
            "break_statement" | "continue_statement" if self.blocks.last() != Some(&true) => {
                ("PY005", format!("'{}' outside of a loop", text()))
            }
            "nonlocal_statement" if self.functions == 0 => {
                ("PY004", format!("'{}' outside of a function", text()))
            }
            "try_statement" => {
                let mut cursor = node.walk();
                let caught = node
                    .children(&mut cursor)
                    .any(|child| child.kind().starts_with("except") || child.kind() == "finally_clause");
                if caught {
                    return;
                }
                ("PY008", "'try' needs an 'except' or 'finally'".to_owned())
            }
            "argument_list" => return self.arguments(node),
            "parameters" | "lambda_parameters" => return self.parameters(node),
            "list_splat" | "dictionary_splat"
                if spot.outer(1).is_some_and(|around| splat_is_operand(around, node)) =>
            {
                ("PY001", format!("'{}' cannot stand here in Python", text()))
            }
            _ => return,
        };
        self.say(node, id, message);
    }

    /// Positional arguments behind named ones, and names given twice.
    fn arguments(&mut self, list: Node<'_>) {
        let mut cursor = list.walk();
        let mut named: HashSet<&str> = HashSet::new();
        let mut behind = false;
        for argument in list.named_children(&mut cursor) {
            let message = match argument.kind() {
                "keyword_argument" => {
                    behind = true;
                    let name = argument.child_by_field_name("name");
                    let name = name.map_or("", |name| self.source.text(name.byte_range()));
                    if named.insert(name) {
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
                _ => {
                    let text = clip(self.source.text(argument.byte_range()));
                    format!("the positional argument '{text}' follows a named one")
                }
            };
            self.say(argument, "PY009", message);
            if self.out.len() >= ENOUGH {
                return;
            }
        }
    }

    /// Parameters without a default behind ones with a default, and names that stand twice.
    fn parameters(&mut self, list: Node<'_>) {
        let mut cursor = list.walk();
        let mut names: HashSet<&str> = HashSet::new();
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
            let Some(name) = name.map(|name| self.source.text(name.byte_range())) else { continue };
            let message = if !names.insert(name) {
                format!("the parameter '{name}' stands twice")
            } else if plain && defaults && !starred {
                format!("the parameter '{name}' without a default follows one with a default")
            } else {
                continue;
            };
            self.say(parameter, "PY010", message);
            if self.out.len() >= ENOUGH {
                return;
            }
        }
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
