//! Picks the source sentences that bear on a claim, and measures how far they cover it.

use crate::index::{Analysed, Sentence, SourceIndex};
use crate::tokens::{Map, Set};
use assay_domain::evidence::LineRange;

/// What a claim is held against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Scope {
    /// Sources by index, each with the lines it is narrowed to.
    parts: Vec<(usize, Option<LineRange>)>,
}

impl Scope {
    /// Every source.
    pub(crate) fn all(index: &SourceIndex) -> Self {
        Self { parts: (0..index.len()).map(|source| (source, None)).collect() }
    }

    /// Some sources, by index, with lines.
    pub(crate) fn of(parts: Vec<(usize, Option<LineRange>)>) -> Self {
        Self { parts }
    }

    /// Indices of the sources.
    pub(crate) fn sources(&self) -> impl Iterator<Item = usize> + '_ {
        self.parts.iter().map(|(source, _)| *source)
    }

    /// The same sources without lines.
    pub(crate) fn widened(&self) -> Self {
        Self { parts: self.parts.iter().map(|(source, _)| (*source, None)).collect() }
    }

    /// Whether some part is narrowed to lines.
    pub(crate) fn narrowed(&self) -> bool {
        self.parts.iter().any(|(_, lines)| lines.is_some())
    }

    /// Whether a sentence is in it.
    pub(crate) fn holds(&self, sentence: &Sentence) -> bool {
        self.parts.iter().any(|(source, lines)| {
            *source == sentence.source
                && lines.is_none_or(|lines| {
                    lines.first <= sentence.lines.last && sentence.lines.first <= lines.last
                })
        })
    }

    /// Whether a table over the whole scope says yes: over passages, or over sentences where lines narrow it.
    pub(crate) fn any(
        &self,
        index: &SourceIndex,
        passage: impl Fn(&crate::index::Passage) -> bool,
        sentence: impl Fn(&Sentence) -> bool,
    ) -> bool {
        self.parts.iter().any(|(source, lines)| {
            let Some(found) = index.passages.get(*source) else { return false };
            match lines {
                None => passage(found),
                Some(_) => {
                    index.sentences[found.sentences.clone()].iter().any(|s| self.holds(s) && sentence(s))
                }
            }
        })
    }

    /// Whether a content stem, or a word that may stand for it, is in it.
    pub(crate) fn says(&self, index: &SourceIndex, stem: u64) -> bool {
        self.has(index, stem) || crate::lexicon::synonyms(stem).iter().any(|other| self.has(index, *other))
    }

    /// Whether a content stem or figure stands in it.
    pub(crate) fn has(&self, index: &SourceIndex, stem: u64) -> bool {
        self.any(index, |passage| passage.stems.contains(&stem), |sentence| sentence.words.holds(stem))
    }
}

/// The sentences that cover a claim best.
#[derive(Debug, Clone, Default)]
pub(crate) struct Selected {
    /// Chosen one after the other by the weight they newly cover, best first; indices of sentences.
    pub(crate) chosen: Vec<usize>,
    /// Best by recall alone, best first.
    pub(crate) ranked: Vec<usize>,
    /// Share of the claim's weight that the first two and the first four cover.
    pub(crate) covered: [f64; 2],
    /// Best run of one to three neighbouring sentences.
    pub(crate) window: std::ops::Range<usize>,
}

/// Sentences that are looked at closely.
const RANKED: usize = 12;
/// Sentences around which windows are tried.
const CENTRES: usize = 6;
/// Least share of the claim's weight for which a further sentence is taken.
const GAIN: f64 = 0.04;

