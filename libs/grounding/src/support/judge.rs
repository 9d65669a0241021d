//! Judges a claim against a scope by the rules and the fitted models.

use super::Support;
use super::compare::Found;
use super::judged::{NEAR_VERBATIM, VERBATIM};
use super::quoted::{Quoted, quoted};
use crate::features::{self, Features, Measured};
use crate::frames;
use crate::index::Analysed;
use crate::model;
use crate::rules::{Effect, Finding, Strength};
use crate::select::Scope;
use assay_domain::report::Evidence;

/// Name of the cost of what rejects alone.
const REJECTED: &str = "rejected";
/// Share of aligned weight from which the model for near copies has its say.
pub const ALIGNED: f64 = 0.5;

/// What holding a claim against a scope gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Held {
    /// Probability that the scope supports it.
    pub probability: f64,
    /// Reason of the hardest mismatch, if a rule speaks.
    pub reason: Option<String>,
    /// Whether a rule decides that the source says otherwise.
    pub contradicted: bool,
    /// Name of the fitted cost of the hardest mismatch; empty for none.
    pub cost: &'static str,
    /// Whether a rule decides against it.
    pub decided: bool,
    /// Least probability that stands for it word by word; 0 where nothing does.
    pub floor: f64,
    /// Sentences that bear on it, best first.
    pub evidence: Vec<Evidence>,
    /// What the probability was computed from; empty where it was verbatim.
    pub features: Features,
}

impl Support<'_> {
    /// Measures and mismatches of a claim against all sources: what the models are fitted on.
    #[must_use]
    pub fn features(&self, claim: &str) -> Held {
        let bare = frames::bare(claim);
        let claim = bare.as_ref();
        let words = self.read(claim, self.language_of(claim));
        self.hold(claim, &words, &Scope::all(self.index))
    }

    pub(super) fn hold(&self, text: &str, claim: &Analysed, scope: &Scope) -> Held {
        self.measured(text, claim, scope, self.found(claim, scope))
    }

    /// The same, unless a rule decides against the claim or its best evidence stands in a source that will not do.
    pub(super) fn hold_elsewhere(
        &self,
        text: &str,
        claim: &Analysed,
        scope: &Scope,
        will_do: impl Fn(usize) -> bool,
    ) -> Option<Held> {
        let found = self.found_elsewhere(claim, scope, &will_do)?;
        let mut runs = self.runs(&found.selected, found.primary).into_iter();
        let source = runs.find_map(|run| Some(self.index.sentences.get(run)?.first()?.source));
        // Where no sentence bears on it there is no source that would not do.
        if source.is_some_and(|source| !will_do(source))
            || (found.decisive.is_some() && quoted(claim, self.index, scope) != Quoted::Said)
        {
            return None;
        }
        Some(self.measured(text, claim, scope, found))
    }

    /// What the models say of a claim, and what both come to.
    pub(super) fn measured(&self, text: &str, claim: &Analysed, scope: &Scope, found: Found) -> Held {
        let Found { selected, findings, alignment, primary, decisive } = found;
        let best = primary.and_then(|place| self.index.sentences.get(place)).map(|sentence| &sentence.words);
        let features = features::measure(&Measured {
            claim,
            text,
            question: self.question.as_ref(),
            index: self.index,
            scope,
            selected: &selected,
            best,
            alignment: &alignment,
            findings: &findings,
        });
        let evidence = self.evidence(&selected, primary);
        let quoted = quoted(claim, self.index, scope);
        if quoted == Quoted::Said {
            return Held {
                probability: VERBATIM,
                reason: None,
                contradicted: false,
                cost: "",
                decided: false,
                floor: VERBATIM,
                evidence,
                features,
            };
        }
        let mut probability = fitted(&features);
        let hardest = decisive.as_ref().map(|(finding, _)| finding).or(findings.first());
        let rejected = matches!(decisive, Some((_, Effect::Rejects)));
        let contradicted =
            rejected && hardest.is_some_and(|finding| finding.strength == Strength::Contradicts);
        // Of what does not reject, the hardest counts, whichever decides: a weaker one must not cost less.
        let cost = if rejected { REJECTED } else { findings.first().map_or("", Finding::label) };
        // Words of a source that it denies are no near copy of it.
        let near = alignment.share >= 0.95 && findings.is_empty() && quoted == Quoted::No;
        let floor = if near { NEAR_VERBATIM } else { 0.0 };
        probability = probability.max(floor);
        Held {
            probability: model::support().map_or(probability, |model| lowered(probability, model.cost(cost))),
            cost,
            decided: decisive.is_some(),
            floor,
            contradicted,
            reason: hardest.map(|finding| finding.reason.clone()),
            evidence,
            features,
        }
    }
}

/// One of the measures, by its name; 0 where there are none.
pub(super) fn measure(features: &Features, name: &str) -> f64 {
    let place = features::NAMES.iter().position(|other| *other == name);
    place.and_then(|at| features.get(at)).copied().unwrap_or_default()
}

/// Probability of the fitted models: the one for free wording, and in a near copy the lower of both.
fn fitted(features: &Features) -> f64 {
    let Some(model) = model::support() else { return 0.5 };
    let free = model.free.probability(model.free.of_measures(features));
    if measure(features, "aligned") < ALIGNED {
        return free;
    }
    free.min(model.near.probability(model.near.of_measures(features)))
}

/// A probability with something taken from its log-odds.
fn lowered(probability: f64, cost: f64) -> f64 {
    let odds = probability / (1.0 - probability).max(1e-9) * (-cost).exp();
    odds / (1.0 + odds)
}
