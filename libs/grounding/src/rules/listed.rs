//! An item that a claim puts into a list of the sources: "by mail, phone and chat" where the source says "by mail and chat".
//!
//! The items on both sides stand right beside one another in the source, with nothing between them but what joins them.
//! It does not matter that the sources speak of the item elsewhere: here they do not.

use super::insertion::is_saying;
use super::negation::is_negator;
use super::standing::{determines, governs, joins};
use super::{Case, Mismatch, Strength, phrase};
use crate::align::{Alignment, Gap};
use crate::index::Analysed;
use std::ops::Range;

/// Least share of the claim beside the item that is aligned.
const ALIGNED: f64 = 0.7;
/// Most words of content of an item.
const ITEM: usize = 4;
/// Least weight of an item.
const WEIGHT: f64 = 2.5;
/// Greatest share of the rest of the claim that another sentence with the item may hold.
const OTHER: f64 = 0.5;
/// Sentences that are asked for an item.
const PLACES: usize = 12;

/// Looks for one item that the claim has put in.
pub(super) fn listed(case: &Case<'_>, best: &Analysed, alignment: &Alignment, found: &mut Vec<Mismatch>) {
    if alignment.pairs.len() < 3
        || found.iter().any(|other| other.sure || other.strength == Strength::Contradicts)
    {
        return;
    }
    let claim = case.claim;
    let said = alignment.gaps.iter().filter(|gap| !gap.claim.is_empty()).find_map(|gap| {
        let item = item(claim, best, gap)?;
        (aligned(claim, alignment, &item) >= ALIGNED && !told(case, best, &item)).then_some(item)
    });
    if let Some(item) = said {
        let text = phrase(&claim.tokens, item.start..=item.end - 1);
        let reason =
            format!("addition: the claim puts \"{text}\" into a list of the source, which has nothing there");
        found.push(Mismatch { strength: Strength::Added, rule: "addition", reason, sure: true });
    }
}

/// The item that fills a gap of the alignment, where the source has a joint and nothing else.
fn item(claim: &Analysed, best: &Analysed, gap: &Gap) -> Option<Range<usize>> {
    let (mine, theirs) = (&claim.tokens, &best.tokens);
    let loose =
        |range: Range<usize>| range.into_iter().all(|at| joins(&theirs[at]) || determines(&theirs[at]));
    let (before, behind) = (gap.claim.start.checked_sub(1)?, gap.claim.end);
    let joint = theirs.get(gap.source.end)?;
    if gap.source.start == 0 || behind >= mine.len() || !loose(gap.source.clone()) {
        return None;
    }
    // What joins the item to the next one may be aligned with what joins that to the one before.
    // A quotation does not begin an item.
    let cut = |at: usize| mine[at].after_break && !mine[at].opens || joins(&mine[at]);
    let first = gap.claim.start;
    // "On the other hand" is no item.
    if governs(&mine[first]) {
        return None;
    }
    let opens = cut(first) || joins(&mine[before]);
    let closes = cut(behind) || joins(&mine[behind - 1]);
    let listed = joint.after_break
        || joins(joint)
        || gap.source.clone().any(|at| theirs[at].after_break || joins(&theirs[at]))
        || joins(&theirs[gap.source.start - 1]);
    let content: Vec<usize> = gap.claim.clone().filter(|at| mine[*at].content()).collect();
    let weight: f64 = content.iter().map(|at| claim.weights[*at]).sum();
    let bare = gap.claim.clone().all(|at| !is_negator(mine, at) && !is_saying(&mine[at].norm));
    let counted = claim.quantities.iter().any(|figure| gap.claim.contains(&figure.first));
    let new = content.iter().all(|at| !best.says_token(&mine[*at]));
    let fits = opens && closes && listed && bare && !counted && new;
    (fits && (1..=ITEM).contains(&content.len()) && weight >= WEIGHT).then(|| gap.claim.clone())
}

/// Share of the claim beside a stretch that is aligned.
fn aligned(claim: &Analysed, alignment: &Alignment, stretch: &Range<usize>) -> f64 {
    let mass: f64 =
        (0..claim.tokens.len()).filter(|at| !stretch.contains(at)).map(|at| claim.weights[at]).sum();
    let held: f64 = alignment.pairs.iter().map(|pair| claim.weights[pair.0]).sum();
    if mass > 0.0 { held / mass } else { 0.0 }
}

/// Whether a neighbour of the sentence says a word of the item, or some sentence says it with much of the rest.
fn told(case: &Case<'_>, best: &Analysed, item: &Range<usize>) -> bool {
    let claim = case.claim;
    let rest: Vec<usize> =
        (0..claim.tokens.len()).filter(|at| !item.contains(at) && claim.weights[*at] > 0.0).collect();
    let held = |words: &Analysed| -> f64 {
        rest.iter().filter(|at| words.says_token(&claim.tokens[**at])).map(|at| claim.weights[*at]).sum()
    };
    let here = held(best);
    item.clone().filter(|at| claim.tokens[*at].content()).any(|at| {
        let token = &claim.tokens[at];
        let asked = case.question.is_some_and(|question| question.says_token(token));
        let stems = std::iter::once(token.stem).chain(token.others().iter().copied());
        asked
            || stems.flat_map(|stem| case.index.places(stem).iter().take(PLACES)).any(|place| {
                let Some(place) = usize::try_from(*place).ok() else { return false };
                let sentence = case.index.sentences.get(place).filter(|sentence| case.scope.holds(sentence));
                sentence.is_some_and(|sentence| {
                    place.abs_diff(case.place) <= 1 || held(&sentence.words) > OTHER * here
                })
            })
    })
}
