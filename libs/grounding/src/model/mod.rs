//! Fitted models as data: logistic regressions and boosted trees over named measures, with the digest of what they were
//! fitted on.

mod quickscorer;

pub(crate) use quickscorer::QuickScorer;

use serde::{Deserialize, Serialize};
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

/// A decision tree. Inner nodes are numbered from 0; a child below 0 is the leaf `-child - 1`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tree {
    /// Feature that each inner node looks at, by its place in [`Boosted::features`].
    pub split: Vec<u16>,
    /// A value up to this one goes left.
    pub at: Vec<f64>,
    /// Left child of each inner node.
    pub left: Vec<i32>,
    /// Right child of each inner node.
    pub right: Vec<i32>,
    /// What each leaf adds to the margin.
    pub leaf: Vec<f64>,
}

impl Tree {
    /// What the tree says of a vector; 0 for a tree that is broken.
    fn value(&self, vector: &[f64]) -> f64 {
        let mut node = if self.split.is_empty() { -1 } else { 0 };
        // Every node is visited once at most.
        for _ in 0..=self.split.len() {
            let Ok(at) = usize::try_from(node) else { break };
            let (Some(feature), Some(bar), Some(left), Some(right)) =
                (self.split.get(at), self.at.get(at), self.left.get(at), self.right.get(at))
            else {
                return 0.0;
            };
            let value = vector.get(usize::from(*feature)).copied().unwrap_or_default();
            node = if value <= *bar { *left } else { *right };
        }
        let leaf = usize::try_from(-(i64::from(node) + 1)).ok();
        leaf.and_then(|leaf| self.leaf.get(leaf)).copied().unwrap_or_default()
    }
}

/// Boosted trees over named features, with the way from their margin to a probability.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Boosted {
    /// Names of the features, in the order that the trees know.
    pub features: Vec<String>,
    /// The trees.
    pub trees: Vec<Tree>,
    /// Margin and probability, rising in both; between two of them the probability is drawn straight.
    pub calibration: Vec<[f64; 2]>,
    /// The same trees laid out for the measures of this crate, where that was done already.
    #[serde(skip)]
    pub(crate) quickscorer: Option<QuickScorer>,
}

impl Boosted {
    /// Sum of the trees for a vector in the order of `names`; a feature that the vector lacks counts as 0.
    #[must_use]
    pub fn margin(&self, names: &[&str], values: &[f64]) -> f64 {
        let place = |feature: &String| names.iter().position(|name| name == feature);
        let vector: Vec<f64> = self
            .features
            .iter()
            .map(|f| place(f).and_then(|at| values.get(at)).copied().unwrap_or_default())
            .collect();
        self.trees.iter().map(|tree| tree.value(&vector)).sum()
    }

    /// The same for the measures of this crate, in the order of [`crate::features::NAMES`].
    pub(crate) fn of_measures(&self, values: &[f64]) -> f64 {
        match &self.quickscorer {
            Some(quickscorer) if values.len() == crate::features::NAMES.len() => quickscorer.margin(values),
            _ => self.margin(crate::features::NAMES, values),
        }
    }

    /// Lays the trees out for the measures of this crate.
    fn settled(mut self) -> Self {
        self.quickscorer = QuickScorer::new(&self);
        self
    }

    /// Calibrated probability of a margin.
    #[must_use]
    pub fn probability(&self, margin: f64) -> f64 {
        let behind = self.calibration.partition_point(|knot| knot[0] < margin);
        let (before, next) =
            (behind.checked_sub(1).and_then(|at| self.calibration.get(at)), self.calibration.get(behind));
        match (before, next) {
            (Some(one), Some(two)) => {
                let share = (margin - one[0]) / (two[0] - one[0]).max(1e-12);
                one[1] + share * (two[1] - one[1])
            }
            (Some(knot), None) | (None, Some(knot)) => knot[1],
            (None, None) => 0.5,
        }
    }
}

/// Bars of a model by the share of good items that fall below them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
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
    /// Whether a claim is supported: wording is free, and what counts is what the claim adds.
    pub free: Boosted,
    /// Whether a claim that is nearly a copy is supported: what counts is what it changes.
    pub near: Boosted,
    /// Probability that every claim of an answer is.
    pub answer: Logistic,
    /// Probability that nothing in an answer that only refuses is unsupported.
    pub refusal: f64,
    /// What a mismatch takes from the log-odds of a claim, by its name; a name that is missing takes nothing.
    pub costs: std::collections::BTreeMap<String, f64>,
    /// Bars on a claim's probability.
    pub bars: Bars,
    /// Where it comes from.
    pub training: Training,
}

