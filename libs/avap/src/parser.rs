//! A program to a tree and its findings: outline, lines, runs of another language, block structure, rules. Each line
//! recovers by itself; a line carries at most one error.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::ops::Range;

use crate::FunctionInfo;
use crate::blocks::{self, BRACE, Block, END, END_LOOP, Event, Placed, Structure};
use crate::commands::{Profiles, command_bit, is_helper};
use crate::diagnostic::{Category, Code, Finding, Severity};
use crate::foreign::{self, Language};
use crate::hash::NameSet;
use crate::layout::{self, Line};
use crate::lexer::{Lexed, Token, TokenKind, lex};
use crate::rules::{self, Failed, TextRead, Wanted};
use crate::statement::{ANY_ARITY, Outline, Read, Reader, tentative};
use crate::suggest;
use crate::syntax::{Arena, Span, Statement, StatementKind, Tree};

/// What the parser found.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) tree: Tree,
    pub(crate) findings: Vec<Finding>,
    /// The functions, in text order.
    pub(crate) functions: Vec<FunctionInfo>,
    /// The commands used, as bits.
    pub(crate) commands: u64,
}

/// Parses a source of fewer than 2^32 bytes.
pub(crate) fn parse(source: &str, profiles: Profiles, server_compat: bool) -> Outcome {
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
    let mut lines: Vec<Read> = layout.iter().map(|line| reader.read(&tokens, line)).collect();
    let ranges: Vec<Range<usize>> =
        layout.iter().map(|line| line.tokens.start..line.tokens.end.max(line.spread.end)).collect();
    let arena = reader.arena;

    brace_on_next_line(source, &mut lines);
    duplicates(source, &mut lines);
    let foreign = foreign_runs(source, &mut lines);
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
    let functions: NameSet<&str> = outline.functions.keys().copied().collect();
    let program = rules::Program {
        functions: &functions,
        source,
        tree: &tree,
        failed: Failed { lines: &failed, tokens: &tokens, ranges: &ranges },
        text_reads: &text_reads,
        function: &structure.function,
    };
    findings.extend(rules::check(&program, Wanted::ALL));
    let (functions, commands) = describe(source, &tree);
    Outcome { tree, findings, functions, commands }
}

/// The functions that the lines define, and the commands that they use.
fn describe(source: &str, tree: &Tree) -> (Vec<FunctionInfo>, u64) {
    let slice = |span: Span| source.get(span.0 as usize..span.1 as usize).unwrap_or_default();
    let (mut functions, mut used) = (Vec::new(), 0);
    let (mut line, mut offset) = (1_u32, 0_usize);
    for statement in &tree.statements {
        match statement.kind {
            StatementKind::Call { name, .. } => used |= command_bit(slice(name)),
            StatementKind::Function { name, parameters } => {
                let start = statement.span.0 as usize;
                let passed = source.as_bytes().get(offset..start).unwrap_or_default();
                line = line.saturating_add(crate::line_ends(passed));
                offset = start;
                functions.push(FunctionInfo {
                    name: slice(name).to_owned(),
                    parameters: tree
                        .parameters(parameters)
                        .iter()
                        .map(|span| slice(*span).to_owned())
                        .collect(),
                    line,
                });
            }
            _ => {}
        }
    }
    (functions, used)
}

