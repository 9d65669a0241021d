//! Lines of recorded verdicts to metrics: no question is asked and nobody judges.

use std::collections::BTreeMap;

use assay_domain::{Code, Failure};
use assay_scoring::{Score, Verdicts};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A line.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: Value,
    /// Not read: the verdicts are about it.
    #[serde(default, rename = "question")]
    _question: String,
    #[serde(default, rename = "answer")]
    _answer: String,
    #[serde(default, rename = "contexts")]
    _contexts: Vec<String>,
    verdicts: Verdicts,
}

/// The metrics of all lines.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Metrics {
    /// Metrics over the lines that have them.
    pub metrics: BTreeMap<&'static str, Metric>,
    /// Metrics by line.
    pub items: Vec<Item>,
}

/// A metric over lines.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Metric {
    /// Mean; none if no line has it.
    pub mean: Option<f64>,
    /// Lines that have it.
    pub computed: usize,
    /// Lines that do not, by reason.
    pub not_computed: BTreeMap<String, u64>,
}

/// The metrics of a line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Item {
    /// As given.
    pub id: Value,
    /// Supported statements over statements.
    pub faithfulness: Score,
    /// Mean similarity of derived questions.
    pub answer_relevancy: Score,
    /// Mean precision at the ranks of useful contexts.
    pub context_precision: Score,
    /// Attributed statements of the reference over its statements.
    pub context_recall: Score,
}

/// Scores lines.
///
/// # Errors
/// `INVALID_ARGUMENT` naming the first line that cannot be read.
pub fn score(lines: &[String]) -> Result<Metrics, Failure> {
    let mut items = Vec::new();
    for (number, line) in (1..).zip(lines).filter(|(_, line)| !line.trim().is_empty()) {
        let line: Line = serde_json::from_str(line).map_err(|error| {
            let text = format!("line {number}: {error}");
            Failure::new(Code::InvalidArgument, text).field(format!("line {number}"))
        })?;
        let verdicts = &line.verdicts;
        items.push(Item {
            id: line.id,
            faithfulness: verdicts.faithfulness(),
            answer_relevancy: verdicts.answer_relevancy(),
            context_precision: verdicts.context_precision(),
            context_recall: verdicts.context_recall(),
        });
    }
    let of = |pick: fn(&Item) -> Score| metric(items.iter().map(pick));
    let metrics = BTreeMap::from([
        ("faithfulness", of(|item| item.faithfulness)),
        ("answer_relevancy", of(|item| item.answer_relevancy)),
        ("context_precision", of(|item| item.context_precision)),
        ("context_recall", of(|item| item.context_recall)),
    ]);
    Ok(Metrics { metrics, items })
}

fn metric(scores: impl Iterator<Item = Score>) -> Metric {
    let mut metric = Metric::default();
    let mut sum = 0.0;
    for score in scores {
        match score {
            Score::Value(value) => {
                sum += value;
                metric.computed += 1;
            }
            Score::NotComputed { not_computed } => {
                let name = serde_json::to_value(not_computed).ok();
                let name = name.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
                *metric.not_computed.entry(name).or_default() += 1;
            }
        }
    }
    metric.mean = (metric.computed > 0).then(|| sum / metric.computed as f64);
    metric
}
