//! A claim of which the sources know hardly a word, and of those they know no two together.

use super::appended::told;
use super::insertion::{is_saying, unheard};
use super::standing::determines;
use super::{Case, Mismatch, Strength, is_filler};
use crate::flags;
use crate::index::Analysed;
use crate::tokens::{Token, TokenKind};

/// Longest claim that is looked at, in tokens.
const LONGEST: usize = 24;
/// Shortest one.
const SHORTEST: usize = 5;
/// Least number of words that no source knows, and their least share of the claim's weight.
const UNHEARD: (usize, f64) = (2, 0.45);
/// Least share where the sources know one word of it only.
const ALONE: f64 = 0.6;
/// Least share of what no source knows where the things of the claim stand apart in the sources.
const APART: f64 = 0.3;
/// Greatest share of the weight of such a claim that a place of the sources may hold.
const TOLD: f64 = 0.55;
/// Least share of what no source knows beside a thing that they know, where no place of them has two words of weight; and where
/// they know one word only.
const LOOSELY: (f64, f64) = (0.4, 0.5);
/// Least weight of a word that tells a place by.
const HEAVY: f64 = 4.0;
/// Sentences that are asked for a word.
const PLACES: usize = 48;

/// Words that point back, or speak of the answer, at the head of a claim; sorted.
const POINTING: &[&str] = &[
    "additionally",
    "ello",
    "esta",
    "estas",
    "este",
    "esto",
    "estos",
    "finally",
    "he",
    "however",
    "it",
    "its",
    "next",
    "note",
    "overall",
    "she",
    "that",
    "their",
    "therefore",
    "these",
    "they",
    "this",
    "those",
];

/// Whether a word points back, or speaks of the answer.
fn points(token: &Token) -> bool {
    POINTING.binary_search(&token.norm.as_str()).is_ok()
}

/// Whether a claim states something of its matter: what speaks of the passages, the reader or the answer itself says little in
/// the words of the sources. `also` are further flags that no word of it may have.
fn states(claim: &Analysed, also: u64) -> bool {
    let beside = also | flags::META | flags::CONCLUSION | flags::ADVICE | flags::ADDRESS | flags::REFERENCE;
    !claim.tokens.iter().any(|token| token.is(beside))
}

/// Whether a claim denies: it then rewords what the sources say more often than it adds to it.
fn denies(claim: &Analysed) -> bool {
    claim.tokens.iter().any(|token| token.negates || token.is(flags::DENIES | flags::SOFT))
}

/// Whether a claim measures something.
fn measures(claim: &Analysed) -> bool {
    claim.quantities.iter().any(|figure| figure.unit.is_some())
}

/// Whether a source is in the language of the claim; in another one it has no word of the claim.
fn spoken(case: &Case<'_>) -> bool {
    let alike = |source: usize| {
        case.index.passages.get(source).is_some_and(|passage| passage.language == case.claim.language)
    };
    case.claim.language.is_some() && case.scope.sources().any(alike)
}

/// Looks at a claim as a whole.
pub(super) fn invented(case: &Case<'_>, found: &mut Vec<Mismatch>) {
    let claim = case.claim;
    if !(SHORTEST..=LONGEST).contains(&claim.tokens.len())
        || found.iter().any(|other| other.sure || other.strength == Strength::Contradicts)
    {
        return;
    }
    if !states(claim, 0) || claim.tokens.first().is_none_or(points) || denies(claim) || !spoken(case) {
        return;
    }
    let weighs = |at: &usize| claim.weights[*at] > 0.0 && !is_filler(&claim.tokens[*at]);
    let (new, known): (Vec<usize>, Vec<usize>) =
        (0..claim.tokens.len()).filter(weighs).partition(|at| unheard(case, *at));
    let weight = |places: &[usize]| -> f64 { places.iter().map(|at| claim.weights[*at]).sum() };
    let (fresh, held) = (weight(&new), weight(&known));
    if new.is_empty() || known.is_empty() {
        return;
    }
    let share = fresh / (fresh + held).max(f64::MIN_POSITIVE);
    let least = if known.len() > 1 { UNHEARD.1 } else { ALONE };
    let all: Vec<usize> = (0..claim.tokens.len()).filter(weighs).collect();
    let elsewhere = || told(case, &all) <= TOLD * (fresh + held);
    let things: Vec<usize> = known.iter().copied().filter(|at| is_thing(claim, *at)).collect();
    let states = states(claim, flags::HEDGE) && !measures(claim) && new.len() >= UNHEARD.0;
    let hardly = states && share >= least && !together(case, &known);
    // Light words stand beside anything.
    let loosely = || {
        let heavy: Vec<usize> = known.iter().copied().filter(|at| claim.weights[*at] >= HEAVY).collect();
        states
            && share >= if known.len() > 1 { LOOSELY.0 } else { LOOSELY.1 }
            && !things.is_empty()
            && !claim.tokens.iter().any(|token| is_saying(&token.norm) || token.code || token.named())
            && !together(case, &heavy)
            && elsewhere()
    };
    let apart = || {
        share >= APART
            && !cased(claim)
            && things.iter().any(|at| claim.tokens[*at].stem != claim.tokens[things[0]].stem)
            && !together(case, &things)
            && elsewhere()
    };
    if !hardly && !loosely() && !apart() {
        return;
    }
    let words = new.iter().map(|at| claim.tokens[*at].text.as_str()).collect::<Vec<_>>().join(" ");
    let reason = format!("addition: no source says anything of \"{words}\"");
    found.push(Mismatch { strength: Strength::Added, rule: "addition", reason, sure: true });
}

/// Words that begin a case or a second statement, sorted.
const CASES: &[&str] = &[
    "cuando", "donde", "if", "mientras", "once", "si", "unless", "until", "when", "where", "whereas", "while",
];

/// Whether a claim has a case: what is said of it and what it is may stand in two places.
fn cased(claim: &Analysed) -> bool {
    claim.tokens.iter().any(|token| CASES.binary_search(&token.norm.as_str()).is_ok())
}

/// Whether a word names a thing that the claim speaks of: one with an article.
fn is_thing(claim: &Analysed, at: usize) -> bool {
    let token = &claim.tokens[at];
    at > 0 && !token.after_break && token.kind == TokenKind::Word && determines(&claim.tokens[at - 1])
}

/// Whether two words of the claim stand in one sentence of the sources, or in two that follow one another.
fn together(case: &Case<'_>, known: &[usize]) -> bool {
    let places = |at: usize| -> Vec<u32> {
        let token = &case.claim.tokens[at];
        let stems = std::iter::once(token.stem).chain(token.others().iter().copied());
        let stems = stems.flat_map(|stem| case.index.places(stem).iter().take(PLACES));
        let mut places: Vec<u32> = stems.copied().collect();
        places.sort_unstable();
        places
    };
    let all: Vec<Vec<u32>> = known.iter().map(|at| places(*at)).collect();
    all.iter().enumerate().any(|(number, one)| {
        let own = case.claim.tokens[known[number]].stem;
        all[number + 1..]
            .iter()
            .zip(&known[number + 1..])
            .any(|(two, at)| case.claim.tokens[*at].stem != own && meet(one, two))
    })
}

/// Whether one of some places is one of others or next to it; both are in order.
fn meet(one: &[u32], two: &[u32]) -> bool {
    let mut rest = two.iter().peekable();
    one.iter().any(|place| {
        while rest.next_if(|other| **other + 1 < *place).is_some() {}
        rest.peek().is_some_and(|other| other.abs_diff(*place) <= 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_for_look_up() {
        assert!(CASES.is_sorted() && POINTING.is_sorted());
    }
}
