//! Picks the source sentences that bear on a claim, and measures how far they cover it.

use crate::index::{Analysed, SourceIndex};
pub use crate::scope::Scope;

/// The sentences that cover a claim best.
#[derive(Debug, Clone, Default)]
pub struct Selected {
    /// Chosen one after the other by the weight they newly cover, best first; indices of sentences.
    pub chosen: Vec<usize>,
    /// Best by recall alone, best first.
    pub ranked: Vec<usize>,
    /// Share of the claim's weight that the first two and the first four cover.
    pub covered: [f64; 2],
    /// Best run of one to three neighbouring sentences.
    pub window: std::ops::Range<usize>,
}

/// Sentences that are looked at closely.
const RANKED: usize = 12;
/// Places of a claim's words by which sentences are ranked: more than texts of 100 kB have of most claims.
const SHARING: usize = 2048;
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
    /// Sentences that somebody asked for, in order, with where their bits begin.
    starts: Vec<(usize, usize)>,
    bits: Vec<u64>,
}

impl<'a> Held<'a> {
    fn new(claim: &'a Analysed, index: &'a SourceIndex) -> Self {
        let mut tokens = Vec::with_capacity(claim.tokens.len());
        tokens.extend((0..claim.tokens.len()).filter(|at| claim.weights[*at] > 0.0));
        Self { claim, index, tokens, starts: Vec::with_capacity(48), bits: Vec::with_capacity(64) }
    }

    fn blocks(&self) -> usize {
        self.tokens.len().div_ceil(64)
    }

    /// Where the bits of a sentence begin.
    fn of(&mut self, place: usize) -> usize {
        let slot = match self.starts.binary_search_by_key(&place, |(place, _)| *place) {
            Ok(slot) => return self.starts[slot].1,
            Err(slot) => slot,
        };
        let start = self.bits.len();
        self.bits.resize(start + self.blocks(), 0);
        if let Some(sentence) = self.index.sentences.get(place) {
            for (number, at) in self.tokens.iter().enumerate() {
                if sentence.words.holds(self.claim.tokens[*at].stem) {
                    self.bits[start + number / 64] |= 1 << (number % 64);
                }
            }
        }
        self.starts.insert(slot, (place, start));
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
pub fn select(claim: &Analysed, index: &SourceIndex, scope: &Scope) -> Selected {
    if claim.mass <= 0.0 {
        return Selected::default();
    }
    let mut ranked = recall(claim, index, scope);
    let order = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if ranked.len() > RANKED {
        ranked.select_nth_unstable_by(RANKED, order);
        ranked.truncate(RANKED);
    }
    let mut bigrams: Vec<u64> = Vec::with_capacity(claim.tokens.len());
    bigrams.extend(claim.bigrams());
    bigrams.sort_unstable();
    bigrams.dedup();
    let mut bits = [0_u64; 4];
    let slot = |pair: u64| (usize::try_from(pair >> 6 & 3).unwrap_or_default(), 1 << (pair & 63));
    for pair in &bigrams {
        let (word, bit) = slot(*pair);
        bits[word] |= bit;
    }
    let mut met = vec![false; bigrams.len()];
    for (score, place) in &mut ranked {
        met.fill(false);
        for pair in index.sentences[*place].words.bigrams() {
            let (word, bit) = slot(pair);
            if bits[word] & bit != 0
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
    let stems = weights.iter().enumerate().map(|(number, (stem, _))| (number, *stem));
    let tally = index.tally(scope, index.postings(scope, stems), SHARING, |number| weights[number].1);
    tally.into_iter().map(|(place, sum)| (sum / claim.mass, place)).collect()
}

/// Takes sentence after sentence by the weight it adds.
fn greedy(held: &mut Held<'_>, ranked: &[(f64, usize)], selected: &mut Selected) {
    let mass = held.claim.mass;
    let mut starts = [0; RANKED];
    for (start, (_, place)) in starts.iter_mut().zip(ranked) {
        *start = held.of(*place);
    }
    let mut open = vec![u64::MAX; held.blocks()];
    // What each added when it was looked at last: it adds no more later, when others were taken.
    let mut gains = [f64::MAX; RANKED];
    let mut covered = 0.0;
    for step in 0..4 {
        let mut best: Option<(f64, usize)> = None;
        for (number, ((score, place), start)) in ranked.iter().zip(&starts).enumerate() {
            let no_better = best.is_some_and(|(other, _)| gains[number] / mass <= other);
            if step > 0 && no_better || selected.chosen.contains(place) {
                continue;
            }
            let gain = held.sum(|block| open[block] & held.bits[start + block]);
            gains[number] = gain;
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
        // A shorter run holds no more than all of them.
        if held.mass(&starts[..=end - begin]) / held.claim.mass <= best.0 + 1e-12 {
            continue;
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
