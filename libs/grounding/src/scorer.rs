//! The port for a further scorer: an encoder, or a judge model that is asked where the fitted models are not sure.
//!
//! Pure values: [`crate::Judge::uncertain`] says which claims another word could turn, somebody outside asks, and the
//! opinions come back as facts. Probability and opinion are joined by a logistic over both logits. A scorer can lift a claim
//! out of the uncertain band, or drop it there; it never overrules a contradiction, or any other rule that decided with a
//! reason, and a scorer that did not answer changes nothing.

use assay_domain::report::{ClaimStatus, Evidence};

use crate::support::Judged;

/// How a scorer's probability is joined with that of the fitted models: `σ(bias + own · logit(p) + other · logit(q))`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Join {
    /// Added to the sum.
    pub bias: f64,
    /// Weight of the fitted models.
    pub own: f64,
    /// Weight of the scorer.
    pub other: f64,
}

impl Join {
    /// Both count as they are: for a scorer whose probabilities are calibrated and independent of ours.
    pub const PLAIN: Self = Self { bias: 0.0, own: 1.0, other: 1.0 };

    /// The joined probability of two, each 0 to 1.
    #[must_use]
    pub fn probability(self, own: f64, other: f64) -> f64 {
        let sum = self.bias + self.own * logit(own) + self.other * logit(other);
        1.0 / (1.0 + (-sum).exp())
    }
}

/// What a model that answers yes or no is worth as a probability: large models judge claims of the WiCE set with a
/// balanced accuracy of 0.79 (published for GPT-4o), so that a yes is right as often.
pub const SAID_YES: f64 = 0.79;

/// Probability of a claim that no fitted model judged, before anybody is asked: claim and source in two languages.
const NOTHING_KNOWN: f64 = 0.5;

/// A claim that another scorer could turn.
#[derive(Debug, Clone, PartialEq)]
pub struct Uncertain {
    /// Its index among the claims of the answer.
    pub claim: usize,
    /// What is to be judged: the sentence, or what it states beside a refusal.
    pub text: String,
    /// Sentences that bear on it, best first; empty where claim and source are in different languages.
    pub evidence: Vec<Evidence>,
    /// Probability so far; none where nothing could be measured.
    pub probability: Option<f64>,
}

/// What a scorer said of a claim.
#[derive(Debug, Clone, PartialEq)]
pub enum Word {
    /// Probability that the sources support it, 0 to 1.
    Score(f64),
    /// It could not or would not tell; the reason.
    NotChecked(String),
}

/// The opinion of a scorer on a claim.
#[derive(Debug, Clone, PartialEq)]
pub struct Opinion {
    /// Who it is, a stable word: `judge`, `encoder`.
    pub scorer: String,
    /// Index of the claim.
    pub claim: usize,
    /// The text it was asked about; an opinion on another text does not count.
    pub text: String,
    /// What it said.
    pub word: Word,
    /// How it is joined.
    pub join: Join,
}

impl Opinion {
    /// The opinion of a judge model that was asked for yes or no.
    #[must_use]
    pub fn of_judge(uncertain: &Uncertain, supported: Result<bool, String>) -> Self {
        let word = match supported {
            Ok(true) => Word::Score(SAID_YES),
            Ok(false) => Word::Score(1.0 - SAID_YES),
            Err(reason) => Word::NotChecked(reason),
        };
        let (claim, text) = (uncertain.claim, uncertain.text.clone());
        Self { scorer: "judge".to_owned(), claim, text, word, join: Join::PLAIN }
    }
}

/// Whether another word could turn a claim: it was judged by probability alone, and a yes or a no would carry it over the
/// bar; or it was not judged because claim and source are in different languages.
pub(crate) fn open(judged: &Judged, bar: f64) -> bool {
    if judged.decided {
        return false;
    }
    match (judged.status, judged.support) {
        (ClaimStatus::NotChecked, None) => judged.foreign,
        (ClaimStatus::Supported, Some(own)) => Join::PLAIN.probability(own, 1.0 - SAID_YES) < bar,
        (ClaimStatus::Unsupported, Some(own)) => Join::PLAIN.probability(own, SAID_YES) >= bar,
        _ => false,
    }
}

