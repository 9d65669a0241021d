//! An answer as a run records it.

use std::collections::BTreeMap;

use assay_domain::code::{BlockStatus, ParsedBlock, Severity};
use assay_domain::report::{Report, Resolution};
use assay_domain::{Answer, Code, Failure, Generator, LineRange, Outcome, QueryType};
use assay_scoring::{Answered, Block, Citation, Claim, Finding, Place, Recorded, Source, Verdicts};

use crate::golden::Golden;

/// What the reader got: the answer, or of a rejected one the part that stands.
pub(crate) fn delivered(answer: &Answer) -> &str {
    match (&answer.rejection, answer.outcome) {
        (Some(rejection), Outcome::Rejected) => &rejection.partial_response,
        _ => &answer.text,
    }
}

/// The line of an answer, not judged yet.
pub(crate) fn recorded(
    golden: &Golden,
    repetition: u32,
    answer: &Result<Answer, Failure>,
    blocks: &[ParsedBlock],
) -> Recorded {
    let item = &golden.item;
    let place = |lines: &assay_proto::evaluation::ReferenceLines| Place {
        path: lines.path.clone(),
        lines: (lines.first_line, lines.last_line),
    };
    Recorded {
        id: item.id.clone(),
        repetition,
        category: item.category.clone(),
        language: item.language.clone(),
        constructs: item.constructs.clone(),
        expected_type: item.expected_type.clone(),
        answerable: item.answerable,
        question: item.question.clone(),
        reference_lines: item.contexts.iter().map(place).collect(),
        failure: answer.as_ref().err().map(|failure| failure.code.to_string()).unwrap_or_default(),
        answer: answer.as_ref().ok().map(answered),
        blocks: blocks.iter().filter_map(block).collect(),
        reference: sentences(&item.reference),
        verdicts: Verdicts::default(),
        others: BTreeMap::new(),
    }
}

/// The sentences of a reference, which a judge holds against the sources one by one.
fn sentences(reference: &str) -> Vec<String> {
    let ranges = assay_text::sentences::split(reference, &[], &[]);
    let each = ranges.into_iter().map(|range| reference[range].trim().to_owned());
    each.filter(|sentence| !sentence.is_empty()).collect()
}

fn answered(answer: &Answer) -> Answered {
    let name = |value: Option<&str>| value.unwrap_or_default().to_owned();
    Answered {
        outcome: answer.outcome.to_string(),
        verdict: name(answer.verdict.map(assay_domain::Verdict::as_str)),
        query_type: answer.route.query_type.to_string(),
        layer: answer.route.layer.to_string(),
        text: delivered(answer).to_owned(),
        sources: answer
            .sources
            .iter()
            .map(|hit| Source {
                place: Place { path: hit.source.path.clone(), lines: of(hit.source.lines) },
                text: hit.source.text.clone(),
            })
            .collect(),
        claims: answer.report.as_ref().map(claims).unwrap_or_default(),
        citations: answer.report.as_ref().map(|report| citations(report, answer)).unwrap_or_default(),
        defect: answer.report.as_ref().and_then(defect),
        model: answer.model.clone(),
        by_model: answer.generator == Some(Generator::Model),
        audit_id: answer.audit_id.to_string(),
        index: answer.index_manifest.clone(),
        total_ms: answer.timing.total_ms,
        examples: (answer.route.query_type == QueryType::CodeGeneration).then_some(answer.examples),
        prompt_tokens: answer.usage.as_ref().map(|usage| usage.prompt_tokens),
        completion_tokens: answer.usage.as_ref().map(|usage| usage.completion_tokens),
    }
}

/// Category of the first error of the first invalid block.
fn defect(report: &Report) -> Option<String> {
    let mut invalid = report.blocks.iter().filter(|one| matches!(one.status, BlockStatus::Invalid));
    let first = invalid.next()?.diagnostics.iter().find(|one| one.severity == Severity::Error)?;
    Some(first.category.to_string())
}

fn of(lines: LineRange) -> (u32, u32) {
    (lines.first, lines.last)
}

fn claims(report: &Report) -> Vec<Claim> {
    let claim = |claim: &assay_domain::report::Claim| Claim {
        text: claim.text.clone(),
        kind: claim.kind.to_string(),
        status: claim.status.to_string(),
        reason: claim.reason.clone(),
        citations: claim.citations.clone(),
    };
    report.claims.iter().map(claim).collect()
}

fn citations(report: &Report, answer: &Answer) -> Vec<Citation> {
    report
        .citations
        .iter()
        .map(|citation| {
            let source = usize::try_from(citation.marker)
                .ok()
                .and_then(|marker| answer.sources.get(marker.checked_sub(1)?))
                .map(|hit| &hit.source);
            Citation {
                marker: citation.marker,
                sound: citation.in_range && citation.resolution != Resolution::Dangling,
                place: source.map(|source| Place {
                    path: source.path.clone(),
                    lines: of(citation.lines.unwrap_or(source.lines)),
                }),
            }
        })
        .collect()
}

/// A block of code; none for plain output.
fn block(parsed: &ParsedBlock) -> Option<Block> {
    let valid = match parsed.status {
        BlockStatus::Valid => Some(true),
        BlockStatus::Invalid | BlockStatus::WrongLanguage(_) => Some(false),
        BlockStatus::NoGrammar => None,
        BlockStatus::Plain | BlockStatus::Unavailable(_) => return None,
    };
    let errors = parsed.diagnostics.iter().filter(|one| one.severity == Severity::Error);
    Some(Block {
        language: parsed.block.language.clone(),
        valid,
        code: parsed.block.code.clone(),
        errors: errors
            .map(|one| Finding {
                line: one.line,
                category: one.category.to_string(),
                code: one.code.clone(),
                message: one.message.clone(),
            })
            .collect(),
    })
}

/// Why a block was not parsed, if one was not.
pub(crate) fn unparsed(blocks: &[ParsedBlock]) -> Option<&str> {
    blocks.iter().find_map(|parsed| match &parsed.status {
        BlockStatus::Unavailable(reason) => Some(reason.as_str()),
        _ => None,
    })
}

/// How a request ended that gave no answer.
pub(crate) fn outcome_of(failure: &Failure) -> Outcome {
    match failure.code {
        Code::Cancelled => Outcome::Cancelled,
        Code::ResourceExhausted
        | Code::PayloadTooLarge
        | Code::InvalidArgument
        | Code::PermissionDenied
        | Code::Unauthenticated => Outcome::Refused,
        _ => Outcome::Failed,
    }
}
