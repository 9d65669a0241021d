//! Tests of two systems on the same items.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};

/// Pairs up to which every assignment of signs is tried; above it signs are drawn.
const EXACT: usize = 16;

/// Two-sided exact McNemar test over the pairs that differ (McNemar 1947): twice the smaller binomial tail, at most 1.
#[must_use]
pub fn mcnemar(one: usize, other: usize) -> f64 {
    let n = one + other;
    let mut log_choose = 0.0_f64;
    let mut tail = 0.0;
    for k in 0..=one.min(other) {
        if k > 0 {
            log_choose += ((n - k + 1) as f64 / k as f64).ln();
        }
        tail += (log_choose - n as f64 * std::f64::consts::LN_2).exp();
    }
    (2.0 * tail).min(1.0)
}

/// Two-sided paired permutation test of a mean difference of zero (Fisher 1935): how often random signs of the
/// differences move the mean as far from zero. Exact up to 16 non-zero differences, else from `rounds` draws by `seed`,
/// where the observed assignment counts as one draw. 1 where nothing differs.
#[must_use]
pub fn sign_flip(differences: &[f64], rounds: u32, seed: u64) -> f64 {
    let moved: Vec<f64> = differences.iter().copied().filter(|difference| *difference != 0.0).collect();
    if moved.is_empty() {
        return 1.0;
    }
    let observed = moved.iter().sum::<f64>().abs();
    // Sums of the same numbers in another order differ in their last bits.
    let reached = observed - 1e-12 * moved.iter().map(|one| one.abs()).sum::<f64>();
    if moved.len() <= EXACT {
        let all = 1_u32 << moved.len();
        let far = (0..all)
            .filter(|signs| {
                let flipped =
                    moved.iter().enumerate().map(|(at, one)| if signs >> at & 1 == 1 { -one } else { *one });
                flipped.sum::<f64>().abs() >= reached
            })
            .count();
        return far as f64 / f64::from(all);
    }
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let far = (0..rounds)
        .filter(|_| {
            let flipped = moved.iter().map(|one| if random.next_u32() & 1 == 1 { -one } else { *one });
            flipped.sum::<f64>().abs() >= reached
        })
        .count();
    (far + 1) as f64 / f64::from(rounds + 1)
}
