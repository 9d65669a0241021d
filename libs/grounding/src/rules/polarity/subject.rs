//! Whether a sentence of the sources speaks of another subject than a clause of the claim: what guests cannot do says
//! nothing of members.

use super::super::standing::{determines, governs};
use super::super::{Case, is_filler};
use super::near::Said;
use super::read::{Clause, PRONOUNS};
use crate::index::Analysed;
use crate::tokens::TokenKind;

/// Sentences that are asked for a subject.
const PLACES: usize = 16;
/// Words of the third person that stand for what an earlier sentence is about.
const PERSONS: &[&str] = &["they", "he", "she", "estos", "estas", "este", "esta", "ella"];

/// The word of content that a stretch begins with, where no preposition stands before it.
fn topic(words: &Analysed, range: std::ops::Range<usize>) -> Option<usize> {
    let tokens = &words.tokens;
    for at in range {
        let token = &tokens[at];
        if token.content() && !is_filler(token) {
            return (token.kind == TokenKind::Word).then_some(at);
        }
        if governs(token) && !determines(token) {
            return None;
        }
    }
    None
}

/// Whether a sentence begins with a word that stands for what the one before it is about.
fn refers_back(words: &Analysed) -> bool {
    words.tokens.first().is_some_and(|first| {
        let word = first.norm.as_str();
        (PRONOUNS.contains(&word) || PERSONS.contains(&word))
            && words.tokens.get(1).is_none_or(|next| !next.content() || next.norm.as_str() != "el")
    })
}

/// Whether a sentence, or the one that its pronoun points to, is about another subject than a clause of the claim, where
/// the sources speak of the claim's own somewhere else.
pub(super) fn is_another(case: &Case<'_>, clause: &Clause, at: usize, other: &Said<'_>) -> bool {
    let claim = case.claim;
    let all = 0..claim.tokens.len();
    let Some(own) = topic(claim, clause.range.clone()).filter(|own| *own < at).or_else(|| topic(claim, all))
    else {
        return false;
    };
    let subject = &claim.tokens[own];
    let before = other.before.filter(|_| refers_back(other.words));
    if own >= at
        || claim.weights[own] <= 0.0
        || other.words.says_token(subject)
        || before.is_some_and(|before| before.says_token(subject))
    {
        return false;
    }
    // What the sentence is about must be no thing that the claim speaks of.
    let about = before.unwrap_or(other.words);
    let strange = topic(about, 0..about.tokens.len()).is_some_and(|at| !claim.says_token(&about.tokens[at]));
    let denies = clause.denies;
    let speaks = |words: &Analysed| {
        let begins = topic(words, 0..words.tokens.len()).is_some_and(|at| subject.means(&words.tokens[at]));
        begins || denies && words.denials().denies()
    };
    strange
        && case
            .index
            .places(subject.stem)
            .iter()
            .take(PLACES)
            .filter_map(|place| case.index.sentences.get(usize::try_from(*place).ok()?))
            .any(|sentence| case.scope.holds(sentence) && speaks(&sentence.words))
}