/// The functions of the file with the number of their parameters, before any line is read.
fn functions<'a>(source: &'a str, tokens: &[Token], layout: &[Line]) -> BTreeMap<&'a str, usize> {
    let mut functions = BTreeMap::new();
    // Without such a symbol nothing in the file is an arrow function.
    let odd = tokens.iter().any(|token| token.kind == TokenKind::UnknownSymbol);
    for line in layout {
        let tokens = without_modifiers(source, &tokens[line.tokens.clone()]);
        let kind = |at: usize| tokens.get(at).map(|token| token.kind);
        let text = |at: usize| tokens.get(at).map_or("", |token| token.text(source));
        let (Some(TokenKind::Name), Some(second)) = (kind(0), kind(1)) else { continue };
        if second == TokenKind::Name {
            if matches!(text(0), "function" | "def" | "func" | "fn" | "fun") {
                // Where the header is wrong its callers are not.
                let parameters = match kind(2) {
                    Some(TokenKind::OpenParen) => parameters(tokens),
                    _ => ANY_ARITY,
                };
                functions.entry(text(1)).or_insert(parameters);
            } else if odd
                && matches!(text(0), "const" | "let" | "var")
                && tokens.iter().any(|token| token.text(source) == "=>")
            {
                functions.entry(text(1)).or_insert(ANY_ARITY);
            }
        } else if second == TokenKind::Assign
            && (text(2) == "function"
                || odd && tokens.iter().any(|token| matches!(token.text(source), "=>" | "function")))
        {
            functions.entry(text(0)).or_insert(ANY_ARITY);
        }
    }
    functions
}

/// A line without semicolons at its end and without words that other languages put before a definition.
fn without_modifiers<'t>(source: &str, tokens: &'t [Token]) -> &'t [Token] {
    let mut tokens = tokens;
    while let [rest @ .., last] = tokens
        && last.kind == TokenKind::Semicolon
    {
        tokens = rest;
    }
    match tokens {
        [first, rest @ ..]
            if first.kind == TokenKind::Name
                && matches!(first.text(source), "async" | "export" | "pub" | "public") =>
        {
            rest
        }
        _ => tokens,
    }
}

/// The number of parameters of a header; a comma behind the last one is a mistake of its own.
fn parameters(tokens: &[Token]) -> usize {
    let inner = tokens[3..].iter().take_while(|token| token.kind != TokenKind::CloseParen);
    let mut count = 0;
    let mut inside = false;
    for token in inner {
        if token.kind == TokenKind::Comma {
            inside = false;
        } else if token.kind.is_no_code() {
        } else if inside || token.kind != TokenKind::Name {
            // A default, a type or a splat: how many arguments it takes cannot be told.
            return ANY_ARITY;
        } else {
            inside = true;
            count += 1;
        }
    }
    count
}

/// The names that lines seem to assign, roughly.
fn assigned<'a>(source: &'a str, tokens: &[Token], layout: &[Line]) -> NameSet<&'a str> {
    let mut assigned = NameSet::default();
    for line in layout {
        let tokens = without_modifiers(source, &tokens[line.tokens.clone()]);
        let kind = |at: usize| tokens.get(at).map(|token| token.kind);
        let text = |at: usize| tokens.get(at).map_or("", |token| token.text(source));
        let defines = matches!(text(0), "function" | "def" | "func" | "fn" | "fun");
        if defines && kind(1) == Some(TokenKind::Name) {
            if kind(2) == Some(TokenKind::OpenParen) {
                let inner = tokens[3..].iter().take_while(|token| token.kind != TokenKind::CloseParen);
                assigned.extend(inner.filter(|t| t.kind == TokenKind::Name).map(|t| t.text(source)));
            }
            continue;
        }
        if kind(0) != Some(TokenKind::Name) {
            continue;
        }
        match kind(1) {
            Some(TokenKind::Assign) => {
                assigned.insert(text(0));
                // A target may stand inside the call as well.
                assigned.extend(last_argument(source, tokens));
            }
            Some(TokenKind::OpenParen) => {
                if matches!(text(0), "addVar" | "startLoop" | "exception" | "getQueryParamList") {
                    assigned.insert(text(2).trim_matches(['"', '\'']));
                }
                assigned.extend(last_argument(source, tokens));
            }
            _ => {}
        }
    }
    assigned
}

