//! A statement of the sources, repeated, that goes on with a clause of which they say nothing.
//!
//! One who joins two statements of the sources has both things of the second from one place of them; one who makes a clause up
//! takes a thing from anywhere, or none. So it is asked whether any place of the sources, a sentence with the next one, holds
//! most of what the clause says.

use super::insertion::{is_saying, unheard};
use super::standing::determines;
use super::{Case, Mismatch, Strength, is_filler, phrase};
use crate::align::Alignment;
use crate::flags;
use crate::index::Analysed;
use crate::tokens::Token;
use std::ops::Range;

/// Longest claim that is looked at, in tokens.
const LONGEST: usize = 48;
/// Least number of tokens and of words of content that a claim repeats before it goes on.
const REPEATED: (usize, usize) = (5, 3);
/// Least share of the weight of what it repeats that the sentence has.
const HEAD: f64 = 0.8;
/// Longest clause that is looked at.
const CLAUSE: usize = 14;
/// Greatest share of the weight of the clause that a place of the sources may hold.
const TOLD: f64 = 0.5;
/// Least weight of what no source knows.
const UNHEARD: f64 = 2.5;
/// Sentences that are asked for a word.
const PLACES: usize = 32;

/// Words that a clause begins with where no mark does, sorted.
const BEGINS: &[&str] = &[
    "although", "and", "as", "aunque", "because", "even", "once", "porque", "provided", "salvo", "since",
    "so", "unless", "until", "which", "while", "y",
];

/// Looks at the end of a claim that repeats its best sentence.
pub(super) fn appended(case: &Case<'_>, best: &Analysed, alignment: &Alignment, found: &mut Vec<Mismatch>) {
    let claim = case.claim;
    if claim.tokens.len() > LONGEST
        || alignment.pairs.len() < REPEATED.0
        || found.iter().any(Mismatch::decides)
    {
        return;
    }
    let Some(&(row, column)) = alignment.pairs.last() else { return };
    let Some(clause) = begins(claim, best, (row, column)) else { return };
    if clause.len() > CLAUSE || !repeated(claim, alignment, clause.start) || reserved(claim, &clause) {
        return;
    }
    let weighs = |at: &usize| claim.weights[*at] > 0.0 && !is_filler(&claim.tokens[*at]);
    let words: Vec<usize> = clause.clone().filter(weighs).collect();
    let mass: f64 = words.iter().map(|at| claim.weights[*at]).sum();
    let new: f64 = words.iter().filter(|at| unheard(case, **at)).map(|at| claim.weights[*at]).sum();
    if words.len() < 2 || new < UNHEARD || told(case, &words) > TOLD * mass {
        return;
    }
    let text = phrase(&claim.tokens, clause.start..=clause.end - 1);
    let reason = format!("addition: the source ends before \"{text}\", and no source says so");
    found.push(Mismatch { strength: Strength::Added, rule: "addition", reason, sure: true });
}

/// The clause behind the last word that claim and sentence share, where both have a break there.
fn begins(claim: &Analysed, best: &Analysed, last: (usize, usize)) -> Option<Range<usize>> {
    let first = claim.tokens.get(last.0 + 1)?;
    let ended = best.tokens.get(last.1 + 1).is_none_or(|next| next.after_break);
    let begins = BEGINS.binary_search(&first.norm.as_str()).is_ok();
    let own =
        !matches!(first.norm.as_str(), "and" | "so") || claim.tokens.get(last.0 + 2).is_some_and(has_subject);
    (ended && begins && own).then(|| last.0 + 1..claim.tokens.len())
}

/// Whether a word behind "and" or "so" begins a subject: without one it is the same one's doing, or an advice.
fn has_subject(token: &Token) -> bool {
    determines(token) || matches!(token.norm.as_str(), "it" | "they" | "he" | "she" | "nobody" | "everybody")
}

/// Whether what stands before a place is the sentence again.
fn repeated(claim: &Analysed, alignment: &Alignment, end: usize) -> bool {
    let head: f64 = claim.weights[..end].iter().sum();
    let (mut held, mut content) = (0.0, 0);
    for (at, _) in alignment.pairs.iter().filter(|(at, _)| *at < end) {
        held += claim.weights[*at];
        content += usize::from(claim.tokens[*at].content());
    }
    content >= REPEATED.1 && held >= HEAD * head
}

/// Whether a clause says whose statement it is, speaks of the sources or to the reader, or denies: such a clause rewords what the
/// sources say more often than it adds to it.
fn reserved(claim: &Analysed, clause: &Range<usize>) -> bool {
    let beside =
        flags::META | flags::ADVICE | flags::ADDRESS | flags::REFERENCE | flags::DENIES | flags::SOFT;
    let behind = claim.tokens.get(clause.start + 1..clause.end).unwrap_or_default();
    let guesses =
        |token: &Token| matches!(token.norm.as_str(), "could" | "may" | "might" | "podria" | "podrian");
    behind.iter().any(|token| token.is(beside) || token.negates || guesses(token) || is_saying(&token.norm))
}

/// The greatest weight of some words that a sentence, with the next one, holds.
pub(super) fn told(case: &Case<'_>, words: &[usize]) -> f64 {
    let (claim, index) = (case.claim, case.index);
    let mut held: Vec<(u32, usize)> = Vec::new();
    for (number, at) in words.iter().enumerate() {
        let token = &claim.tokens[*at];
        let stems = std::iter::once(token.stem).chain(token.others().iter().copied());
        let places = stems.flat_map(|stem| index.places(stem).iter().take(PLACES));
        held.extend(places.map(|place| (*place, number)));
    }
    held.sort_unstable();
    held.dedup();
    let mut most = 0.0_f64;
    for (from, (place, _)) in held.iter().enumerate() {
        let mut own: Vec<usize> = held[from..]
            .iter()
            .take_while(|(other, _)| *other <= place + 1)
            .map(|(_, number)| *number)
            .collect();
        own.sort_unstable();
        own.dedup();
        if own.len() < 2 {
            continue;
        }
        most = most.max(own.iter().map(|number| claim.weights[words[*number]]).sum());
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_for_look_up() {
        assert!(BEGINS.is_sorted());
    }
}
