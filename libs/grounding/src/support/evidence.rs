//! What a person is shown: the sentences that bear on a claim.

use super::Support;
use crate::select::Selected;
use assay_domain::evidence::LineRange;
use assay_domain::report::Evidence;

/// Stretches of sentences: one and three more, at most.
type Runs = Vec<std::ops::Range<usize>>;

impl Support<'_> {
    /// The best window, or the sentence that the rules spoke of, and what else covers the claim.
    pub(super) fn evidence(&self, selected: &Selected, primary: Option<usize>) -> Vec<Evidence> {
        self.runs(selected, primary).into_iter().filter_map(|run| self.quote(run)).take(3).collect()
    }

    /// The sentences of it, by their places.
    pub(super) fn runs(&self, selected: &Selected, primary: Option<usize>) -> Runs {
        let mut runs = Runs::new();
        match primary {
            Some(place) if !selected.window.contains(&place) => runs.push(place..place + 1),
            _ if !selected.window.is_empty() => runs.push(selected.window.clone()),
            _ => {}
        }
        for place in selected.chosen.iter().take(3) {
            if !runs.iter().any(|run: &std::ops::Range<usize>| run.contains(place)) {
                runs.push(*place..place + 1);
            }
        }
        runs
    }

    pub(super) fn quote(&self, run: std::ops::Range<usize>) -> Option<Evidence> {
        let sentences = self.index.sentences.get(run)?;
        let (first, last) = (sentences.first()?, sentences.last()?);
        let passage = self.index.passages.get(first.source)?;
        Some(Evidence {
            source: u32::try_from(first.source + 1).unwrap_or(u32::MAX),
            lines: LineRange::new(
                first.lines.first.min(last.lines.first),
                first.lines.last.max(last.lines.last),
            ),
            text: passage.text.get(first.range.start..last.range.end).unwrap_or_default().to_owned(),
        })
    }
}
