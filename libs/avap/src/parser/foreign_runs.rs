//! Runs of lines that are wholly another language: found once all lines have been read, each is left with one finding
//! that names the language.

use std::ops::Range;

use super::slice;
use crate::blocks::{BRACE, Block, Event};
use crate::commands::is_helper;
use crate::diagnostic::{Category, Code, Finding};
use crate::foreign::{self, Language};
use crate::statement::{Read, tentative};
use crate::syntax::StatementKind;

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
pub(super) fn foreign_runs(source: &str, lines: &mut [Read]) -> Vec<bool> {
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
pub(super) fn indentation(source: &str, line: &Read) -> usize {
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
