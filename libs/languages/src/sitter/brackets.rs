//! Brackets of a program that its grammar rejects: the first that is not closed, or that closes nothing.

use std::collections::HashMap;

use assay_domain::code::{Category, Diagnostic};
use tree_sitter::Tree;

use super::Grammar;
use crate::place::Source;
use crate::typical::headless;
use crate::walk::{Event, Next, visit, walk};
use crate::watch::{Stopped, Watch};

/// The lines that hold what the grammar skipped or invented, as ranges in text order.
pub(super) struct Marked(Vec<(usize, usize)>);

impl Marked {
    pub(super) fn find(source: &Source<'_>, tree: &Tree, watch: &Watch<'_>) -> Result<Self, Stopped> {
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        walk(tree, watch, |event| {
            let Event::Enter(spot) = event else { return Next::Down };
            let node = spot.node;
            if node.is_error() && !spot.is_root() || node.is_missing() {
                ranges.push((source.line_of(node.start_byte()), source.line_of(node.end_byte())));
                return Next::Past;
            }
            if node.has_error() { Next::Down } else { Next::Past }
        })?;
        Ok(Self(ranges))
    }

    /// Whether a line, counted from 0, is one of them.
    pub(super) fn holds(&self, line: usize) -> bool {
        let at = self.0.partition_point(|(_, last)| *last < line);
        self.0.get(at).is_some_and(|(first, _)| *first <= line)
    }
}

/// A bracket that is not closed yet.
struct Open<'tree> {
    kind: &'tree str,
    at: usize,
    line: usize,
    indent: usize,
}

/// The first bracket that is not closed, or that closes nothing.
pub(super) fn unbalanced(
    grammar: &Grammar,
    source: &Source<'_>,
    tree: &Tree,
    watch: &Watch<'_>,
) -> Result<Option<Diagnostic>, Stopped> {
    let mut open: Vec<Open<'_>> = Vec::new();
    // How many open braces stand in lines that are set in so far.
    let mut braces: HashMap<usize, usize> = HashMap::new();
    let mut found: Option<(usize, &str, &str)> = None;
    // The line of the last bracket and how far it is set in.
    let mut here = (usize::MAX, 0);
    visit(tree, watch, |spot| {
        use std::ops::ControlFlow::{Break, Continue};
        let (leaf, kind) = (spot.node, spot.kind);
        if leaf.child_count() > 0 || leaf.is_missing() || !matches!(kind, "(" | "[" | "{" | ")" | "]" | "}") {
            return Continue(());
        }
        let at = leaf.start_byte();
        let line = source.line_of(at);
        if here.0 != line {
            here = (line, source.indent(line));
        }
        let indent = here.1;
        let opener = match kind {
            ")" => "(",
            "]" => "[",
            "}" => "{",
            _ => {
                if kind == "{" {
                    *braces.entry(indent).or_default() += 1;
                }
                open.push(Open { kind, at, line, indent });
                return Continue(());
            }
        };
        // A closer that begins its line and is set in as an outer opener is belongs to that one.
        if let Some(last) = open.last()
            && kind == "}"
            && last.kind == "{"
            && source.offset_in_line(at) == indent
            && last.line != line
            && last.indent > indent
            && braces.get(&indent).is_some_and(|count| *count > 0)
        {
            found = Some((last.at, last.kind, "is not closed"));
            return Break(());
        }
        match open.last() {
            Some(last) if last.kind == opener => {
                if opener == "{"
                    && let Some(count) = braces.get_mut(&last.indent)
                {
                    *count = count.saturating_sub(1);
                }
                open.pop();
                return Continue(());
            }
            Some(last) if open.iter().any(|outer| outer.kind == opener) => {
                found = Some((last.at, last.kind, "is not closed"));
            }
            _ => found = Some((at, kind, "closes nothing")),
        }
        Break(())
    })?;
    if let Some((at, "}", "closes nothing")) = found {
        let lines: Vec<&str> = (0..source.line_of(at)).map(|line| source.line(line)).collect();
        if let Some(end) = headless(grammar.name, &lines) {
            let message = format!("'{{' is missing after '{}'", source.before(end));
            let id = format!("{}002", grammar.prefix);
            return Ok(Some(source.error(end..end, id, Category::SyntaxError, message)));
        }
    }
    let last = open.last().map(|open| (open.at, open.kind, "is not closed"));
    Ok(found.or(last).map(|(at, kind, what)| {
        let after = source.before(at);
        let after = if after.is_empty() { String::new() } else { format!(", after '{after}'") };
        let message = format!("'{kind}' {what}{after}");
        let id = format!("{}003", grammar.prefix);
        source.error(at..at + kind.len(), id, Category::SyntaxError, message)
    }))
}
