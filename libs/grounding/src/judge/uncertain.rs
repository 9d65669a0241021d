//! Claims whose probability lies near the bar: shown to further scorers, and their opinions heard.

use super::Judge;
use crate::assess::Assessed;
use crate::reading::Parsed;
use crate::scorer;
use crate::scorer::{Opinion, Uncertain};
use assay_domain::report::Evidence;

/// Sources that a scorer is shown whole, where no sentence could be chosen.
const WHOLE_SOURCES: usize = 3;

/// Most characters of each.
const WHOLE_CHARS: usize = 4000;

impl Judge {
    /// The claims of an answer that another scorer could turn, those nearest to the bar first, at most `most`.
    #[must_use]
    pub fn uncertain(&self, answer: &str, most: usize) -> Vec<Uncertain> {
        self.uncertain_unless(answer, most, &|| false).unwrap_or_default()
    }

    /// The same; `None` where `stop` said so, which is asked before each claim.
    #[must_use]
    pub fn uncertain_unless(
        &self,
        answer: &str,
        most: usize,
        stop: &dyn Fn() -> bool,
    ) -> Option<Vec<Uncertain>> {
        // The answer is judged once more when the scorers have been heard.
        self.memory.open();
        let parsed = Parsed::new(answer, self.terms.sources.len());
        let bar = self.policy.support_bar();
        let assessed = self.assess(&parsed, 0, stop)?;
        let mut found: Vec<Uncertain> = assessed
            .judged
            .into_iter()
            .enumerate()
            .filter_map(|(claim, judged)| Some((claim, judged.filter(|judged| scorer::open(judged, bar))?)))
            .filter_map(|(claim, judged)| {
                let text = parsed.units.get(claim)?.judged().to_owned();
                let evidence =
                    if judged.foreign { self.whole_sources(&parsed, claim) } else { judged.evidence };
                Some(Uncertain { claim, text, evidence, probability: judged.support })
            })
            .collect();
        let distance = |uncertain: &Uncertain| uncertain.probability.map_or(0.0, |p| (p - bar).abs());
        found.sort_by(|one, two| distance(one).total_cmp(&distance(two)));
        found.truncate(most);
        Some(found)
    }

    /// The sources that a claim cites, or all of them, as evidence: nothing of them was measured.
    fn whole_sources(&self, parsed: &Parsed<'_>, claim: usize) -> Vec<Evidence> {
        let citations = parsed.reading.claims.get(claim).map_or(&[][..], |claim| claim.citations.as_slice());
        let cited: Vec<u32> = citations
            .iter()
            .filter_map(|index| parsed.reading.citations.get(usize::try_from(*index).ok()?))
            .map(|citation| citation.marker)
            .collect();
        let numbered = (1_u32..).zip(&self.terms.sources);
        numbered
            .filter(|(number, _)| cited.is_empty() || cited.contains(number))
            .take(WHOLE_SOURCES)
            .map(|(number, source)| Evidence {
                source: number,
                lines: source.lines,
                text: source.text.chars().take(WHOLE_CHARS).collect(),
            })
            .collect()
    }

    /// Joins opinions with the judgements of the claims they are about.
    pub(super) fn hear(&self, parsed: &Parsed<'_>, assessed: &mut Assessed, opinions: &[Opinion]) {
        let bar = self.policy.support_bar();
        for opinion in opinions {
            let same = parsed.units.get(opinion.claim).is_some_and(|unit| unit.judged() == opinion.text);
            let Some(judged) = assessed.judged.get_mut(opinion.claim).filter(|_| same) else { continue };
            let joined = judged.as_ref().and_then(|judged| scorer::joined(judged, opinion, bar));
            if joined.is_some() {
                *judged = joined;
            }
        }
    }
}
