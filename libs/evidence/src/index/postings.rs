//! Which sentences of the sources hold which words and figures.

use super::{Sentence, SourceIndex};
use crate::select::Scope;
use crate::tokens::Map;
use assay_domain::evidence::LineRange;
use std::ops::Range;

/// Places of a claim's words that one rule walks through; texts of 60 kB seldom have as many. Without an end, a claim of
/// words that stand in every sentence would cost as much as the sources are long, and an answer the square of it.
pub const POSTINGS: usize = 1024;
/// Number of sentences up to which a table has a row for each of them, met or not; and how many it may have for one that is
/// met. To write so many zeros costs as much as to look one sentence up.
const DENSE: (usize, usize) = (8192, 128);

/// Sentences that hold one stem, as a stretch of the index's places.
#[derive(Debug, Clone, Copy)]
pub struct Posting {
    /// Number of the word that the stem is one of.
    pub word: usize,
    from: usize,
    to: usize,
}

impl Posting {
    fn len(&self) -> usize {
        self.to - self.from
    }
}

impl SourceIndex {
    /// Sentences that hold a content stem or figure, in order.
    pub fn places(&self, stem: u64) -> &[u32] {
        self.stretch(stem).and_then(|(from, to)| self.places.get(from..to)).unwrap_or_default()
    }

    /// Those of them that are in a source.
    pub fn places_in(&self, source: usize, stem: u64) -> &[u32] {
        let Some(passage) = self.passages.get(source) else { return &[] };
        self.places_between(stem, &passage.sentences)
    }

    /// Those of them that are in a stretch.
    pub fn places_between(&self, stem: u64, stretch: &Range<usize>) -> &[u32] {
        between(self.places(stem), stretch)
    }

    /// Sentences of a stretch that have figures, in order.
    pub fn figured_between(&self, stretch: &Range<usize>) -> &[u32] {
        between(&self.figured, stretch)
    }

    /// A sentence by its place.
    pub fn sentence(&self, place: u32) -> Option<&Sentence> {
        self.sentences.get(usize::try_from(place).ok()?)
    }

    /// Places of the sentences of a source, or of those of some of its lines.
    pub fn places_of(&self, source: usize, lines: Option<LineRange>) -> Range<usize> {
        let Some(passage) = self.passages.get(source) else { return 0..0 };
        let (all, Some(lines)) = (passage.sentences.clone(), lines) else { return passage.sentences.clone() };
        let sentences = self.sentences.get(all.clone()).unwrap_or_default();
        // Their lines rise from one to the next.
        let first = sentences.partition_point(|sentence| sentence.lines.last < lines.first);
        let last = sentences.partition_point(|sentence| sentence.lines.first <= lines.last);
        all.start + first..all.start + last.max(first)
    }

    /// Which sentences of a scope hold which of some stems, each stem beside the number of its word, in the order given.
    pub fn postings(&self, scope: &Scope, stems: impl Iterator<Item = (usize, u64)>) -> Vec<Posting> {
        let mut found = Vec::with_capacity(32);
        let all = stems.filter_map(|(word, stem)| Some((word, self.stretch(stem)?)));
        match scope.listed() {
            None => found.extend(all.map(|(word, (from, to))| Posting { word, from, to })),
            Some(sources) => {
                for (word, (from, to)) in all {
                    let places = self.places.get(from..to).unwrap_or_default();
                    let passages = sources.iter().filter_map(|source| self.passages.get(*source));
                    let inside = passages.map(|passage| stretch_between(places, &passage.sentences));
                    let inside = inside.filter(|inside| !inside.is_empty());
                    found.extend(inside.map(|own| Posting {
                        word,
                        from: from + own.start,
                        to: from + own.end,
                    }));
                }
            }
        }
        found
    }

    /// Where the sentences of a stem stand among all places.
    fn stretch(&self, stem: u64) -> Option<(usize, usize)> {
        let (start, count) = self.postings.get(&stem)?;
        let start = usize::try_from(*start).ok()?;
        Some((start, start.checked_add(usize::try_from(*count).ok()?)?))
    }

