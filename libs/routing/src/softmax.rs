//! A trained head: softmax regression over an embedding, hashed n-grams, or both, kept as plain JSON.

use assay_domain::error::{Code, Failure};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::features::{Sparse, lexical};

/// Version of the file format.
pub const FORMAT: u32 = 2;

/// A head over any label set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// Version of the file format.
    pub format: u32,
    /// SHA-256 of this file with an empty checksum, lower-case hex.
    pub checksum: String,
    /// Identity of the embedding model (name and digest); empty if no embedding is used.
    pub embedding: String,
    /// Components of the embedding; 0 if none is used.
    pub dimensions: usize,
    /// Buckets of the hashed n-grams; 0 if none are used.
    pub buckets: u32,
    /// Labels, sorted; the order of every other list.
    pub labels: Vec<String>,
    /// Divides the logits; 1 if never calibrated.
    pub temperature: f64,
    /// How texts outside the labels are told; none if it was not trained to.
    pub rejection: Option<Rejection>,
    /// How it was made and how it did.
    pub report: HeadReport,
    /// One intercept per label.
    pub bias: Vec<f32>,
    /// One row per label: first the embedding's weights, then the buckets'.
    pub weights: Vec<Vec<f32>>,
}

/// A logistic model over the head's own certainty; in scope where its value is not negative.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rejection {
    /// Weights of [`Certainty::features`].
    pub weights: Vec<f64>,
    /// Intercept, with the decision threshold taken off.
    pub bias: f64,
}

impl Rejection {
    /// Whether a text of this certainty is taken for one of the labels.
    #[must_use]
    pub fn accepts(&self, certainty: &Certainty) -> bool {
        self.weights.iter().zip(certainty.features()).map(|(w, x)| w * x).sum::<f64>() + self.bias >= 0.0
    }
}

/// How a head was made and how it did.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeadReport {
    /// Training texts.
    pub trained_on: usize,
    /// SHA-256 over the training texts and labels, lower-case hex.
    pub data_sha256: String,
    /// Inverse of the regularisation strength, as in the usual libraries.
    pub c: f64,
    /// Optimisation steps.
    pub iterations: usize,
    /// Share of training texts that it gets right.
    pub training_accuracy: f64,
    /// Texts that it was calibrated on; held-out folds of the training texts if none were given.
    pub calibrated_on: usize,
    /// Share of those that it gets right.
    pub calibration_accuracy: f64,
    /// Their mean negative log-likelihood after calibration, in nats.
    pub calibration_nll: f64,
    /// Share of texts outside the labels that it rejects, of those it was shown.
    pub outside_recall: Option<f64>,
}

/// What a head says of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// Index of the best label.
    pub best: usize,
    /// Calibrated probability of each label.
    pub probabilities: Vec<f64>,
    /// Whether it takes the text for one of its labels; none where it was not trained to tell.
    pub in_scope: Option<bool>,
}

impl Prediction {
    /// Calibrated probability of the best label.
    #[must_use]
    pub fn probability(&self) -> f64 {
        self.probabilities.get(self.best).copied().unwrap_or(0.0)
    }
}

/// Numbers about the certainty of one prediction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Certainty {
    /// Best calibrated probability.
    pub top: f64,
    /// Difference of the two best logits.
    pub margin: f64,
    /// Best logit.
    pub logit: f64,
    /// Log of the sum of exponentials of the logits.
    pub energy: f64,
}

impl Certainty {
    /// Inputs of the rejection model.
    #[must_use]
    pub fn features(&self) -> [f64; 4] {
        let top = self.top.clamp(1e-9, 1.0 - 1e-9);
        [(top / (1.0 - top)).ln(), self.margin, self.logit, self.energy]
    }
}

impl Head {
    /// Reads a head and refuses one that is damaged, of another format, or inconsistent.
    ///
    /// # Errors
    /// `STORAGE_CORRUPT` with the reason.
    pub fn from_json(json: &str) -> Result<Self, Failure> {
        let corrupt = |why: String| Failure::new(Code::StorageCorrupt, why).field("model");
        let head: Self = serde_json::from_str(json)
            .map_err(|error| corrupt(format!("the routing model is no head file: {error}")))?;
        if head.format != FORMAT {
            return Err(corrupt(format!(
                "the routing model has format {}; this version reads {FORMAT}: train it again",
                head.format
            )));
        }
        if head.checksum != head.digest() {
            return Err(corrupt("the routing model's checksum does not match; train it again".into()));
        }
        let width = head.dimensions + head.buckets as usize;
        let whole = !head.labels.is_empty()
            && head.bias.len() == head.labels.len()
            && head.weights.len() == head.labels.len()
            && head.weights.iter().all(|row| row.len() == width)
            && head.temperature.is_finite()
            && head.temperature > 0.0;
        if whole { Ok(head) } else { Err(corrupt("the routing model's tables do not fit each other".into())) }
    }

