//! Words where the source has their opposite.

use super::negation::negated;
use super::{Case, Mismatch, contradiction};
use crate::align::Alignment;
use crate::index::Analysed;
use crate::lexicon::opposites as opposites_of;
use crate::lists;
use crate::tokens::{Token, TokenKind};

/// Whether the claim holds an opposite of a word of the sentence.
pub(super) fn opposed(claim: &Analysed, source: &Analysed) -> bool {
    !pairs(claim, source).is_empty()
}

/// Opposites: token of the claim, token of the source.
pub(super) fn pairs(claim: &Analysed, source: &Analysed) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for (at, token) in claim.tokens.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Word) {
        let others = opposites_of(token.stem);
        if others.is_empty() {
            continue;
        }
        if let Some(place) = source.tokens.iter().position(|other| others.binary_search(&other.stem).is_ok())
        {
            found.push((at, place));
        }
    }
    found
}

pub(super) fn opposites(case: &Case<'_>, best: &Analysed, alignment: &Alignment, found: &mut Vec<Mismatch>) {
    let claim = case.claim;
    if alignment.share < 0.4 {
        return;
    }
    for (at, place) in pairs(claim, best) {
        let (token, other) = (&claim.tokens[at], &best.tokens[place]);
        let both = best.tokens.iter().any(|t| t.stem == token.stem)
            || claim.tokens.iter().any(|t| t.stem == other.stem);
        if both
            || super::denials(claim) != super::denials(best)
            || negated(&claim.tokens, at) != negated(&best.tokens, place)
        {
            continue;
        }
        let facing = alignment.gaps.iter().any(|gap| {
            gap.claim.contains(&at)
                && gap.source.contains(&place)
                && gap.claim.len() <= 6
                && gap.source.len() <= 8
        });
        if !facing && (alignment.share < 0.6 || !same_neighbours(claim, at, best, place)) {
            continue;
        }
        if lists::RELATIONAL.contains(&token.norm.as_str()) && turned(claim, at, best, place) {
            continue;
        }
        found.push(contradiction("opposite", &token.text, &other.text));
        return;
    }
}

/// Whether two words have the same content word right before or right behind them.
pub(super) fn same_neighbours(claim: &Analysed, at: usize, source: &Analysed, place: usize) -> bool {
    let (left, right) = sides(&claim.tokens, at);
    let (other_left, other_right) = sides(&source.tokens, place);
    (left != 0 && left == other_left) || (right != 0 && right == other_right)
}

/// Nearest content stems left and right of a token.
pub(super) fn sides(tokens: &[Token], at: usize) -> (u64, u64) {
    let left = tokens[..at].iter().rev().take(5).find(|token| token.content()).map_or(0, |token| token.stem);
    let right = tokens[at + 1..].iter().take(5).find(|token| token.content()).map_or(0, |token| token.stem);
    (left, right)
}

/// Whether what stands left and right of the one word stands right and left of the other.
pub(super) fn turned(claim: &Analysed, at: usize, source: &Analysed, place: usize) -> bool {
    let (left, right) = sides(&claim.tokens, at);
    let (other_left, other_right) = sides(&source.tokens, place);
    let before = |analysed: &Analysed, at: usize, stem: u64| {
        analysed.tokens[..at].iter().any(|token| token.stem == stem)
    };
    let crossed = left != 0 && right != 0 && (left == other_right || right == other_left);
    crossed || (left != 0 && left != other_left && !before(source, place, left) && source.holds(left))
}
