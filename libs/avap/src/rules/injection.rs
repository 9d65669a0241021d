//! The rule about SQL that holds request parameters, also where the text was joined on another line or passed through
//! functions: a graph of names, from what is read to what is written.

use smallvec::SmallVec;

use super::{CLEANSING, Program};
use crate::commands::command;
use crate::diagnostic::{Category, Code, Finding};
use crate::hash::NameMap;
use crate::syntax::{ExprId, ExprKind, Span, Statement, StatementKind};

/// Where text flows: names by number, and an edge from what is read to what is written. Flat arrays, because a program
/// may have as many names as lines.
#[derive(Default)]
struct Flow<'a> {
    numbers: NameMap<&'a str, u32>,
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
    let parameters: NameMap<&str, &[Span]> = program
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
        let reads = flowing(program, line, &writes);
        let mut targets: SmallVec<[u32; 4]> = writes.iter().map(|(name, _)| flow.number(name)).collect();
        if let StatementKind::Return(_) = line.kind
            && let Some(header) = program.function.get(at).copied().flatten()
            && let Some(StatementKind::Function { name, .. }) =
                program.tree.statements.get(header as usize).map(|line| &line.kind)
        {
            targets.push(flow.number(program.slice(*name)));
        }
        if let Some((name, arguments)) = call {
            if name == "ormDirect" {
                let from = arguments.first().copied().flatten();
                sinks.push((line.span, from.map_or_else(Vec::new, |_| reads.clone())));
            }
            pass(program, name, arguments, &parameters, &mut flow);
            if parameters.contains_key(name) {
                let from = flow.number(name);
                flow.edges.extend(targets.iter().map(|target| (from, *target)));
            }
            if CLEANSING.contains(&name) {
                continue;
            }
        }
        if !parameters.is_empty() {
            for node in line.expressions.0..line.expressions.1 {
                if let Some(ExprKind::Call(callee, arguments)) = program.tree.kind(ExprId(node))
                    && let Some(name) = program.name_of(*callee)
                {
                    pass(program, name, program.tree.children(*arguments), &parameters, &mut flow);
                }
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

/// Arguments flow into parameters.
fn pass<'a>(
    program: &Program<'a>,
    name: &str,
    arguments: &[Option<ExprId>],
    parameters: &NameMap<&'a str, &'a [Span]>,
    flow: &mut Flow<'a>,
) {
    let Some(parameters) = parameters.get(name) else { return };
    for (parameter, argument) in parameters.iter().zip(arguments) {
        let Some(id) = argument else { continue };
        let to = flow.number(program.slice(*parameter));
        let span = program.tree.span(*id);
        for node in program.tree.expressions.iter().take(id.index() + 1).rev().take(512) {
            if node.span.0 < span.0 {
                break;
            }
            if node.read && matches!(node.kind, ExprKind::Name { .. }) {
                let from = flow.number(program.slice(node.span).trim_start_matches('$'));
                flow.edges.push((from, to));
            }
        }
    }
}

/// The names whose text flows out of a line's expressions; numbers made by `int`, `float` and `len` carry none.
fn flowing<'a>(program: &Program<'a>, line: &Statement, writes: &[(&'a str, Span)]) -> Vec<&'a str> {
    let nodes = program.tree.expressions_of(line);
    let mut safe: Vec<Span> = Vec::new();
    for node in nodes {
        if let ExprKind::Call(callee, _) = node.kind
            && matches!(program.name_of(callee), Some("int" | "float" | "len"))
        {
            safe.push(node.span);
        }
    }
    safe.sort_unstable();
    // Of spans in one another the outermost says it all.
    let mut end = 0;
    safe.retain(|span| {
        let outermost = span.1 > end;
        end = end.max(span.1);
        outermost
    });
    let mut out = Vec::new();
    for node in nodes {
        if !matches!(node.kind, ExprKind::Name { .. })
            || !node.read && command(program.slice(node.span)).is_some()
        {
            continue;
        }
        let before = safe.partition_point(|span| span.0 <= node.span.0);
        let inside = safe[..before].last().is_some_and(|span| node.span.1 <= span.1);
        if !inside {
            out.push(program.slice(node.span).trim_start_matches('$'));
        }
    }
    // The arguments of a command's targets are written, not read, unless the line reads the same name elsewhere.
    for (_, span) in writes {
        let written = program.slice(*span);
        let is_read = |node: &crate::syntax::Expr| {
            node.read
                && matches!(node.kind, ExprKind::Name { .. })
                && program.slice(node.span).trim_start_matches('$') == written
        };
        if out.contains(&written) && !nodes.iter().any(is_read) {
            out.retain(|name| *name != written);
        }
    }
    out
}
