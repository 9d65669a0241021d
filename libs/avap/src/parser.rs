//! A program to a tree and its findings: outline, lines, runs of another language, block structure, rules. Each line
//! recovers by itself; a line carries at most one error.

mod foreign_runs;
mod outline;

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::ops::Range;

use foreign_runs::{foreign_runs, indentation};
use outline::{assigned, functions};

use crate::blocks::{self, Block, END, END_LOOP, Event, Placed, Structure};
use crate::commands::{Profiles, command_bit};
use crate::diagnostic::{Code, Finding, Severity};
use crate::layout;
use crate::lexer::{Lexed, lex};
use crate::rules::{self, Failed, TextRead};
use crate::statement::{Outline, Read, Reader};
use crate::suggest;
use crate::syntax::{Arena, Span, Statement, StatementKind, Tree};
use hashbrown::HashSet;

/// What the parser found.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) tree: Tree,
    pub(crate) findings: Vec<Finding>,
    /// The commands used, as bits.
    pub(crate) commands: u64,
}

/// Lines that are read between two questions whether to stop.
const LINES: usize = 16;

/// Parses a source of fewer than 2^32 bytes; `None` if `stop`, which is asked now and then, said so.
pub(crate) fn parse(
    source: &str,
    profiles: Profiles,
    server_compat: bool,
    stop: &dyn Fn() -> bool,
) -> Option<Outcome> {
    let Lexed { tokens, comments } = lex(source);
    let layout = layout::lines(source, &tokens);
    let find = || assigned(source, &tokens, &layout);
    let outline = Outline {
        functions: functions(source, &tokens, &layout),
        assigned: OnceCell::new(),
        find: &find,
        suggested: RefCell::default(),
    };
    let mut reader = Reader {
        source,
        outline: &outline,
        profiles,
        arena: Arena { nodes: Vec::with_capacity(tokens.len() / 2), ..Arena::default() },
    };
    let mut lines: Vec<Read> = Vec::with_capacity(layout.len());
    for part in layout.chunks(LINES) {
        if stop() {
            return None;
        }
        lines.extend(part.iter().map(|line| reader.read(&tokens, line)));
    }
    let ranges: Vec<Range<usize>> =
        layout.iter().map(|line| line.tokens.start..line.tokens.end.max(line.spread.end)).collect();
    let arena = reader.arena;

    brace_on_next_line(source, &mut lines);
    duplicates(source, &mut lines);
    if stop() {
        return None;
    }
    let foreign = foreign_runs(source, &mut lines);
    if stop() {
        return None;
    }
    cases(source, &mut lines);
    let mut structure = structure(&mut lines, &foreign);
    if !structure.findings.is_empty() {
        let events = events(&lines, &foreign);
        blocks::by_layout(&mut structure, &events, |line| indentation(source, &lines[line]));
    }
    signatures(source, &arena, &mut lines);
    for (line, mut finding) in structure.findings {
        if server_compat
            && matches!(finding.code, Code::UNCLOSED_BLOCK | Code::WRONG_CLOSER | Code::EXTRA_CLOSER)
        {
            finding.severity = Severity::Warning;
            lines[line].notes.push(finding);
        } else if lines[line].error.is_none() && !foreign[line] {
            lines[line].error = Some(Box::new(finding));
        }
    }

    let mut findings = Vec::new();
    let mut statements = Vec::with_capacity(lines.len());
    let mut failed = Vec::with_capacity(lines.len());
    let mut text_reads = Vec::new();
    for (at, (line, parent)) in lines.into_iter().zip(structure.parent).enumerate() {
        failed.push(line.error.is_some());
        findings.extend(line.error.map(|error| *error));
        findings.extend(line.notes);
        text_reads.extend(line.text_reads.into_iter().map(|(name, arithmetic, span)| TextRead {
            line: at,
            name: name.into(),
            arithmetic,
            span,
        }));
        statements.push(Statement {
            kind: line.kind,
            span: line.span,
            expressions: line.expressions,
            parent,
        });
    }
    let tree = Tree {
        statements,
        expressions: arena.nodes,
        children: arena.children,
        parameters: arena.parameters,
        comments,
    };
    let functions: HashSet<&str> = outline.functions.keys().copied().collect();
    let program = rules::Program {
        functions: &functions,
        source,
        tree: &tree,
        failed: Failed { lines: &failed, tokens: &tokens, ranges: &ranges },
        text_reads: &text_reads,
        function: &structure.function,
    };
    if stop() {
        return None;
    }
    findings.extend(rules::check(&program));
    let commands = commands_used(source, &tree);
    Some(Outcome { tree, findings, commands })
}

/// The commands that the lines use, as bits.
fn commands_used(source: &str, tree: &Tree) -> u64 {
    let slice = |span: Span| source.get(span.0 as usize..span.1 as usize).unwrap_or_default();
    let names = tree.statements.iter().filter_map(|statement| match statement.kind {
        StatementKind::Call { name, .. } => Some(slice(name)),
        _ => None,
    });
    names.fold(0, |used, name| used | command_bit(name))
}

/// A function header whose brace stands on the next line: the header's mistake alone.
fn brace_on_next_line(source: &str, lines: &mut [Read]) {
    for at in 1..lines.len() {
        let (before, rest) = lines.split_at_mut(at);
        let line = &mut rest[0];
        if before[at - 1].wants_brace && slice(source, line) == "{" {
            line.error = None;
            line.events.clear();
        }
    }
}

