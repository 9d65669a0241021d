//! Mean cross-entropy of softmax regression with an L2 penalty, and its gradient.

use crate::softmax::dot;
use crate::train::Rows;

/// Rows that one task takes; fixed, so that sums do not depend on the number of threads.
const BLOCK: usize = 512;

/// Residuals below this do not reach the gradient.
const NEGLIGIBLE: f32 = 1e-6;

/// The function to minimise: `mean(-ln p) + |W|² / (2 c n)`; intercepts are not penalised.
pub(crate) struct Loss<'a> {
    pub(crate) rows: &'a Rows,
    pub(crate) classes: usize,
    pub(crate) dimensions: usize,
    pub(crate) width: usize,
    pub(crate) c: f64,
    pub(crate) threads: usize,
}

impl Loss<'_> {
    /// Parameters are one stretch per class: the weights, then the intercept.
    pub(crate) fn value_and_gradient(&self, parameters: &[f64]) -> (f64, Vec<f64>) {
        let weights: Vec<f32> = parameters.iter().map(|x| *x as f32).collect();
        let count = self.rows.class.len();
        let starts: Vec<usize> = (0..count).step_by(BLOCK).collect();
        let share = starts.len().div_ceil(self.threads.max(1)).max(1);
        let mut loss = 0.0;
        let mut gradient = vec![0.0; parameters.len()];
        let mut add = |blocks: Vec<(f64, Vec<f32>)>| {
            for (value, partial) in blocks {
                loss += value;
                gradient.iter_mut().zip(partial).for_each(|(sum, part)| *sum += f64::from(part));
            }
        };
        if share >= starts.len() {
            for start in &starts {
                add(vec![self.block(&weights, *start)]);
            }
        } else {
            std::thread::scope(|scope| {
                let tasks: Vec<_> = starts
                    .chunks(share)
                    .map(|mine| {
                        let weights = &weights;
                        scope.spawn(move || {
                            mine.iter().map(|start| self.block(weights, *start)).collect::<Vec<_>>()
                        })
                    })
                    .collect();
                for task in tasks {
                    if let Ok(blocks) = task.join() {
                        add(blocks);
                    }
                }
            });
        }
        let mean = 1.0 / count.max(1) as f64;
        let penalty = mean / self.c;
        let mut square = 0.0;
        for (index, (slope, x)) in gradient.iter_mut().zip(parameters).enumerate() {
            *slope *= mean;
            if index % (self.width + 1) != self.width {
                *slope += penalty * x;
                square += x * x;
            }
        }
        (loss * mean + 0.5 * penalty * square, gradient)
    }

    /// Loss and gradient of one block of rows.
    fn block(&self, weights: &[f32], start: usize) -> (f64, Vec<f32>) {
        let stride = self.width + 1;
        let mut gradient = vec![0.0_f32; weights.len()];
        let mut logits = vec![0.0_f32; self.classes];
        let mut loss = 0.0;
        for row in start..(start + BLOCK).min(self.rows.class.len()) {
            let (dense, sparse, class) =
                (&self.rows.dense[row], &self.rows.sparse[row], self.rows.class[row]);
            for (logit, w) in logits.iter_mut().zip(weights.chunks_exact(stride)) {
                let words: f32 =
                    sparse.iter().map(|(at, value)| w[self.dimensions + *at as usize] * value).sum();
                *logit = dot(&w[..self.dimensions], dense) + words + w[self.width];
            }
            let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let sum: f32 = logits.iter().map(|logit| (logit - top).exp()).sum();
            loss += f64::from(sum.ln() + top - logits[class]);
            for (k, g) in gradient.chunks_exact_mut(stride).enumerate() {
                let residual = (logits[k] - top).exp() / sum - f32::from(u8::from(k == class));
                if residual.abs() < NEGLIGIBLE {
                    continue;
                }
                for (g, x) in g[..self.dimensions].iter_mut().zip(dense) {
                    *g += residual * x;
                }
                for (at, value) in sparse {
                    g[self.dimensions + *at as usize] += residual * value;
                }
                g[self.width] += residual;
            }
        }
        (loss, gradient)
    }
}
