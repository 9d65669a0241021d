//! Figures that differ from those of the source for the same thing.

use super::{Case, Mismatch, NEAR_COPY, NO_NAMES, SAME_SUBJECT, contradiction, phrase, plain_share};
use crate::align::Alignment;
use crate::index::Analysed;
use crate::numbers::Quantity;
use crate::tokens::{Token, TokenKind};

pub(super) fn figures(case: &Case<'_>, alignment: &Alignment, shared: f64, found: &mut Vec<Mismatch>) {
    let claim = case.claim;
    for figure in &claim.quantities {
        if is_reference(&claim.tokens, figure)
            || is_conversion(claim, figure)
            || held_elsewhere(case, figure, shared)
        {
            continue;
        }
        let mut conflict = None;
        let mut held = false;
        for (rank, sentence) in case.evidence.iter().enumerate() {
            let mut same = sentence.quantities.iter().filter(|other| other.equals(figure)).peekable();
            if same.peek().is_some() {
                // The figure is there; is it there for the same thing?
                let fits = figure.head == 0
                    || same.any(|other| other.head == figure.head || other.before == figure.before)
                    || rank == 0
                        && !sentence.quantities.iter().any(|other| {
                            !other.equals(figure)
                                && other.head == figure.head
                                && other.head != 0
                                && !claim_says(claim, other)
                        });
                if fits {
                    held = true;
                    break;
                }
            }
            if rank > 0 && plain_share(claim, sentence) < SAME_SUBJECT {
                continue;
            }
            let rival = sentence
                .quantities
                .iter()
                .find(|other| rivals(figure, other) && !claim_has(claim, other, figure));
            conflict =
                conflict.or_else(|| rival.map(|other| phrase(&sentence.tokens, other.first..=other.last)));
            if conflict.is_none() && rank == 0 && !figure.soft && shared >= NEAR_COPY {
                conflict = alignment
                    .gaps
                    .iter()
                    .filter(|gap| {
                        gap.claim.contains(&figure.first) && gap.claim.len() <= 8 && gap.source.len() <= 10
                    })
                    .flat_map(|gap| {
                        sentence.quantities.iter().filter(|other| gap.source.contains(&other.first))
                    })
                    .find(|other| !other.equals(figure) && !other.soft && !claim_says(claim, other))
                    .map(|other| phrase(&sentence.tokens, other.first..=other.last));
            }
        }
        if let (false, Some(other)) = (held, conflict) {
            let said = phrase(&claim.tokens, figure.first..=figure.last);
            found.push(contradiction("number", &said, &other));
        }
    }
}

/// Whether a sentence that is about as much the claim's subject as the best one holds the figure for the same thing.
pub(super) fn held_elsewhere(case: &Case<'_>, figure: &Quantity, shared: f64) -> bool {
    let places = case.index.postings.get(&crate::numbers::hash(figure.value));
    places
        .into_iter()
        .flatten()
        .filter_map(|place| case.index.sentences.get(usize::try_from(*place).ok()?))
        .any(|sentence| {
            case.scope.holds(sentence)
                && sentence.words.quantities.iter().any(|other| {
                    other.equals(figure)
                        && (other.head == figure.head
                            || (other.before == figure.before && figure.before != 0))
                })
                && plain_share(case.claim, &sentence.words) >= shared - 0.2
        })
}

/// Whether a figure in parentheses repeats the one before it in another unit: `12 inches (30.5 cm)`.
pub(super) fn is_conversion(claim: &Analysed, figure: &Quantity) -> bool {
    figure.unit.is_some()
        && claim.tokens[figure.first].after_break
        && claim.quantities.iter().any(|other| other.last + 1 == figure.first && other.unit.is_some())
}

/// Whether two figures differ and measure or count the same thing.
pub(super) fn rivals(figure: &Quantity, other: &Quantity) -> bool {
    !figure.equals(other)
        && ((figure.head != 0 && figure.head == other.head)
            || (figure.comparable(other) && (figure.before == other.before || figure.head == other.head))
            || (figure.before != 0 && figure.before == other.before && !figure.soft && !other.soft))
}

/// Whether the claim itself has the other figure.
pub(super) fn claim_says(claim: &Analysed, other: &Quantity) -> bool {
    claim.quantities.iter().any(|own| own.equals(other))
}

/// Whether the claim has the other figure for the same thing.
pub(super) fn claim_has(claim: &Analysed, other: &Quantity, figure: &Quantity) -> bool {
    claim
        .quantities
        .iter()
        .any(|own| own.first != figure.first && own.equals(other) && own.head == other.head)
}

/// Whether a figure numbers a passage or a step instead of counting something: "passages 1, 2 and 3".
pub(super) fn is_reference(tokens: &[Token], figure: &Quantity) -> bool {
    tokens[..figure.first]
        .iter()
        .rev()
        .take(8)
        .find(|token| {
            !matches!(token.kind, TokenKind::Number(_))
                && !matches!(token.norm.as_str(), "and" | "y" | "to" | "or" | "&")
        })
        .is_some_and(|token| NO_NAMES.contains(&token.norm.as_str()))
}