    /// The sentences of a scope that hold some of the words whose postings were found in it, each with the weight of their
    /// words; the numbers of the words rise, and a word counts once a sentence. Where they have more than `most` places, those
    /// of the words that stand in fewest sentences come first: what stands everywhere tells no sentence from another.
    pub fn tally(
        &self,
        scope: &Scope,
        mut found: Vec<Posting>,
        most: usize,
        weight: impl Fn(usize) -> f64,
    ) -> Vec<(usize, f64)> {
        bound(&mut found, most);
        let mut rows = Rows::new(self.sentences.len(), found.iter().map(Posting::len).sum());
        // Each with its place, its weight, and the word behind the last that was counted.
        let mut met: Vec<(usize, f64, usize)> = Vec::with_capacity(32);
        for Posting { word, from, to } in found {
            let (weight, places) = (weight(word), self.places.get(from..to).unwrap_or_default());
            for place in places.iter().filter_map(|place| usize::try_from(*place).ok()) {
                let row = rows.of(place, met.len());
                match met.get_mut(row) {
                    Some((_, sum, behind)) if *behind <= word => (*sum, *behind) = (*sum + weight, word + 1),
                    Some(_) => {}
                    None => met.push((place, weight, word + 1)),
                }
            }
        }
        let narrowed = scope.narrowed();
        let inside =
            |place: usize| !narrowed || self.sentences.get(place).is_some_and(|found| scope.holds(found));
        met.into_iter().filter(|(place, ..)| inside(*place)).map(|(place, sum, _)| (place, sum)).collect()
    }

    /// Writes down which sentences hold which stem.
    pub(super) fn post(&mut self) {
        let stems = self.sentences.iter().map(|sentence| sentence.words.stems.len()).sum();
        self.postings.reserve(stems / 2);
        for stem in self.sentences.iter().flat_map(|sentence| &sentence.words.stems) {
            self.postings.entry(*stem).or_default().1 += 1;
        }
        let mut start = 0;
        for (from, count) in self.postings.values_mut() {
            *from = start;
            start += *count;
            *count = 0;
        }
        self.places = vec![0; stems];
        for (place, sentence) in (0_u32..).zip(&self.sentences) {
            for stem in &sentence.words.stems {
                let Some((start, count)) = self.postings.get_mut(stem) else { continue };
                if let Ok(slot) = usize::try_from(*start + *count) {
                    self.places[slot] = place;
                }
                *count += 1;
            }
            if !sentence.words.quantities.is_empty() {
                self.figured.push(place);
            }
        }
    }
}

/// Cuts the places of some words to `most` in all, those of the words that stand in fewest sentences first.
fn bound(found: &mut [Posting], most: usize) {
    if found.iter().map(Posting::len).sum::<usize>() <= most {
        return;
    }
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by_key(|number| found[*number].len());
    let mut left = most;
    for number in order {
        let kept = found[number].len().min(left);
        found[number].to = found[number].from + kept;
        left -= kept;
    }
}

/// Those of some places, in order, that are in a stretch.
fn between<'a>(places: &'a [u32], stretch: &Range<usize>) -> &'a [u32] {
    places.get(stretch_between(places, stretch)).unwrap_or_default()
}

/// Where they stand.
fn stretch_between(places: &[u32], stretch: &Range<usize>) -> Range<usize> {
    let before =
        |end: usize| places.partition_point(|place| usize::try_from(*place).is_ok_and(|place| place < end));
    let start = before(stretch.start);
    start..before(stretch.end).max(start)
}

/// Which row of a table is whose: a row for every sentence, or, where they are many and few are met, for those alone.
enum Rows {
    All(Vec<u32>),
    Met(Map<u32>),
}

impl Rows {
    fn new(sentences: usize, met: usize) -> Self {
        if sentences <= DENSE.0.max(DENSE.1 * met) {
            return Self::All(vec![0; sentences]);
        }
        Self::Met(Map::with_capacity_and_hasher(met, Default::default()))
    }

    /// The row of a place, the `next` one where it has none.
    fn of(&mut self, place: usize, next: usize) -> usize {
        let row = match self {
            Self::All(rows) => rows.get_mut(place),
            Self::Met(rows) => u64::try_from(place).ok().map(|key| {
                // Spread over all bits, as the hashes are that such maps have for keys.
                rows.entry(key.wrapping_mul(0x9e37_79b9_7f4a_7c15)).or_default()
            }),
        };
        let Some(row) = row else { return next };
        if *row == 0 {
            *row = u32::try_from(next + 1).unwrap_or(u32::MAX);
        }
        usize::try_from(*row - 1).unwrap_or(next)
    }
}