/// Functions that are defined twice: an error on the second.
fn duplicates(source: &str, lines: &mut [Read]) {
    let mut seen: HashSet<&str> = HashSet::default();
    for line in lines {
        let StatementKind::Function { name, .. } = line.kind else { continue };
        let text = source.get(name.0 as usize..name.1 as usize).unwrap_or_default();
        if !seen.insert(text) && line.error.is_none() {
            let finding = Finding::unexpected(
                Code::DUPLICATE,
                name,
                format!("unexpected construct: the function '{text}' exists already"),
            );
            line.error = Some(Box::new(finding.help("choose another name")));
        }
    }
}

/// The cases of a `switch`: one mistake, told at its head.
fn cases(source: &str, lines: &mut [Read]) {
    let first = |line: &Read| {
        let text = slice(source, line);
        let end = text.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(text.len());
        &text[..end]
    };
    let foreign = |line: &Read| line.error.as_ref().is_some_and(|error| error.code == Code::FOREIGN);
    let mut inside = false;
    for line in lines {
        if foreign(line) && matches!(first(line), "switch" | "match") {
            inside = true;
        } else if matches!(line.kind, StatementKind::Function { .. }) {
            inside = false;
        } else if inside && line.error.is_some() && matches!(first(line), "case" | "default" | "break") {
            line.error = None;
            line.events.clear();
        }
    }
}

/// Gives a call of a function of the program with the wrong number of arguments the function's header.
fn signatures(source: &str, arena: &Arena, lines: &mut [Read]) {
    let wanting = |line: &Read| {
        line.error.as_ref().is_some_and(|error| error.code == Code::ARITY && error.help.is_none())
    };
    if !lines.iter().any(wanting) {
        return;
    }
    let text = |span: Span| source.get(span.0 as usize..span.1 as usize).unwrap_or_default();
    let mut headers: BTreeMap<&str, String> = BTreeMap::new();
    for line in lines.iter() {
        if let StatementKind::Function { name, parameters } = &line.kind {
            let parameters = arena.parameters_of(*parameters);
            let parameters: Vec<&str> = parameters.iter().map(|span| text(*span)).collect();
            let name = text(*name);
            headers.entry(name).or_insert_with(|| format!("{name}({})", parameters.join(", ")));
        }
    }
    for line in lines.iter_mut().filter(|line| wanting(line)) {
        if let Some(error) = &mut line.error
            && let Some(header) = headers.get(text((error.start, error.end)))
        {
            error.help = Some(format!("write {header}"));
        }
    }
}

fn slice<'a>(source: &'a str, line: &Read) -> &'a str {
    source.get(line.span.0 as usize..line.span.1 as usize).unwrap_or_default()
}

/// Unknown calls of one file that are tried as block words.
const MOST_STAND_INS: usize = 16;

/// The block structure. Where it does not come out, a call of an unknown name may be a misspelt block word: each is
/// tried as the words that take its number of arguments, and kept as the one that leaves the fewest findings.
fn structure(lines: &mut [Read], foreign: &[bool]) -> Structure {
    let mut best = blocks::resolve(&events(lines, foreign), lines.len());
    let unknown: Vec<(usize, usize)> = (0..lines.len())
        .filter(|at| !foreign[*at])
        .filter_map(|at| lines[at].stand_in.map(|count| (at, count)))
        .take(MOST_STAND_INS)
        .collect();
    for (at, count) in unknown {
        if best.findings.is_empty() {
            break;
        }
        let mut kept = lines[at].events.clone();
        let mut word = None;
        for (_, name, event) in BLOCK_WORDS.iter().filter(|(arguments, ..)| *arguments == count) {
            lines[at].events = vec![*event];
            let tried = blocks::resolve(&events(lines, foreign), lines.len());
            if tried.findings.len() < best.findings.len() {
                best = tried;
                kept = vec![*event];
                word = Some(*name);
            }
        }
        lines[at].events = kept;
        if let Some(word) = word
            && let Some(error) = &mut lines[at].error
        {
            error.help = Some(suggest::usage(word));
            error.suggestion = Some(word.to_owned());
        }
    }
    best
}

/// Block words by the number of arguments they take, with what they do to the structure.
const BLOCK_WORDS: &[(usize, &str, Event)] = &[
    (0, "end", Event::Close { closer: END, lenient: false }),
    (0, "endLoop", Event::Close { closer: END_LOOP, lenient: false }),
    (0, "else", Event::Else { lenient: false }),
    (0, "try", Event::Open { block: Block::Try, accepts: END, required: true }),
    (0, "exception", Event::Exception { lenient: false }),
    (1, "exception", Event::Exception { lenient: false }),
    (1, "go_async", Event::Open { block: Block::Async, accepts: END, required: true }),
    (3, "if", Event::Open { block: Block::If, accepts: END, required: true }),
    (3, "startLoop", Event::Open { block: Block::Loop, accepts: END_LOOP, required: true }),
];

/// The block events of all lines in order; `foreign` lines take part only with the braces they leave open.
fn events(lines: &[Read], foreign: &[bool]) -> Vec<Placed> {
    let mut out = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        for event in &line.events {
            if foreign[at] && !matches!(event, Event::Open { .. }) {
                continue;
            }
            out.push(Placed { line: at, span: line.span, event: *event });
        }
    }
    out
}
