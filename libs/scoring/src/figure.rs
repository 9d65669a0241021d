//! A score over many answers. A question counts once, however often it was asked: asking again is no new evidence.

use std::collections::BTreeMap;

use assay_statistics::{Summary, bootstrap_mean, detectable_difference, sign_flip, wilson};
use serde::Serialize;

use crate::item::Scored;
use crate::metric::{Reason, Score};

/// Resamples of an interval, draws of a test.
pub(crate) const ROUNDS: u32 = 2_000;

/// A score over the questions of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Figure {
    /// Mean over questions of the mean over repetitions; none if no answer has the score.
    pub value: Option<f64>,
    /// Questions with the score.
    pub questions: usize,
    /// Standard deviation between questions.
    pub deviation: Option<f64>,
    /// Interval at 95 %: Wilson where every question has 0 or 1, else percentile bootstrap.
    pub interval: Option<(f64, f64)>,
    /// Which of the two.
    pub interval_by: Option<&'static str>,
    /// Mean of each repetition.
    pub repetitions: Vec<Option<f64>>,
    /// Standard deviation between repetitions; none for one.
    pub repetition_deviation: Option<f64>,
    /// Smallest difference to another system over the same questions that they show with a power of 80 %, if the two
    /// vary independently.
    pub detectable: Option<f64>,
    /// Probability under chance of the difference between the first and the last repetition; the same system should not
    /// differ from itself.
    pub null_control: Option<f64>,
    /// Answers without the score, by reason.
    pub not_computed: BTreeMap<Reason, u64>,
}

/// The figure of the score that `pick` takes from each answer.
pub(crate) fn figure(scored: &[Scored], seed: u64, pick: impl Fn(&Scored) -> Score) -> Figure {
    let mut not_computed = BTreeMap::new();
    let mut values: BTreeMap<&str, BTreeMap<u32, f64>> = BTreeMap::new();
    let mut last = 0;
    for one in scored {
        last = last.max(one.repetition);
        match pick(one) {
            Score::Value(value) => {
                values.entry(&one.id).or_default().insert(one.repetition, value);
            }
            Score::NotComputed { not_computed: reason } => *not_computed.entry(reason).or_default() += 1,
        }
    }
    let means: Vec<f64> = values.values().map(|of| of.values().sum::<f64>() / of.len() as f64).collect();
    let repetitions: Vec<Option<f64>> = (1..=last)
        .map(|repetition| {
            let of: Vec<f64> = values.values().filter_map(|of| of.get(&repetition).copied()).collect();
            Summary::of(&of).map(|summary| summary.mean)
        })
        .collect();
    let summary = Summary::of(&means);
    let (interval, interval_by) = interval(&means, seed);
    let of_repetitions: Vec<f64> = repetitions.iter().copied().flatten().collect();
    Figure {
        value: summary.map(|summary| summary.mean),
        questions: means.len(),
        deviation: summary.map(|summary| summary.deviation),
        interval,
        interval_by,
        repetition_deviation: Summary::of(&of_repetitions)
            .filter(|summary| summary.n > 1)
            .map(|summary| summary.deviation),
        repetitions,
        detectable: summary.and_then(|summary| {
            detectable_difference(summary.n, summary.deviation * std::f64::consts::SQRT_2)
        }),
        null_control: (last > 1).then(|| {
            let differences: Vec<f64> =
                values.values().filter_map(|of| Some(of.get(&last)? - of.get(&1)?)).collect();
            sign_flip(&differences, ROUNDS, seed)
        }),
        not_computed,
    }
}

fn interval(means: &[f64], seed: u64) -> (Option<(f64, f64)>, Option<&'static str>) {
    if means.is_empty() {
        return (None, None);
    }
    if means.iter().all(|mean| *mean == 0.0 || *mean == 1.0) {
        let successes = means.iter().filter(|mean| **mean == 1.0).count();
        return (wilson(successes as u64, means.len() as u64), Some("wilson"));
    }
    (bootstrap_mean(means, ROUNDS, seed), Some("bootstrap"))
}
