//! The check of programs by what their parser said.

use super::Case;
use super::outcome::{Outcome, counted, finding};
use assay_domain::QueryType;
use assay_domain::code::{BlockStatus, ParsedBlock};
use assay_domain::report::{Attempt, CheckName, CheckStatus, ClaimKind, Finding, Span};

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
                let first = parsed.diagnostics.iter().find(|d| d.severity == assay_domain::Severity::Error);
                let detail = match first {
                    Some(d) => format!(
                        "block {}, line {}: {} ({})",
                        parsed.block.index + 1,
                        d.line,
                        d.message,
                        d.code
                    ),
                    None => format!("block {} is rejected by its parser", parsed.block.index + 1),
                };
                let finding = finding(CheckName::CodeSyntax.as_str(), detail, span);
                if stands_in_a_cited_source(case, parsed) {
                    quoted.push(finding)
                } else {
                    rejected.push(finding)
                }
            }
            BlockStatus::Valid | BlockStatus::NoGrammar | BlockStatus::Unavailable(_) => {}
        }
    }
    (rejected, quoted)
}

/// Where a block stands, in all units, from the claim that is this block.
pub(super) fn span(case: &Case<'_>, parsed: &ParsedBlock) -> Option<Span> {
    let claims = case.parsed.reading.claims.iter().filter(|claim| claim.kind == ClaimKind::Code);
    let mut holding = claims.filter(|claim| {
        claim.span.byte_start == parsed.block.byte_start
            || (claim.span.byte_start..claim.span.byte_end).contains(&parsed.block.byte_start)
    });
    holding.next().map(|claim| claim.span)
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

pub(super) fn code_syntax(case: &Case<'_>) -> Outcome {
    let terms = case.judge.terms();
    let blocks = &case.facts.blocks;
    if blocks.is_empty() {
        return match case.parsed.reading.blocks.len() {
            0 => Outcome::absent("there is no code"),
            // The parser looked and found nothing that is a program.
            _ => Outcome::absent("there is no program in the code blocks"),
        };
    }
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
    if blocks.iter().any(|parsed| parsed.status == BlockStatus::NoGrammar) {
        let weightless = terms.query_type != QueryType::CodeGeneration;
        return Outcome { weightless, ..Outcome::new(CheckStatus::NotChecked, "no_grammar") };
    }
    Outcome::passed()
}
