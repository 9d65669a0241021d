//! Differing words of claim and source between shared neighbours; they name the same thing.

use crate::align::Alignment;
use crate::index::Analysed;
use std::ops::Range;

/// Longest stretch of a claim that counts as one place, in tokens.
const CLAIM: usize = 5;
/// The same of a source.
const SOURCE: usize = 6;
/// Tokens on either side that are looked at.
const REACH: usize = 3;

/// A place: what the claim has there and what the source has; one of them may have nothing.
#[derive(Debug, Clone)]
pub(super) struct Facing {
    /// Tokens of the claim.
    pub(super) claim: Range<usize>,
    /// Tokens of the source sentence.
    pub(super) source: Range<usize>,
    /// Whether an aligned word stands on both sides, or both texts end there.
    pub(super) framed: bool,
}

/// The places of an alignment, in order. What a shortened claim leaves out at its ends is none.
pub(super) fn facings(
    claim: &Analysed,
    source: &Analysed,
    alignment: &Alignment,
) -> impl Iterator<Item = Facing> {
    let (rows, columns) = (claim.tokens.len(), source.tokens.len());
    alignment.gaps.iter().filter_map(move |gap| {
        let (mine, mut theirs) = (gap.claim.clone(), gap.source.clone());
        let left = mine.start > 0 && theirs.start > 0;
        let right = mine.end < rows && theirs.end < columns;
        let room = mine.len().max(1) + 1;
        if !right && theirs.len() > room {
            if mine.is_empty() {
                return None;
            }
            theirs.end = theirs.start + room;
        }
        if !left && theirs.len() > room {
            if mine.is_empty() {
                return None;
            }
            theirs.start = theirs.end - room;
        }
        let begins = gap.claim.start == 0 && gap.source.start == 0;
        let ends = gap.claim.end == rows && gap.source.end == columns;
        if mine.len() > CLAIM || theirs.len() > SOURCE || !(left || right) {
            return None;
        }
        if (!left && mine.is_empty()) || (!right && mine.is_empty()) {
            return None;
        }
        let framed = (left || begins) && (right || ends || gap.claim.end == rows);
        alike(claim, &gap.claim, alignment).then_some(Facing { claim: mine, source: theirs, framed })
    })
}

/// Whether most tokens around a stretch of the claim are aligned, at least two of them and one of content.
fn alike(claim: &Analysed, stretch: &Range<usize>, alignment: &Alignment) -> bool {
    let around = (stretch.start.saturating_sub(REACH)..stretch.start)
        .chain(stretch.end..(stretch.end + REACH).min(claim.tokens.len()));
    let (mut all, mut met, mut content) = (0_usize, 0_usize, 0_usize);
    for at in around {
        all += 1;
        if alignment.pairs.binary_search_by_key(&at, |pair| pair.0).is_ok() {
            met += 1;
            content += usize::from(claim.tokens[at].content());
        }
    }
    met >= 2 && content >= 1 && met * 3 >= all * 2
}
