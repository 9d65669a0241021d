//! The check of programs by what their parser said.

use super::Case;
use super::outcome::{Outcome, counted, finding};
use assay_domain::QueryType;
use assay_domain::code::{BlockStatus, Diagnostic, PLACEHOLDER, ParsedBlock, Severity};
use assay_domain::report::{Attempt, CheckName, CheckStatus, Finding, Span};

/// Findings of blocks that are rejected, and of rejected blocks that stand verbatim in a cited source.
pub(super) fn invalid(case: &Case<'_>) -> (Vec<Finding>, Vec<Finding>) {
    let (mut rejected, mut quoted) = (Vec::new(), Vec::new());
    for parsed in &case.facts.blocks {
        let span = span(case, parsed);
        match &parsed.status {
            BlockStatus::WrongLanguage(found) => {
                let detail = format!("the program is in {found}, another language than the one asked for");
                rejected.push(finding("wrong_language", detail, span));
            }
            BlockStatus::Invalid => {
                let detail = match first_error(parsed) {
                    Some(d) => format!("{}, line {}: {} ({})", number(parsed), d.line, d.message, d.code),
                    None => format!("{} is rejected by its parser", number(parsed)),
                };
                let finding = finding(CheckName::CodeSyntax.as_str(), detail, span);
                if stands_in_a_cited_source(case, parsed) {
                    quoted.push(finding)
                } else {
                    rejected.push(finding)
                }
            }
            BlockStatus::Valid
            | BlockStatus::NoGrammar
            | BlockStatus::Plain
            | BlockStatus::Unavailable(_) => {}
        }
    }
    (rejected, quoted)
}

/// Where a block stands, in all units.
pub(super) fn span(case: &Case<'_>, parsed: &ParsedBlock) -> Option<Span> {
    let (start, end) = (parsed.block.byte_start, parsed.block.byte_end);
    let text = case.parsed.document.text.get(start..end)?;
    Some(case.parsed.offsets.span(start..start + text.trim_end().len()))
}

fn stands_in_a_cited_source(case: &Case<'_>, parsed: &ParsedBlock) -> bool {
    let tidy = |text: &str| text.trim().lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    let code = tidy(&parsed.block.code);
    let terms = case.judge.terms();
    let markers = &case.parsed.reading.citations;
    let cited = |place: usize| markers.iter().any(|citation| citation.marker as usize == place + 1);
    let mut sources = terms.sources.iter().enumerate();
    !code.is_empty()
        && sources
            .any(|(at, source)| (terms.citations_optional || cited(at)) && tidy(&source.text).contains(&code))
}

/// How findings call a block.
fn number(parsed: &ParsedBlock) -> String {
    format!("block {}", parsed.block.index + 1)
}

fn first_error(parsed: &ParsedBlock) -> Option<&Diagnostic> {
    parsed.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error)
}

fn placeholders(parsed: &ParsedBlock) -> impl Iterator<Item = &Diagnostic> {
    parsed.diagnostics.iter().filter(|diagnostic| diagnostic.code == PLACEHOLDER)
}

/// What a reader is told of blocks that are not rejected: not read, not known, not complete.
fn notes(case: &Case<'_>) -> Vec<Finding> {
    let mut notes = Vec::new();
    for parsed in &case.facts.blocks {
        let place = span(case, parsed);
        match &parsed.status {
            BlockStatus::Plain => {
                notes.push(finding("not_code", format!("{} was not read as code", number(parsed)), place));
            }
            BlockStatus::NoGrammar => {
                let detail = format!("{}: no parser knows {}", number(parsed), parsed.block.language);
                notes.push(finding("no_grammar", detail, place));
            }
            BlockStatus::Unavailable(_) => {}
            BlockStatus::Valid | BlockStatus::Invalid | BlockStatus::WrongLanguage(_) => {
                notes.extend(placeholders(parsed).map(|d| {
                    let detail = format!("{}, line {}: {}", number(parsed), d.line, d.message);
                    finding(PLACEHOLDER, detail, place)
                }));
            }
        }
    }
    notes
}

