//! Joins the score of a model with the word measures of a claim: one logistic regression a model, as data.
//!
//! A join belongs to one model file, by its SHA-256. Some are shipped ([`shipped`]); a user's own lies beside the model.

mod fit;

pub use fit::{Row, fit};

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::model::Bars;
use crate::policy::FalseRejection;

/// Greatest log-odds, and greatest difference of logits, that counts.
const MOST: f64 = 12.0;
/// Least probability whose log-odds count, of ours and of what a model flags.
const LEAST: f64 = 1e-4;

/// What a model said of a claim held against its best sentence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Said {
    /// Two labels: logit of entailment less that of the other one.
    Two {
        /// The difference.
        difference: f64,
    },
    /// Three labels: their logits.
    Three {
        /// Of entailment.
        entailment: f64,
        /// Of neither.
        neutral: f64,
        /// Of contradiction.
        contradiction: f64,
    },
    /// A token classifier: the greatest probability, 0 to 1, of a stretch of the claim that nothing supports.
    Flagged {
        /// The probability; 0 where nothing was flagged.
        probability: f64,
    },
    /// A language model: whether the passages state the claim.
    Answer(bool),
}

/// A measure that a join may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Measure {
    /// Log-odds of the probability that words give.
    Own,
    /// [`Said::Two`].
    Difference,
    /// Logit of entailment less the mean of the three.
    Entailment,
    /// The same of neither.
    Neutral,
    /// The same of contradiction.
    Contradiction,
    /// Log-odds of [`Said::Flagged`].
    Flagged,
}

/// One summand of a join: a measure, or how far it is above or below a place, times its weight.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Term {
    /// The measure.
    pub of: Measure,
    /// Count only what is above this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<f64>,
    /// Count only what is below this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<f64>,
    /// Its weight.
    pub weight: f64,
}

/// Between which probabilities of words a claim is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// From this one.
    pub from: f64,
    /// Up to this one.
    pub to: f64,
}

/// When the model says that the source says otherwise, so surely that the claim is contradicted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contradiction {
    /// The measure.
    pub of: Measure,
    /// It must be above this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<f64>,
    /// It must be below this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub below: Option<f64>,
    /// Share of what it fired on, when it was fitted, that was false.
    pub precision: f64,
    /// How often it fired then.
    pub fired: usize,
}

/// What a join was fitted on.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FittedOn {
    /// Pairs.
    pub pairs: usize,
    /// Those whose claim the sources support.
    pub supported: usize,
    /// SHA-256 of the file that held them, lower-case hex.
    pub sha256: String,
}

/// The join of one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Join {
    /// SHA-256 of the model file, lower-case hex.
    pub model: String,
    /// Name of the model, for people.
    pub name: String,
    /// Languages of claims that it may be asked about, by code; empty for any.
    #[serde(default)]
    pub languages: Vec<String>,
    /// The summands.
    pub terms: Vec<Term>,
    /// Added to the sum.
    pub bias: f64,
    /// Which claims are asked about.
    pub ask: Ask,
    /// Bars on the joined probability; the policy chooses one.
    pub bars: Bars,
    /// When it contradicts; none where it never does so surely enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contradiction: Option<Contradiction>,
    /// What it was fitted on.
    pub fitted_on: FittedOn,
}

/// The shipped joins.
static SHIPPED: LazyLock<Vec<Join>> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../data/joins.json")).unwrap_or_default());

/// The shipped join of a model, by the SHA-256 of its file.
#[must_use]
pub fn shipped(sha256: &str) -> Option<&'static Join> {
    SHIPPED.iter().find(|join| join.model.eq_ignore_ascii_case(sha256))
}

/// Log-odds, bounded.
pub(crate) fn logit(probability: f64) -> f64 {
    let p = probability.clamp(LEAST, 1.0 - LEAST);
    (p / (1.0 - p)).ln()
}

pub(crate) fn sigmoid(sum: f64) -> f64 {
    1.0 / (1.0 + (-sum).exp())
}

