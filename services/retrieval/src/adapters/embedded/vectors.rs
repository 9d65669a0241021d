//! Exact nearest neighbours: every vector is compared as one byte a component, the best again with the stored floats.

use super::admitted::Admitted;
use super::records::{floats, read_span};
use crate::error::Error;
use rayon::prelude::*;
use std::fs::File;

/// Rows from which on the scan is spread over the cores.
const PARALLEL_ROWS: usize = 2 * ROWS;
/// Rows of one piece of work.
const ROWS: usize = 4096;
/// Candidates for each hit that are compared with the stored floats; the bytes are off by less than 0.002, and fewer
/// than this many vectors lie that near to the last hit.
const CANDIDATES: usize = 4;
/// Fewest candidates.
const FEWEST: usize = 256;
/// Largest code of a component.
const STEPS: f32 = 127.0;

/// Vectors of equal length: codes in memory, floats in the file.
#[derive(Debug)]
pub(super) struct Vectors {
    dims: usize,
    codes: Vec<i8>,
    /// What a code of each row is worth.
    scales: Vec<f32>,
    file: File,
}

impl Vectors {
    /// Reads a file of little-endian floats, row by row.
    pub(super) fn open(file: File, dims: usize, rows: usize) -> Result<Self, Error> {
        let mut codes = vec![0_i8; rows.saturating_mul(dims)];
        let mut scales = vec![0.0; rows];
        if dims > 0 {
            let pieces = codes.par_chunks_mut(ROWS * dims).zip(scales.par_chunks_mut(ROWS)).enumerate();
            pieces.try_for_each(|(piece, (codes, scales))| {
                let start = piece * ROWS * dims * size_of::<f32>();
                let bytes = read_span(&file, (start as u64, (codes.len() * size_of::<f32>()) as u64))?;
                let vectors = floats(&bytes);
                let rows = vectors.chunks_exact(dims).zip(codes.chunks_exact_mut(dims));
                for ((vector, codes), scale) in rows.zip(scales) {
                    *scale = quantise(vector, codes);
                }
                Ok::<(), Error>(())
            })?;
        }
        Ok(Self { dims, codes, scales, file })
    }

    /// The floats of a row.
    pub(super) fn row(&self, row: usize) -> Result<Vec<f32>, Error> {
        let length = (self.dims * size_of::<f32>()) as u64;
        Ok(floats(&read_span(&self.file, (row as u64 * length, length))?))
    }

    /// Admitted rows with the highest dot product, best first; equal scores in row order.
    pub(super) fn nearest(
        &self,
        query: &[f32],
        admitted: Option<&Admitted>,
        depth: usize,
    ) -> Result<Vec<(usize, f32)>, Error> {
        if self.dims == 0 || query.len() != self.dims || depth == 0 {
            return Ok(Vec::new());
        }
        let count = depth.saturating_mul(CANDIDATES).max(FEWEST);
        let mut candidates = self.candidates(query, admitted, count);
        for (row, score) in &mut candidates {
            *score = dot(query, &self.row(*row)?);
        }
        keep_best(&mut candidates, depth);
        candidates.sort_unstable_by(better);
        Ok(candidates)
    }

    /// Admitted rows that are about the nearest, with about their dot product.
    fn candidates(&self, query: &[f32], admitted: Option<&Admitted>, count: usize) -> Vec<(usize, f32)> {
        let mut asked = vec![0_i8; self.dims];
        let scale = quantise(query, &mut asked);
        let asked: Vec<i16> = asked.into_iter().map(i16::from).collect();
        let piece = |(piece, codes): (usize, &[i8])| {
            let rows = codes.chunks_exact(self.dims).enumerate();
            let rows = rows.map(move |(place, codes)| (piece * ROWS + place, codes));
            let mut best: Vec<(usize, f32)> = rows
                .filter(|(row, _)| admitted.is_none_or(|admitted| admitted.contains(*row)))
                .map(|(row, codes)| {
                    let worth = self.scales.get(row).copied().unwrap_or(0.0);
                    (row, dot_codes(&asked, codes) * worth * scale)
                })
                .collect();
            keep_best(&mut best, count);
            best
        };
        let mut best = if self.scales.len() < PARALLEL_ROWS {
            self.codes.chunks(ROWS * self.dims).enumerate().flat_map(piece).collect()
        } else {
            self.codes.par_chunks(ROWS * self.dims).enumerate().flat_map_iter(piece).collect()
        };
        keep_best(&mut best, count);
        best
    }
}

