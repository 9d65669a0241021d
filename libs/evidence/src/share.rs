//! Weighted share of the words of a claim that a sentence holds, 0 to 1.

use crate::align::{Alignment, Gap};
use crate::index::{Analysed, Plain};
use crate::tags::{is_filler, is_slot, is_unit};

/// Share of the claim's weight outside slots that a sentence holds; 1 where the claim has nothing but slots.
pub fn plain_share(claim: &Analysed, source: &Analysed) -> f64 {
    plain_share_from(claim, source, f64::MIN).unwrap_or_default()
}

/// The same where it may be as much as `least`; `None` as soon as what is left of the claim cannot make up for what the
/// sentence lacks.
pub fn plain_share_from(claim: &Analysed, source: &Analysed, least: f64) -> Option<f64> {
    let mut left: f64 = claim.plain().iter().map(|plain| claim.weights[plain.at]).sum();
    let (mut all, mut held) = (0.0, 0.0);
    for plain in claim.plain() {
        let weight = claim.weights[plain.at];
        left -= weight;
        if source.says_token(&claim.tokens[plain.at]) {
            all += weight;
            held += weight;
        } else if !plain.idle {
            all += weight;
            // The sums are rounded.
            if held + left < least * (all + left) - 1e-6 {
                return None;
            }
        }
    }
    Some(if all > 0.0 { held / all } else { 1.0 })
}

/// The words of a text with weight outside slots; fillers and units say nothing by themselves.
pub fn plain(words: &Analysed) -> Vec<Plain> {
    let weighs = |at: &usize| words.weights[*at] > 0.0 && !is_slot(&words.tokens, *at);
    let idle = |at: usize| is_filler(&words.tokens[at]) || is_unit(words, at);
    (0..words.tokens.len()).filter(weighs).map(|at| Plain { at, idle: idle(at) }).collect()
}

/// Share of the claim's weight outside slots that is aligned with the best sentence; 0 where hardly anything is.
pub fn plainly_aligned(claim: &Analysed, alignment: &Alignment) -> f64 {
    let plain = |at: usize| if is_slot(&claim.tokens, at) { 0.0 } else { claim.weights[at] };
    let all: f64 = (0..claim.tokens.len()).map(plain).sum();
    let aligned: f64 = alignment.pairs.iter().map(|(at, _)| plain(*at)).sum();
    if all > 0.0 && alignment.pairs.len() >= 3 { aligned / all } else { 0.0 }
}

/// Whether claim and sentence are the same word for word, but for one place of three words at most; three words or more agree.
pub fn strict_copy(alignment: &Alignment) -> bool {
    let (Some(first), Some(last)) = (alignment.pairs.first(), alignment.pairs.last()) else { return false };
    // What the sentence has before and behind the claim may be left out.
    let inside =
        |gap: &&Gap| !gap.claim.is_empty() || (gap.source.start > first.1 && gap.source.end <= last.1);
    let mut gaps = alignment.gaps.iter().filter(inside);
    let (one, more) = (gaps.next(), gaps.next());
    alignment.pairs.len() >= 3
        && more.is_none()
        && one.is_some_and(|gap| {
            gap.claim.len() <= 3
                && (gap.source.len() <= 3 || gap.source.start >= last.1 || gap.source.end <= first.1 + 1)
        })
}
