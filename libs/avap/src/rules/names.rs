//! What the lines of a program write and what they read: names that nothing assigns.

use super::{Features, Program, is_length_call};
use crate::commands::{RESERVED_NAMES, SPECIAL_NAMES, is_helper};
use crate::diagnostic::{Category, Code, Finding};
use crate::lexer::TokenKind;
use crate::syntax::{ExprKind, Span, Statement, StatementKind};
use hashbrown::{HashMap, HashSet};

#[derive(Default)]
pub(super) struct Names<'a> {
    pub(super) assigned: HashSet<&'a str>,
    pub(super) functions: HashSet<&'a str>,
    /// Parameters by the line of their function.
    pub(super) parameters: HashMap<u32, HashSet<&'a str>>,
    /// Names that hold nothing but literals of a scalar type.
    pub(super) scalars: HashMap<&'a str, bool>,
    /// Names that hold the length of a list.
    pub(super) lengths: HashSet<&'a str>,
    /// Some line writes a reserved name.
    pub(super) reserved: bool,
}

impl<'a> Names<'a> {
    pub(super) fn collect(program: &Program<'a>, features: &Features) -> Self {
        let mut names = Self::default();
        for (at, line) in program.lines().enumerate() {
            if matches!(line.kind, StatementKind::Invalid) || program.failed(at) {
                // Whatever a failed line names may have been meant as assigned.
                let range = program.failed.ranges.get(at).cloned().unwrap_or_default();
                let tokens = program.failed.tokens.get(range).unwrap_or_default();
                let words = tokens.iter().filter(|token| token.kind == TokenKind::Name);
                names.assigned.extend(words.map(|token| token.text(program.source)));
            }
            if let StatementKind::Function { name, parameters } = &line.kind {
                names.functions.insert(program.slice(*name));
                let line = u32::try_from(at).unwrap_or(u32::MAX);
                names.parameters.insert(
                    line,
                    program.tree.parameters(*parameters).iter().map(|span| program.slice(*span)).collect(),
                );
            }
            let scalar = features.methods
                && program.value(line).is_some_and(|(_, value)| {
                    matches!(
                        program.tree.kind(value),
                        Some(ExprKind::Number | ExprKind::Text | ExprKind::Constant | ExprKind::Template(_))
                    )
                });
            program.each_write(line, |name, _| {
                names.assigned.insert(name);
                if features.methods {
                    names.scalars.entry(name).and_modify(|all| *all &= scalar).or_insert(scalar);
                }
            });
            names.length(program, line);
        }
        names.reserved = RESERVED_NAMES.iter().any(|name| names.assigned.contains(name));
        names.assigned.extend(SPECIAL_NAMES);
        names
    }

    fn length(&mut self, program: &Program<'a>, line: &Statement) {
        if let Some(("getListLen", _)) = program.call(line) {
            self.lengths.extend(program.writes(line).into_iter().map(|(name, _)| name));
        }
        if let StatementKind::Call { name, assigned: Some(target), .. } = &line.kind
            && program.slice(*name) == "len"
        {
            self.lengths.insert(program.slice(*target));
        }
        if let Some((name, value)) = program.value(line)
            && is_length_call(program, value)
        {
            self.lengths.insert(name);
        }
    }

    pub(super) fn knows(&self, name: &str, function: Option<u32>) -> bool {
        self.assigned.contains(name)
            || self.functions.contains(name)
            || is_helper(name)
            || function.and_then(|line| self.parameters.get(&line)).is_some_and(|names| names.contains(name))
    }

    /// Names that are read but never assigned; each once a line.
    pub(super) fn reads(&self, program: &Program<'_>, out: &mut Vec<Finding>) {
        let mut texts = program.text_reads.iter().peekable();
        for (at, line) in program.lines().enumerate() {
            if program.failed(at) {
                continue;
            }
            let function = program.function.get(at).copied().flatten();
            let result = matches!(program.call(line), Some(("addResult", _)));
            let mut seen: HashSet<&str> = HashSet::default();
            for node in line.expressions.0..line.expressions.1 {
                let Some(node) = program.tree.expressions.get(node as usize) else { continue };
                if !matches!(node.kind, ExprKind::Name { .. }) || !node.read {
                    continue;
                }
                let name = program.slice(node.span).trim_start_matches('$');
                if !self.knows(name, function) && seen.insert(name) {
                    out.push(unassigned(name, node.span, node.arithmetic, result));
                }
            }
            while texts.next_if(|read| read.line < at).is_some() {}
            while let Some(read) = texts.next_if(|read| read.line == at) {
                if !self.knows(&read.name, function) && !seen.contains(&*read.name) {
                    out.push(unassigned(&read.name, read.span, read.arithmetic, false));
                }
            }
        }
    }
}

fn unassigned(name: &str, span: Span, arithmetic: bool, result: bool) -> Finding {
    let (code, message) = if result {
        (Code::UNASSIGNED_RESULT, format!("the result '{name}' is never assigned"))
    } else if arithmetic {
        (Code::UNASSIGNED_ARITHMETIC, format!("'{name}' is never assigned, and this arithmetic will fail"))
    } else {
        (Code::UNASSIGNED, format!("'{name}' is never assigned; it may be taken as text"))
    };
    Finding::warning(Category::UnknownToken, code, span, message)
        .help(format!("assign it first, or write \"{name}\" if the text is meant"))
}
