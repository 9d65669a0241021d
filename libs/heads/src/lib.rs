//! Trains routing heads: L2-regularised softmax regression by L-BFGS, temperature calibration, rejection.
//!
//! Pure, and deterministic: the same examples give the same bytes, however many threads help. Absent: embedding of
//! texts, and the file and the inference of a head (`assay-routing`).

pub mod drift;
pub mod eval;
mod lbfgs;
mod loss;
pub mod promotions;
mod reject;
pub mod seed;

use assay_domain::error::{Code, Failure};
use sha2::{Digest as _, Sha256};

use assay_routing::features::{Sparse, lexical};
use assay_routing::softmax::{FORMAT, Head, HeadReport, certainty, softmax};

/// A labelled text with its embedding (empty if the head uses none).
#[derive(Debug, Clone, PartialEq)]
pub struct Example {
    /// The text.
    pub text: String,
    /// Its label.
    pub label: String,
    /// Its embedding.
    pub vector: Vec<f32>,
}

/// How to train.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Buckets of hashed n-grams; 0 trains on embeddings alone.
    pub buckets: u32,
    /// Inverse of the regularisation strength.
    pub c: f64,
    /// Whether every class counts the same, whatever its number of texts.
    pub balanced: bool,
    /// Most optimisation steps; fewer are taken where the loss has converged.
    pub max_iterations: usize,
    /// Threads that compute losses, at least 1.
    pub threads: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { buckets: 0, c: 20.0, balanced: false, max_iterations: 120, threads: 1 }
    }
}

/// Rows of features with their classes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rows {
    pub(crate) dense: Vec<Vec<f32>>,
    pub(crate) sparse: Vec<Sparse>,
    pub(crate) class: Vec<usize>,
}

/// Folds of the training texts that stand in for a validation set.
const FOLDS: usize = 5;

/// Trains a head. Its temperature is fitted on `validation`, or on held-out folds of the examples if that is empty;
/// `outside` are texts of no label, from which it learns to reject.
///
/// # Errors
/// `INVALID_ARGUMENT` for fewer than two labels, vectors of different lengths, or labels of `validation` that
/// training does not know.
pub fn train(
    examples: &[Example],
    validation: &[Example],
    outside: &[Example],
    embedding: &str,
    settings: Settings,
) -> Result<Head, Failure> {
    let bad = |text: String| Failure::new(Code::InvalidArgument, text);
    let mut labels: Vec<String> = examples.iter().map(|example| example.label.clone()).collect();
    labels.sort();
    labels.dedup();
    if labels.len() < 2 {
        return Err(bad("a head needs examples of at least two labels".into()).field("data"));
    }
    let dimensions = examples.first().map_or(0, |example| example.vector.len());
    if dimensions == 0 && settings.buckets == 0 {
        return Err(bad("a head needs embeddings, buckets of n-grams or both".into()).field("buckets"));
    }
    if let Some(odd) = examples.iter().chain(validation).chain(outside).find(|e| e.vector.len() != dimensions)
    {
        return Err(bad(format!("`{}` has a vector of another length", odd.text)));
    }
    if let Some(odd) = validation.iter().find(|example| labels.binary_search(&example.label).is_err()) {
        return Err(
            bad(format!("label `{}` occurs in the calibration set only", odd.label)).field("calibrate")
        );
    }
    let rows = rows(examples, &labels, settings.buckets);
    let (mut head, iterations) = fit(&rows, &labels, dimensions, settings);
    head.embedding = if dimensions > 0 { embedding.to_owned() } else { String::new() };

    let (logits, classes) = if validation.is_empty() {
        held_out(&rows, &labels, dimensions, settings)
    } else {
        let rows = self::rows(validation, &labels, settings.buckets);
        (all_logits(&head, &rows), rows.class)
    };
    head.temperature = temperature(&logits, &classes);
    let outside = self::rows(outside, &labels, settings.buckets);
    if !outside.dense.is_empty() {
        head.rejection = Some(reject::fit(&logits, &classes, &all_logits(&head, &outside), head.temperature));
    }
    head.report = HeadReport {
        trained_on: examples.len(),
        data_sha256: digest(examples),
        c: settings.c,
        iterations,
        training_accuracy: accuracy(&all_logits(&head, &rows), &rows.class),
        calibrated_on: classes.len(),
        calibration_accuracy: accuracy(&logits, &classes),
        calibration_nll: nll(&logits, &classes, head.temperature),
        outside_recall: head.rejection.as_ref().map(|rejection| {
            let rejected = all_logits(&head, &outside)
                .iter()
                .filter(|logits| !rejection.accepts(&certainty(logits, head.temperature)))
                .count();
            rejected as f64 / outside.dense.len() as f64
        }),
    };
    Ok(head)
}

fn rows(examples: &[Example], labels: &[String], buckets: u32) -> Rows {
    Rows {
        dense: examples.iter().map(|example| example.vector.clone()).collect(),
        sparse: examples.iter().map(|example| lexical(&example.text, buckets)).collect(),
        class: examples.iter().map(|example| labels.binary_search(&example.label).unwrap_or(0)).collect(),
    }
}

