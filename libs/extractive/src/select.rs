//! Chooses the window that answers, and a second one where the first is hardly better; or none, where a calibrated bar
//! says that the evidence does not answer. Weights and bars are fitted by `tools/train/questions/fit.py`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::measure::{NAMES, Scene};
use super::window::Window;

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

/// Chooses among windows; none when the evidence is below the bar.
pub(crate) fn select(scene: &Scene<'_>, windows: Vec<Window>) -> Option<Selection> {
    let section = |window: &Window| scene.passages.units[window.first()].section;
    let source = |window: &Window| scene.passages.units[window.first()].source;
    let mut ranked: Vec<(f64, Vec<f64>, Window)> = windows
        .into_iter()
        .map(|window| {
            let measures = scene.measure(&window);
            (weighed(&MODEL.window, NAMES, &measures), measures, window)
        })
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.2.cmp(&b.2)));
    let (score, measures, best) = ranked.first()?;
    if scene.question.terms.is_empty() {
        return None;
    }
    let rival = ranked.iter().find(|(_, _, window)| source(window) != source(best));
    let lowest = ranked.last().map_or(*score, |last| last.0);
    let besides = scene.besides(*score, score - rival.map_or(lowest, |rival| rival.0));
    let odds = MODEL.bias
        + weighed(&MODEL.answer, NAMES, measures)
        + weighed(&MODEL.answer, super::measure::BESIDES, &besides);
    if odds < MODEL.bar {
        return None;
    }
    let mut selection = Selection { best: best.first(), ..Selection::default() };
    let second = ranked
        .iter()
        .find(|(_, _, window)| section(window) != section(best))
        .filter(|(other, _, _)| score - other <= MODEL.second);
    let second = second.map(|(_, _, window)| window.clone());
    selection.add(best.clone());
    second.into_iter().for_each(|window| selection.add(window));
    Some(selection)
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
