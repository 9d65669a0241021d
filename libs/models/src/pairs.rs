//! Scores pairs of texts by entailment: does the premise say what the hypothesis says?

use crate::engine::{Answer, Engine};
use crate::{Error, Files, Limits, Stop};
use std::path::Path;

/// What is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair<'a> {
    /// The text that is taken as true: evidence.
    pub premise: &'a str,
    /// The text that it may entail: a claim.
    pub hypothesis: &'a str,
}

/// The model's raw outputs, sorted by meaning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Logits {
    /// A model that tells entailment from everything else.
    Two {
        /// The premise says it.
        entailment: f32,
        /// It does not: no relation or contradiction.
        other: f32,
    },
    /// A model of natural language inference.
    Three {
        /// The premise says it.
        entailment: f32,
        /// The premise leaves it open.
        neutral: f32,
        /// The premise says otherwise.
        contradiction: f32,
    },
}

/// What a model says of a pair.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entailment {
    /// Raw outputs.
    pub logits: Logits,
    /// Log-odds of entailment against all else: entailment − other, or entailment − ln(eⁿᵉᵘᵗʳᵃˡ + eᶜᵒⁿᵗʳᵃᵈⁱᶜᵗⁱᵒⁿ).
    pub difference: f64,
    /// Probability of contradiction, 0 to 1; three labels only.
    pub contradiction: Option<f64>,
}

impl From<Logits> for Entailment {
    fn from(logits: Logits) -> Self {
        match logits {
            Logits::Two { entailment, other } => {
                let difference = f64::from(entailment) - f64::from(other);
                Self { logits, difference, contradiction: None }
            }
            Logits::Three { entailment, neutral, contradiction } => {
                let [e, n, c] = [entailment, neutral, contradiction].map(f64::from);
                let difference = e - log_sum(n, c);
                let contradiction = Some((c - log_sum(log_sum(e, n), c)).exp());
                Self { logits, difference, contradiction }
            }
        }
    }
}

/// ln(eᵃ + eᵇ) without overflow.
fn log_sum(a: f64, b: f64) -> f64 {
    a.max(b) + (-(a - b).abs()).exp().ln_1p()
}

/// Place of each meaning among the outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Two { entailment: usize, other: usize },
    Three { entailment: usize, neutral: usize, contradiction: usize },
}

/// What a label means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Entailment,
    Neutral,
    Contradiction,
    /// Not entailed, in models of two labels.
    Other,
}

impl Meaning {
    /// Meaning of a name as published models write it.
    fn of(label: &str) -> Option<Self> {
        let label = label.to_lowercase().replace(['-', ' '], "_");
        match label.as_str() {
            "entailment" | "entailed" | "entails" | "e" => Some(Self::Entailment),
            "supported" | "supports" | "consistent" | "factual" | "grounded" => Some(Self::Entailment),
            "neutral" | "n" => Some(Self::Neutral),
            "contradiction" | "contradictory" | "contradicts" | "c" => Some(Self::Contradiction),
            "refuted" | "refutes" => Some(Self::Contradiction),
            "not_entailment" | "not_entailed" | "non_entailment" | "no_entailment" => Some(Self::Other),
            "not_supported" | "unsupported" | "inconsistent" | "hallucinated" | "hallucination" => {
                Some(Self::Other)
            }
            _ => None,
        }
    }
}

/// Whether these are the labels of an entailment model.
pub(crate) fn entails(labels: &[String]) -> bool {
    Order::of(labels, None).is_ok()
}

impl Order {
    fn of(labels: &[String], path: Option<&Path>) -> Result<Self, Error> {
        let place = |wanted| labels.iter().position(|label| Meaning::of(label) == Some(wanted));
        let entailment = place(Meaning::Entailment);
        let (neutral, contradiction) = (place(Meaning::Neutral), place(Meaning::Contradiction));
        let other = place(Meaning::Other).or(contradiction);
        match (labels.len(), entailment, neutral, contradiction, other) {
            (3, Some(entailment), Some(neutral), Some(contradiction), _) => {
                Ok(Self::Three { entailment, neutral, contradiction })
            }
            (2, Some(entailment), _, _, Some(other)) => Ok(Self::Two { entailment, other }),
            _ => {
                let path = path.map_or_else(|| "config.json".into(), Path::to_owned);
                let why = format!(
                    "`id2label` names {labels:?}; an entailment model has `entailment`, `neutral`, \
                     `contradiction`, or `entailment` and `not_entailment`"
                );
                Err(Error::Labels { path, why })
            }
        }
    }

    fn count(self) -> usize {
        match self {
            Self::Two { .. } => 2,
            Self::Three { .. } => 3,
        }
    }

    fn read(self, answer: Answer<'_>) -> Result<Entailment, Error> {
        let wrong = || {
            let expected = format!("[batch, {}], one value a label of config.json", self.count());
            Error::Output { found: answer.shape.to_vec(), expected }
        };
        if *answer.shape != [self.count()] {
            return Err(wrong());
        }
        let at = |place: usize| answer.values.get(place).copied().ok_or_else(wrong);
        let logits = match self {
            Self::Two { entailment, other } => Logits::Two { entailment: at(entailment)?, other: at(other)? },
            Self::Three { entailment, neutral, contradiction } => Logits::Three {
                entailment: at(entailment)?,
                neutral: at(neutral)?,
                contradiction: at(contradiction)?,
            },
        };
        Ok(logits.into())
    }
}

/// A loaded entailment model.
#[derive(Debug)]
pub struct PairScorer {
    engine: Engine,
    order: Order,
}

impl PairScorer {
    /// Loads the model and runs it once, so that what cannot work shows now.
    ///
    /// # Errors
    /// Names the file that lacks or is wrong; [`Error::Labels`] if `config.json` does not name the outputs.
    pub fn load(files: &Files, limits: Limits) -> Result<Self, Error> {
        if files.config.is_none() {
            let folder = files.model.parent().map(Path::to_owned).unwrap_or_default();
            return Err(Error::Missing { what: "config.json", folder });
        }
        let engine = Engine::load(files, limits)?;
        let path = files.config.as_deref();
        let order = Order::of(&engine.config().labels(path)?, path)?;
        let loaded = Self { engine, order };
        loaded.score(&[Pair { premise: "a", hypothesis: "a" }], &|| false)?;
        Ok(loaded)
    }

    /// SHA-256 of the model file, lower-case hex.
    #[must_use]
    pub fn digest(&self) -> &str {
        self.engine.digest()
    }

    /// Number of labels: two or three.
    #[must_use]
    pub fn labels(&self) -> usize {
        self.order.count()
    }

    /// What the model says of each pair, in order. The longer text of a pair is cut first.
    ///
    /// # Errors
    /// [`Error::Stopped`] when `stop` says so before a batch; else what the tokenizer or the model said.
    pub fn score(&self, pairs: &[Pair<'_>], stop: Stop<'_>) -> Result<Vec<Entailment>, Error> {
        let inputs = pairs.iter().map(|pair| (pair.premise, pair.hypothesis).into());
        let inputs = self.engine.encode(inputs, stop)?;
        self.engine.run(&inputs, stop, |answer| self.order.read(answer))
    }
}