fn fit(rows: &Rows, labels: &[String], dimensions: usize, settings: Settings) -> (Head, usize) {
    let width = dimensions + settings.buckets as usize;
    let loss = loss::Loss {
        rows,
        classes: labels.len(),
        dimensions,
        width,
        c: settings.c,
        class_weights: class_weights(&rows.class, labels.len(), settings.balanced),
        threads: settings.threads,
    };
    let (parameters, iterations) =
        lbfgs::minimise(|x| loss.value_and_gradient(x), labels.len() * (width + 1), settings.max_iterations);
    let stride = width + 1;
    let head = Head {
        format: FORMAT,
        checksum: String::new(),
        embedding: String::new(),
        dimensions,
        buckets: settings.buckets,
        labels: labels.to_vec(),
        temperature: 1.0,
        rejection: None,
        report: HeadReport::default(),
        bias: parameters.chunks(stride).map(|row| rounded(row[width])).collect(),
        weights: parameters
            .chunks(stride)
            .map(|row| row[..width].iter().map(|w| rounded(*w)).collect())
            .collect(),
    };
    (head, iterations)
}

/// 1 for every class, or texts / (classes · texts of the class).
fn class_weights(class: &[usize], classes: usize, balanced: bool) -> Vec<f32> {
    let mut weights = vec![1.0; classes];
    if balanced {
        for (index, weight) in weights.iter_mut().enumerate() {
            let count = class.iter().filter(|class| **class == index).count().max(1);
            *weight = class.len() as f32 / (classes * count) as f32;
        }
    }
    weights
}

/// A weight to four decimals, so that a file of n-grams stays small.
fn rounded(weight: f64) -> f32 {
    ((weight * 1e4).round() / 1e4) as f32
}

/// Logits of every row by a head that did not see it; rows go to folds by their place within their class.
fn held_out(
    rows: &Rows,
    labels: &[String],
    dimensions: usize,
    settings: Settings,
) -> (Vec<Vec<f64>>, Vec<usize>) {
    let mut seen = vec![0_usize; labels.len()];
    let folds: Vec<usize> = rows
        .class
        .iter()
        .map(|class| {
            seen[*class] += 1;
            (seen[*class] - 1) % FOLDS
        })
        .collect();
    let mut logits = vec![Vec::new(); rows.class.len()];
    for fold in 0..FOLDS {
        let mut kept = Rows::default();
        for (index, at) in folds.iter().enumerate() {
            if *at != fold {
                kept.dense.push(rows.dense[index].clone());
                kept.sparse.push(rows.sparse[index].clone());
                kept.class.push(rows.class[index]);
            }
        }
        if kept.class.is_empty() {
            continue;
        }
        let (head, _) = fit(&kept, labels, dimensions, settings);
        for (index, at) in folds.iter().enumerate() {
            if *at == fold {
                logits[index] = head.logits(&rows.dense[index], &rows.sparse[index]);
            }
        }
    }
    (logits, rows.class.clone())
}

fn all_logits(head: &Head, rows: &Rows) -> Vec<Vec<f64>> {
    rows.dense.iter().zip(&rows.sparse).map(|(dense, sparse)| head.logits(dense, sparse)).collect()
}

/// Temperature of least negative log-likelihood, by golden section over its logarithm (Guo et al. 2017).
fn temperature(logits: &[Vec<f64>], classes: &[usize]) -> f64 {
    let ratio = (5.0_f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (0.02_f64.ln(), 20.0_f64.ln());
    let loss = |log: f64| nll(logits, classes, log.exp());
    let (mut a, mut b) = (high - ratio * (high - low), low + ratio * (high - low));
    let (mut at_a, mut at_b) = (loss(a), loss(b));
    for _ in 0..40 {
        if at_a <= at_b {
            (high, b, at_b) = (b, a, at_a);
            a = high - ratio * (high - low);
            at_a = loss(a);
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = low + ratio * (high - low);
            at_b = loss(b);
        }
    }
    f64::midpoint(low, high).exp()
}

fn nll(logits: &[Vec<f64>], classes: &[usize], temperature: f64) -> f64 {
    let sum: f64 = logits
        .iter()
        .zip(classes)
        .map(|(logits, class)| {
            -softmax(logits, temperature).1.get(*class).copied().unwrap_or(1e-12).max(1e-12).ln()
        })
        .sum();
    sum / classes.len().max(1) as f64
}

fn accuracy(logits: &[Vec<f64>], classes: &[usize]) -> f64 {
    let right =
        logits.iter().zip(classes).filter(|(logits, class)| softmax(logits, 1.0).0 == **class).count();
    right as f64 / classes.len().max(1) as f64
}

/// SHA-256 over labels and texts.
pub(crate) fn digest(examples: &[Example]) -> String {
    let mut hash = Sha256::new();
    for example in examples {
        for part in [&example.label, &example.text] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
    }
    hex::encode(hash.finalize())
}
