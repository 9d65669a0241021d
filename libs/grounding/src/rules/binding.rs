//! Words that stand in the sources, but with something else: "boxing is included" where yoga is, and boxing is not.
//!
//! Every clause of the claim is held against every clause of the evidence. Where the clause that is most like it lacks a
//! word, has another in its stead, and the lacking word stands in a neighbouring clause that is built alike, the claim
//! has mixed the two up.

use super::negation::is_negator;
use super::{Case, Mismatch, contradiction};
use crate::flags;
use crate::index::Analysed;
use crate::lists;
use crate::tokens::{Token, TokenKind};
use std::ops::Range;

/// Least share of a clause's weight that the clause most like it must hold.
const LIKE: f64 = 0.55;
/// Sentences whose clauses are looked at.
const SENTENCES: usize = 3;

/// Words of content with their places.
type Words<'a> = Vec<(usize, &'a Token)>;

/// Words that begin a clause.
pub(crate) const JOINERS: &[&str] =
    &["and", "but", "while", "whereas", "or", "y", "pero", "mientras", "e", "o", "then", "luego"];

/// Clauses of a sentence, in order.
pub(super) type Clauses = Vec<Range<usize>>;

/// Clauses of a sentence: stretches between punctuation or joining words, each with a content word.
pub(super) fn clauses(words: &Analysed) -> Clauses {
    let mut found = Clauses::new();
    let (mut start, mut content) = (0, false);
    for (at, token) in words.tokens.iter().enumerate() {
        if content && (token.after_break || token.is(flags::BOUND_CLAUSE)) {
            found.push(start..at);
            (start, content) = (at, false);
        }
        content |= token.content();
    }
    match found.last_mut() {
        Some(last) if !content => last.end = words.tokens.len(),
        _ => found.push(start..words.tokens.len()),
    }
    found
}

/// Content tokens of a stretch.
fn content<'a>(words: &'a Analysed, range: &Range<usize>) -> impl Iterator<Item = (usize, &'a Token)> {
    let start = range.start;
    words.tokens[range.clone()]
        .iter()
        .enumerate()
        .filter(|(_, token)| token.content())
        .map(move |(at, token)| (start + at, token))
}

fn holds(words: &Analysed, range: &Range<usize>, token: &Token) -> bool {
    content(words, range).any(|(_, other)| other.means(token))
}

