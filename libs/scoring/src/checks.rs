//! The checks themselves, scored on claims that people labelled: what they catch, and what they reject wrongly.

use std::collections::BTreeMap;

use assay_statistics::{auroc, calibration_error, wilson};
use serde::{Deserialize, Serialize};

/// Bins of the calibration error.
const BINS: usize = 15;

/// What people say of an answer.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gold {
    /// Whether everything in it is supported.
    pub supported: bool,
    /// Kind of the case, such as `number_swapped`.
    #[serde(default)]
    pub label: String,
    /// What is not supported: first character, character after the last, kind.
    #[serde(default)]
    pub unsupported: Vec<(u32, u32, String)>,
}

/// What the checks say of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Said {
    /// Claims that were unsupported or contradicted: first character, character after the last.
    pub flagged: Vec<(u32, u32)>,
    /// Probability that every claim is supported.
    pub support: Option<f64>,
}

/// A share with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Part {
    /// The share; none of nothing.
    pub share: Option<f64>,
    /// Cases that count.
    pub of: u64,
    /// Wilson interval at 95 %.
    pub interval: Option<(f64, f64)>,
}

impl Part {
    fn of(count: u64, of: u64) -> Self {
        Self { share: (of > 0).then(|| count as f64 / of as f64), of, interval: wilson(count, of) }
    }
}

/// How good the checks are.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OfChecks {
    /// Answers.
    pub answers: u64,
    /// Unsupported answers of which a claim was flagged where people mark it; anywhere, if they mark nothing.
    pub catch: Part,
    /// Supported answers of which a claim was flagged.
    pub false_rejection: Part,
    /// How often an unsupported answer has less support than a supported one; none where one kind is missing.
    pub auroc: Option<f64>,
    /// Expected calibration error of the support, over 15 bins of equal width.
    pub calibration_error: f64,
    /// Answers that were judged rightly, by label.
    pub labels: BTreeMap<String, Part>,
}

/// Scores what was said against what people say.
#[must_use]
pub fn of_checks(cases: &[(Gold, Said)]) -> OfChecks {
    let count =
        |of: &dyn Fn(&Gold, &Said) -> bool| cases.iter().filter(|(gold, said)| of(gold, said)).count() as u64;
    let unsupported = count(&|gold, _| !gold.supported);
    let supported = count(&|gold, _| gold.supported);
    // An answer without a probability says nothing either way.
    let support = |said: &Said| said.support.unwrap_or(0.5);
    let scored: Vec<(f64, bool)> =
        cases.iter().map(|(gold, said)| (1.0 - support(said), !gold.supported)).collect();
    let predicted: Vec<(f64, bool)> =
        cases.iter().filter_map(|(gold, said)| Some((said.support?, gold.supported))).collect();
    let mut labels: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for (gold, said) in cases {
        let (right, of) = labels.entry(&gold.label).or_default();
        *right += u64::from(is_right(gold, said));
        *of += 1;
    }
    OfChecks {
        answers: cases.len() as u64,
        catch: Part::of(count(&|gold, said| !gold.supported && is_right(gold, said)), unsupported),
        false_rejection: Part::of(count(&|gold, said| gold.supported && !is_right(gold, said)), supported),
        auroc: auroc(&scored),
        calibration_error: calibration_error(&predicted, BINS),
        labels: labels
            .into_iter()
            .map(|(label, (right, of))| (label.to_owned(), Part::of(right, of)))
            .collect(),
    }
}

fn is_right(gold: &Gold, said: &Said) -> bool {
    if gold.supported {
        return said.flagged.is_empty();
    }
    if gold.unsupported.is_empty() {
        return !said.flagged.is_empty();
    }
    let meets = |(start, end): &(u32, u32)| gold.unsupported.iter().any(|(s, e, _)| start < e && end > s);
    said.flagged.iter().any(meets)
}
