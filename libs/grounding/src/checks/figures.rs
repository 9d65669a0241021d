//! The check of figures against the given facts.

use super::Case;
use super::outcome::{Outcome, counted, finding};
use crate::index::Analysed;
use crate::language;
use assay_domain::report::{CheckName, CheckStatus, ClaimKind};

/// Figures of the answer that the given facts do not hold.
pub(super) fn numbers(case: &Case<'_>) -> Outcome {
    let terms = case.judge.terms();
    let mut known = Analysed::new(&terms.extra_context, language::detect(&terms.extra_context)).quantities;
    for source in &terms.sources {
        known.extend(Analysed::new(&source.text, language::detect(&source.text)).quantities);
    }
    let spoken = case.parsed.language;
    let (mut any, mut findings) = (false, Vec::new());
    for (unit, claim) in case.parsed.units.iter().zip(&case.parsed.reading.claims) {
        if unit.kind == ClaimKind::Code {
            continue;
        }
        let words = case.judge.index().analyse(&unit.marked_up, language::detect(&unit.marked_up).or(spoken));
        for figure in words.quantities.iter().filter(|figure| !figure.soft) {
            any = true;
            if known.iter().any(|other| figure.equals(other)) {
                continue;
            }
            let tokens = words.tokens.get(figure.first..=figure.last).unwrap_or_default();
            let written: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
            let detail = format!("{} does not stand in the given facts", written.join(" "));
            findings.push(finding(CheckName::Numbers.as_str(), detail, Some(claim.span)));
        }
    }
    match (any, findings.len()) {
        (false, _) => Outcome::absent("there is no figure"),
        (true, 0) => Outcome::passed(),
        (true, n) => {
            Outcome::with(CheckStatus::Flagged, counted(n, "unknown figure", "unknown figures"), findings)
        }
    }
}
