//! What the sources tell from one another: the red lamp and the yellow one, lectures and tutorials, this mode and that.
//!
//! A claim that says of the one what the sources say of the other has words of both, and leaves out the name under which
//! the sources say it.

mod mixed;

use super::{Case, Mismatch, phrase, sure};
use crate::flags;
use crate::index::Analysed;
use crate::language::Language;
use crate::tokens::TokenKind;
use mixed::mixed;
pub(crate) use mixed::{ANAPHORS, BETWEEN, PRONOUNS};

/// Longest claim that is looked at, in tokens.
const LONGEST: usize = 24;
/// Least weight of a word that tells things apart.
const TELLS: f64 = 2.0;
/// Sentences that are asked for a word.
const PLACES: usize = 12;
/// How much of the rest of a claim the sentence about the other thing must hold.
const REST: f64 = 0.55;
/// How much of that a sentence about the claim's own thing may hold at most.
const OTHER: f64 = 0.6;

/// Words before a noun.
pub(crate) const DETERMINERS: &[&str] = &[
    "a", "an", "cada", "each", "el", "every", "its", "la", "las", "los", "su", "sus", "the", "those", "un",
    "una",
];

pub(super) fn contrasts(case: &Case<'_>, found: &mut Vec<Mismatch>) {
    let Some(best) = case.evidence.first() else { return };
    if case.claim.tokens.len() > LONGEST || found.iter().any(|other| other.sure) {
        return;
    }
    if let Some(mismatch) = modified(case, best).or_else(|| mixed(case.claim, best)) {
        found.push(mismatch);
    }
}

/// Places of the words that modify a noun, in both languages: "night ferry", "ferry of the night", "agua fría".
fn modifiers(words: &Analysed, head: usize, spanish: bool) -> impl Iterator<Item = usize> + '_ {
    let tokens = &words.tokens;
    let before = head.checked_sub(1).filter(|_| !tokens[head].after_break);
    let behind = (head + 1 < tokens.len() && !tokens[head + 1].after_break).then_some(head + 1);
    let of = behind.filter(|at| matches!(tokens[*at].norm.as_str(), "of" | "de" | "del")).and_then(|at| {
        let next =
            if tokens.get(at + 1).is_some_and(|next| next.is(flags::LEADS_NOUN)) { at + 2 } else { at + 1 };
        (next < tokens.len() && !tokens[next].after_break).then_some(next)
    });
    [before.filter(|_| !spanish), behind.filter(|_| spanish), of].into_iter().flatten().filter(|at| {
        let token = &words.tokens[*at];
        token.content() && !matches!(token.kind, TokenKind::Number(_))
    })
}

/// Whether a word can tell one thing from another: it is no verb that begins a clause, as far as the word before it tells.
fn told(words: &Analysed, at: usize, spanish: bool) -> bool {
    let token = &words.tokens[at];
    let before = at.checked_sub(1).filter(|_| !token.after_break).map(|at| &words.tokens[at]);
    let led = before.is_some_and(|before| {
        before.stop
            && !matches!(
                before.norm.as_str(),
                "to" | "then" | "and" | "or" | "you" | "can" | "it" | "not" | "be" | "will"
            )
            || before.content() && spanish
    });
    let capital = token.capital && !token.opens;
    (token.kind == TokenKind::Word || token.named() && !token.norm.contains('.'))
        && (led || capital || token.named())
}

/// "The yellow lamp" where the sentence that says the rest speaks of the red lamp, and another of the yellow one.
fn modified(case: &Case<'_>, best: &Analysed) -> Option<Mismatch> {
    let claim = case.claim;
    let spanish = best.language == Some(Language::Spanish);
    for head in 0..claim.tokens.len() {
        let noun = &claim.tokens[head];
        if !noun.content() || noun.kind != TokenKind::Word || !best.holds(noun.stem) {
            continue;
        }
        for at in modifiers(claim, head, spanish) {
            let token = &claim.tokens[at];
            if !told(claim, at, spanish)
                || claim.weights[at] < TELLS
                || best.says(token.stem)
                || !case.scope.has(case.index, token.stem)
            {
                continue;
            }
            let rival = (0..best.tokens.len())
                .filter(|place| best.tokens[*place].stem == noun.stem)
                .find_map(|place| {
                    modifiers(best, place, spanish)
                        .find(|other| {
                            let (place, other) = (*other, &best.tokens[*other]);
                            told(best, place, spanish)
                                && other.prefix != token.prefix
                                && other.weight >= TELLS
                                && !claim.says(other.stem)
                        })
                        .map(|other| (other, place))
                });
            let Some((other, place)) = rival else { continue };
            if said_there(case, best, head, at) {
                let quote = |words: &Analysed, one: usize, two: usize| {
                    phrase(&words.tokens, one.min(two)..=one.max(two))
                };
                return Some(sure("binding", &quote(claim, at, head), &quote(best, other, place)));
            }
        }
    }
    None
}

/// Whether the sentence holds most of the rest of a claim, and no sentence that has the claim's own thing does.
fn said_there(case: &Case<'_>, best: &Analysed, head: usize, at: usize) -> bool {
    let claim = case.claim;
    let rest = || (0..claim.tokens.len()).filter(move |place| *place != head && *place != at);
    let mass: f64 = rest().map(|place| claim.weights[place]).sum();
    let held = |words: &Analysed| -> f64 {
        rest().filter(|place| words.says(claim.tokens[*place].stem)).map(|place| claim.weights[place]).sum()
    };
    let here = held(best);
    if mass < TELLS || here < REST * mass {
        return false;
    }
    let mut distinct = false;
    for place in case.index.places(claim.tokens[at].stem).iter().take(PLACES) {
        let Some(sentence) = usize::try_from(*place).ok().and_then(|place| case.index.sentences.get(place))
        else {
            continue;
        };
        if !case.scope.holds(sentence) {
            continue;
        }
        if held(&sentence.words) > OTHER * here {
            return false;
        }
        // The sources name the claim's own thing in the same way.
        let words = &sentence.words;
        distinct |= (0..words.tokens.len())
            .filter(|place| words.tokens[*place].stem == claim.tokens[head].stem)
            .any(|place| {
                modifiers(words, place, sentence.words.language == Some(Language::Spanish))
                    .any(|other| words.tokens[other].stem == claim.tokens[at].stem)
            });
    }
    distinct
}
