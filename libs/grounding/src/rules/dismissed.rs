//! Figures that the sources deny, or give as what was before: "2.4 GHz, not 5 GHz", "2 seconds instead of 7".

use super::figures::said;
use super::negation::is_negator;
use super::values::{held_elsewhere, of_a_kind};
use super::{Case, Mismatch, sure};
use crate::index::Analysed;
use crate::numbers::Quantity;

/// A claim's figure that the best sentence only has as the one that does not hold.
pub(super) fn dismissed(case: &Case<'_>, found: &mut Vec<Mismatch>) {
    let (claim, Some(best)) = (case.claim, case.evidence.first()) else { return };
    let dismisses = |words: &Analysed, figure: &Quantity| {
        let tokens = &words.tokens;
        let before = |back: usize| figure.first.checked_sub(back).map_or("", |at| tokens[at].norm.as_str());
        let instead = matches!(
            (before(2), before(1)),
            ("instead" | "vez" | "lugar", "of" | "de")
                | ("rather", "than")
                | (_, "formerly" | "previously" | "antes")
        );
        let denied = (1..=2).any(|back| {
            figure
                .first
                .checked_sub(back)
                .is_some_and(|at| is_negator(tokens, at) && matches!(tokens[at].norm.as_str(), "not" | "no"))
        });
        instead || denied
    };
    for figure in &claim.quantities {
        let mut equal = best.quantities.iter().filter(|other| other.equals(figure)).peekable();
        if equal.peek().is_none()
            || figure.soft
            || !equal.all(|other| dismisses(best, other))
            || dismisses(claim, figure)
        {
            continue;
        }
        let past = claim.tokens.iter().any(|token| is_past(&token.norm) || token.negates);
        let rival = best.quantities.iter().find(|other| {
            (of_a_kind(figure, other) || other.unit.is_none() != figure.unit.is_none())
                && !other.equals(figure)
        });
        if let Some(rival) = rival.filter(|_| !past && !held_elsewhere(case, figure)) {
            if claim.quantities.iter().any(|own| own.equals(rival)) {
                continue;
            }
            found.push(sure("number", &said(claim, figure), &said(best, rival)));
            return;
        }
    }
}

/// Whether a word speaks of how something was.
fn is_past(word: &str) -> bool {
    matches!(
        word,
        "before"
            | "used"
            | "was"
            | "were"
            | "old"
            | "previous"
            | "previously"
            | "formerly"
            | "from"
            | "instead"
            | "earlier"
            | "until"
            | "no"
            | "not"
            | "longer"
            | "ya"
            | "antes"
            | "era"
            | "eran"
            | "anterior"
            | "anteriores"
            | "vez"
            | "lugar"
    )
}
