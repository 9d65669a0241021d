//! The sentences of the sources that are about what a claim is about, and how near a word stands in them to the words
//! that it stands with in the claim.

use super::super::{Case, is_filler, is_slot};
use super::read::{Clause, Reading};
use super::senses;
use crate::index::{Analysed, POSTINGS, Sentence};

/// Sentences that are looked at.
const SENTENCES: usize = 6;
/// Sentences among which those are sought that ask nothing; only these are put in order.
const RANKED: usize = 48;
/// Least share of a claim's weight that a sentence must hold to be looked at.
const ABOUT: f64 = 0.2;
/// A sentence of the sources with what it denies.
pub(super) struct Said<'a> {
    pub(super) words: &'a Analysed,
    /// The sentence before it in the same source.
    pub(super) before: Option<&'a Analysed>,
    pub(super) reading: &'a Reading,
}

/// The sentences that are most about what a claim is about.
pub(super) fn candidates<'a>(case: &Case<'a>) -> Vec<Said<'a>> {
    let claim = case.claim;
    let index = case.index;
    let mut words = Vec::with_capacity(case.postings().len());
    words.extend(case.postings().iter().filter(|posting| claim.tokens[posting.word].content()));
    let mut sums = index.tally(case.scope, words, POSTINGS, |at| claim.weights[at]);
    let asks = |sentence: &Sentence| {
        let text =
            index.passages.get(sentence.source).and_then(|passage| passage.text.get(sentence.range.clone()));
        text.is_some_and(|text| text.trim_end().ends_with('?'))
    };
    let inside = |sentence: &&Sentence| !asks(sentence);
    sums.retain(|(_, sum)| *sum >= ABOUT * claim.mass);
    let order = |one: &(usize, f64), two: &(usize, f64)| two.1.total_cmp(&one.1).then(one.0.cmp(&two.0));
    if sums.len() > RANKED {
        sums.select_nth_unstable_by(RANKED, order);
        sums.truncate(RANKED);
    }
    sums.sort_by(order);
    sums.into_iter()
        .filter_map(|(place, _)| index.sentences.get(place).filter(inside).map(|sentence| (place, sentence)))
        .take(SENTENCES)
        .map(|(place, sentence)| Said {
            words: &sentence.words,
            before: place
                .checked_sub(1)
                .and_then(|before| index.sentences.get(before))
                .filter(|before| before.source == sentence.source)
                .map(|before| &before.words),
            reading: sentence.words.denials(),
        })
        .collect()
}

/// How much of what stands beside a word of the claim stands beside a word of a sentence: all of it in the same clause is 1.
pub(super) fn nearness(
    claim: &Analysed,
    clause: &Clause,
    at: usize,
    other: &Said<'_>,
    place: usize,
) -> Option<f64> {
    let counts = |beside: usize| {
        let token = &claim.tokens[beside];
        beside != at
            && token.content()
            && claim.weights[beside] > 0.0
            && !is_filler(token)
            && !token.is(crate::flags::LIGHT | crate::flags::OFTEN)
    };
    let mut own: Vec<usize> = clause.range.clone().filter(|beside| counts(*beside)).collect();
    if own.len() < 2 {
        own = (0..claim.tokens.len()).filter(|beside| counts(*beside)).collect();
    }
    let theirs = other.reading.clause(place)?;
    let (mut all, mut held, mut beside) = (0.0, 0.0, 0);
    let (mut met, mut number) = (0, 0);
    for at in own {
        let token = &claim.tokens[at];
        let weight = claim.weights[at];
        let says = other.words.says_token(token);
        let near = says || other.before.is_some_and(|before| before.says_token(token));
        let slot = is_slot(&claim.tokens, at);
        let slots = || (0..other.words.tokens.len()).any(|near| is_slot(&other.words.tokens, near));
        if slot && (!near || !says && slots()) {
            return None;
        }
        // "Is part of", "is allowed": what a rewording says beside the word that is held against it.
        if !near && !senses::of(token).is_empty() {
            continue;
        }
        number += 1;
        met += usize::from(near);
        all += weight;
        let inside = theirs.range.clone().any(|near| {
            near != place && other.words.tokens[near].content() && other.words.tokens[near].means(token)
        });
        if inside {
            held += weight;
            beside += 1;
        } else if says {
            held += 0.8 * weight;
        } else if near {
            held += 0.5 * weight;
        }
    }
    let alone = theirs.range.clone().filter(|near| other.words.tokens[*near].content()).count() <= 1;
    (all > 0.0 && met >= number.min(2) && (beside > 0 || alone)).then(|| held / all)
}

/// Words of content that a rewording puts in beside a predicate.
pub(crate) fn is_light(word: &str) -> bool {
    matches!(
        word,
        "come"
            | "comes"
            | "go"
            | "goes"
            | "put"
            | "putting"
            | "part"
            | "good"
            | "give"
            | "gives"
            | "given"
            | "need"
            | "needs"
            | "want"
            | "guide"
            | "mean"
            | "means"
            | "specify"
            | "mention"
            | "state"
            | "indicate"
            | "says"
            | "new"
            | "time"
            | "da"
            | "dan"
            | "dar"
            | "derecho"
            | "forma"
            | "forman"
            | "sale"
            | "salen"
            | "queda"
            | "quedan"
            | "supone"
            | "viene"
            | "vienen"
            | "igualmente"
            | "segun"
    )
}