fn better(a: &(usize, f32), b: &(usize, f32)) -> std::cmp::Ordering {
    b.1.total_cmp(&a.1).then(a.0.cmp(&b.0))
}

fn keep_best(rows: &mut Vec<(usize, f32)>, count: usize) {
    if count < rows.len() {
        rows.select_nth_unstable_by(count, better);
        rows.truncate(count);
    }
}

/// Writes a vector as codes; gives what a code is worth.
fn quantise(vector: &[f32], codes: &mut [i8]) -> f32 {
    let largest = vector.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return 0.0;
    }
    for (code, x) in codes.iter_mut().zip(vector) {
        #[allow(clippy::cast_possible_truncation, reason = "at most 127 by the line above")]
        let rounded = (x / largest * STEPS).round() as i8;
        *code = rounded;
    }
    largest / STEPS
}

/// Dot product of codes in blocks, whose sums the compiler turns into vector instructions.
fn dot_codes(a: &[i16], b: &[i8]) -> f32 {
    let (a_blocks, a_rest) = a.as_chunks::<32>();
    let (b_blocks, b_rest) = b.as_chunks::<32>();
    let block =
        |a: &[i16], b: &[i8]| -> i32 { a.iter().zip(b).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum() };
    let sum: i32 = a_blocks.iter().zip(b_blocks).map(|(a, b)| block(a, b)).sum();
    #[allow(clippy::cast_precision_loss, reason = "an estimate; the best are computed again")]
    let sum = (sum + block(a_rest, b_rest)) as f32;
    sum
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;
    use std::io::Write;

    fn vectors(dims: usize, values: &[f32]) -> Vectors {
        let mut file = tempfile::tempfile().unwrap();
        let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        file.write_all(&bytes).unwrap();
        Vectors::open(file, dims, values.len() / dims.max(1)).unwrap()
    }

    #[test]
    fn the_nearest_come_first_and_ties_in_row_order() {
        let vectors = vectors(2, &[1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.6, 0.8]);
        let nearest = |query: &[f32], admitted: Option<&Admitted>, depth| {
            let found = vectors.nearest(query, admitted, depth).unwrap();
            found.into_iter().map(|(row, _)| row).collect::<Vec<usize>>()
        };
        assert_eq!(nearest(&[1.0, 0.0], None, 3), [0, 2, 3]);
        assert!(nearest(&[1.0], None, 3).is_empty());
        assert_eq!(nearest(&[1.0, 0.0], None, 99).len(), 4);
        let admitted = Admitted::of([false, true, true, false].into_iter());
        assert_eq!(nearest(&[1.0, 0.0], Some(&admitted), 3), [2, 1]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn bytes_find_what_floats_find(seed in 0_u64..1_000_000) {
            const DIMS: usize = 48;
            let mut state = seed;
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                f32::from(u16::try_from(state >> 48).unwrap()) / 32768.0 - 1.0
            };
            let mut unit = || {
                let vector: Vec<f32> = (0..DIMS).map(|_| next()).collect();
                let norm = dot(&vector, &vector).sqrt();
                vector.into_iter().map(|x| x / norm).collect::<Vec<f32>>()
            };
            let rows: Vec<Vec<f32>> = (0..3000).map(|_| unit()).collect();
            let query = unit();
            let mut exact: Vec<(usize, f32)> =
                rows.iter().enumerate().map(|(row, vector)| (row, dot(&query, vector))).collect();
            exact.sort_unstable_by(better);
            exact.truncate(50);
            prop_assert_eq!(vectors(DIMS, &rows.concat()).nearest(&query, None, 50).unwrap(), exact);
        }
    }
}
