//! Fitted models as data: logistic regression over named measures, with the digest of what they were fitted on.

use serde::Deserialize;
use std::sync::LazyLock;

/// A logistic regression over named features.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Logistic {
    /// Names of the features, in the order of the weights.
    pub features: Vec<String>,
    /// Mean of each feature in training; subtracted first.
    pub mean: Vec<f64>,
    /// Scale of each feature in training; divided by.
    pub scale: Vec<f64>,
    /// Weight of each feature.
    pub weights: Vec<f64>,
    /// Added to the sum.
    pub intercept: f64,
}

impl Logistic {
    /// Probability for a vector in the order of `names`; a feature that the vector lacks counts as its mean.
    #[must_use]
    pub fn probability(&self, names: &[&str], values: &[f64]) -> f64 {
        let mut sum = self.intercept;
        for (at, feature) in self.features.iter().enumerate() {
            let place = names.iter().position(|name| name == feature);
            let (Some(value), Some(mean), Some(scale), Some(weight)) = (
                place.and_then(|p| values.get(p)),
                self.mean.get(at),
                self.scale.get(at),
                self.weights.get(at),
            ) else {
                continue;
            };
            sum += weight * (value - mean) / scale.max(1e-9);
        }
        1.0 / (1.0 + (-sum).exp())
    }
}

/// Bars of a model by the share of good items that fall below them.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bars {
    /// One good item in a hundred falls below.
    pub fr_1: f64,
    /// Three in a hundred.
    pub fr_3: f64,
    /// Five in a hundred.
    pub fr_5: f64,
}

/// Where a model comes from.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Training {
    /// SHA-256 of each training file, by name.
    pub files: std::collections::BTreeMap<String, String>,
    /// Items it was fitted on.
    pub items: u64,
    /// Figures on items kept aside, by name.
    pub held_out: std::collections::BTreeMap<String, f64>,
}

/// The models that a claim's support is computed with.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SupportModel {
    /// Version of the data file.
    pub version: u32,
    /// Probability that a claim is supported.
    pub claim: Logistic,
    /// Probability that every claim of an answer is.
    pub answer: Logistic,
    /// Bars on a claim's probability.
    pub bars: Bars,
    /// Where it comes from.
    pub training: Training,
}

/// The model that relevance is computed with.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RelevanceModel {
    /// Version of the data file.
    pub version: u32,
    /// Probability that the sources can answer.
    pub relevance: Logistic,
    /// Bars on it.
    pub bars: Bars,
    /// Where it comes from.
    pub training: Training,
}

static SUPPORT: LazyLock<Option<SupportModel>> =
    LazyLock::new(|| serde_json::from_str(include_str!("../data/support.json")).ok());
static RELEVANCE: LazyLock<Option<RelevanceModel>> =
    LazyLock::new(|| serde_json::from_str(include_str!("../data/relevance.json")).ok());

/// The shipped support model; `None` only if its data file is broken, which a test rules out.
#[must_use]
pub fn support() -> Option<&'static SupportModel> {
    SUPPORT.as_ref()
}

/// The shipped relevance model; `None` only if its data file is broken, which a test rules out.
#[must_use]
pub fn relevance() -> Option<&'static RelevanceModel> {
    RELEVANCE.as_ref()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fits(model: &Logistic, names: &[&str]) {
        assert!(model.features.iter().all(|feature| names.contains(&feature.as_str())));
        let lengths = [model.mean.len(), model.scale.len(), model.weights.len()];
        assert_eq!(lengths, [model.features.len(); 3]);
    }

    #[test]
    fn the_shipped_models_read_and_name_known_features() {
        let (Some(support), Some(relevance)) = (support(), relevance()) else {
            unreachable!("a data file does not read");
        };
        fits(&support.claim, crate::features::NAMES);
        fits(&support.answer, crate::support::ANSWER_NAMES);
        fits(&relevance.relevance, crate::relevance::NAMES);
        assert!(support.bars.fr_1 <= support.bars.fr_5 && support.bars.fr_5 < 1.0);
        assert!(!support.training.files.is_empty() && !relevance.training.files.is_empty());
    }
}
