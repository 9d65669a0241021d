//! Chooses the window that answers, and a second one where the first is hardly better; or none, where a calibrated bar
//! says that the evidence does not answer. Weights and bars are fitted by `tools/train/questions/fit.py`. A reranker may
//! change the order of windows that pass the bar.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::measure::{NAMES, Scene};
use super::passage::Passages;
use super::window::Window;

/// Most windows that a reranker is asked about: a second or two of a CPU for a small one.
const CONTENDERS: usize = 16;

/// What was fitted.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Model {
    /// Weight of each measure in the score of a window.
    window: BTreeMap<String, f64>,
    /// Weight of each measure of the best window, and of what is known besides, in the odds that it answers.
    answer: BTreeMap<String, f64>,
    /// Added to them.
    bias: f64,
    /// Least log odds of an answer.
    bar: f64,
    /// The second window comes along if its score is at most so much lower.
    second: f64,
}

static MODEL: LazyLock<Model> =
    LazyLock::new(|| serde_json::from_str(include_str!("data/windows.json")).unwrap_or_default());

/// What was chosen.
#[derive(Debug, Clone, Default)]
pub(crate) struct Selection {
    /// Indexes of units.
    pub(crate) units: BTreeSet<usize>,
    /// Indexes of fences.
    pub(crate) fences: BTreeSet<usize>,
    /// A unit of the window that answers best.
    pub(crate) best: usize,
}

impl Selection {
    fn add(&mut self, window: Window) {
        self.units.extend(window.units);
        self.fences.extend(window.fences);
    }
}

/// A window with its fitted score.
struct Ranked {
    score: f64,
    measures: Vec<f64>,
    window: Window,
}

/// Windows in the order of their fitted scores, the best of which passes the bar.
pub(crate) struct Contest {
    ranked: Vec<Ranked>,
    /// Indexes of the windows among the first [`CONTENDERS`] that would pass the bar as the best one.
    contenders: Vec<usize>,
}

/// Ranks windows; none when the evidence is below the bar.
pub(crate) fn rank(scene: &Scene<'_>, windows: Vec<Window>) -> Option<Contest> {
    let mut ranked: Vec<Ranked> = windows
        .into_iter()
        .map(|window| {
            let measures = scene.measure(&window);
            Ranked { score: weighed(&MODEL.window, NAMES, &measures), measures, window }
        })
        .collect();
    ranked.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.window.cmp(&b.window)));
    let lowest = ranked.last()?.score;
    if scene.question.terms.is_empty() {
        return None;
    }
    let source = |own: &Ranked| scene.passages.units[own.window.first()].source;
    let passes = |own: &Ranked| {
        let rival = ranked.iter().find(|other| source(other) != source(own));
        let besides = scene.besides(own.score, own.score - rival.map_or(lowest, |rival| rival.score));
        let odds = MODEL.bias
            + weighed(&MODEL.answer, NAMES, &own.measures)
            + weighed(&MODEL.answer, super::measure::BESIDES, &besides);
        odds >= MODEL.bar
    };
    if !passes(ranked.first()?) {
        return None;
    }
    let contenders = (0..ranked.len().min(CONTENDERS)).filter(|&at| passes(&ranked[at])).collect();
    Some(Contest { ranked, contenders })
}

impl Contest {
    /// The windows that a reranker may order.
    pub(crate) fn contenders(&self) -> impl Iterator<Item = &Window> {
        self.contenders.iter().map(|&at| &self.ranked[at].window)
    }

    /// Chooses among the contenders by `scores`, greater first; unless there is one finite score for each, among all windows by
    /// the fitted score. A second window comes along where its fitted score is near that of the first.
    pub(crate) fn choose(self, passages: &Passages, scores: &[f32]) -> Selection {
        let mut order: Vec<usize> = (0..self.ranked.len()).collect();
        if scores.len() == self.contenders.len() && scores.iter().all(|score| score.is_finite()) {
            let mut scored: Vec<(usize, f32)> =
                self.contenders.iter().copied().zip(scores.iter().copied()).collect();
            scored.sort_by(|a, b| b.1.total_cmp(&a.1));
            order = scored.into_iter().map(|(own, _)| own).collect();
        }
        let section = |own: &Ranked| passages.units[own.window.first()].section;
        let mut ordered = order.iter().map(|&at| &self.ranked[at]);
        let Some(best) = ordered.next() else { return Selection::default() };
        let second = ordered
            .find(|other| section(other) != section(best))
            .filter(|other| (best.score - other.score).abs() <= MODEL.second);
        let mut selection = Selection { best: best.window.first(), ..Selection::default() };
        selection.add(best.window.clone());
        second.into_iter().for_each(|other| selection.add(other.window.clone()));
        selection
    }
}

fn weighed(weights: &BTreeMap<String, f64>, names: &[&str], values: &[f64]) -> f64 {
    names.iter().zip(values).map(|(name, value)| weights.get(*name).copied().unwrap_or(0.0) * value).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::BESIDES;

    #[test]
    fn the_model_weighs_only_what_is_measured() {
        assert!(!MODEL.window.is_empty() && !MODEL.answer.is_empty());
        assert!(MODEL.window.keys().all(|name| NAMES.contains(&name.as_str())), "{:?}", MODEL.window.keys());
        let known = |name: &&str| NAMES.contains(name) || BESIDES.contains(name);
        assert!(
            MODEL.answer.keys().map(String::as_str).all(|name| known(&name)),
            "{:?}",
            MODEL.answer.keys()
        );
    }
}
