//! Rules over the whole program: names that are never assigned, output, `_status`, SQL built from parameters, loops
//! past the end of a list. All of them are warnings; they look at lines that could be read.

mod injection;
mod lines;
mod names;

use std::borrow::Cow;

use lines::single_lines;
use names::Names;

use crate::call::{target_positions, unquote};
use crate::commands::command;
use crate::diagnostic::{Category, Code, Finding};
use crate::lexer::Token;
use crate::syntax::{ExprId, ExprKind, Span, Statement, StatementKind, Tree};
use hashbrown::HashSet;

/// What the rules look at.
pub(crate) struct Program<'a> {
    pub(crate) source: &'a str,
    pub(crate) tree: &'a Tree,
    /// The lines that failed.
    pub(crate) failed: Failed<'a>,
    /// Names that texts read, by line.
    pub(crate) text_reads: &'a [TextRead<'a>],
    /// The function that each line stands in, by the line of its header.
    pub(crate) function: &'a [Option<u32>],
    /// The functions that the program defines; they hide commands of the same name.
    pub(crate) functions: &'a HashSet<&'a str>,
}

/// The lines that failed, with what stands on them; empty where none did.
#[derive(Default)]
pub(crate) struct Failed<'a> {
    /// For each line, whether it failed.
    pub(crate) lines: &'a [bool],
    /// The tokens of the file.
    pub(crate) tokens: &'a [Token],
    /// The tokens of each line.
    pub(crate) ranges: &'a [std::ops::Range<usize>],
}

/// A name that the text of a condition reads.
pub(crate) struct TextRead<'a> {
    pub(crate) line: usize,
    pub(crate) name: Cow<'a, str>,
    pub(crate) arithmetic: bool,
    /// Where the text stands.
    pub(crate) span: Span,
}

/// What a program that answers nothing is told; for who knows already that it does not.
pub(crate) fn no_output() -> Finding {
    Finding::warning(
        Category::UnexpectedConstruct,
        Code::NO_OUTPUT,
        (0, 0),
        "the program has neither addResult nor registerEndpoint",
    )
    .help("return a value with addResult(x)")
}

/// Runs the rules.
pub(crate) fn check(program: &Program<'_>) -> Vec<Finding> {
    let mut out = Vec::new();
    let features = Features::of(program);
    let names = Names::collect(program, &features);
    names.reads(program, &mut out);
    single_lines(program, &names, &features, &mut out);
    if features.methods {
        // That a name is no object says that nothing assigns it.
        let objects: HashSet<u32> =
            out.iter().filter(|one| one.code == Code::NOT_AN_OBJECT).map(|one| one.start).collect();
        out.retain(|one| one.code != Code::UNASSIGNED || !objects.contains(&one.start));
    }
    if features.gathers {
        background(program, &mut out);
    }
    if features.queries {
        injection::injection(program, &mut out);
    }
    output(program, &mut out);
    out
}

/// What a program uses at all, so that rules about other things are not run.
#[derive(Default)]
struct Features {
    /// Method calls.
    methods: bool,
    /// `gather`.
    gathers: bool,
    /// `ormDirect`.
    queries: bool,
}

impl Features {
    fn of(program: &Program<'_>) -> Self {
        let mut features = Self {
            methods: program.tree.expressions.iter().any(|node| matches!(node.kind, ExprKind::Member(..))),
            ..Self::default()
        };
        for line in program.lines() {
            if let StatementKind::Call { name, .. } = &line.kind {
                match program.slice(*name) {
                    "gather" => features.gathers = true,
                    "ormDirect" => features.queries = true,
                    _ => {}
                }
            }
        }
        features
    }
}

