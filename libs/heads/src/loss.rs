//! Mean cross-entropy of softmax regression with an L2 penalty, and its gradient.

use crate::Rows;

/// Rows that one task takes; fixed, so that sums do not depend on the number of threads.
const BLOCK: usize = 512;

/// Residuals below this do not reach the gradient.
const NEGLIGIBLE: f32 = 1e-5;

/// The function to minimise: `mean(-w ln p) + |W|² / (2 c n)`; intercepts are not penalised.
pub(crate) struct Loss<'a> {
    pub(crate) rows: &'a Rows,
    pub(crate) classes: usize,
    pub(crate) dimensions: usize,
    pub(crate) width: usize,
    pub(crate) c: f64,
    /// What a row of each class counts.
    pub(crate) class_weights: Vec<f32>,
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
        let end = (start + BLOCK).min(self.rows.class.len());
        let mut gradient = vec![0.0_f32; weights.len()];
        let mut residuals = vec![0.0_f32; (end - start) * self.classes];
        let loss = self.residuals(weights, start, &mut residuals);
        // Class by class, so that a class's stretch of the gradient stays near while every row adds to it.
        for (k, g) in gradient.chunks_exact_mut(stride).enumerate() {
            for row in start..end {
                let residual = residuals[(row - start) * self.classes + k];
                if residual.abs() < NEGLIGIBLE {
                    continue;
                }
                for (g, x) in g[..self.dimensions].iter_mut().zip(&self.rows.dense[row]) {
                    *g += residual * x;
                }
                for (at, value) in &self.rows.sparse[row] {
                    g[self.dimensions + *at as usize] += residual * value;
                }
                g[self.width] += residual;
            }
        }
        (loss, gradient)
    }

    /// Sum of the losses of a block, and probability minus truth for each of its rows and classes.
    fn residuals(&self, weights: &[f32], start: usize, residuals: &mut [f32]) -> f64 {
        let stride = self.width + 1;
        let mut loss = 0.0;
        for (offset, quad) in residuals.chunks_mut(4 * self.classes).enumerate() {
            let first = start + 4 * offset;
            let count = quad.len() / self.classes;
            let at = |lane: usize| self.rows.dense[first + lane.min(count - 1)].as_slice();
            let dense = [at(0), at(1), at(2), at(3)];
            for (k, w) in weights.chunks_exact(stride).enumerate() {
                let dots = dot4(&w[..self.dimensions], dense);
                for (lane, logits) in quad.chunks_exact_mut(self.classes).enumerate() {
                    let sparse = &self.rows.sparse[first + lane];
                    let words: f32 =
                        sparse.iter().map(|(at, value)| w[self.dimensions + *at as usize] * value).sum();
                    logits[k] = dots[lane] + words + w[self.width];
                }
            }
            for (lane, logits) in quad.chunks_exact_mut(self.classes).enumerate() {
                let class = self.rows.class[first + lane];
                let top = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
                let truth = logits[class];
                let mut sum = 0.0;
                for logit in logits.iter_mut() {
                    *logit = (*logit - top).exp();
                    sum += *logit;
                }
                let weight = self.class_weights[class];
                loss += f64::from(weight * (sum.ln() + top - truth));
                logits.iter_mut().for_each(|p| *p *= weight / sum);
                logits[class] -= weight;
            }
        }
        loss
    }
}

/// Dot products of one row of weights with four rows of features, each weight loaded once.
fn dot4(weights: &[f32], rows: [&[f32]; 4]) -> [f32; 4] {
    let mut lanes = [[0.0_f32; 8]; 4];
    let whole = weights.len() / 8 * 8;
    for from in (0..whole).step_by(8) {
        let w = &weights[from..from + 8];
        for (lane, row) in lanes.iter_mut().zip(rows) {
            let x = &row[from..from + 8];
            for i in 0..8 {
                lane[i] += w[i] * x[i];
            }
        }
    }
    let mut sums = [0.0_f32; 4];
    for ((sum, lane), row) in sums.iter_mut().zip(lanes).zip(rows) {
        let rest: f32 = weights[whole..].iter().zip(&row[whole..]).map(|(w, x)| w * x).sum();
        *sum = lane.iter().sum::<f32>() + rest;
    }
    sums
}
