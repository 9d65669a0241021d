//! Exact nearest neighbours: every vector is compared; in parallel where there are many.

use rayon::prelude::*;

/// Rows from which on the scan is spread over the cores.
const PARALLEL_ROWS: usize = 8192;

/// Vectors of equal length in one block.
#[derive(Debug, Default)]
pub(super) struct Vectors {
    dims: usize,
    values: Vec<f32>,
}

impl Vectors {
    pub(super) fn new(dims: usize, values: Vec<f32>) -> Self {
        Self { dims, values }
    }

    pub(super) fn row(&self, row: usize) -> &[f32] {
        let start = row * self.dims;
        self.values.get(start..start + self.dims).unwrap_or(&[])
    }

    /// Rows with the highest dot product, best first; equal scores in row order.
    pub(super) fn nearest(&self, query: &[f32], depth: usize) -> Vec<(usize, f32)> {
        if self.dims == 0 || query.len() != self.dims || depth == 0 {
            return Vec::new();
        }
        let rows = self.values.len() / self.dims;
        let score = |(row, vector): (usize, &[f32])| (row, dot(query, vector));
        let mut scored: Vec<(usize, f32)> = if rows < PARALLEL_ROWS {
            self.values.chunks_exact(self.dims).enumerate().map(score).collect()
        } else {
            self.values.par_chunks_exact(self.dims).enumerate().map(score).collect()
        };
        let better = |a: &(usize, f32), b: &(usize, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        if depth < scored.len() {
            scored.select_nth_unstable_by(depth, better);
            scored.truncate(depth);
        }
        scored.sort_unstable_by(better);
        scored
    }
}

/// Dot product in eight running sums, which the compiler turns into vector instructions.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0_f32; 8];
    let (a_blocks, a_rest) = a.as_chunks::<8>();
    let (b_blocks, b_rest) = b.as_chunks::<8>();
    for (x, y) in a_blocks.iter().zip(b_blocks) {
        for ((sum, x), y) in sums.iter_mut().zip(x).zip(y) {
            *sum += x * y;
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f32>() + rest
}

/// Little-endian floats.
pub(super) fn decode(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|chunk| f32::from_le_bytes(*chunk)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_come_first_and_ties_in_row_order() {
        let vectors = Vectors::new(2, vec![1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.6, 0.8]);
        let rows: Vec<usize> = vectors.nearest(&[1.0, 0.0], 3).into_iter().map(|(row, _)| row).collect();
        assert_eq!(rows, [0, 2, 3]);
        assert_eq!(vectors.nearest(&[1.0], 3), []);
        assert_eq!(vectors.nearest(&[1.0, 0.0], 99).len(), 4);
    }
}
