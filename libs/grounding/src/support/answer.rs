//! Measures of a whole answer from the probabilities of its claims, and its calibrated probability.

use super::judged::VERBATIM;
use crate::features::Features;
use crate::model;

/// Names of the measures of a whole answer.
pub const ANSWER_NAMES: &[&str] = &["worst", "second", "noisy_or", "log_claims", "expected"];

/// Measures of an answer from the probabilities of its claims, in the order of [`ANSWER_NAMES`]; `None` without claims.
#[must_use]
#[allow(clippy::cast_precision_loss)]
pub fn answer_measures(claims: &[f64]) -> Option<Features> {
    let logit = |p: f64| (p.clamp(1e-4, 1.0 - 1e-4) / (1.0 - p.clamp(1e-4, 1.0 - 1e-4))).ln();
    let mut sorted: Vec<f64> = claims.to_vec();
    sorted.sort_by(f64::total_cmp);
    let worst = *sorted.first()?;
    let second = sorted.get(1).copied().unwrap_or(VERBATIM);
    let every: f64 = claims.iter().map(|p| p.clamp(1e-4, 1.0).ln()).sum();
    // How many claims are to be expected unsupported.
    let expected: f64 = claims.iter().map(|p| 1.0 - p).sum();
    Some(vec![logit(worst), logit(second), every, (claims.len() as f64).ln(), expected.ln_1p()])
}

/// Calibrated probability that nothing is unsupported in an answer that only refuses; `None` without a model.
pub(crate) fn of_refusal() -> Option<f64> {
    model::support().map(|model| model.refusal)
}

/// Calibrated probability that every claim is supported; `None` without claims.
#[must_use]
pub fn of_answer(claims: &[f64]) -> Option<f64> {
    let measures = answer_measures(claims)?;
    Some(match model::support() {
        Some(model) => model.answer.probability(ANSWER_NAMES, &measures),
        None => claims.iter().copied().fold(1.0, f64::min),
    })
}
