//! Learns to tell texts outside the labels from the head's own certainty.

use assay_routing::softmax::{Rejection, certainty, softmax};

use crate::lbfgs::minimise;

/// Weight of all outside texts together, against all texts of the labels together.
const OUTSIDE_SHARE: f64 = 0.25;

/// Fits a logistic model over certainty, then takes the threshold that gets most decisions right: a text of a label
/// accepted and rightly labelled, a text outside rejected; outside texts count [`OUTSIDE_SHARE`] of the others.
pub(crate) fn fit(
    inside: &[Vec<f64>],
    classes: &[usize],
    outside: &[Vec<f64>],
    temperature: f64,
) -> Rejection {
    let features = |logits: &Vec<f64>| certainty(logits, temperature).features();
    let rows: Vec<([f64; 4], bool, bool)> = inside
        .iter()
        .zip(classes)
        .map(|(logits, class)| (features(logits), true, softmax(logits, 1.0).0 == *class))
        .chain(outside.iter().map(|logits| (features(logits), false, false)))
        .collect();
    let weight_in = 1.0 / inside.len().max(1) as f64;
    let weight_out = 1.0 / outside.len().max(1) as f64;
    let (mean, scale) = moments(&rows);
    let loss = |x: &[f64]| {
        let mut value = 0.0;
        let mut gradient = vec![0.0; 5];
        for (features, is_in, _) in &rows {
            let weight = if *is_in { weight_in } else { weight_out };
            let z = (0..4).map(|k| x[k] * (features[k] - mean[k]) / scale[k]).sum::<f64>() + x[4];
            let p = 1.0 / (1.0 + (-z).exp());
            value -= weight * if *is_in { p.max(1e-12).ln() } else { (1.0 - p).max(1e-12).ln() };
            let residual = weight * (p - f64::from(u8::from(*is_in)));
            for k in 0..4 {
                gradient[k] += residual * (features[k] - mean[k]) / scale[k];
            }
            gradient[4] += residual;
        }
        for k in 0..4 {
            value += 0.005 * x[k] * x[k];
            gradient[k] += 0.01 * x[k];
        }
        (value, gradient)
    };
    let (x, _) = minimise(loss, 5, 200);
    let weights: Vec<f64> = (0..4).map(|k| x[k] / scale[k]).collect();
    let value = |features: &[f64; 4]| weights.iter().zip(features).map(|(w, f)| w * f).sum::<f64>();
    let mut scored: Vec<(f64, f64)> = rows
        .iter()
        .map(|(features, is_in, right)| {
            // What is gained by accepting this text.
            let gain = match (is_in, right) {
                (true, true) => weight_in,
                (true, false) => 0.0,
                (false, _) => -OUTSIDE_SHARE * weight_out,
            };
            (value(features), gain)
        })
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (mut gained, mut best, mut threshold) = (0.0, 0.0, f64::MAX);
    for (index, (score, gain)) in scored.iter().enumerate() {
        gained += gain;
        let next = scored.get(index + 1).map_or(score - 1.0, |(next, _)| *next);
        if gained > best && next < *score {
            (best, threshold) = (gained, f64::midpoint(*score, next));
        }
    }
    Rejection { weights, bias: -threshold }
}

fn moments(rows: &[([f64; 4], bool, bool)]) -> ([f64; 4], [f64; 4]) {
    let count = rows.len().max(1) as f64;
    let mut mean = [0.0; 4];
    let mut scale = [1.0; 4];
    for k in 0..4 {
        mean[k] = rows.iter().map(|row| row.0[k]).sum::<f64>() / count;
        let variance = rows.iter().map(|row| (row.0[k] - mean[k]).powi(2)).sum::<f64>() / count;
        scale[k] = variance.sqrt().max(1e-6);
    }
    (mean, scale)
}
