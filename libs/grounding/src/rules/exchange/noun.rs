//! Nouns in a place that a near copy changes.

use super::Place;
use crate::index::Analysed;
use crate::lexicon::rivals;
use crate::rules::{Finding, Kind};
use crate::tokens::{Token, TokenKind};
use std::ops::Range;

impl Place<'_> {
    /// A word of the same kind, or a noun of another place of the sources, where this sentence has a noun of its own.
    pub(super) fn noun(&self) -> Option<Finding> {
        let (claim, best) = (self.claim, self.best);
        let content = |words: &Analysed, range: &Range<usize>| -> Vec<usize> {
            range.clone().filter(|at| words.tokens[*at].content()).collect()
        };
        let (mine, theirs) = (content(claim, &self.at.claim), content(best, &self.at.source));
        let (at, place) = (*mine.last()?, *theirs.last()?);
        let (one, two) = (&claim.tokens[at], &best.tokens[place]);
        let said = |words: &Analysed, places: &[usize]| {
            places.iter().map(|at| words.tokens[*at].text.as_str()).collect::<Vec<_>>().join(" ")
        };
        let exchanged = || Finding::contradicts(Kind::Exchange, &said(claim, &mine), &said(best, &theirs));
        let single = mine.len() == 1 && theirs.len() == 1;
        let absent = !best.holds(one.stem) && !claim.holds(two.stem);
        if single && absent && rivals(one.stem, two.stem) {
            return Some(exchanged());
        }
        let plain = |token: &Token| token.kind == TokenKind::Word && !token.code;
        let strange = mine.len() <= 3
            && theirs.len() <= 3
            && mine.iter().all(|at| {
                let token = &claim.tokens[*at];
                let apart = theirs.iter().all(|place| best.tokens[*place].prefix != token.prefix);
                plain(token)
                    && !best.says(token.stem)
                    && apart
                    && self.case.scope.has(self.case.index, token.stem)
            })
            && theirs.iter().all(|place| {
                let token = &best.tokens[*place];
                plain(token) && !claim.says(token.stem)
            });
        let weighs = one.weight >= 3.0 && two.weight >= 2.5;
        if !(self.at.framed && strange && weighs)
            || mine.iter().any(|at| self.case.nearby(claim.tokens[*at].stem))
        {
            return None;
        }
        let placed = |words: &Analysed, at: usize| at > 0 && is_article(&words.tokens[at - 1]);
        let both = placed(claim, mine[0]) && placed(best, theirs[0]);
        // Everything else that the claim says stands in the same order in the sentence.
        let open = (0..claim.tokens.len()).filter(|at| {
            claim.weights[*at] > 0.0 && self.alignment.pairs.binary_search_by_key(at, |pair| pair.0).is_err()
        });
        let alone = open.count() <= mine.len() + 1 && self.alignment.pairs.len() >= 4;
        let copied = alone || self.alignment.share >= 0.8;
        (both && copied && ends_like_a_noun(&one.norm)).then(exchanged)
    }
}

/// Words before a noun.
fn is_article(token: &Token) -> bool {
    matches!(
        token.norm.as_str(),
        "the"
            | "a"
            | "an"
            | "this"
            | "its"
            | "each"
            | "every"
            | "their"
            | "el"
            | "la"
            | "los"
            | "las"
            | "un"
            | "una"
            | "del"
            | "al"
            | "cada"
            | "su"
    )
}

/// Whether a word does not end as adverbs, participles and gerunds do.
fn ends_like_a_noun(word: &str) -> bool {
    !["ing", "ly", "ed", "mente", "ando", "iendo"].iter().any(|ending| word.ends_with(ending))
}
