//! Rules over the whole program: names that are never assigned, output, `_status`, SQL built from parameters, loops
//! past the end of a list. All of them are warnings; they look at lines that could be read.

mod injection;
mod names;

use std::borrow::Cow;
use std::collections::HashSet;

use names::Names;

use crate::call::{target_positions, unquote};
use crate::commands::{RESERVED_NAMES, command, is_helper};
use crate::diagnostic::{Category, Code, Finding};
use crate::hash::NameSet;
use crate::lexer::Token;
use crate::syntax::{ExprId, ExprKind, Span, Statement, StatementKind, Tree};

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
    pub(crate) functions: &'a NameSet<&'a str>,
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

/// The rules that may find something; the others need not be run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Names that are read but never assigned.
    pub(crate) reads: bool,
    /// What a single line and the names tell.
    pub(crate) lines: bool,
    /// `gather` of what nothing started.
    pub(crate) gathers: bool,
    /// SQL built from parameters.
    pub(crate) queries: bool,
    /// A program without output.
    pub(crate) output: bool,
}

impl Wanted {
    /// Every rule.
    pub(crate) const ALL: Self =
        Self { reads: true, lines: true, gathers: true, queries: true, output: true };
}

/// Runs the rules that are wanted.
pub(crate) fn check(program: &Program<'_>, wanted: Wanted) -> Vec<Finding> {
    let mut out = Vec::new();
    if wanted == Wanted::default() {
        return out;
    }
    let features = Features::of(program);
    if wanted.reads || wanted.lines {
        let names = Names::collect(program, &features);
        if wanted.reads {
            names.reads(program, &mut out);
        }
        if wanted.lines {
            single_lines(program, &names, &features, &mut out);
        }
        if features.methods {
            // That a name is no object says that nothing assigns it.
            let objects: HashSet<u32> =
                out.iter().filter(|one| one.code == Code::NOT_AN_OBJECT).map(|one| one.start).collect();
            out.retain(|one| one.code != Code::UNASSIGNED || !objects.contains(&one.start));
        }
    }
    if wanted.gathers && features.gathers {
        background(program, &mut out);
    }
    if wanted.queries && features.queries {
        injection::injection(program, &mut out);
    }
    if wanted.output {
        output(program, &mut out);
    }
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

/// Rules that need one line and the names.
fn single_lines(program: &Program<'_>, names: &Names<'_>, features: &Features, out: &mut Vec<Finding>) {
    let warning =
        |code, span, message: String| Finding::warning(Category::UnexpectedConstruct, code, span, message);
    // A header that failed may be the one of the function around a return.
    let headers_failed = program.lines().enumerate().any(|(at, line)| {
        program.failed(at)
            && ["function", "def ", "func ", "fn ", "=>"]
                .iter()
                .any(|word| program.slice(line.span).contains(word))
    });
    for (at, line) in program.lines().enumerate() {
        if program.failed(at) {
            continue;
        }
        if names.reserved {
            program.each_write(line, |name, span| {
                if RESERVED_NAMES.contains(&name) {
                    let text = format!("'{name}' is reserved for connectors");
                    out.push(warning(Code::RESERVED_NAME, span, text));
                }
            });
        }
        if let Some(("_status", value)) = program.value(line)
            && let Some(node) = program.tree.expressions.get(value.index())
            && status_is_wrong(program, value)
        {
            out.push(
                warning(
                    Code::STATUS_RANGE,
                    node.span,
                    format!("_status cannot be {}", crate::words::clip(program.slice(node.span))),
                )
                .help("HTTP status codes are whole numbers from 100 to 599"),
            );
        }
        match &line.kind {
            StatementKind::Return(_)
                if !headers_failed && program.function.get(at).copied().flatten().is_none() =>
            {
                out.push(
                    warning(Code::RETURN_OUTSIDE, line.span, "return outside of a function".to_owned())
                        .help("a program answers with addResult(x)"),
                );
            }
            StatementKind::Function { name, .. } => {
                let text = program.slice(*name);
                if command(text).is_some() || is_helper(text) {
                    out.push(warning(
                        Code::REDEFINED_COMMAND,
                        *name,
                        format!("this function hides the command '{text}'"),
                    ));
                }
            }
            StatementKind::Call { name, arguments, .. } if program.slice(*name) == "startLoop" => {
                if let [_, Some(from), Some(to)] = program.tree.children(*arguments)
                    && program.slice(program.tree.span(*from)) == "0"
                    && (is_length_call(program, *to)
                        || (matches!(program.tree.kind(*to), Some(ExprKind::Name { .. }))
                            && program.name_of(*to).is_some_and(|name| names.lengths.contains(name))))
                {
                    let text = program.slice(program.tree.span(*to));
                    out.push(
                        warning(
                            Code::LOOP_PAST_END,
                            line.span,
                            "the loop includes its end value and runs one past the end of the list"
                                .to_owned(),
                        )
                        .help(format!("end the loop at {text} - 1")),
                    );
                }
            }
            _ => {}
        }
        if features.methods {
            objects(program, names, at, line, out);
        }
    }
}

/// Method calls on names that hold no object.
fn objects(program: &Program<'_>, names: &Names<'_>, at: usize, line: &Statement, out: &mut Vec<Finding>) {
    let function = program.function.get(at).copied().flatten();
    for node in line.expressions.0..line.expressions.1 {
        let Some(ExprKind::Call(callee, _)) = program.tree.kind(ExprId(node)) else { continue };
        let Some(ExprKind::Member(base, _)) = program.tree.kind(*callee) else { continue };
        let Some(ExprKind::Name { .. }) = program.tree.kind(*base) else { continue };
        let Some(name) = program.name_of(*base) else { continue };
        let scalar = names.scalars.get(name).copied().unwrap_or(false);
        let parameter = function
            .and_then(|line| names.parameters.get(&line))
            .is_some_and(|parameters| parameters.contains(name));
        if !parameter && (scalar || !names.knows(name, function)) {
            out.push(
                Finding::warning(
                    Category::UnexpectedConstruct,
                    Code::NOT_AN_OBJECT,
                    program.tree.span(*base),
                    format!("'{name}' is not an object"),
                )
                .help("objects come from avapConnector(token)"),
            );
        }
    }
}

fn status_is_wrong(program: &Program<'_>, value: ExprId) -> bool {
    let text = program.slice(program.tree.span(value));
    match program.tree.kind(value) {
        Some(ExprKind::Number) => !text.parse::<u32>().is_ok_and(|code| (100..=599).contains(&code)),
        Some(ExprKind::Text) => !unquote(text).parse::<u32>().is_ok_and(|code| (100..=599).contains(&code)),
        Some(ExprKind::Unary(_, operand)) => matches!(program.tree.kind(*operand), Some(ExprKind::Number)),
        Some(ExprKind::Constant) => true,
        _ => false,
    }
}

/// `gather` of ids that no earlier `go_async` started.
fn background(program: &Program<'_>, out: &mut Vec<Finding>) {
    let mut started: NameSet<&str> = NameSet::default();
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
        out.push(
            Finding::warning(
                Category::UnexpectedConstruct,
                Code::NO_OUTPUT,
                (0, 0),
                "the program has neither addResult nor registerEndpoint",
            )
            .help("return a value with addResult(x)"),
        );
    }
}
