//! Two runs over the same questions: paired, question by question.

use std::collections::{BTreeMap, BTreeSet};

use assay_statistics::{Summary, bootstrap_mean, detectable_difference, sign_flip};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::figure::ROUNDS;
use crate::metric::Score;
use crate::recorded::Manifest;
use crate::report::Report;

/// Probability under chance below which a difference counts.
const SIGNIFICANT: f64 = 0.05;

/// What a comparison takes of a report.
#[derive(Debug, Clone, Deserialize)]
pub struct Measured {
    manifest: Manifest,
    manifest_sha256: String,
    items: Vec<Item>,
}

/// The scores of one answer.
#[derive(Debug, Clone, Deserialize)]
struct Item {
    id: String,
    scores: BTreeMap<String, Score>,
}

impl Measured {
    /// Reads the `report.json` of a run.
    ///
    /// # Errors
    /// What is wrong with it: another format, or no answers.
    pub fn read(text: &str) -> Result<Self, String> {
        let read: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let (found, known) = (read.manifest.format, Manifest::FORMAT);
        if found != known {
            return Err(format!("it has format {found}; this version reads {known}"));
        }
        if read.items.is_empty() {
            return Err("it has no answers".into());
        }
        Ok(read)
    }
}

impl From<Report> for Measured {
    fn from(report: Report) -> Self {
        let items = report.items.into_iter().map(|one| Item {
            id: one.id,
            scores: one.scores.into_iter().map(|(name, score)| (name.to_owned(), score)).collect(),
        });
        Self { items: items.collect(), manifest: report.manifest, manifest_sha256: report.manifest_sha256 }
    }
}

/// Two runs side by side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Digests of the two manifests.
    pub manifests: [String; 2],
    /// What the manifests have different, with both values.
    pub differs: BTreeMap<String, [String; 2]>,
    /// Questions that only one of the runs has.
    pub unpaired: usize,
    /// Scores by name.
    pub scores: BTreeMap<String, Difference>,
}

/// How a score differs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// Questions that have the score in both runs.
    pub questions: usize,
    /// Mean of the first run over them.
    pub first: f64,
    /// Mean of the second run.
    pub second: f64,
    /// Second less first.
    pub difference: f64,
    /// Bootstrap interval of it at 95 %.
    pub interval: Option<(f64, f64)>,
    /// Paired permutation test of no difference.
    pub p_value: f64,
    /// Smallest difference that so many questions show with a power of 80 %.
    pub detectable: Option<f64>,
    /// `higher`, `lower`, `no difference`, or `cannot tell` where the test finds none at 5 %.
    pub verdict: &'static str,
}

/// Compares two runs by the scores that answers of the first have.
#[must_use]
pub fn compare(first: &Measured, second: &Measured) -> Comparison {
    let seed = first.manifest.seed.unwrap_or_default();
    let (a, b) = (by_question(&first.items), by_question(&second.items));
    let unpaired = a.keys().filter(|id| !b.contains_key(*id)).count()
        + b.keys().filter(|id| !a.contains_key(*id)).count();
    let mut scores = BTreeMap::new();
    // Every answer of a run has the same scores.
    for name in first.items.first().into_iter().flat_map(|one| one.scores.keys()) {
        let pairs: Vec<(f64, f64)> =
            a.iter().filter_map(|(id, of)| Some((mean(of, name)?, mean(b.get(id)?, name)?))).collect();
        if let Some(difference) = difference(&pairs, seed) {
            scores.insert(name.clone(), difference);
        }
    }
    Comparison {
        manifests: [first.manifest_sha256.clone(), second.manifest_sha256.clone()],
        differs: differs(first, second),
        unpaired,
        scores,
    }
}

fn by_question(items: &[Item]) -> BTreeMap<&str, Vec<&Item>> {
    let mut by: BTreeMap<&str, Vec<&Item>> = BTreeMap::new();
    for one in items {
        by.entry(&one.id).or_default().push(one);
    }
    by
}

fn mean(of: &[&Item], name: &str) -> Option<f64> {
    let values: Vec<f64> = of.iter().filter_map(|one| one.scores.get(name)?.value()).collect();
    Summary::of(&values).map(|summary| summary.mean)
}

/// The second of each pair less the first; none without pairs.
pub(crate) fn difference(pairs: &[(f64, f64)], seed: u64) -> Option<Difference> {
    let n = pairs.len() as f64;
    let differences: Vec<f64> = pairs.iter().map(|(first, second)| second - first).collect();
    let summary = Summary::of(&differences)?;
    let p_value = sign_flip(&differences, ROUNDS, seed);
    let detectable = detectable_difference(summary.n, summary.deviation);
    let verdict = match p_value {
        p if p < SIGNIFICANT && summary.mean > 0.0 => "higher",
        p if p < SIGNIFICANT => "lower",
        _ if differences.iter().all(|difference| *difference == 0.0) => "no difference",
        _ => "cannot tell",
    };
    Some(Difference {
        questions: summary.n,
        first: pairs.iter().map(|pair| pair.0).sum::<f64>() / n,
        second: pairs.iter().map(|pair| pair.1).sum::<f64>() / n,
        difference: summary.mean,
        interval: bootstrap_mean(&differences, ROUNDS, seed),
        p_value,
        detectable,
        verdict,
    })
}

/// What the manifests have different; of maps, each name that has.
fn differs(first: &Measured, second: &Measured) -> BTreeMap<String, [String; 2]> {
    let (a, b) = (flat(&first.manifest), flat(&second.manifest));
    let names: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let of = |all: &BTreeMap<String, String>, name: &String| all.get(name).cloned().unwrap_or_default();
    names
        .into_iter()
        .filter(|name| a.get(*name) != b.get(*name))
        .map(|name| (name.clone(), [of(&a, name), of(&b, name)]))
        .collect()
}

fn flat(manifest: &Manifest) -> BTreeMap<String, String> {
    let told = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut flat = BTreeMap::new();
    for (name, value) in serde_json::to_value(manifest).unwrap_or_default().as_object().into_iter().flatten()
    {
        match value {
            Value::Object(map) => {
                flat.extend(map.iter().map(|(inner, value)| (format!("{name}.{inner}"), told(value))));
            }
            other => drop(flat.insert(name.clone(), told(other))),
        }
    }
    flat
}