pub(super) fn bindings(case: &Case<'_>, found: &mut Vec<Mismatch>) {
    let claim = case.claim;
    let parts: Vec<(&Analysed, Clauses)> =
        case.evidence.iter().take(SENTENCES).map(|sentence| (*sentence, clauses(sentence))).collect();
    for clause in clauses(claim) {
        let own: Words<'_> = content(claim, &clause).collect();
        let mass: f64 = own.iter().map(|(at, _)| claim.weights[*at]).sum();
        if own.len() < 2 || mass <= 0.0 {
            continue;
        }
        let mut best: Option<(f64, &Analysed, &Range<usize>)> = None;
        for (sentence, ranges) in &parts {
            // What the whole sentence lacks no clause of it has.
            let told: Words<'_> =
                own.iter().filter(|(_, token)| sentence.says_token(token)).copied().collect();
            let most = told.iter().map(|(at, _)| claim.weights[*at]).sum::<f64>() / mass;
            if most < LIKE || best.is_some_and(|(share, ..)| most <= share) {
                continue;
            }
            for range in ranges {
                let held = told.iter().filter(|(_, token)| holds(sentence, range, token));
                let share = held.map(|(at, _)| claim.weights[*at]).sum::<f64>() / mass;
                if best.is_none_or(|(other, ..)| share > other) {
                    best = Some((share, sentence, range));
                }
            }
        }
        let Some((share, sentence, range)) = best else { continue };
        if !(LIKE..0.999).contains(&share) {
            continue;
        }
        let mut missing = own.iter().filter(|(_, token)| !holds(sentence, range, token));
        let (Some((at, lacking)), None) = (missing.next(), missing.next()) else { continue };
        let swapped = |stranger: &Token| {
            let elsewhere = (0..clause.start).chain(clause.end..claim.tokens.len());
            elsewhere.map(|at| &claim.tokens[at]).any(|token| token.content() && token.means(stranger))
        };
        let numeric = |token: &Token| matches!(token.kind, TokenKind::Number(_));
        let mut strangers =
            content(sentence, range).map(|(_, token)| token).filter(|token| !holds(claim, &clause, token));
        let Some(stranger) = strangers.find(|stranger| numeric(stranger) == numeric(lacking)) else {
            continue;
        };
        for (other_sentence, other_ranges) in &parts {
            for other in other_ranges {
                let same_sentence = std::ptr::eq(*other_sentence, sentence);
                if (same_sentence && other == range) || !holds(other_sentence, other, lacking) {
                    continue;
                }
                // "From A to B in the morning and from B to A in the evening": the second clause leaves out what the first
                // begins with.
                let besides = own.iter().filter(|(_, token)| !std::ptr::eq(*token, *lacking));
                let leads =
                    content(other_sentence, other).next().is_some_and(|(_, first)| first.means(lacking));
                let told = besides.filter(|(_, token)| holds(other_sentence, other, token)).count();
                if same_sentence && other.start > range.start && !leads && told >= 2 {
                    return;
                }
                let size = content(other_sentence, other).count();
                let denies = (other.start..other.end).any(|at| {
                    let lacks = matches!(other_sentence.tokens[at].norm.as_str(), "without" | "sin");
                    !lacks && is_negator(&other_sentence.tokens, at)
                });
                // ", the tank may not": a clause that only denies what the one before it says.
                if same_sentence && denies && size <= 2 && !claim_denies(claim, &clause) {
                    found.push(contradiction(
                        "negation",
                        &lacking.text,
                        &super::phrase(&other_sentence.tokens, other.start..=other.end - 1),
                    ));
                    return;
                }
                let alike = own
                    .iter()
                    .filter(|(_, token)| !std::ptr::eq(*token, *lacking))
                    .filter(|(_, token)| holds(sentence, range, token) && holds(other_sentence, other, token))
                    .count();
                let parallel = alike >= 1 && size >= 2 && (same_sentence || alike >= 2);
                let first = |words: &Analysed, range: &Range<usize>, token: &Token| {
                    content(words, range).next().is_some_and(|(_, first)| first.means(token))
                };
                let exchanged =
                    swapped(stranger) && first(sentence, range, stranger) && first(claim, &clause, lacking);
                let framed = parallel && beside_the_same(claim, *at, sentence, range, stranger);
                if (framed || exchanged)
                    && !lists::REFERENCES.contains(&lacking.norm.as_str())
                    && claim.weights[*at] >= 2.0
                    && *at > 0
                {
                    found.push(contradiction("binding", &lacking.text, &stranger.text));
                    return;
                }
            }
        }
    }
}

/// Whether the word before or behind a word of the claim is the one before or behind the stranger.
fn beside_the_same(
    claim: &Analysed,
    at: usize,
    source: &Analysed,
    range: &Range<usize>,
    stranger: &Token,
) -> bool {
    let Some(place) = range.clone().find(|place| std::ptr::eq(&source.tokens[*place], stranger)) else {
        return false;
    };
    let same = |one: Option<&Token>, two: Option<&Token>| matches!((one, two), (Some(one), Some(two)) if one.stem == two.stem);
    let before = |words: &'_ Analysed, at: usize| {
        at.checked_sub(1).and_then(|at| words.tokens.get(at)).map(|token| token.stem)
    };
    let left = before(claim, at);
    same(claim.tokens.get(at + 1), source.tokens.get(place + 1))
        || (left.is_some() && left == before(source, place))
}

fn claim_denies(claim: &Analysed, clause: &Range<usize>) -> bool {
    clause.clone().any(|at| is_negator(&claim.tokens, at))
}