/// Ranks the sentences of a scope for a claim: weighted recall and 0.3 of the bigram recall.
pub(crate) fn select(claim: &Analysed, index: &SourceIndex, scope: &Scope) -> Selected {
    if claim.mass <= 0.0 {
        return Selected::default();
    }
    let mut weights: Map<f64> = Map::default();
    for (token, weight) in claim.tokens.iter().zip(&claim.weights) {
        if *weight > 0.0 {
            *weights.entry(token.stem).or_default() += weight;
        }
    }
    for quantity in &claim.quantities {
        weights.entry(crate::numbers::hash(quantity.value)).or_insert(2.0);
    }
    let mut recall: Map<f64> = Map::default();
    for (stem, weight) in &weights {
        for place in index.postings.get(stem).into_iter().flatten() {
            *recall.entry(u64::from(*place)).or_default() += weight;
        }
    }
    let mut ranked: Vec<(f64, usize)> = recall
        .into_iter()
        .filter_map(|(place, weight)| usize::try_from(place).ok().map(|place| (weight / claim.mass, place)))
        .filter(|(_, place)| index.sentences.get(*place).is_some_and(|sentence| scope.holds(sentence)))
        .collect();
    let order = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    ranked.sort_unstable_by(order);
    ranked.truncate(RANKED);
    let bigrams: Set = claim.bigrams().collect();
    for (score, place) in &mut ranked {
        let words = &index.sentences[*place].words;
        let shared: Set = words.bigrams().filter(|pair| bigrams.contains(pair)).collect();
        #[allow(clippy::cast_precision_loss)]
        if !bigrams.is_empty() {
            *score += 0.3 * shared.len() as f64 / bigrams.len() as f64;
        }
    }
    ranked.sort_unstable_by(order);
    let mut selected = Selected { window: window(claim, index, scope, &ranked), ..Selected::default() };
    selected.ranked = ranked.iter().take(4).map(|(_, place)| *place).collect();
    greedy(claim, index, &ranked, &mut selected);
    selected
}

/// Takes sentence after sentence by the weight it adds.
fn greedy(claim: &Analysed, index: &SourceIndex, ranked: &[(f64, usize)], selected: &mut Selected) {
    let mut open: Vec<(u64, f64)> = claim
        .tokens
        .iter()
        .zip(&claim.weights)
        .filter(|(_, weight)| **weight > 0.0)
        .map(|(token, weight)| (token.stem, *weight))
        .collect();
    let mut covered = 0.0;
    for step in 0..4 {
        let mut best: Option<(f64, usize)> = None;
        for (score, place) in ranked {
            if selected.chosen.contains(place) {
                continue;
            }
            let words = &index.sentences[*place].words;
            let gain: f64 =
                open.iter().filter(|(stem, _)| words.holds(*stem)).map(|(_, weight)| weight).sum();
            let value = gain / claim.mass + if step == 0 { 0.3 * score } else { 0.0 };
            if best.is_none_or(|(other, _)| value > other) {
                best = Some((value, *place));
            }
        }
        let Some((value, place)) = best else { break };
        if step > 0 && value < GAIN {
            break;
        }
        let words = &index.sentences[place].words;
        open.retain(|(stem, weight)| {
            let found = words.holds(*stem);
            if found {
                covered += weight;
            }
            !found
        });
        selected.chosen.push(place);
        if step < 2 {
            selected.covered[0] = covered / claim.mass;
        }
        selected.covered[1] = covered / claim.mass;
    }
}

/// The run of one to three neighbours around the best sentences that covers most; a longer run must pay.
fn window(
    claim: &Analysed,
    index: &SourceIndex,
    scope: &Scope,
    ranked: &[(f64, usize)],
) -> std::ops::Range<usize> {
    let mut best = (f64::MIN, 0..0);
    for (_, centre) in ranked.iter().take(CENTRES) {
        let source = index.sentences[*centre].source;
        let inside =
            |place: usize| index.sentences.get(place).is_some_and(|s| s.source == source && scope.holds(s));
        for first in centre.saturating_sub(2)..=*centre {
            for last in *centre..=first + 2 {
                if !(first..=last).all(inside) {
                    continue;
                }
                let run = &index.sentences[first..=last];
                let mass: f64 = claim
                    .tokens
                    .iter()
                    .zip(&claim.weights)
                    .filter(|(token, _)| run.iter().any(|s| s.words.holds(token.stem)))
                    .map(|(_, weight)| weight)
                    .sum();
                #[allow(clippy::cast_precision_loss)]
                let score = mass / claim.mass - 0.03 * (last - first) as f64;
                if score > best.0 + 1e-12 {
                    best = (score, first..last + 1);
                }
            }
        }
    }
    best.1
}
