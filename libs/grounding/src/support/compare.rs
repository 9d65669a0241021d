//! Holds a claim and its parts by the rules against the sentences that bear on it.

use super::Support;
use crate::align::{Alignment, align};
use crate::index::Analysed;
use crate::rules::{self, Case, Effect, Finding, Kind, Strength};
use crate::select::{self, Scope, Selected};
use crate::{share, tags};

/// Share of aligned weight from which a claim is one with its sentence and is not taken apart.
const WHOLE: f64 = 0.9;
/// Least share of a part's weight that its own sentence must have in the same order.
const PART: f64 = 0.8;

/// By how much two shares may differ that are the same but for rounding.
const EQUAL: f64 = 1e-9;

/// What comparing a claim with the sentences that bear on it gave.
struct Compared<'a> {
    findings: Vec<Finding>,
    case: Case<'a>,
    /// The sentence that the rules speak of.
    primary: Option<usize>,
}

/// What selecting sentences and applying the rules gave.
pub(super) struct Found {
    pub(super) selected: Selected,
    pub(super) findings: Vec<Finding>,
    pub(super) alignment: Alignment,
    /// The sentence that the rules speak of.
    pub(super) primary: Option<usize>,
    /// What decides against the claim, and how hard.
    pub(super) decisive: Option<(Finding, Effect)>,
}

impl Support<'_> {
    /// What rules say of a claim.
    pub(super) fn found(&self, claim: &Analysed, scope: &Scope) -> Found {
        let selected = select::select(claim, self.index, scope);
        let nearest = self.nearest(claim, &selected.ranked);
        self.found_in(claim, scope, selected, nearest)
    }

    /// The same; `None` where the sentence that they speak of can only be one in a source that will not do.
    pub(super) fn found_elsewhere(
        &self,
        claim: &Analysed,
        scope: &Scope,
        will_do: &impl Fn(usize) -> bool,
    ) -> Option<Found> {
        let selected = select::select(claim, self.index, scope);
        let nearest = self.nearest(claim, &selected.ranked);
        let do_any =
            |place: &usize| self.index.sentences.get(*place).is_some_and(|near| will_do(near.source));
        if !nearest.is_empty() && !nearest.iter().any(do_any) {
            return None;
        }
        Some(self.found_in(claim, scope, selected, nearest))
    }

    /// Applies the rules to a claim, and to its parts where it is not one with its sentence, which is that of the nearest that
    /// mismatches nowhere, else the first of them.
    fn found_in(&self, claim: &Analysed, scope: &Scope, selected: Selected, nearest: Vec<usize>) -> Found {
        let Compared { mut findings, case, primary } =
            self.compare((claim, false), scope, nearest, &selected);
        let mut decisive = rules::decisive(&case, &findings);
        let alignment = case.alignment;
        if alignment.share < WHOLE {
            let parts = self.parts(claim, scope, &selected, &mut findings);
            decisive = rules::hardest(decisive.into_iter().chain(parts));
        }
        Found { selected, findings, alignment, primary, decisive }
    }

    /// The sentences that hold most of a claim's plain words, three at most.
    pub(super) fn nearest(&self, claim: &Analysed, places: &[usize]) -> Vec<usize> {
        let mut order: Vec<(f64, usize)> = Vec::new();
        let mut best_share = 0.0_f64;
        for place in places {
            let words = &self.index.sentences[*place].words;
            if let Some(share) = share::plain_share_from(claim, words, best_share - 2.0 * EQUAL) {
                best_share = best_share.max(share);
                order.push((share, *place));
            }
        }
        order.sort_by(|a, b| b.0.total_cmp(&a.0));
        let near = order.into_iter().filter(|(share, _)| *share >= best_share - EQUAL);
        near.map(|(_, place)| place).take(3).collect()
    }

    /// Applies the rules with the first of some sentences that mismatches nowhere, else with the first.
    fn compare<'c>(
        &'c self,
        (claim, part): (&'c Analysed, bool),
        scope: &'c Scope,
        places: Vec<usize>,
        selected: &Selected,
    ) -> Compared<'c> {
        let mut kept: Option<Compared<'c>> = None;
        let sentence = |place: usize| &self.index.sentences[place].words;
        let case = |evidence, place| {
            Case::new((claim, part), self.question.as_ref(), self.index, scope, evidence, place)
        };
        for place in places {
            let others = selected.chosen.iter().filter(|other| **other != place).take(2);
            let evidence = std::iter::once(place).chain(others.copied()).map(sentence).collect();
            let case = case(evidence, place);
            let findings = rules::findings(&case);
            let clean = findings.iter().all(|finding| finding.strength != Strength::Contradicts);
            let compared = Compared { findings, case, primary: Some(place) };
            if clean {
                return compared;
            }
            kept.get_or_insert(compared);
        }
        kept.unwrap_or_else(|| {
            let case = case(Vec::new(), 0);
            Compared { findings: rules::findings(&case), case, primary: None }
        })
    }

    /// Holds the parts of a compound claim each against a sentence of its own: adds what contradicts them, and says which
    /// of it decides.
    fn parts(
        &self,
        claim: &Analysed,
        scope: &Scope,
        selected: &Selected,
        found: &mut Vec<Finding>,
    ) -> Option<(Finding, Effect)> {
        let parts = rules::parts(claim);
        if parts.is_empty() {
            return None;
        }
        let also = selected.chosen.iter().filter(|place| !selected.ranked.contains(place));
        let places: Vec<usize> = selected.ranked.iter().chain(also).copied().collect();
        let mut decides = None;
        for range in parts {
            let part = claim.part(range);
            // What a figure or a name says instead is no reason to pass a part over.
            let like =
                |alignment: &Alignment| alignment.share.max(share::plainly_aligned(&part, alignment)) >= PART;
            let nearest = self.nearest(&part, &places);
            let words = |place: &usize| self.index.sentences.get(*place).map(|sentence| &sentence.words);
            // Most parts have no sentence of their own; then the rules need not be asked.
            let may = |best: &&Analysed| may_align(&part, best) >= PART;
            if !nearest.iter().filter_map(words).filter(may).any(|best| like(&align(&part, best))) {
                continue;
            }
            let mut compared = self.compare((&part, true), scope, nearest, selected);
            if !like(&compared.case.alignment) {
                continue;
            }
            compared.findings.retain(|finding| {
                finding.strength == Strength::Contradicts && finding.kind != Kind::Direction
            });
            let own = compared.findings;
            decides = rules::hardest(decides.into_iter().chain(rules::decisive(&compared.case, &own)));
            found.extend(own);
        }
        found.sort_by_key(|finding| std::cmp::Reverse(finding.strength));
        decides
    }
}

/// The most that [`align`] can align of a text, by the weight of all words or of the plain ones: what the sentence has at all.
fn may_align(text: &Analysed, sentence: &Analysed) -> f64 {
    let (mut all, mut held, mut plain, mut plainly) = (0.0, 0.0, 0.0, 0.0);
    for (at, (token, weight)) in text.tokens.iter().zip(&text.weights).enumerate() {
        let own = if tags::is_slot(&text.tokens, at) { 0.0 } else { *weight };
        let has = || {
            sentence.says_token(token)
                || sentence.tokens.iter().any(|other| !other.content() && token.means(other))
        };
        all += weight;
        plain += own;
        if *weight > 0.0 && has() {
            held += weight;
            plainly += own;
        }
    }
    // A little more than is needed, for the sums are rounded.
    let share = |held: f64, all: f64| if all > 0.0 { held / all + 1e-9 } else { 1.0 };
    share(held, all).max(share(plainly, plain))
}