/// The name directly before the closing parenthesis at the end of a line, if more than one argument is given.
fn last_argument<'a>(source: &'a str, tokens: &[Token]) -> Option<&'a str> {
    let [.., comma, name, close] = tokens else { return None };
    let target = close.kind == TokenKind::CloseParen
        && comma.kind == TokenKind::Comma
        && matches!(name.kind, TokenKind::Name | TokenKind::Str);
    target.then(|| name.text(source).trim_matches(['"', '\'']))
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
    let mut seen: NameSet<&str> = NameSet::default();
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
        } else if inside && foreign(line) && matches!(first(line), "case" | "default" | "break") {
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

/// Lines of a run whose marks are counted where two languages have marks on equally many lines.
const WEIGHED_LINES: usize = 64;

/// How a line counts when runs of another language are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// It failed, or it is the `}` of a foreign block.
    Fails,
    /// It could be AVAP as well as another language: an assignment, a `return`, a method call.
    Neutral,
    /// It is AVAP.
    Avap,
}

/// Finds runs of lines that are wholly another language, leaves one finding on the first line of each and tells which
/// lines belong to one. A run has three failing lines in a row, two of which bear marks of one language. Where the run
/// opens with a header that only a file or function of another language has, lines that AVAP could hold too belong to
/// it as well: each one between two failing lines, and all that are indented below the header.
fn foreign_runs(source: &str, lines: &mut [Read]) -> Vec<bool> {
    let standing = standings(source, lines);
    let mut inside = vec![false; lines.len()];
    let mut at = 0;
    while at < lines.len() {
        if standing[at] != Standing::Fails {
            at += 1;
            continue;
        }
        let run = run(source, lines, &standing, at);
        // A closer of AVAP behind it tells that single lines were meant as AVAP.
        let held = if run.closed { run.failing } else { run.failing + run.indented };
        if let Some(language) = language_of(source, &lines[at..run.end]).filter(|_| held >= 3) {
            let (from, to) = extend(source, lines, &standing, at..run.end, language, &inside);
            settle(source, lines, from..to, language);
            inside[from..to].fill(true);
            at = to;
        } else {
            at = run.failed_end;
        }
    }
    inside
}

/// A run of lines that may be another language.
struct Run {
    /// Behind its last line.
    end: usize,
    /// Behind its last failing line.
    failed_end: usize,
    /// Failing lines of the text, those that a statement is spread over included.
    failing: usize,
    /// Lines that stand indented below a foreign header.
    indented: usize,
    /// Whether a closer or divider of AVAP follows.
    closed: bool,
}

fn run(source: &str, lines: &mut [Read], standing: &[Standing], at: usize) -> Run {
    let mut run = Run { end: at, failed_end: at, failing: 0, indented: 0, closed: false };
    let mut header: Option<usize> = None;
    // Lines that AVAP could hold too and that may stand between two failing lines of a run with a header.
    let mut bridged = 0;
    let mut next = at;
    while next < lines.len() {
        match standing[next] {
            Standing::Fails => {
                if header.is_none() && foreign::is_header(slice(source, &lines[next])) {
                    header = Some(indentation(source, &lines[next]));
                }
                let start = slice(source, &lines[next]);
                if next == at && ["#!", "<?php", "#include"].iter().any(|first| start.starts_with(first)) {
                    // Such a line stands for a whole file.
                    run.failing += 1;
                }
                run.failing += 1 + lines[next].spread;
                next += 1;
                (run.end, run.failed_end) = (next, next);
                bridged = 0;
            }
            Standing::Neutral => {
                lines[next].marks = foreign::marks(slice(source, &lines[next]));
                if header.is_some_and(|header| indentation(source, &lines[next]) > header) {
                    run.indented += 1;
                    next += 1;
                    run.end = next;
                } else if lines[next].marks.any() {
                    // What only another language writes, although AVAP could hold it.
                    run.indented += 1;
                    next += 1;
                    run.end = next;
                } else if lines[next].marks.any_trace() {
                    next += 1;
                } else if header.is_some() && bridged == 0 {
                    bridged = 1;
                    next += 1;
                } else {
                    break;
                }
            }
            // A line that could be AVAP but for its mistake, in the body of another language's function.
            Standing::Avap
                if lines[next].error.is_some()
                    && header.is_some_and(|header| indentation(source, &lines[next]) > header) =>
            {
                run.failing += 1 + lines[next].spread;
                next += 1;
                run.end = next;
            }
            Standing::Avap => {
                run.closed = lines[next].events.iter().any(|event| {
                    matches!(event, Event::Close { .. } | Event::Else { .. } | Event::Exception { .. })
                });
                break;
            }
        }
    }
    run
}