impl<'a> Program<'a> {
    fn lines(&self) -> std::slice::Iter<'a, Statement> {
        self.tree.statements.iter()
    }

    fn failed(&self, line: usize) -> bool {
        self.failed.lines.get(line).copied().unwrap_or(false)
    }

    fn slice(&self, span: Span) -> &'a str {
        self.source.get(span.0 as usize..span.1 as usize).unwrap_or_default()
    }

    /// The name that an expression is, quoted or not.
    fn name_of(&self, id: ExprId) -> Option<&'a str> {
        let node = self.tree.expressions.get(id.index())?;
        match node.kind {
            ExprKind::Name { .. } => Some(self.slice(node.span).trim_start_matches('$')),
            ExprKind::Text => Some(unquote(self.slice(node.span))),
            _ => None,
        }
    }

    /// What a line writes, each with its place.
    fn writes(&self, line: &Statement) -> Vec<(&'a str, Span)> {
        let mut out = Vec::new();
        self.each_write(line, |name, span| out.push((name, span)));
        out
    }

    /// Visits what a line writes, each with its place.
    fn each_write(&self, line: &Statement, mut visit: impl FnMut(&'a str, Span)) {
        match &line.kind {
            StatementKind::Assign { target, .. } => visit(self.slice(*target), *target),
            StatementKind::Call { name, arguments, assigned } => {
                if let Some(span) = assigned {
                    visit(self.slice(*span), *span);
                }
                let word = self.slice(*name);
                let redefined = !self.functions.is_empty() && self.functions.contains(word);
                if let Some(command) = command(word).filter(|_| !redefined) {
                    for at in target_positions(command, arguments.len(), assigned.is_some()) {
                        if let Some(Some(id)) = self.tree.children(*arguments).get(at)
                            && let Some(text) = self.name_of(*id)
                        {
                            visit(text, self.tree.span(*id));
                        }
                    }
                }
            }
            _ => {}
        }
    }

    fn call(&self, line: &Statement) -> Option<(&'a str, &'a [Option<ExprId>])> {
        match &line.kind {
            StatementKind::Call { name, arguments, .. } => {
                Some((self.slice(*name), self.tree.children(*arguments)))
            }
            _ => None,
        }
    }

    /// The value that a line gives to a name, where it is a plain assignment.
    fn value(&self, line: &Statement) -> Option<(&'a str, ExprId)> {
        match &line.kind {
            StatementKind::Assign { target, value } => Some((self.slice(*target), *value)),
            StatementKind::Call { name, arguments, assigned: None } if self.slice(*name) == "addVar" => {
                match self.tree.children(*arguments) {
                    [Some(target), Some(value)] => Some((self.name_of(*target)?, *value)),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

fn is_length_call(program: &Program<'_>, id: ExprId) -> bool {
    match program.tree.kind(id) {
        Some(ExprKind::Call(callee, _)) => program.name_of(*callee) == Some("len"),
        _ => false,
    }
}

/// `gather` of ids that no earlier `go_async` started.
fn background(program: &Program<'_>, out: &mut Vec<Finding>) {
    let mut started: HashSet<&str> = HashSet::default();
    for (at, line) in program.lines().enumerate() {
        let Some((name, arguments)) = program.call(line) else {
            if program.failed(at) && program.slice(line.span).contains("go_async") {
                // A failed go_async may have been meant to start any id.
                return;
            }
            continue;
        };
        let Some(Some(id)) = arguments.first() else { continue };
        let Some(key) = program.name_of(*id) else { continue };
        match name {
            "go_async" => {
                started.insert(key);
            }
            "gather" if !started.contains(key) => out.push(
                Finding::warning(
                    Category::UnexpectedConstruct,
                    Code::GATHER_WITHOUT_ASYNC,
                    line.span,
                    format!("no earlier go_async started '{key}'"),
                )
                .help("start it with go_async(id) … end()"),
            ),
            _ => {}
        }
    }
}

/// Commands whose target no longer carries the text that went in.
pub(crate) const CLEANSING: &[&str] = &[
    "encodeSHA256",
    "encodeMD5",
    "getListLen",
    "getTimeStamp",
    "ormCheckTable",
    "ormDirect",
    "RequestGet",
    "RequestPost",
    "int",
    "float",
    "len",
];

/// A program that answers nothing.
fn output(program: &Program<'_>, out: &mut Vec<Finding>) {
    let answers = program.lines().any(|line| match &line.kind {
        StatementKind::Call { name, .. } => matches!(program.slice(*name), "addResult" | "registerEndpoint"),
        StatementKind::Invalid => {
            let text = program.slice(line.span);
            text.contains("addResult") || text.contains("registerEndpoint")
        }
        _ => false,
    });
    // Where not one line could be read, its errors say all there is to say.
    let lines = program.lines().as_slice();
    let lost = !lines.is_empty() && lines.iter().all(|line| matches!(line.kind, StatementKind::Invalid));
    if !answers && !lost {
        out.push(no_output());
    }
}
