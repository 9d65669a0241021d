//! Words of a claim and of its best sentence that face each other, or nothing, between aligned words.

use super::Measured;
use super::cover::Cover;
use crate::idf::RAREST;
use crate::index::Analysed;
use crate::tags;

/// Words of the claim and of the best sentence that face each other, or nothing, between aligned words.
pub(super) fn gaps(case: &Measured<'_>, covers: &[Cover]) -> [f64; 4] {
    let mass = case.claim.mass.max(1e-9);
    let Some(best) = case.best else { return [1.0, 0.0, 0.0, 0.0] };
    let first = case.alignment.pairs.first().map_or(0, |pair| pair.1);
    let last = case.alignment.pairs.last().map_or(0, |pair| pair.1);
    let (mut inserted, mut substituted, mut rarest, mut left_out) = (0.0, 0.0, 0.0_f64, 0.0);
    for gap in &case.alignment.gaps {
        let mine = covers.get(gap.claim.clone()).unwrap_or_default();
        let own: f64 = mine.iter().map(|cover| cover.weight).sum();
        let inside = gap.source.start > first && gap.source.end <= last;
        let theirs: f64 = best.weights.get(gap.source.clone()).unwrap_or_default().iter().sum();
        if theirs > 0.0 && inside {
            substituted += own;
            rarest = mine.iter().map(|cover| cover.weight).fold(rarest, f64::max);
            left_out += theirs;
        } else {
            inserted += own;
        }
    }
    [inserted / mass, substituted / mass, rarest / RAREST, (left_out / mass).min(3.0)]
}

/// Words without content that turn what is said: denials, quantifiers, modals, words with an opposite.
fn turns(words: &Analysed, at: usize) -> bool {
    crate::quantifiers::class(&words.tokens, at).is_some() || tags::turns(words, at)
}

/// Such words in the gaps of the alignment: only in the claim, only in the source, in both and not the same.
pub(super) fn small_words(case: &Measured<'_>) -> [f64; 3] {
    let Some(best) = case.best else { return [0.0; 3] };
    let first = case.alignment.pairs.first().map_or(0, |pair| pair.1);
    let last = case.alignment.pairs.last().map_or(0, |pair| pair.1);
    let mut found = [0.0; 3];
    for gap in &case.alignment.gaps {
        let mine = gap.claim.clone().filter(|at| turns(case.claim, *at)).count();
        let inside = gap.source.start >= first && gap.source.end <= last + 1;
        let theirs = if inside { gap.source.clone().filter(|at| turns(best, *at)).count() } else { 0 };
        match (mine, theirs) {
            (0, 0) => {}
            (_, 0) => found[0] += 1.0,
            (0, _) => found[1] += 1.0,
            _ => found[2] += 1.0,
        }
    }
    found
}
