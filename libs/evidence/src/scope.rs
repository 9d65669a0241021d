//! What a claim is held against: all sources or some, whole or narrowed to lines.

use crate::index::{Passage, Sentence, SourceIndex};
use crate::numbers::Quantity;
use crate::tokens::Token;
use assay_domain::evidence::LineRange;
use std::ops::Range;

/// Sentences with figures that are asked for one: all of texts of 60 kB, in which every second sentence has one.
const FIGURED: usize = 512;
/// Sentences of cited lines that are asked for a word.
const CITED: usize = 1024;

/// What a claim is held against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// Sources by index, each with the lines it is narrowed to; none where nothing is left out.
    parts: Vec<(usize, Option<LineRange>)>,
    /// Number of the sources where nothing is left out.
    whole: Option<usize>,
}

impl Scope {
    /// Every source.
    pub fn all(index: &SourceIndex) -> Self {
        Self { parts: Vec::new(), whole: Some(index.len()) }
    }

    /// Some sources, by index, with lines.
    pub fn of(parts: Vec<(usize, Option<LineRange>)>) -> Self {
        Self { parts, whole: None }
    }

    /// Indices of the sources.
    pub fn sources(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.whole.unwrap_or_default()).chain(self.parts.iter().map(|(source, _)| *source))
    }

    /// Indices of the sources, each once and in order; `None` where nothing is left out.
    pub fn listed(&self) -> Option<Vec<usize>> {
        if self.whole.is_some() {
            return None;
        }
        let mut sources: Vec<usize> = self.sources().collect();
        sources.sort_unstable();
        sources.dedup();
        Some(sources)
    }

    /// The same sources without lines.
    pub fn widened(&self) -> Self {
        Self { parts: self.parts.iter().map(|(source, _)| (*source, None)).collect(), whole: self.whole }
    }

    /// Whether it leaves nothing out.
    pub fn is_all(&self, index: &SourceIndex) -> bool {
        if self.whole.is_some() || self.parts.len() < index.len() {
            return self.whole.is_some();
        }
        let mut open = vec![true; index.len()];
        for (source, _) in self.parts.iter().filter(|(_, lines)| lines.is_none()) {
            open.get_mut(*source).into_iter().for_each(|open| *open = false);
        }
        !open.contains(&true)
    }

    /// Whether some part is narrowed to lines.
    pub fn narrowed(&self) -> bool {
        self.parts.iter().any(|(_, lines)| lines.is_some())
    }

    /// Whether a sentence is in it.
    pub fn holds(&self, sentence: &Sentence) -> bool {
        self.whole.is_some()
            || self.parts.iter().any(|(source, lines)| {
                *source == sentence.source
                    && lines.is_none_or(|lines| {
                        lines.first <= sentence.lines.last && sentence.lines.first <= lines.last
                    })
            })
    }

    /// Places of its sentences, stretch by stretch.
    fn stretches<'a>(&'a self, index: &'a SourceIndex) -> impl Iterator<Item = Range<usize>> + 'a {
        let all = self.whole.map(|_| 0..index.sentences.len());
        let parts = self.parts.iter().map(|(source, lines)| index.places_of(*source, *lines));
        all.into_iter().chain(parts)
    }

    /// Whether a table over the whole scope says yes: over passages, or over sentences where lines narrow it.
    pub fn any(
        &self,
        index: &SourceIndex,
        passage: impl Fn(&Passage) -> bool,
        sentence: impl Fn(&Sentence) -> bool,
    ) -> bool {
        if self.whole.is_some() {
            return index.passages.iter().any(passage);
        }
        self.parts.iter().any(|(source, lines)| match lines {
            None => index.passages.get(*source).is_some_and(&passage),
            Some(_) => {
                let cited = index.sentences.get(index.places_of(*source, *lines));
                cited.unwrap_or_default().iter().take(CITED).any(&sentence)
            }
        })
    }

    /// Whether the stem of a content token, or a word that may stand for it, is in it.
    pub fn says_token(&self, index: &SourceIndex, token: &Token) -> bool {
        self.has(index, token.stem) || token.others().iter().any(|other| self.has(index, *other))
    }

    /// Whether a content word of it has these first characters.
    pub fn begins(&self, index: &SourceIndex, prefix: u64) -> bool {
        if !index.prefixes.may_hold(prefix) {
            return false;
        }
        if let Some(all) = self.whole.and_then(|_| index.joined()) {
            return all.prefixes.contains(&prefix);
        }
        self.any(
            index,
            |passage| passage.prefixes.contains(&prefix),
            |sentence| sentence.words.tokens.iter().any(|other| other.prefix == prefix),
        )
    }

    /// Whether two words stand in it one behind the other.
    pub fn has_bigram(&self, index: &SourceIndex, pair: u64) -> bool {
        if !index.bigrams.may_hold(pair) {
            return false;
        }
        if let Some(all) = self.whole.and_then(|_| index.joined()) {
            return all.bigrams.contains(&pair);
        }
        self.any(
            index,
            |passage| passage.bigrams.contains(&pair),
            |sentence| sentence.words.bigrams().any(|other| other == pair),
        )
    }

    /// Whether three words do.
    pub fn has_trigram(&self, index: &SourceIndex, three: u64) -> bool {
        if !index.trigrams.may_hold(three) {
            return false;
        }
        if let Some(all) = self.whole.and_then(|_| index.joined()) {
            return all.trigrams.contains(&three);
        }
        self.any(
            index,
            |passage| passage.trigrams.contains(&three),
            |sentence| sentence.words.trigrams().any(|other| other == three),
        )
    }

    /// Sentences that hold a content stem, of the one source where it is one, else of all.
    pub fn places<'a>(&self, index: &'a SourceIndex, stem: u64) -> &'a [u32] {
        match self.parts.as_slice() {
            [(source, _)] => index.places_in(*source, stem),
            _ => index.places(stem),
        }
    }

    /// Whether a content stem or figure stands in it.
    pub fn has(&self, index: &SourceIndex, stem: u64) -> bool {
        if self.whole.is_some() {
            return !index.places(stem).is_empty();
        }
        self.stretches(index).any(|stretch| !index.places_between(stem, &stretch).is_empty())
    }

    /// Whether one of its figures does: those of a value are asked first, wherever they stand, then the first ones.
    pub fn has_figure(&self, index: &SourceIndex, value: f64, does: impl Fn(&Quantity) -> bool) -> bool {
        let value = crate::numbers::hash(value);
        let holds = |place: &u32| {
            index.sentence(*place).is_some_and(|sentence| sentence.words.quantities.iter().any(&does))
        };
        self.stretches(index).any(|stretch| {
            index.places_between(value, &stretch).iter().take(FIGURED).any(holds)
                || index.figured_between(&stretch).iter().take(FIGURED).any(holds)
        })
    }
}