/// The width of the white space before a line.
fn indentation(source: &str, line: &Read) -> usize {
    let before = source.get(..line.span.0 as usize).unwrap_or_default();
    before.len() - before.trim_end_matches([' ', '\t']).len()
}

fn standings(source: &str, lines: &[Read]) -> Vec<Standing> {
    // Which `}` close a function of AVAP and which a block of another language.
    let mut braces: Vec<bool> = Vec::new();
    lines
        .iter()
        .map(|line| {
            let mut foreign_close = false;
            for event in &line.events {
                match event {
                    Event::Open { block: Block::Function, required: true, .. } => braces.push(true),
                    Event::Open { accepts, required: false, .. } if accepts & BRACE != 0 => {
                        braces.push(false)
                    }
                    Event::Close { closer: BRACE, .. } => foreign_close = !braces.pop().unwrap_or(false),
                    Event::CloseForeign if braces.last() == Some(&false) => {
                        braces.pop();
                    }
                    _ => {}
                }
            }
            if line.error.is_some() || foreign_close {
                // A command with a mistake is AVAP, not a line of another language.
                let avap =
                    line.error.is_some() && !line.marks.any() && starts_with_command(slice(source, line));
                return if avap { Standing::Avap } else { Standing::Fails };
            }
            match &line.kind {
                StatementKind::Assign { .. } | StatementKind::Return(_) | StatementKind::MethodCall(_) => {
                    Standing::Neutral
                }
                StatementKind::Call { name, .. } => {
                    let word = source.get(name.0 as usize..name.1 as usize).unwrap_or_default();
                    if is_helper(word) { Standing::Neutral } else { Standing::Avap }
                }
                _ => Standing::Avap,
            }
        })
        .collect()
}

fn starts_with_command(text: &str) -> bool {
    if text == "else" {
        // Without parentheses it is a word of many languages.
        return false;
    }
    let text = match text.split_once('=') {
        Some((target, value)) if crate::words::is_name(target.trim()) => value.trim_start(),
        _ => text,
    };
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
    crate::commands::command(&text[..end]).is_some()
}

/// The language that at least two lines bear marks of, one of them strong, or that every line bears marks of; the one
/// with the most marked lines, then with the most marks.
fn language_of(source: &str, lines: &[Read]) -> Option<Language> {
    let mut best: Option<(usize, usize, u32, Language)> = None;
    let spread: Vec<foreign::Marks> = lines
        .iter()
        .filter(|line| line.spread > 0)
        .flat_map(|line| {
            let rest = source.get(line.span.0 as usize..).unwrap_or_default();
            rest.lines().skip(1).take(line.spread.min(WEIGHED_LINES)).map(foreign::marks)
        })
        .take(WEIGHED_LINES)
        .collect();
    let mut weights: Option<[u32; Language::ALL.len()]> = None;
    for language in Language::ALL {
        let marked = lines.iter().filter(|line| line.marks.has(language)).count()
            + spread.iter().filter(|marks| marks.has(language)).count();
        let strong = lines.iter().filter(|line| line.marks.has_strong(language)).count()
            + spread.iter().filter(|marks| marks.has_strong(language)).count();
        let all = lines.iter().all(|line| line.marks.has_clear(language));
        if marked < 2 || (strong == 0 && !all) {
            continue;
        }
        let weights = weights.get_or_insert_with(|| {
            foreign::weights(lines.iter().take(WEIGHED_LINES).map(|line| slice(source, line)))
        });
        let weight = weights[language as usize];
        if best.is_none_or(|(s, m, w, _)| (strong, marked, weight) > (s, m, w)) {
            best = Some((strong, marked, weight, language));
        }
    }
    best.map(|(_, _, _, language)| language)
}

