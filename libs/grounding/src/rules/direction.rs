//! The same words with their sides turned round.

use super::opposites::{pairs, sides};
use super::{Mismatch, contradiction, phrase, plain_share};
use crate::align::Alignment;
use crate::index::Analysed;
use crate::lists;

pub(super) fn direction(claim: &Analysed, best: &Analysed, alignment: &Alignment, found: &mut Vec<Mismatch>) {
    let passive = |analysed: &Analysed| {
        analysed.tokens.iter().any(|token| lists::PASSIVE.contains(&token.norm.as_str()))
    };
    let covered: f64 = plain_share(best, claim);
    // "A before B" and "B after A" say the same.
    let converse =
        pairs(claim, best).iter().any(|(at, _)| lists::RELATIONAL.contains(&claim.tokens[*at].norm.as_str()));
    if converse || passive(claim) != passive(best) || covered < 0.5 {
        return;
    }
    // "The rows are skipped", "se omiten las filas": the sides of a verb in the passive stand the other way round.
    let turned = |words: &Analysed| {
        words.tokens.iter().any(|token| token.norm == "se")
            || words.tokens.windows(2).any(|two| {
                matches!(two[0].norm.as_str(), "is" | "are" | "was" | "were" | "be" | "been" | "being")
                    && (two[1].norm.ends_with("ed")
                        || two[1].norm.ends_with("en")
                        || crate::lexicon::regular(&two[1].norm) != two[1].norm)
            })
    };
    if turned(claim) || turned(best) {
        return;
    }
    let content = |analysed: &Analysed, range: std::ops::Range<usize>| -> Vec<usize> {
        range.filter(|at| analysed.tokens[*at].content()).collect()
    };
    // The same two things stand in each other's place.
    for (first, gap) in alignment.gaps.iter().enumerate() {
        let (mine, theirs) = (content(claim, gap.claim.clone()), content(best, gap.source.clone()));
        let ([a, ..], [b, ..]) = (mine.as_slice(), theirs.as_slice()) else { continue };
        if mine.len() > 2 || theirs.len() > 2 {
            continue;
        }
        let (a, b) = (&claim.tokens[*a], &best.tokens[*b]);
        for other in &alignment.gaps[first + 1..] {
            let (mine, theirs) = (content(claim, other.claim.clone()), content(best, other.source.clone()));
            let swapped = mine.len() <= 2
                && theirs.len() <= 2
                && mine.iter().any(|at| claim.tokens[*at].stem == b.stem)
                && theirs.iter().any(|at| best.tokens[*at].stem == a.stem);
            let listed = (gap.claim.end..other.claim.start).all(|at| !claim.tokens[at].content())
                && (gap.claim.end..other.claim.start)
                    .any(|at| matches!(claim.tokens[at].norm.as_str(), "and" | "or" | "y" | "o" | "e" | "u"));
            if swapped && !listed && a.stem != b.stem {
                let said = phrase(&claim.tokens, gap.claim.start..=other.claim.end.saturating_sub(1));
                let held = phrase(&best.tokens, gap.source.start..=other.source.end.saturating_sub(1));
                found.push(contradiction("direction", &said, &held));
                return;
            }
        }
    }
    // The two sides of a relation are exchanged.
    for &(at, place) in &alignment.pairs {
        let token = &claim.tokens[at];
        if !token.content()
            || matches!(token.kind, crate::tokens::TokenKind::Number(_))
            || matches!(token.norm.as_str(), "and" | "or" | "y" | "o" | "the" | "a" | "an" | "of" | "de")
        {
            continue;
        }
        let (left, right) = sides(&claim.tokens, at);
        let (other_left, other_right) = sides(&best.tokens, place);
        if left != 0 && right != 0 && left != right && left == other_right && right == other_left {
            found.push(contradiction(
                "direction",
                &phrase(&claim.tokens, at.saturating_sub(2)..=(at + 2).min(claim.tokens.len() - 1)),
                &phrase(&best.tokens, place.saturating_sub(2)..=(place + 2).min(best.tokens.len() - 1)),
            ));
            return;
        }
    }
}
