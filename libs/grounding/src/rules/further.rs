//! Further sentences that may say a word as the claim does, beside the one that it is held against.

use super::Case;
use crate::index::Analysed;

/// Sentences of the sources that are asked for a word.
const PLACES: usize = 12;

impl<'a> Case<'a> {
    /// The other sentences of the evidence, and some of the sources that have the stem.
    pub(super) fn further(&self, stem: u64) -> impl Iterator<Item = &'a Analysed> {
        let (index, place, scope) = (self.index, self.place, self.scope);
        let others = index
            .places(stem)
            .iter()
            .filter_map(move |at| usize::try_from(*at).ok().filter(|at| *at != place))
            .filter_map(|at| index.sentences.get(at))
            .filter(|sentence| scope.holds(sentence))
            .map(|sentence| &sentence.words)
            .take(PLACES);
        self.evidence.iter().skip(1).copied().chain(others)
    }
}