/// Grows a run over lines that could be either language, up to further failing lines of the same one.
fn extend(
    source: &str,
    lines: &[Read],
    standing: &[Standing],
    run: Range<usize>,
    language: Language,
    inside: &[bool],
) -> (usize, usize) {
    let belongs = |at: usize| {
        standing[at] == Standing::Fails
            && (lines[at].marks.has(language) || slice(source, &lines[at]).starts_with('}'))
            && !inside[at]
    };
    let (mut from, mut to) = (run.start, run.end);
    let mut at = to;
    while at < lines.len() {
        if belongs(at) {
            to = at + 1;
        } else if standing[at] == Standing::Avap || (standing[at] == Standing::Fails && !belongs(at)) {
            break;
        }
        at += 1;
    }
    let mut at = from;
    while at > 0 {
        at -= 1;
        if belongs(at) {
            from = at;
        } else if let Some(header) = function_of(source, lines, at, language).filter(|_| !inside[at]) {
            (from, at) = (header, header);
        } else if standing[at] != Standing::Neutral || inside[at] {
            break;
        }
    }
    // A neutral line that bears a mark itself is part of the block.
    while to < lines.len()
        && standing[to] == Standing::Neutral
        && foreign::marks(slice(source, &lines[to])).has(language)
    {
        to += 1;
    }
    (from, to)
}

/// The header of the function that ends on a line, where language and its body tell that it is no function of AVAP.
fn function_of(source: &str, lines: &[Read], end: usize, language: Language) -> Option<usize> {
    let scripts = matches!(language, Language::JavaScript | Language::TypeScript | Language::Php);
    if !scripts || !matches!(lines[end].kind, StatementKind::CloseFunction) {
        return None;
    }
    let body = lines[..end].iter().rev().take(WEIGHED_LINES);
    let length = body.take_while(|line| !matches!(line.kind, StatementKind::Function { .. })).count();
    let header = end.checked_sub(length + 1)?;
    let semicolons = lines[header + 1..end].iter().any(|line| {
        let behind = source.get(line.span.1 as usize..).unwrap_or_default();
        slice(source, line).ends_with(';') || behind.starts_with(';')
    });
    (semicolons && matches!(lines[header].kind, StatementKind::Function { .. })).then_some(header)
}

fn settle(source: &str, lines: &mut [Read], run: Range<usize>, language: Language) {
    let name = language.name();
    let open: Vec<Event> = lines[run.clone()]
        .iter()
        .flat_map(|line| line.events.iter().copied())
        .filter(|event| matches!(event, Event::Open { required: false, accepts, .. } if accepts & BRACE != 0))
        .collect();
    let closed = lines[run.clone()]
        .iter()
        .flat_map(|line| line.events.iter())
        .filter(|event| matches!(event, Event::Close { closer: BRACE, .. } | Event::CloseForeign))
        .count();
    let left = open.len().saturating_sub(closed);
    for (step, line) in lines[run].iter_mut().enumerate() {
        let text = crate::words::clip(slice(source, line));
        line.events.clear();
        line.notes.clear();
        line.text_reads.clear();
        line.expressions = (0, 0);
        line.error = (step == 0).then(|| {
            let finding = Finding::error(
                Category::ForeignKeyword,
                Code::FOREIGN_BLOCK,
                line.span,
                format!("foreign construct '{text}': this block is {name}, not AVAP"),
            );
            Box::new(finding.help(format!("the whole block is {name}; write it again with AVAP commands such as addParam, addVar, if, startLoop and addResult")))
        });
        line.kind = StatementKind::Invalid;
        if step == 0 {
            // Braces that the block leaves open may be closed behind it.
            line.events.extend(std::iter::repeat_n(tentative(Block::Foreign, BRACE), left));
        }
    }
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
