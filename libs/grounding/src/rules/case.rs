//! A claim and the sentences that bear on it, as the rules see them, and how much of the one the other holds.

use crate::align::{Alignment, align};
use crate::index::{Analysed, SourceIndex};
use crate::select::Scope;
use crate::share::plain_share;
use crate::tokens::Token;
use std::ops::RangeInclusive;

/// Least share of a claim's plain words that a sentence about the same thing holds.
pub(super) const SAME_SUBJECT: f64 = 0.5;
/// The same of a sentence that the claim repeats but for a word or two.
pub(super) const NEAR_COPY: f64 = 0.7;
/// The same of a sentence with all words of the claim, in another order.
pub(super) const SAME_WORDS: f64 = 0.85;
/// Least share that a sentence nearby must hold to say the same of a word.
const SAYS_SO: f64 = 0.6;
/// Sentences before one in which a thing may have its other name.
const NEARBY: usize = 2;
/// Sentences of the sources that are asked for a word.
const FURTHER: usize = 12;

/// What the rules see.
pub(crate) struct Case<'a> {
    /// The claim.
    pub(crate) claim: &'a Analysed,
    /// Whether it is a part of one: what no source holds of it is said of the whole.
    pub(crate) part: bool,
    /// The question, whose own words are no additions.
    pub(crate) question: Option<&'a Analysed>,
    /// Sentences that cover the claim, best first.
    pub(crate) evidence: Vec<&'a Analysed>,
    /// Where the first of them stands among all sentences of the sources.
    pub(crate) place: usize,
    /// All sources.
    pub(crate) index: &'a SourceIndex,
    /// What the claim is held against.
    pub(crate) scope: &'a Scope,
    /// The claim beside the first sentence.
    pub(crate) alignment: Alignment,
    /// Share of the claim's plain weight that the first sentence holds.
    pub(crate) shared: f64,
}

impl<'a> Case<'a> {
    /// A claim, or a part of one, held against the sentence at `place` with up to two others; against none without a place.
    pub(crate) fn new(
        (claim, part): (&'a Analysed, bool),
        question: Option<&'a Analysed>,
        index: &'a SourceIndex,
        scope: &'a Scope,
        evidence: Vec<&'a Analysed>,
        place: usize,
    ) -> Self {
        let alignment = evidence.first().map(|best| align(claim, best)).unwrap_or_default();
        let shared = evidence.first().map_or(0.0, |best| plain_share(claim, best));
        Self { claim, part, question, evidence, place, index, scope, alignment, shared }
    }

    /// The sentence that covers the claim best.
    pub(super) fn first(&self) -> Option<&'a Analysed> {
        self.evidence.first().copied()
    }

    /// The same, if it holds a share of its plain words.
    pub(super) fn best(&self, share: f64) -> Option<&'a Analysed> {
        self.first().filter(|_| self.shared >= share)
    }

    /// Whether a word of the claim has its own in the best sentence.
    pub(super) fn aligned(&self, at: usize) -> bool {
        self.alignment.pairs.binary_search_by_key(&at, |pair| pair.0).is_ok()
    }

    /// The other sentences of the evidence, and some of the sources that have a stem.
    pub(super) fn further(&self, stem: u64) -> impl Iterator<Item = &'a Analysed> {
        let (index, place, scope) = (self.index, self.place, self.scope);
        let others = index
            .places(stem)
            .iter()
            .filter_map(move |at| usize::try_from(*at).ok().filter(|at| *at != place))
            .filter_map(|at| index.sentences.get(at))
            .filter(|sentence| scope.holds(sentence))
            .map(|sentence| &sentence.words)
            .take(FURTHER);
        self.evidence.iter().skip(1).copied().chain(others)
    }

    /// Whether the question has a stem.
    pub(super) fn asked(&self, stem: u64) -> bool {
        self.question.is_some_and(|question| question.holds(stem))
    }

    /// Whether a word stands in the question, or a few sentences before the best one: then it may name the same thing by another
    /// word.
    pub(super) fn nearby(&self, stem: u64) -> bool {
        if self.question.is_some_and(|question| question.says(stem)) {
            return true;
        }
        let Some(own) = self.index.sentences.get(self.place) else { return false };
        let before = self.place.saturating_sub(NEARBY)..self.place;
        self.index.places_between(stem, &before).iter().any(|place| {
            self.index.sentence(*place).is_some_and(|sentence| {
                // A sentence that says the same of the word tells two things apart.
                sentence.source == own.source && plain_share(self.claim, &sentence.words) < SAYS_SO
            })
        })
    }
}

/// Tokens as they are written.
pub(super) fn phrase(tokens: &[Token], range: RangeInclusive<usize>) -> String {
    let said = tokens.get(range).unwrap_or_default().iter().map(|token| token.text.as_str());
    said.collect::<Vec<_>>().join(" ")
}
