//! The check of figures against the given facts.

use super::Case;
use super::outcome::{Outcome, counted, finding};
use super::{code, plain};
use crate::index::{Analysed, SourceIndex};
use crate::language;
use assay_domain::report::{CheckName, CheckStatus, ClaimKind, Span};
use assay_domain::{Source, SourceKind};

/// Figures of the answer that the given facts do not hold. A statement without one is only verified where the facts say
/// it word for word.
pub(super) fn numbers(case: &Case<'_>) -> Outcome {
    let terms = case.judge.terms();
    let facts = Source::given("facts", SourceKind::Platform, terms.extra_context.clone(), 1);
    let facts = SourceIndex::new(&[facts]);
    let mut known = Analysed::new(&terms.extra_context, language::detect(&terms.extra_context)).quantities;
    for source in &terms.sources {
        known.extend(Analysed::new(&source.text, language::detect(&source.text)).quantities);
    }
    let spoken = case.parsed.language;
    let (mut held, mut open, mut findings) = (0, 0, Vec::new());
    for (text, span, states) in statements(case) {
        let words = case.judge.index().analyse(text, language::detect(text).or(spoken));
        let figures: Vec<_> = words.quantities.iter().filter(|figure| !figure.soft).collect();
        if figures.is_empty() && states {
            let mut passages = case.judge.index().passages.iter().chain(&facts.passages);
            if passages.any(|passage| passage.quotes(&words)) { held += 1 } else { open += 1 }
        }
        for figure in figures {
            held += 1;
            if known.iter().any(|other| figure.equals(other)) {
                continue;
            }
            let tokens = words.tokens.get(figure.first..=figure.last).unwrap_or_default();
            let written: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
            let detail = format!("{} does not stand in the given facts", written.join(" "));
            findings.push(finding(CheckName::Numbers.as_str(), detail, span));
        }
    }
    match (held, open, findings.len()) {
        (0, 0, _) => Outcome::absent("there is no figure"),
        (_, 0, 0) => Outcome::passed(),
        (_, n, 0) => {
            let reason = counted(n, "statement has no figure to check", "statements have no figure to check");
            Outcome::new(CheckStatus::NotChecked, reason)
        }
        (_, _, n) => {
            Outcome::with(CheckStatus::Flagged, counted(n, "unknown figure", "unknown figures"), findings)
        }
    }
}

/// Texts of the answer with their places, and whether each states something; programs are left out.
fn statements<'c>(case: &'c Case<'_>) -> impl Iterator<Item = (&'c str, Option<Span>, bool)> {
    let units = case.parsed.units.iter().zip(&case.parsed.reading.claims);
    let prose = units
        .filter(|(unit, _)| unit.kind != ClaimKind::Code)
        .map(|(unit, claim)| (unit.marked_up.as_str(), Some(claim.span), unit.kind == ClaimKind::Factual));
    let output = plain::blocks(case).flat_map(|parsed| {
        let place = code::span(case, parsed);
        plain::lines(parsed).map(move |line| (line, place, plain::is_sentence(line)))
    });
    prose.chain(output)
}
