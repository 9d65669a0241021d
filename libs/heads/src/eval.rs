//! How good a head is on labelled messages, and whether a challenger may take the place of a champion.

use std::collections::BTreeMap;

use assay_statistics::{calibration_error, mcnemar};
use serde::Serialize;

/// Bins of the calibration error.
const BINS: usize = 15;
/// Fewest messages of a holdout that decides a promotion.
pub const FEWEST: usize = 300;
/// Probability under chance below which a difference counts.
pub const SIGNIFICANT: f64 = 0.05;
/// How far the recall of a class may fall.
pub const RECALL_LOSS: f64 = 0.02;

/// A labelled message and what was said of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The label that people gave it.
    pub label: String,
    /// The label that was found.
    pub found: String,
    /// Its calibrated probability.
    pub probability: f64,
    /// Language of the message; empty where unknown.
    pub language: String,
}

impl Judged {
    fn right(&self) -> bool {
        self.label == self.found
    }
}

/// Messages, and how many of them were right.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Share {
    /// Messages.
    pub messages: usize,
    /// Of those, right.
    pub right: usize,
    /// Right of all; 0 without messages.
    pub accuracy: f64,
}

impl Share {
    fn of<'a>(judged: impl Iterator<Item = &'a Judged>) -> Self {
        let (mut messages, mut right) = (0, 0);
        for one in judged {
            messages += 1;
            right += usize::from(one.right());
        }
        Self { messages, right, accuracy: right as f64 / messages.max(1) as f64 }
    }
}

/// What was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Evaluation {
    /// All messages.
    pub all: Share,
    /// By language, where it is known.
    pub languages: BTreeMap<String, Share>,
    /// Recall of each label.
    pub labels: BTreeMap<String, Share>,
    /// Messages at or above the threshold.
    pub sure: Share,
    /// Their share of all.
    pub coverage: f64,
    /// Expected calibration error over 15 bins of equal width (Guo et al. 2017).
    pub calibration_error: f64,
}

/// Measures; `accept` is the probability from which a decision stands alone.
#[must_use]
pub fn evaluate(judged: &[Judged], accept: f64) -> Evaluation {
    let by = |key: fn(&Judged) -> &String| {
        let mut keys: Vec<&String> = judged.iter().map(key).filter(|key| !key.is_empty()).collect();
        keys.sort();
        keys.dedup();
        keys.into_iter()
            .map(|wanted| (wanted.clone(), Share::of(judged.iter().filter(|one| key(one) == wanted))))
            .collect()
    };
    let certainties: Vec<(f64, bool)> = judged.iter().map(|one| (one.probability, one.right())).collect();
    let sure = Share::of(judged.iter().filter(|one| one.probability >= accept));
    Evaluation {
        all: Share::of(judged.iter()),
        languages: by(|one| &one.language),
        labels: by(|one| &one.label),
        sure,
        coverage: sure.messages as f64 / judged.len().max(1) as f64,
        calibration_error: calibration_error(&certainties, BINS),
    }
}

/// A challenger beside a champion on the same messages.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Messages that the champion alone gets right.
    pub champion_only: usize,
    /// Messages that the challenger alone gets right.
    pub challenger_only: usize,
    /// Two-sided exact McNemar test: how likely so uneven a split is by chance.
    pub p_value: f64,
    /// Change of each label's recall.
    pub recall_change: BTreeMap<String, f64>,
    /// Why the champion stays; empty if the challenger may take its place.
    pub against: Vec<String>,
}

/// Compares judgements of the same messages in the same order.
#[must_use]
pub fn compare(champion: &[Judged], challenger: &[Judged]) -> Comparison {
    let alone = |a: &[Judged], b: &[Judged]| a.iter().zip(b).filter(|(a, b)| a.right() && !b.right()).count();
    let (champion_only, challenger_only) = (alone(champion, challenger), alone(challenger, champion));
    let p_value = mcnemar(champion_only, challenger_only);
    let (old, new) = (evaluate(champion, 0.0), evaluate(challenger, 0.0));
    let recall_change: BTreeMap<String, f64> = old
        .labels
        .iter()
        .filter_map(|(label, was)| Some((label.clone(), new.labels.get(label)?.accuracy - was.accuracy)))
        .collect();
    let mut against = Vec::new();
    if champion.len() < FEWEST {
        against.push(format!("{} messages decide nothing; it takes {FEWEST}", champion.len()));
    }
    if challenger_only <= champion_only || p_value >= SIGNIFICANT {
        against.push(format!(
            "it is right where the champion is wrong {challenger_only} times, wrong where that is right {champion_only} times: p = {p_value:.3}, not below {SIGNIFICANT}"
        ));
    }
    for (label, change) in recall_change.iter().filter(|(_, change)| **change < -RECALL_LOSS) {
        against.push(format!("the recall of {label} falls by {:.1} points", -100.0 * change));
    }
    Comparison { champion_only, challenger_only, p_value, recall_change, against }
}