/// What became of a block, as its claim says it; empty where its parser accepts it.
pub(crate) fn told(parsed: &ParsedBlock) -> String {
    match &parsed.status {
        BlockStatus::Valid if placeholders(parsed).next().is_some() => {
            "its parser accepts it but for placeholders".to_owned()
        }
        BlockStatus::Valid => String::new(),
        BlockStatus::Invalid => match first_error(parsed) {
            Some(d) => format!("its parser rejects it in line {}: {} ({})", d.line, d.message, d.code),
            None => "its parser rejects it".to_owned(),
        },
        BlockStatus::WrongLanguage(found) => {
            format!("it is in {found}, another language than the one asked for")
        }
        BlockStatus::NoGrammar => format!("no parser knows {}; not checked", parsed.block.language),
        BlockStatus::Plain => "plain output; not read as code".to_owned(),
        BlockStatus::Unavailable(reason) => format!("not checked: {reason}"),
    }
}

pub(super) fn code_syntax(case: &Case<'_>) -> Outcome {
    let mut outcome = of_programs(case);
    outcome.notes.extend(notes(case));
    outcome
}

fn of_programs(case: &Case<'_>) -> Outcome {
    let terms = case.judge.terms();
    let all = &case.facts.blocks;
    if case.parsed.reading.blocks.is_empty() {
        return Outcome::absent("there is no code");
    }
    let blocks: Vec<&ParsedBlock> = all.iter().filter(|parsed| parsed.status != BlockStatus::Plain).collect();
    let (rejected, quoted) = invalid(case);
    if !rejected.is_empty() {
        let reason = counted(rejected.len(), "block is rejected", "blocks are rejected");
        let first = terms.attempt == Attempt::First;
        let status = if first { CheckStatus::Failed } else { CheckStatus::Flagged };
        return Outcome { notes: quoted, ..Outcome::with(status, reason, rejected) };
    }
    if !quoted.is_empty() {
        let reason = "a block is rejected, but stands so in a cited source";
        return Outcome::with(CheckStatus::Flagged, reason, quoted);
    }
    let unavailable = blocks.iter().find_map(|parsed| match &parsed.status {
        BlockStatus::Unavailable(reason) => Some(reason.clone()),
        _ => None,
    });
    if let Some(reason) = unavailable {
        return Outcome::new(CheckStatus::NotChecked, reason);
    }
    if all.len() < case.parsed.reading.blocks.len() {
        return Outcome::new(CheckStatus::NotChecked, "not_parsed");
    }
    if blocks.is_empty() {
        return Outcome::absent("there is no program in the code blocks");
    }
    // A parser knows whether a program is well formed, and nothing of what it does.
    if matches!(terms.query_type, QueryType::Retrieval | QueryType::Conversational) {
        let new: Vec<Finding> = blocks
            .iter()
            .filter(|parsed| !stands_in_a_source(case, parsed))
            .map(|parsed| {
                finding("unsourced_code", format!("no source holds {}", number(parsed)), span(case, parsed))
            })
            .collect();
        if !new.is_empty() {
            let reason = counted(new.len(), "block is in no source", "blocks are in no source");
            return Outcome::with(CheckStatus::Flagged, reason, new);
        }
    }
    if blocks.iter().any(|parsed| parsed.status == BlockStatus::NoGrammar) {
        let weightless = terms.query_type != QueryType::CodeGeneration;
        return Outcome { weightless, ..Outcome::new(CheckStatus::NotChecked, "no_grammar") };
    }
    if terms.query_type == QueryType::CodeGeneration
        && blocks.iter().any(|parsed| placeholders(parsed).next().is_some())
    {
        return Outcome::new(CheckStatus::Flagged, "a program is complete but for placeholders");
    }
    Outcome::passed()
}

/// Whether a source, as a reader sees it, holds the lines of a block in their order.
fn stands_in_a_source(case: &Case<'_>, parsed: &ParsedBlock) -> bool {
    let lines = || parsed.block.code.lines().map(str::trim).filter(|line| !line.is_empty());
    case.judge.index().passages.iter().any(|passage| {
        let mut rest = passage.text.as_str();
        lines().all(|line| match rest.split_once(line) {
            Some((_, behind)) => {
                rest = behind;
                true
            }
            None => false,
        })
    })
}