impl SupportModel {
    /// What a mismatch takes from the log-odds of a claim.
    pub(crate) fn cost(&self, name: &str) -> f64 {
        self.costs.get(name).copied().unwrap_or_default()
    }
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

static SUPPORT: LazyLock<Option<SupportModel>> = LazyLock::new(|| {
    let model: SupportModel = serde_json::from_str(include_str!("../../data/support.json")).ok()?;
    Some(SupportModel { free: model.free.settled(), near: model.near.settled(), ..model })
});
static RELEVANCE: LazyLock<Option<RelevanceModel>> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../data/relevance.json")).ok());

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

    fn grown(model: &Boosted) {
        assert!(model.features.iter().all(|feature| crate::features::NAMES.contains(&feature.as_str())));
        assert!(model.trees.len() > 10 && model.calibration.len() > 1);
        assert!(model.calibration.windows(2).all(|two| two[0][0] < two[1][0] && two[0][1] <= two[1][1]));
        for tree in &model.trees {
            let nodes = tree.split.len();
            assert_eq!(
                [tree.at.len(), tree.left.len(), tree.right.len(), tree.leaf.len()],
                [nodes, nodes, nodes, nodes + 1]
            );
            for (at, child) in tree.left.iter().chain(&tree.right).enumerate() {
                // A child stands behind its parent, so that every walk ends.
                let parent = i32::try_from(at % nodes).unwrap_or(i32::MAX);
                assert!(*child < 0 || *child > parent);
            }
            assert!(tree.split.iter().all(|feature| usize::from(*feature) < model.features.len()));
        }
    }

    #[test]
    fn tree_reaches_its_leaf_and_a_broken_tree_gives_none() {
        let tree = Tree {
            split: vec![0, 1],
            at: vec![0.5, 2.0],
            left: vec![-1, -2],
            right: vec![1, -3],
            leaf: vec![1.0, 2.0, 3.0],
        };
        assert_eq!([[0.5, 9.0], [0.6, 2.0], [0.6, 2.1]].map(|vector| tree.value(&vector)), [1.0, 2.0, 3.0]);
        let broken = Tree { right: vec![0, 0], ..tree.clone() };
        assert!(broken.value(&[0.6, 3.0]).abs() < 1e-12);
        let model = Boosted {
            features: vec!["b".into(), "a".into()],
            trees: vec![tree],
            calibration: vec![[0.0, 0.1], [2.0, 0.5]],
            quickscorer: None,
        };
        assert!((model.margin(&["a", "b"], &[9.0, 0.4]) - 1.0).abs() < 1e-12);
        assert_eq!(
            [-1.0, 1.0, 5.0].map(|margin| (model.probability(margin) * 100.0).round()),
            [10.0, 30.0, 50.0]
        );
    }

    #[test]
    fn the_trees_laid_out_say_what_the_trees_say() {
        let Some(model) = support() else { unreachable!("a data file does not read") };
        for boosted in [&model.free, &model.near] {
            assert!(boosted.quickscorer.is_some());
            let bars: Vec<f64> = boosted.trees.iter().flat_map(|tree| tree.at.clone()).collect();
            for seed in 0..200_usize {
                let values: Vec<f64> = (0..crate::features::NAMES.len())
                    .map(|at| {
                        bars[(seed * 7919 + at * 104_729) % bars.len()] * [1.0, -1.0, 0.5][(seed + at) % 3]
                    })
                    .collect();
                let plain = boosted.margin(crate::features::NAMES, &values);
                assert!((boosted.of_measures(&values) - plain).abs() < 1e-9);
            }
        }
    }

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
        grown(&support.free);
        grown(&support.near);
        fits(&support.answer, crate::support::ANSWER_NAMES);
        fits(&relevance.relevance, crate::relevance::NAMES);
        assert!(support.bars.fr_1 <= support.bars.fr_5 && support.bars.fr_5 < 1.0);
        assert!(support.cost("rejected") > 0.0 && support.costs.values().all(|cost| *cost >= 0.0));
        assert!(!support.training.files.is_empty() && !relevance.training.files.is_empty());
    }
}
