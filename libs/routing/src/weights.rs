//! What weighs in a head's decision between two labels.

use crate::features::{lexical, names};
use crate::softmax::{Head, dot};

/// A part of a text, and what it adds to the logit of one label over another.
#[derive(Debug, Clone, PartialEq)]
pub struct Weight {
    /// The n-grams that share a bucket, or `embedding`, or `always` for the intercepts.
    pub part: String,
    /// Added to the difference of the logits.
    pub value: f32,
}

/// All parts, the largest effect first; their sum is the difference of the logits of two labels, by index.
#[must_use]
pub fn weights(head: &Head, text: &str, vector: &[f32], of: usize, over: usize) -> Vec<Weight> {
    let (Some(a), Some(b)) = (head.weights.get(of), head.weights.get(over)) else { return Vec::new() };
    let dense = &vector[..vector.len().min(head.dimensions)];
    let names = names(text, head.buckets);
    let mut all: Vec<Weight> = lexical(text, head.buckets)
        .into_iter()
        .map(|(bucket, value)| {
            let at = head.dimensions + bucket as usize;
            let part = names.get(&bucket).map(|names| names.join(" | ")).unwrap_or_default();
            Weight { part, value: (a[at] - b[at]) * value }
        })
        .collect();
    if !dense.is_empty() {
        let value = dot(&a[..dense.len()], dense) - dot(&b[..dense.len()], dense);
        all.push(Weight { part: "embedding".into(), value });
    }
    all.push(Weight { part: "always".into(), value: head.bias[of] - head.bias[over] });
    all.sort_by(|a, b| b.value.abs().total_cmp(&a.value.abs()));
    all
}