    /// The file, checksum included.
    #[must_use]
    pub fn to_json(&self) -> String {
        let sealed = Self { checksum: self.digest(), ..self.clone() };
        serde_json::to_string(&sealed).unwrap_or_default()
    }

    fn digest(&self) -> String {
        let open = Self { checksum: String::new(), ..self.clone() };
        hex::encode(Sha256::digest(serde_json::to_string(&open).unwrap_or_default().as_bytes()))
    }

    /// Refuses to be used with vectors of another model.
    ///
    /// # Errors
    /// `CONFIGURATION` naming both models.
    pub fn check_embedding(&self, embedding: &str) -> Result<(), Failure> {
        if self.dimensions == 0 || self.embedding == embedding {
            return Ok(());
        }
        let text = format!(
            "the routing model was trained on the vectors of `{}`, not of `{embedding}`; train it again",
            self.embedding
        );
        Err(Failure::new(Code::Configuration, text).field("model"))
    }

    /// Classifies a text with its embedding (ignored if the head uses none; missing components count as 0).
    #[must_use]
    pub fn predict(&self, text: &str, vector: &[f32]) -> Prediction {
        let logits = self.logits(vector, &lexical(text, self.buckets));
        let (best, probabilities) = softmax(&logits, self.temperature);
        let in_scope =
            self.rejection.as_ref().map(|rejection| rejection.accepts(&certainty(&logits, self.temperature)));
        Prediction { best, probabilities, in_scope }
    }

    /// Logits before calibration.
    #[must_use]
    pub fn logits(&self, vector: &[f32], sparse: &Sparse) -> Vec<f64> {
        let dense = &vector[..vector.len().min(self.dimensions)];
        self.weights
            .iter()
            .zip(&self.bias)
            .map(|(row, bias)| {
                let of_vector = dot(&row[..dense.len()], dense);
                let of_words: f32 = sparse
                    .iter()
                    .filter_map(|(bucket, value)| {
                        row.get(self.dimensions + *bucket as usize).map(|w| w * value)
                    })
                    .sum();
                f64::from(of_vector + of_words + bias)
            })
            .collect()
    }
}

/// Index of the best class and all probabilities at a temperature.
#[must_use]
pub fn softmax(logits: &[f64], temperature: f64) -> (usize, Vec<f64>) {
    let mut best = 0;
    for (index, logit) in logits.iter().enumerate() {
        if *logit > logits[best] {
            best = index;
        }
    }
    let top = logits.get(best).copied().unwrap_or(0.0);
    let scaled: Vec<f64> = logits.iter().map(|logit| ((logit - top) / temperature).exp()).collect();
    let sum: f64 = scaled.iter().sum();
    (best, scaled.into_iter().map(|value| value / sum).collect())
}

/// Certainty of a prediction from its logits.
#[must_use]
pub fn certainty(logits: &[f64], temperature: f64) -> Certainty {
    let (best, probabilities) = softmax(logits, temperature);
    let logit = logits.get(best).copied().unwrap_or(0.0);
    let second = logits
        .iter()
        .enumerate()
        .filter(|(index, _)| *index != best)
        .map(|(_, l)| *l)
        .fold(f64::NEG_INFINITY, f64::max);
    let margin = if second.is_finite() { logit - second } else { 0.0 };
    let energy = logit + logits.iter().map(|l| (l - logit).exp()).sum::<f64>().ln();
    Certainty { top: probabilities.get(best).copied().unwrap_or(0.0), margin, logit, energy }
}

/// Dot product in sixteen lanes, which the compiler turns into vector instructions.
#[must_use]
pub(crate) fn dot(left: &[f32], right: &[f32]) -> f32 {
    let mut lanes = [0.0_f32; 16];
    let (a, b) = (left.chunks_exact(16), right.chunks_exact(16));
    let rest: f32 = a.remainder().iter().zip(b.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a.zip(b) {
        for lane in 0..16 {
            lanes[lane] += x[lane] * y[lane];
        }
    }
    lanes.iter().sum::<f32>() + rest
}
