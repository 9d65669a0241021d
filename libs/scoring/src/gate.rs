//! Figures against thresholds: a run passes if every one holds. What was not computed holds nothing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::figure::Figure;
use crate::report::Report;

/// A file of thresholds.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thresholds {
    /// Demand a binding run.
    #[serde(default)]
    pub binding: bool,
    /// Bounds by name of a figure, `raw.NAME`, `category.CATEGORY.NAME`, `latency_ms.p50`, `.p95` or `.max`.
    #[serde(default)]
    pub figures: BTreeMap<String, Bound>,
}

/// Bounds of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bound {
    /// Smallest value.
    pub min: Option<f64>,
    /// Largest value.
    pub max: Option<f64>,
    /// Hold the nearer end of the interval against them instead of the mean, so that luck does not pass.
    #[serde(default)]
    pub interval: bool,
}

/// Whether the run passes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verdicted {
    /// Whether everything holds.
    pub passed: bool,
    /// Bounds that were looked at.
    pub bounds: usize,
    /// What does not hold, a sentence each.
    pub failures: Vec<String>,
}

impl Thresholds {
    /// Reads a TOML file.
    ///
    /// # Errors
    /// What is wrong, with its place.
    pub fn read(text: &str) -> Result<Self, String> {
        let read: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        if let Some((name, _)) =
            read.figures.iter().find(|(_, bound)| bound.min.is_none() && bound.max.is_none())
        {
            return Err(format!("figures.{name}: set min or max"));
        }
        if read.figures.is_empty() && !read.binding {
            return Err("no threshold is set: add one under [figures], or binding = true".into());
        }
        Ok(read)
    }
}

/// Holds a report against thresholds.
#[must_use]
pub fn gate(report: &Report, thresholds: &Thresholds) -> Verdicted {
    let mut failures = Vec::new();
    if report.outstanding > 0 {
        failures.push(format!("the run is not complete: {} answers are missing", report.outstanding));
    }
    if thresholds.binding && report.standing != "BINDING" {
        failures.push(format!("the run is not binding: {}", report.missing_for_binding.join("; ")));
    }
    for (name, bound) in &thresholds.figures {
        failures.extend(against(report, name, *bound));
    }
    Verdicted { passed: failures.is_empty(), bounds: thresholds.figures.len(), failures }
}

fn against(report: &Report, name: &str, bound: Bound) -> Vec<String> {
    let (low, high) = match values(report, name) {
        Ok(Some((value, _))) if !bound.interval => (value, value),
        Ok(Some((_, Some((low, high))))) => (low, high),
        Ok(Some((_, None))) => return vec![format!("{name} has no interval")],
        Ok(None) => return vec![format!("{name} was not computed")],
        Err(known) => {
            return vec![format!("{name} is no figure of the report; there are {}", known.join(", "))];
        }
    };
    let mut failures = Vec::new();
    if let Some(min) = bound.min.filter(|min| low < *min) {
        failures.push(format!("{name} is {low:.4}, below {min}"));
    }
    if let Some(max) = bound.max.filter(|max| high > *max) {
        failures.push(format!("{name} is {high:.4}, above {max}"));
    }
    failures
}

type Found = Option<(f64, Option<(f64, f64)>)>;

/// Value and interval of a figure; the known names for an unknown one.
fn values(report: &Report, name: &str) -> Result<Found, Vec<String>> {
    let of = |figure: &Figure| figure.value.map(|value| (value, figure.interval));
    if let Some(index) =
        ["latency_ms.p50", "latency_ms.p95", "latency_ms.max"].iter().position(|known| *known == name)
    {
        return Ok(report.latency_ms.map(|all| (all[index], None)));
    }
    let found = match name.split('.').collect::<Vec<_>>().as_slice() {
        [name] => report.figures.get(*name),
        ["raw", name] => report.raw.get(*name),
        ["category", category, name] => report.categories.get(*category).and_then(|all| all.get(*name)),
        _ => None,
    };
    found.map(of).ok_or_else(|| report.figures.keys().cloned().collect())
}