/// How far a value is above or below a place; itself where no place is named.
fn beyond(value: f64, above: Option<f64>, below: Option<f64>) -> f64 {
    match (above, below) {
        (Some(above), _) => (value - above).max(0.0),
        (None, Some(below)) => (below - value).max(0.0),
        (None, None) => value,
    }
}

// === impl Measure ===

impl Measure {
    /// Its value; none where the model does not give it, or gives no number.
    #[must_use]
    pub fn value(self, own: f64, said: Said) -> Option<f64> {
        let value = match (self, said) {
            (Self::Own, _) => logit(own),
            (Self::Difference, Said::Two { difference }) => difference,
            (Self::Flagged, Said::Flagged { probability }) => logit(probability),
            (_, Said::Three { entailment, neutral, contradiction }) => {
                let mean = (entailment + neutral + contradiction) / 3.0;
                match self {
                    Self::Entailment => entailment - mean,
                    Self::Neutral => neutral - mean,
                    Self::Contradiction => contradiction - mean,
                    _ => return None,
                }
            }
            _ => return None,
        };
        value.is_finite().then(|| value.clamp(-MOST, MOST))
    }
}

// === impl Said ===

impl Said {
    /// Whether the model by itself speaks against the claim: its likeliest label is not that the source says so, nor that
    /// it says neither.
    #[must_use]
    pub fn against(self) -> bool {
        match self {
            Self::Two { difference } => difference < 0.0,
            Self::Three { entailment, neutral, contradiction } => contradiction > entailment.max(neutral),
            Self::Flagged { probability } => probability >= 0.5,
            Self::Answer(supported) => !supported,
        }
    }

    /// In words, for people: `entailment 0.12, neutral 0.20, contradiction 0.68`.
    #[must_use]
    pub fn told(self) -> String {
        match self {
            Self::Two { difference } => format!("entailment {:.2}", sigmoid(difference)),
            Self::Three { entailment, neutral, contradiction } => {
                let most = entailment.max(neutral).max(contradiction);
                let parts = [entailment, neutral, contradiction].map(|logit| (logit - most).exp());
                let sum: f64 = parts.iter().sum();
                let [e, n, c] = parts.map(|part| part / sum);
                format!("entailment {e:.2}, neutral {n:.2}, contradiction {c:.2}")
            }
            Self::Flagged { probability } => format!("unsupported stretch {probability:.2}"),
            Self::Answer(supported) => (if supported { "yes" } else { "no" }).to_owned(),
        }
    }
}

// === impl Join ===

impl Join {
    /// Reads a join and refuses one that cannot work.
    ///
    /// # Errors
    /// What is wrong, with the field.
    pub fn parse(text: &str) -> Result<Self, String> {
        let join: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        join.check()?;
        Ok(join)
    }

    /// Whether its figures can work.
    ///
    /// # Errors
    /// What is wrong, with the field.
    pub fn check(&self) -> Result<(), String> {
        let share = |field: &str, value: f64| match (0.0..=1.0).contains(&value) {
            true => Ok(()),
            false => Err(format!("{field} is {value}; give 0 to 1")),
        };
        share("ask.from", self.ask.from)?;
        share("ask.to", self.ask.to)?;
        share("bars.fr_1", self.bars.fr_1)?;
        share("bars.fr_3", self.bars.fr_3)?;
        share("bars.fr_5", self.bars.fr_5)?;
        if self.ask.from > self.ask.to {
            return Err(format!("ask.from is {}, above ask.to {}", self.ask.from, self.ask.to));
        }
        if self.terms.is_empty() {
            return Err("terms is empty; a join without any says nothing".to_owned());
        }
        let places = |term: &Term| [term.above, term.below, Some(term.weight)];
        let mut numbers = self.terms.iter().flat_map(places).flatten().chain([self.bias]);
        if !numbers.all(f64::is_finite) {
            return Err("terms and bias must be numbers".to_owned());
        }
        if self.terms.iter().any(|term| term.above.is_some() && term.below.is_some()) {
            return Err("a term has `above` or `below`, not both".to_owned());
        }
        match self.contradiction {
            Some(
                Contradiction { above: Some(_), below: Some(_), .. }
                | Contradiction { above: None, below: None, .. },
            ) => Err("contradiction needs `above` or `below`, one of them".to_owned()),
            _ => Ok(()),
        }
    }

