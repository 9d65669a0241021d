//! One word that no source has in this place: "contains gluten" where the source says "contains lactose".

use super::{Case, Mismatch, Strength, is_slot};
use crate::index::Analysed;
use crate::lexicon::synonymous;
use crate::tokens::{Token, TokenKind};

/// Longest claim that is held to a single word, in tokens.
const LONGEST: usize = 24;

/// Least weight of a word that decides: commoner ones have too many others that may stand for them.
const RARE: f64 = 5.0;

/// Whether two tokens are the same word, or one that may stand for it.
fn same(one: &Token, two: &Token) -> bool {
    synonymous(one.stem, two.stem)
        || (one.content() && two.content() && (one.prefix == two.prefix || slip(&one.norm, &two.norm)))
}

/// Whether a word is another one with a letter more, less or changed, or begins it: a slip of the finger, or an end cut off.
fn slip(one: &str, two: &str) -> bool {
    let (short, long) = if one.len() <= two.len() { (one, two) } else { (two, one) };
    if short.len() < 3 || short.len() + 1 < long.len() {
        return short.len() >= 3 && long.starts_with(short);
    }
    let front = short.bytes().zip(long.bytes()).take_while(|(a, b)| a == b).count();
    let back = short.bytes().rev().zip(long.bytes().rev()).take_while(|(a, b)| a == b).count();
    front + back + 1 >= long.len()
}

/// Whether a noun may stand in a place: in English unless it is joined to another one by "and" or "or", in Spanish behind a
/// word that stands before nouns; there nothing tells a common word from a rare one.
fn takes_a_noun(claim: &Analysed, at: usize) -> bool {
    let before = at.checked_sub(1).map_or("", |before| claim.tokens[before].norm.as_str());
    if claim.language == Some(crate::language::Language::Spanish) {
        matches!(
            before,
            "el" | "la"
                | "los"
                | "las"
                | "un"
                | "una"
                | "de"
                | "del"
                | "al"
                | "en"
                | "con"
                | "por"
                | "mas"
                | "cada"
                | "su"
                | "sus"
        )
    } else {
        !matches!(before, "and" | "or")
    }
}

/// Whether what stands beside a place of the claim stands beside a place of the source: on one side a content word, or on
/// both sides anything, ends included.
fn framed(claim: &Analysed, at: usize, source: &Analysed, place: usize) -> bool {
    let beside = |words: &Analysed, at: usize, step: isize| -> Option<usize> {
        let next = at.checked_add_signed(step)?;
        let token = words.tokens.get(next)?;
        let cut = if step > 0 { token.after_break } else { words.tokens[at].after_break };
        (!cut).then_some(next)
    };
    let side = |step: isize| match (beside(claim, at, step), beside(source, place, step)) {
        (Some(one), Some(two)) => {
            let (one, two) = (&claim.tokens[one], &source.tokens[two]);
            (same(one, two), one.content() && same(one, two))
        }
        (None, None) => (true, false),
        // A shortened claim ends where the source goes on.
        (None, Some(_)) => (step > 0, false),
        (Some(_), None) => (false, false),
    };
    let (left, right) = (side(-1), side(1));
    // Something on the left must be the same; what is nothing on both sides says little.
    left.0 && right.0 && (left.1 || right.1 || beside(claim, at, -1).is_some())
}

/// Whether a word stands in the sentence behind the one that is held against the claim: sources go on with the same thing.
fn follows(case: &Case<'_>, stem: u64) -> bool {
    let sentence = |place: usize| case.index.sentences.get(place);
    let next = case.place.checked_add(1).and_then(sentence);
    next.is_some_and(|next| {
        next.words.holds(stem) && sentence(case.place).is_some_and(|own| own.source == next.source)
    })
}

pub(super) fn words(case: &Case<'_>, found: &mut Vec<Mismatch>) {
    let (claim, Some(best)) = (case.claim, case.evidence.first()) else { return };
    if claim.tokens.len() > LONGEST {
        return;
    }
    // Most words of the claim stand in the sentence as they are; of the others there may be one.
    let as_it_is = |token: &Token| token.kind == TokenKind::Word && best.holds(token.stem);
    let held = |token: &Token| as_it_is(token) || best.tokens.iter().any(|other| same(token, other));
    let mut open = (0..claim.tokens.len()).filter(|at| claim.weights[*at] > 0.0 && !held(&claim.tokens[*at]));
    let (Some(at), None) = (open.next(), open.next()) else { return };
    let content = claim.weights.iter().filter(|weight| **weight > 0.0).count();
    let token = &claim.tokens[at];
    // A thing has another name beside the sentence; "°F" is written in many ways.
    if super::nearby(case, token.stem)
        || follows(case, token.stem)
        || !token.norm.chars().all(char::is_alphabetic)
    {
        return;
    }
    if super::order::inverted(claim, at, best) {
        return;
    }
    if content < 3
        || token.kind != TokenKind::Word
        || is_slot(&claim.tokens, at)
        || claim.weights[at] < RARE
        || at == 0
        || token.phrase.is_some()
        || super::classes::is_class(token)
        || !takes_a_noun(claim, at)
        || super::opposites::elsewhere(case, at)
    {
        return;
    }
    let stands = |place: &usize| {
        let other = &best.tokens[*place];
        other.kind == TokenKind::Word
            && other.content()
            && !claim.tokens.iter().any(|own| own.content() && same(own, other))
            && framed(claim, at, best, *place)
    };
    if let Some(place) = (0..best.tokens.len()).find(stands) {
        let reason = format!(
            "word: the claim says \"{}\" where the source says \"{}\"",
            token.text, best.tokens[place].text
        );
        found.push(Mismatch { strength: Strength::Added, rule: "word", reason, sure: false });
    }
}