/// A judgement after an opinion; none where the opinion changes nothing.
pub(crate) fn joined(judged: &Judged, opinion: &Opinion, bar: f64) -> Option<Judged> {
    let Word::Score(score) = opinion.word else { return None };
    if !open(judged, bar) || !score.is_finite() {
        return None;
    }
    let probability =
        opinion.join.probability(judged.support.unwrap_or(NOTHING_KNOWN), score.clamp(0.0, 1.0));
    let supported = probability >= bar;
    let status = if supported { ClaimStatus::Supported } else { ClaimStatus::Unsupported };
    let says = if score >= 0.5 { "the sources say it" } else { "no source says it" };
    let reason = format!("{}: {says}", opinion.scorer);
    Some(Judged { status, support: Some(probability), reason, ..judged.clone() })
}

fn logit(p: f64) -> f64 {
    let p = p.clamp(1e-6, 1.0 - 1e-6);
    (p / (1.0 - p)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(status: ClaimStatus, support: Option<f64>) -> Judged {
        Judged {
            status,
            support,
            reason: String::new(),
            evidence: Vec::new(),
            source: None,
            decided: false,
            foreign: false,
        }
    }

    fn said(score: f64) -> Opinion {
        let word = Word::Score(score);
        Opinion { scorer: "judge".into(), claim: 0, text: String::new(), word, join: Join::PLAIN }
    }

    #[test]
    fn a_word_turns_a_claim_in_the_band_and_none_outside() {
        let (yes, no, bar) = (said(SAID_YES), said(1.0 - SAID_YES), 0.4);
        let status = |judged: Option<Judged>| judged.map(|judged| judged.status);
        assert_eq!(
            status(joined(&judged(ClaimStatus::Unsupported, Some(0.3)), &yes, bar)),
            Some(ClaimStatus::Supported)
        );
        assert_eq!(
            status(joined(&judged(ClaimStatus::Unsupported, Some(0.3)), &no, bar)),
            Some(ClaimStatus::Unsupported)
        );
        assert_eq!(
            status(joined(&judged(ClaimStatus::Supported, Some(0.5)), &no, bar)),
            Some(ClaimStatus::Unsupported)
        );
        assert_eq!(joined(&judged(ClaimStatus::Supported, Some(0.95)), &no, bar), None);
        assert_eq!(joined(&judged(ClaimStatus::Unsupported, Some(0.02)), &yes, bar), None);
        assert_eq!(joined(&judged(ClaimStatus::Contradicted, Some(0.39)), &yes, bar), None);
        assert_eq!(joined(&judged(ClaimStatus::SupportedElsewhere, Some(0.5)), &no, bar), None);
        assert_eq!(
            joined(&Judged { decided: true, ..judged(ClaimStatus::Unsupported, Some(0.39)) }, &yes, bar),
            None
        );
        assert_eq!(joined(&judged(ClaimStatus::Unsupported, Some(0.3)), &said(f64::NAN), bar), None);
    }

    #[test]
    fn a_scorer_that_did_not_answer_changes_nothing() {
        let opinion = Opinion { word: Word::NotChecked("timeout".into()), ..said(0.0) };
        assert_eq!(joined(&judged(ClaimStatus::Unsupported, Some(0.3)), &opinion, 0.4), None);
    }

    #[test]
    fn two_languages_are_decided_by_the_scorer_alone() {
        let foreign = Judged { foreign: true, ..judged(ClaimStatus::NotChecked, None) };
        let status = |score: f64| joined(&foreign, &said(score), 0.4).map(|judged| judged.status);
        assert_eq!(status(SAID_YES), Some(ClaimStatus::Supported));
        assert_eq!(status(1.0 - SAID_YES), Some(ClaimStatus::Unsupported));
        assert_eq!(joined(&judged(ClaimStatus::NotChecked, None), &said(SAID_YES), 0.4), None);
    }

    #[test]
    fn joining_adds_what_both_know() {
        let joined = Join::PLAIN.probability(0.6, 0.7);
        assert!(joined > 0.7 && joined < 0.9);
        assert!((Join::PLAIN.probability(0.6, 0.5) - 0.6).abs() < 1e-9);
    }
}
