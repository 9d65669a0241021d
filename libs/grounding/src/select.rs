//! Picks the source sentences that bear on a claim, and measures how far they cover it.

use crate::index::{Analysed, Sentence, SourceIndex};
use crate::tokens::Token;
use assay_domain::evidence::LineRange;

/// What a claim is held against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Scope {
    /// Sources by index, each with the lines it is narrowed to.
    parts: Vec<(usize, Option<LineRange>)>,
    /// Whether nothing is left out.
    whole: bool,
}

impl Scope {
    /// Every source.
    pub(crate) fn all(index: &SourceIndex) -> Self {
        Self { parts: (0..index.len()).map(|source| (source, None)).collect(), whole: true }
    }

    /// Some sources, by index, with lines.
    pub(crate) fn of(parts: Vec<(usize, Option<LineRange>)>) -> Self {
        Self { parts, whole: false }
    }

    /// Indices of the sources.
    pub(crate) fn sources(&self) -> impl Iterator<Item = usize> + '_ {
        self.parts.iter().map(|(source, _)| *source)
    }

    /// The same sources without lines.
    pub(crate) fn widened(&self) -> Self {
        Self { parts: self.parts.iter().map(|(source, _)| (*source, None)).collect(), whole: self.whole }
    }

    /// Whether it leaves nothing out.
    pub(crate) fn is_all(&self, index: &SourceIndex) -> bool {
        self.whole || (0..index.len()).all(|source| self.parts.contains(&(source, None)))
    }

    /// Whether some part is narrowed to lines.
    pub(crate) fn narrowed(&self) -> bool {
        self.parts.iter().any(|(_, lines)| lines.is_some())
    }

    /// Whether a sentence is in it.
    pub(crate) fn holds(&self, sentence: &Sentence) -> bool {
        self.whole
            || self.parts.iter().any(|(source, lines)| {
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

    /// Whether the stem of a content token, or a word that may stand for it, is in it.
    pub(crate) fn says_token(&self, index: &SourceIndex, token: &Token) -> bool {
        self.has(index, token.stem) || token.others().iter().any(|other| self.has(index, *other))
    }

    /// Whether a content word of it has these first characters.
    pub(crate) fn begins(&self, index: &SourceIndex, prefix: u64) -> bool {
        index.prefixes.may_hold(prefix)
            && self.any(
                index,
                |passage| passage.prefixes.contains(&prefix),
                |sentence| sentence.words.tokens.iter().any(|other| other.prefix == prefix),
            )
    }

    /// Whether two words stand in it one behind the other.
    pub(crate) fn has_bigram(&self, index: &SourceIndex, pair: u64) -> bool {
        index.bigrams.may_hold(pair)
            && self.any(
                index,
                |passage| passage.bigrams.contains(&pair),
                |sentence| sentence.words.bigrams().any(|other| other == pair),
            )
    }

    /// Whether three words do.
    pub(crate) fn has_trigram(&self, index: &SourceIndex, three: u64) -> bool {
        index.trigrams.may_hold(three)
            && self.any(
                index,
                |passage| passage.trigrams.contains(&three),
                |sentence| sentence.words.trigrams().any(|other| other == three),
            )
    }

    /// Whether a content stem or figure stands in it.
    pub(crate) fn has(&self, index: &SourceIndex, stem: u64) -> bool {
        if self.whole {
            return !index.places(stem).is_empty();
        }
        let held = |place: &u32| index.sentence(*place).is_some_and(|sentence| self.holds(sentence));
        self.parts.iter().any(|(source, lines)| {
            let places = index.places_in(*source, stem);
            if lines.is_none() { !places.is_empty() } else { places.iter().any(held) }
        })
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

/// Which tokens of a claim stand in which sentence, for the sentences that were looked at.
struct Held<'a> {
    claim: &'a Analysed,
    index: &'a SourceIndex,
    /// Tokens with weight, by their place.
    tokens: Vec<usize>,
    /// Where the bits of a sentence begin; 0 where nobody asked for them.
    starts: Vec<u32>,
    /// The first one is nobody's.
    bits: Vec<u64>,
}

impl<'a> Held<'a> {
    fn new(claim: &'a Analysed, index: &'a SourceIndex) -> Self {
        let mut tokens = Vec::with_capacity(claim.tokens.len());
        tokens.extend((0..claim.tokens.len()).filter(|at| claim.weights[*at] > 0.0));
        let mut bits = Vec::with_capacity(64);
        bits.push(0);
        Self { claim, index, tokens, starts: vec![0; index.sentences.len()], bits }
    }

    fn blocks(&self) -> usize {
        self.tokens.len().div_ceil(64)
    }

    /// Where the bits of a sentence begin.
    fn of(&mut self, place: usize) -> usize {
        if let Some(start) = self.starts.get(place).filter(|start| **start > 0) {
            return usize::try_from(*start).unwrap_or_default();
        }
        let start = self.bits.len();
        self.bits.resize(start + self.blocks(), 0);
        if let Some(sentence) = self.index.sentences.get(place) {
            for (number, at) in self.tokens.iter().enumerate() {
                if sentence.words.holds(self.claim.tokens[*at].stem) {
                    self.bits[start + number / 64] |= 1 << (number % 64);
                }
            }
        }
        if let (Some(own), Ok(start)) = (self.starts.get_mut(place), u32::try_from(start)) {
            *own = start;
        }
        start
    }

    /// Weight of the tokens that some of the given sentences hold.
    fn mass(&self, starts: &[usize]) -> f64 {
        self.sum(|block| starts.iter().fold(0, |bits, start| bits | self.bits[start + block]))
    }

    /// Weight of the tokens whose bits are set, in the order of the claim.
    fn sum(&self, bits: impl Fn(usize) -> u64) -> f64 {
        let mut mass = 0.0;
        for block in 0..self.blocks() {
            let mut rest = bits(block);
            while rest != 0 {
                let number = block * 64 + rest.trailing_zeros() as usize;
                mass += self.claim.weights[self.tokens[number]];
                rest &= rest - 1;
            }
        }
        mass
    }
}

/// Ranks the sentences of a scope for a claim: weighted recall and 0.3 of the bigram recall.
pub(crate) fn select(claim: &Analysed, index: &SourceIndex, scope: &Scope) -> Selected {
    if claim.mass <= 0.0 {
        return Selected::default();
    }
    let mut ranked = recall(claim, index, scope);
    let order = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if ranked.len() > RANKED {
        ranked.select_nth_unstable_by(RANKED, order);
        ranked.truncate(RANKED);
    }
    let mut bigrams: Vec<u64> = claim.bigrams().collect();
    bigrams.sort_unstable();
    bigrams.dedup();
    let mut sieve = [0_u64; 4];
    let slot = |pair: u64| (usize::try_from(pair >> 6 & 3).unwrap_or_default(), 1 << (pair & 63));
    for pair in &bigrams {
        let (word, bit) = slot(*pair);
        sieve[word] |= bit;
    }
    let mut met = vec![false; bigrams.len()];
    for (score, place) in &mut ranked {
        met.fill(false);
        for pair in index.sentences[*place].words.bigrams() {
            let (word, bit) = slot(pair);
            if sieve[word] & bit != 0
                && let Ok(number) = bigrams.binary_search(&pair)
            {
                met[number] = true;
            }
        }
        #[allow(clippy::cast_precision_loss)]
        if !bigrams.is_empty() {
            *score += 0.3 * met.iter().filter(|met| **met).count() as f64 / bigrams.len() as f64;
        }
    }
    ranked.sort_unstable_by(order);
    let mut held = Held::new(claim, index);
    let window = window(&mut held, scope, &ranked);
    let ranked_places = ranked.iter().take(4).map(|(_, place)| *place).collect();
    let mut selected = Selected { window, ranked: ranked_places, ..Selected::default() };
    greedy(&mut held, &ranked, &mut selected);
    selected
}

/// Sentences of the scope that share content with a claim, each with the share of the claim's weight; in no order.
fn recall(claim: &Analysed, index: &SourceIndex, scope: &Scope) -> Vec<(f64, usize)> {
    let mut weights: Vec<(u64, f64)> = Vec::with_capacity(claim.tokens.len() + claim.quantities.len());
    weights.extend(
        claim
            .tokens
            .iter()
            .zip(&claim.weights)
            .filter(|(_, weight)| **weight > 0.0)
            .map(|(token, weight)| (token.stem, *weight)),
    );
    // A word that comes again weighs as often as it comes.
    weights.sort_by_key(|(stem, _)| *stem);
    weights.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    for quantity in &claim.quantities {
        let stem = crate::numbers::hash(quantity.value);
        if let Err(place) = weights.binary_search_by_key(&stem, |(stem, _)| *stem) {
            weights.insert(place, (stem, 2.0));
        }
    }
    let mut sums = vec![0.0_f64; index.sentences.len()];
    let mut ranked: Vec<(f64, usize)> = Vec::with_capacity(64);
    for (stem, weight) in &weights {
        for place in index.places(*stem) {
            let Ok(place) = usize::try_from(*place) else { continue };
            let Some(sum) = sums.get_mut(place) else { continue };
            if *sum == 0.0 && index.sentences.get(place).is_some_and(|sentence| scope.holds(sentence)) {
                ranked.push((0.0, place));
            }
            *sum += weight;
        }
    }
    for (share, place) in &mut ranked {
        *share = sums[*place] / claim.mass;
    }
    ranked
}

/// Takes sentence after sentence by the weight it adds.
fn greedy(held: &mut Held<'_>, ranked: &[(f64, usize)], selected: &mut Selected) {
    let mass = held.claim.mass;
    let starts: Vec<usize> = ranked.iter().map(|(_, place)| held.of(*place)).collect();
    let mut open = vec![u64::MAX; held.blocks()];
    let mut covered = 0.0;
    for step in 0..4 {
        let mut best: Option<(f64, usize)> = None;
        for (number, ((score, place), start)) in ranked.iter().zip(&starts).enumerate() {
            if selected.chosen.contains(place) {
                continue;
            }
            let gain = held.sum(|block| open[block] & held.bits[start + block]);
            let value = gain / mass + if step == 0 { 0.3 * score } else { 0.0 };
            if best.is_none_or(|(other, _)| value > other) {
                best = Some((value, number));
            }
        }
        let Some((value, number)) = best else { break };
        if step > 0 && value < GAIN {
            break;
        }
        let start = starts[number];
        covered += held.sum(|block| open[block] & held.bits[start + block]);
        for (block, open) in open.iter_mut().enumerate() {
            *open &= !held.bits[start + block];
        }
        selected.chosen.push(ranked[number].1);
        if step < 2 {
            selected.covered[0] = covered / mass;
        }
        selected.covered[1] = covered / mass;
    }
}

/// The run of one to three neighbours around the best sentences that covers most; a longer run must pay.
fn window(held: &mut Held<'_>, scope: &Scope, ranked: &[(f64, usize)]) -> std::ops::Range<usize> {
    let index = held.index;
    let mut best = (f64::MIN, 0..0);
    for (_, centre) in ranked.iter().take(CENTRES) {
        let source = index.sentences[*centre].source;
        let inside =
            |place: usize| index.sentences.get(place).is_some_and(|s| s.source == source && scope.holds(s));
        // The sentences around it that go on without a gap, and where their bits begin.
        let begin = (centre.saturating_sub(2)..*centre).rev().take_while(|place| inside(*place)).last();
        let begin = begin.unwrap_or(*centre);
        let end = (*centre + 1..=*centre + 2).take_while(|place| inside(*place)).last().unwrap_or(*centre);
        let mut starts = [0; 5];
        for (start, place) in starts.iter_mut().zip(begin..=end) {
            *start = held.of(place);
        }
        for first in begin..=*centre {
            for last in *centre..=end.min(first + 2) {
                let mass = held.mass(&starts[first - begin..=last - begin]);
                #[allow(clippy::cast_precision_loss)]
                let score = mass / held.claim.mass - 0.03 * (last - first) as f64;
                if score > best.0 + 1e-12 {
                    best = (score, first..last + 1);
                }
            }
        }
    }
    best.1
}
