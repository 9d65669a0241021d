//! Means, their spread, and what a set can tell apart.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};

use crate::share::Z95;

/// Normal quantile of a power of 80 %.
const Z_POWER: f64 = 0.841_621_233_572_914;

/// Mean and spread of values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// Values.
    pub n: usize,
    /// Their mean.
    pub mean: f64,
    /// Sample standard deviation, with n - 1; 0 for one value.
    pub deviation: f64,
}

impl Summary {
    /// Of finite values; none without any.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let n = values.len();
        let mean = mean(values)?;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let deviation = if n > 1 { (squares / (n - 1) as f64).sqrt() } else { 0.0 };
        Some(Self { n, mean, deviation })
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Percentile bootstrap interval of the mean at 95 % (Efron 1979), from `rounds` resamples by `seed`; none without
/// values or rounds.
#[must_use]
pub fn bootstrap_mean(values: &[f64], rounds: u32, seed: u64) -> Option<(f64, f64)> {
    if values.is_empty() || rounds == 0 {
        return None;
    }
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let n = u32::try_from(values.len()).ok()?;
    // 32 random bits scaled to the length; the bias is below n / 2^32.
    let mut index = || ((u64::from(random.next_u32()) * u64::from(n)) >> 32) as usize;
    let resample = |_| {
        let sum: f64 = (0..n).map(|_| values[index()]).sum();
        sum / f64::from(n)
    };
    let mut means: Vec<f64> = (0..rounds).map(resample).collect();
    means.sort_by(f64::total_cmp);
    Some((quantile(&means, 0.025), quantile(&means, 0.975)))
}

/// Quantile of ascending values, interpolated between neighbours (Hyndman and Fan 1996, type 7).
fn quantile(ascending: &[f64], share: f64) -> f64 {
    let place = share * (ascending.len() - 1) as f64;
    let (below, part) = (place.floor() as usize, place.fract());
    let low = ascending[below];
    let high = ascending.get(below + 1).copied().unwrap_or(low);
    low + part * (high - low)
}

/// Smallest mean difference of two runs over the same `n` items that a two-sided test at 5 % finds with a power of 80 %,
/// where the differences have this standard deviation: `(z.975 + z.8) · deviation / √n`; none without items.
#[must_use]
pub fn detectable_difference(n: usize, deviation: f64) -> Option<f64> {
    (n > 0).then(|| (Z95 + Z_POWER) * deviation / (n as f64).sqrt())
}
