//! A noun in the place of another one, where a claim copies all that stands beside it.

use super::{CLAUSE, Slot, WEIGHT};
use crate::align::Gap;
use crate::index::{Analysed, POSTINGS};
use crate::lexicon::{rivals, synonymous};
use crate::quantifiers;
use crate::rules::exchange::fails;
use crate::rules::negation::is_negator;
use crate::rules::{Mismatch, contradiction};
use crate::tokens::{Token, TokenKind};
use std::ops::Range;

impl Slot<'_> {
    /// A noun of another place of the sources, or another word of one kind, where the sentence has its own.
    pub(super) fn exchanged(&self) -> Option<Mismatch> {
        let content = |words: &Analysed, range: &Range<usize>| -> Vec<usize> {
            range.clone().filter(|at| words.tokens[*at].content()).collect()
        };
        let (mine, theirs) = (content(self.claim, &self.gap.claim), content(self.source, &self.gap.source));
        let ([at], [place]) = (mine.as_slice(), theirs.as_slice()) else { return None };
        let (one, two) = (&self.claim.tokens[*at], &self.source.tokens[*place]);
        let bound = |words: &Analysed, range: &Range<usize>| {
            range.clone().any(|at| {
                is_negator(&words.tokens, at)
                    || fails(&words.tokens, at)
                    || quantifiers::class(&words.tokens, at).is_some()
            })
        };
        let plain = |token: &Token| token.kind == TokenKind::Word && !token.code && !token.counts;
        if !plain(one)
            || !plain(two)
            || one.prefix == two.prefix
            || one.means(two)
            || one.norm.contains(&two.norm)
            || two.norm.contains(&one.norm)
            || crate::rules::names::distance(&one.norm, &two.norm) < 2
            || synonymous(one.stem, two.stem)
            || bound(self.claim, &self.gap.claim)
            || bound(self.source, &self.gap.source)
        {
            return None;
        }
        let (holds, says) = (self.source.says(one.stem), self.claim.says(two.stem));
        let kind = rivals(one.stem, two.stem) && !holds && self.clause() >= CLAUSE;
        let (long, alone) = (self.long(), self.alone());
        // A claim that goes on calling the thing by its word has not called it otherwise here.
        let kept = self.taken_over(one.stem, two.stem) && (long || alone);
        let known = self.case.scope.has(self.case.index, one.stem) || (says && kept && long);
        let apart = (!(holds || says) || kept)
            && one.weight.min(two.weight) >= WEIGHT
            && noun(self.claim, *at)
            && noun(self.source, *place)
            && known
            && (long || !crate::rules::nearby(self.case, one.stem) || self.together(one.stem, two.stem))
            && (long || self.clause() >= CLAUSE);
        (kind || apart && !self.called(one.stem, two.stem))
            .then(|| contradiction("exchange", &one.text, &two.text))
    }

    /// Whether a sentence calls the one thing by the other word: "the monitor is a process".
    fn called(&self, one: u64, two: u64) -> bool {
        let places = self.case.index.places(one).iter().take(POSTINGS);
        places.filter_map(|place| self.case.index.sentence(*place)).any(|sentence| {
            let tokens = &sentence.words.tokens;
            let at = |stem: u64| tokens.iter().position(|token| token.stem == stem);
            let (Some(mine), Some(theirs)) = (at(one), at(two)) else { return false };
            let between = &tokens[mine.min(theirs)..mine.max(theirs)];
            between.len() <= 5
                && between.iter().any(|token| {
                    matches!(token.norm.as_str(), "is" | "are" | "es" | "son" | "or" | "o" | "called")
                })
        })
    }

    /// Whether everything of content that the claim says beside the place is the same.
    fn alone(&self) -> bool {
        let weighs = |gap: &&Gap| self.claim.weights[gap.claim.clone()].iter().any(|weight| *weight > 0.0);
        self.alignment.gaps.iter().filter(weighs).all(|gap| gap == self.gap)
    }

    /// Whether the claim has one word more often than the sentence, and the other one more seldom: neither has only moved.
    fn taken_over(&self, one: u64, two: u64) -> bool {
        let often =
            |words: &Analysed, stem: u64| words.tokens.iter().filter(|token| token.stem == stem).count();
        often(self.claim, one) > often(self.source, one) && often(self.source, two) > often(self.claim, two)
    }

    /// Whether some sentence of the sources speaks of both: then they are two things.
    fn together(&self, one: u64, two: u64) -> bool {
        let (one, two) = (self.case.index.places(one), self.case.index.places(two));
        let (few, many) = if one.len() < two.len() { (one, two) } else { (two, one) };
        few.iter().take(POSTINGS).any(|place| many.binary_search(place).is_ok())
    }
}

/// Words that stand before nouns.
const ARTICLES: &[&str] = &[
    "the", "a", "an", "this", "its", "each", "every", "their", "any", "no", "of", "el", "la", "los", "las",
    "un", "una", "del", "al", "cada", "su", "sus", "de",
];
/// Words that a noun ends before.
const BEHIND: &[&str] = &[
    "is", "are", "was", "were", "has", "have", "can", "may", "must", "will", "of", "to", "in", "for", "from",
    "with", "by", "on", "at", "and", "or", "that", "which", "when", "if", "es", "son", "de", "en", "con",
    "se", "para", "por", "puede", "debe", "que", "y", "o", "no", "tiene",
];
/// How words end that are no nouns.
const ENDINGS: &[&str] = &["ing", "ly", "ed", "mente", "ando", "iendo", "ado", "ada", "ido", "ida"];

/// Whether a word stands as a noun does: right behind a word that stands before nouns, and before one that ends them.
fn noun(words: &Analysed, at: usize) -> bool {
    let token = &words.tokens[at];
    let before =
        at.checked_sub(1).filter(|_| !token.after_break).map(|before| words.tokens[before].norm.as_str());
    let next = words.tokens.get(at + 1);
    let closed = next.is_none_or(|next| next.after_break || BEHIND.contains(&next.norm.as_str()));
    before.is_some_and(|word| ARTICLES.contains(&word))
        && closed
        && !ENDINGS.iter().any(|ending| token.norm.ends_with(ending))
}