    /// The joined probability of words, 0 to 1, and of what the model said; none where the model does not give what the
    /// join asks for.
    #[must_use]
    pub fn probability(&self, own: f64, said: Said) -> Option<f64> {
        let term =
            |term: &Term| Some(term.weight * beyond(term.of.value(own, said)?, term.above, term.below));
        let sum: Option<f64> = self.terms.iter().map(term).sum();
        sum.map(|sum| sigmoid(sum + self.bias))
    }

    /// Whether what the model said is a contradiction, sure enough.
    #[must_use]
    pub fn contradicts(&self, said: Said) -> bool {
        self.contradiction.is_some_and(|bar| {
            let value = bar.of.value(0.5, said);
            value.is_some_and(|value| {
                bar.above.is_some_and(|above| value > above) || bar.below.is_some_and(|below| value < below)
            })
        })
    }

    /// The bar of a joined probability.
    #[must_use]
    pub fn bar(&self, share: FalseRejection) -> f64 {
        share.bar(self.bars)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const TEXT: &str = r#"{"model": "ab", "name": "m", "terms": [{"of": "own", "weight": 1.0},
        {"of": "difference", "above": 0.5, "weight": -1.0}, {"of": "difference", "below": 0.5, "weight": -0.5}],
        "bias": 0.0, "ask": {"from": 0.05, "to": 0.9}, "bars": {"fr_1": 0.1, "fr_3": 0.2, "fr_5": 0.3},
        "contradiction": {"of": "difference", "above": 4.0, "precision": 0.95, "fired": 30},
        "fitted_on": {"pairs": 100, "supported": 50, "sha256": ""}}"#;

    #[test]
    fn the_shipped_joins_read_and_can_work() {
        let joins: Vec<Join> = serde_json::from_str(include_str!("../../data/joins.json")).unwrap();
        assert_eq!(joins.len(), SHIPPED.len());
        for join in joins {
            assert_eq!(join.check(), Ok(()), "{}", join.name);
        }
    }

    #[test]
    fn a_term_may_count_only_what_is_beyond_a_place() {
        let join = Join::parse(TEXT).unwrap();
        let joined = |difference: f64| join.probability(0.6, Said::Two { difference }).unwrap();
        assert!((joined(0.5) - 0.6).abs() < 1e-9, "at the place nothing is added");
        assert!(joined(3.0) < joined(-2.0) && joined(-2.0) < 0.6);
        assert!(join.contradicts(Said::Two { difference: 4.1 }));
        assert!(!join.contradicts(Said::Two { difference: 4.0 }));
    }

    #[test]
    fn model_without_the_measures_is_not_joined() {
        let join = Join::parse(TEXT).unwrap();
        let three = Said::Three { entailment: 1.0, neutral: 0.0, contradiction: 5.0 };
        assert_eq!(join.probability(0.6, three), None);
        assert!(!join.contradicts(three));
        assert_eq!(join.probability(0.6, Said::Two { difference: f64::NAN }), None);
    }

    #[test]
    fn a_join_that_cannot_work_is_refused_with_its_field() {
        for (from, to, field) in [
            (r#""from": 0.05"#, r#""from": 0.95"#, "ask.from"),
            (r#""fr_3": 0.2"#, r#""fr_3": 2"#, "bars.fr_3"),
            (r#""above": 4.0, "#, "", "contradiction"),
            (r#""above": 0.5"#, r#""above": 0.5, "below": 1.0"#, "above"),
            (r#""bias""#, r#""bia""#, "bia"),
        ] {
            let error = Join::parse(&TEXT.replacen(from, to, 1)).unwrap_err();
            assert!(error.contains(field), "{error}");
        }
    }
}
