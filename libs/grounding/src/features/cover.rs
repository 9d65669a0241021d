//! How far the tokens of a claim, and its clauses, are held.

use super::Measured;
use crate::idf::RAREST;
use crate::index::{Analysed, POSTINGS, Sentence};
use crate::{flags, tags};

/// Sources that are asked for a word where a claim is held against all of them.
const SOURCES: usize = 256;

/// How far one token of the claim is held.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Cover {
    pub(crate) weight: f64,
    pub(crate) all: bool,
    pub(super) window: bool,
    pub(super) soft: bool,
    pub(crate) prefix: bool,
    pub(super) asked: bool,
}

pub(super) fn covers(case: &Measured<'_>, window: &[Sentence]) -> Vec<Cover> {
    let claim = case.claim;
    let cover = |(token, &weight): (&crate::tokens::Token, &f64)| {
        if weight <= 0.0 {
            return Cover { all: true, window: true, soft: true, prefix: true, ..Cover::default() };
        }
        let in_window = window.iter().any(|sentence| sentence.words.holds(token.stem));
        let all = in_window || case.scope.has(case.index, token.stem);
        let soft = all || token.others().iter().any(|other| case.scope.has(case.index, *other));
        let prefix = all || case.scope.begins(case.index, token.prefix);
        let asked = case.question.is_some_and(|question| question.holds(token.stem));
        Cover { weight, all, window: in_window, soft, prefix, asked }
    };
    claim.tokens.iter().zip(&claim.weights).map(cover).collect()
}

/// The three greatest weights of the tokens that a test picks.
pub(super) fn greatest(covers: &[Cover], open: impl Fn(&Cover) -> bool) -> [f64; 3] {
    let mut top = [0.0_f64; 3];
    for cover in covers.iter().filter(|cover| cover.weight > 0.0 && open(cover)) {
        let mut weight = cover.weight;
        for place in &mut top {
            if weight > *place {
                std::mem::swap(&mut weight, place);
            }
        }
    }
    top.map(|weight| weight / RAREST)
}

/// Clauses of a claim: stretches between punctuation or joining words, each with two content words at least.
pub(super) fn clauses(claim: &Analysed) -> Vec<std::ops::Range<usize>> {
    let mut found: Vec<std::ops::Range<usize>> = Vec::new();
    let (mut start, mut content) = (0, 0);
    for (at, token) in claim.tokens.iter().enumerate() {
        let cuts = token.after_break || token.is(flags::CLAUSE);
        if at > start && cuts && content >= 2 {
            found.push(start..at);
            (start, content) = (at, 0);
        }
        content += usize::from(claim.weights[at] > 0.0);
    }
    match found.last_mut() {
        Some(last) if content < 2 => last.end = claim.tokens.len(),
        _ => found.push(start..claim.tokens.len()),
    }
    found
}

/// Greatest uncovered share and sum of a clause.
pub(super) fn worst(
    clauses: &[std::ops::Range<usize>],
    covers: &[Cover],
    held: impl Fn(&Cover) -> bool,
) -> (f64, f64) {
    let (mut ratio, mut sum) = (0.0_f64, 0.0_f64);
    for clause in clauses {
        let part = covers.get(clause.clone()).unwrap_or_default();
        let mass: f64 = part.iter().map(|cover| cover.weight).sum();
        let open: f64 = part.iter().filter(|cover| !held(cover)).map(|cover| cover.weight).sum();
        if mass > 0.0 {
            ratio = ratio.max(open / mass);
        }
        sum = sum.max(open);
    }
    (ratio, sum / (3.0 * RAREST))
}

/// Weight of the neighbouring content words that stand in one source sentence together: of all pairs, and of those whose
/// two words are held somewhere.
pub(super) fn pairs(case: &Measured<'_>, covers: &[Cover]) -> (f64, f64) {
    let content: Vec<usize> = (0..covers.len()).filter(|at| covers[*at].weight > 0.0).collect();
    let (mut all, mut known, mut joint) = (0.0, 0.0, 0.0);
    for two in content.windows(2) {
        let weight = covers[two[0]].weight.min(covers[two[1]].weight);
        all += weight;
        if !(covers[two[0]].all && covers[two[1]].all) {
            continue;
        }
        known += weight;
        let places = |at: usize| case.scope.places(case.index, case.claim.tokens[at].stem);
        let (one, other) = (places(two[0]), places(two[1]));
        let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
        let met = short.iter().take(POSTINGS).any(|place| {
            long.binary_search(place).is_ok()
                && usize::try_from(*place)
                    .ok()
                    .and_then(|place| case.index.sentences.get(place))
                    .is_some_and(|sentence| case.scope.holds(sentence))
        });
        if met {
            joint += weight;
        }
    }
    (if all > 0.0 { joint / all } else { 1.0 }, if known > 0.0 { joint / known } else { 1.0 })
}

/// Uncovered weight in the passage that covers most, and by how much a passage that the claim names covers less.
pub(super) fn passages(case: &Measured<'_>, covers: &[Cover]) -> (f64, f64) {
    let mass: f64 = case.claim.mass.max(1e-9);
    let all = case.scope.is_all(case.index);
    // Among all sources only what is held somewhere can be held here.
    let may = |cover: &Cover| cover.weight > 0.0 && (cover.all || !all);
    let tokens = || case.claim.tokens.iter().zip(covers).filter(|(_, cover)| may(cover));
    let held_in = |source: usize| -> f64 {
        let held = tokens().filter(|(token, _)| !case.index.places_in(source, token.stem).is_empty());
        held.map(|(_, cover)| cover.weight).sum()
    };
    let best = match case.scope.listed() {
        Some(sources) => sources.into_iter().map(held_in).fold(0.0, f64::max),
        None => {
            let mut held = vec![0.0_f64; case.index.len()];
            for (token, cover) in tokens() {
                let mut places = case.index.places(token.stem);
                for _ in 0..SOURCES {
                    let Some(sentence) = places.first().and_then(|place| case.index.sentence(*place)) else {
                        break;
                    };
                    if let Some(held) = held.get_mut(sentence.source) {
                        *held += cover.weight;
                    }
                    let same = |place: &u32| {
                        case.index.sentence(*place).is_some_and(|other| other.source == sentence.source)
                    };
                    places = &places[places.partition_point(same)..];
                }
            }
            held.into_iter().fold(0.0, f64::max)
        }
    };
    let named = tags::named_passages(case.claim);
    let told = named.iter().map(|number| held_in(number - 1) / mass).fold(0.0, f64::max);
    let best = best / mass;
    (1.0 - best, if named.is_empty() { 0.0 } else { (best - told).max(0.0) })
}
