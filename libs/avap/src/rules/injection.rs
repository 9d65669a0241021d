//! The rule about SQL that holds request parameters, also where the text was joined on another line or passed through
//! functions: a graph of names, from what is read to what is written.

use std::cmp::Reverse;

use smallvec::SmallVec;

use super::{CLEANSING, Program};
use crate::commands::command;
use crate::diagnostic::{Category, Code, Finding};
use crate::syntax::{ExprId, ExprKind, Span, Statement, StatementKind};
use hashbrown::HashMap;

/// Where text flows: names by number, and an edge from what is read to what is written. Flat arrays, because a program
/// may have as many names as lines.
#[derive(Default)]
struct Flow<'a> {
    numbers: HashMap<&'a str, u32>,
    edges: Vec<(u32, u32)>,
}

impl<'a> Flow<'a> {
    fn number(&mut self, name: &'a str) -> u32 {
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        *self.numbers.entry(name).or_insert(next)
    }

    /// For each name by its number, whether it can be reached from one of these.
    fn reached(&self, mut work: Vec<u32>) -> Vec<bool> {
        // The edges by what they start from: where those of a name begin, and where they lead.
        let mut starts = vec![0_usize; self.numbers.len() + 1];
        for (from, _) in &self.edges {
            starts[*from as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut leads = vec![0_u32; self.edges.len()];
        for (from, to) in &self.edges {
            let place = &mut next[*from as usize];
            leads[*place] = *to;
            *place += 1;
        }
        let mut reached = vec![false; self.numbers.len()];
        while let Some(name) = work.pop() {
            let name = name as usize;
            if !std::mem::replace(&mut reached[name], true) {
                work.extend(&leads[starts[name]..starts[name + 1]]);
            }
        }
        reached
    }
}

/// SQL that holds request parameters.
pub(super) fn injection(program: &Program<'_>, out: &mut Vec<Finding>) {
    let parameters: HashMap<&str, &[Span]> = program
        .lines()
        .filter_map(|line| match &line.kind {
            StatementKind::Function { name, parameters } => {
                Some((program.slice(*name), program.tree.parameters(*parameters)))
            }
            _ => None,
        })
        .collect();
    // A function's name stands for its value.
    let mut flow = Flow::default();
    let mut work: Vec<u32> = Vec::new();
    let mut sinks: Vec<(Span, Vec<&str>)> = Vec::new();
    for (at, line) in program.lines().enumerate() {
        if program.failed(at) {
            continue;
        }
        let mut writes: SmallVec<[(&str, Span); 4]> = SmallVec::new();
        program.each_write(line, |name, span| writes.push((name, span)));
        let call = program.call(line);
        if matches!(call, Some(("addParam" | "getQueryParamList", _))) {
            work.extend(writes.iter().map(|(name, _)| flow.number(name)));
            continue;
        }
        let mut targets: SmallVec<[u32; 4]> = writes.iter().map(|(name, _)| flow.number(name)).collect();
        if let StatementKind::Return(_) = line.kind
            && let Some(header) = program.function.get(at).copied().flatten()
            && let Some(StatementKind::Function { name, .. }) =
                program.tree.statements.get(header as usize).map(|line| &line.kind)
        {
            targets.push(flow.number(program.slice(*name)));
        }
        let parts = parts(program, line, &parameters, &mut flow);
        let mut reads = flowing(program, line, &parts, &writes, &mut flow);
        if let Some((name, arguments)) = call {
            if parameters.contains_key(name) {
                reads.push(name);
            } else if CLEANSING.contains(&name) {
                if name == "ormDirect" && !arguments.is_empty() {
                    sinks.push((line.span, reads));
                }
                continue;
            }
        }
        for read in reads {
            let from = flow.number(read);
            flow.edges.extend(targets.iter().map(|target| (from, *target)));
        }
    }
    let tainted = flow.reached(work);
    let is_tainted = |name: &&&str| {
        let number = flow.numbers.get(**name);
        number.is_some_and(|number| tainted.get(*number as usize).copied().unwrap_or(false))
    };
    for (span, reads) in &sinks {
        if let Some(name) = reads.iter().find(is_tainted) {
            out.push(
                Finding::warning(
                    Category::UnexpectedConstruct,
                    Code::SQL_INJECTION,
                    *span,
                    format!("the SQL text holds request parameters through '{name}' (injection)"),
                )
                .help("check the parameter first, for example with getRegex or int(…)"),
            );
        }
    }
}

/// A part of a line whose text does not go where that of the rest goes.
#[derive(Clone, Copy)]
struct Part {
    span: Span,
    /// The parameter that takes it, by the number of its name; `None` where a number is made of it, which carries no
    /// text.
    to: Option<u32>,
}

/// The arguments of the program's own functions and what stands in `int`, `float` and `len`, in the order of the text,
/// the outer one first. A function's value carries on only what the function returns.
fn parts<'a>(
    program: &Program<'a>,
    line: &Statement,
    parameters: &HashMap<&'a str, &'a [Span]>,
    flow: &mut Flow<'a>,
) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut add = |name: &str, arguments: &[Option<ExprId>]| {
        let Some(parameters) = parameters.get(name) else {
            if is_number_helper(name) {
                let inside = arguments.iter().flatten().map(|id| program.tree.span(*id));
                parts.extend(inside.map(|span| Part { span, to: None }));
            }
            return;
        };
        for (parameter, argument) in parameters.iter().zip(arguments) {
            if let Some(id) = argument {
                let to = Some(flow.number(program.slice(*parameter)));
                parts.push(Part { span: program.tree.span(*id), to });
            }
        }
    };
    if let Some((name, arguments)) = program.call(line) {
        add(name, arguments);
    }
    for node in program.tree.expressions_of(line) {
        if let ExprKind::Call(callee, arguments) = node.kind
            && let Some(name) = program.name_of(callee)
        {
            add(name, program.tree.children(arguments));
        }
    }
    parts.sort_unstable_by_key(|part| (part.span.0, Reverse(part.span.1)));
    parts
}

/// Helpers whose value is a number.
fn is_number_helper(name: &str) -> bool {
    matches!(name, "int" | "float" | "len")
}

/// The names whose text flows out of a line's expressions as a whole; those in a part of it flow where that goes.
fn flowing<'a>(
    program: &Program<'a>,
    line: &Statement,
    parts: &[Part],
    writes: &[(&'a str, Span)],
    flow: &mut Flow<'a>,
) -> Vec<&'a str> {
    let mut out = Vec::new();
    let mut next = parts.iter().peekable();
    let mut around: SmallVec<[Part; 8]> = SmallVec::new();
    // Names follow one another as in the text, whatever is built of them.
    for node in program.tree.expressions_of(line) {
        let name = program.slice(node.span).trim_start_matches('$');
        let called = !node.read && command(name).is_some();
        let written = !node.read && writes.iter().any(|(_, span)| *span == node.span);
        if !matches!(node.kind, ExprKind::Name { .. }) || called || written {
            continue;
        }
        while let Some(part) = next.next_if(|part| part.span.0 <= node.span.0) {
            while around.last().is_some_and(|outer| outer.span.1 <= part.span.0) {
                around.pop();
            }
            around.push(*part);
        }
        while around.last().is_some_and(|part| part.span.1 <= node.span.0) {
            around.pop();
        }
        match around.last() {
            None => out.push(name),
            Some(Part { to: Some(to), .. }) => {
                let from = flow.number(name);
                flow.edges.push((from, *to));
            }
            Some(Part { to: None, .. }) => {}
        }
    }
    out
}
