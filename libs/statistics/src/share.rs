//! Intervals of shares and of the difference of two.

/// Normal quantile of a two-sided interval at 95 %.
pub const Z95: f64 = 1.959_963_984_540_054;
/// Normal quantile of a two-sided interval at 99 %.
pub const Z99: f64 = 2.575_829_303_548_901;

/// Wilson score interval of a share at 95 % (Wilson 1927); none without trials.
#[must_use]
pub fn wilson(successes: u64, trials: u64) -> Option<(f64, f64)> {
    wilson_at(Z95, successes, trials)
}

/// Wilson score interval of a share, `z` normal quantiles wide; none without trials.
#[must_use]
pub fn wilson_at(z: f64, successes: u64, trials: u64) -> Option<(f64, f64)> {
    let share = share(successes, trials)?;
    let n = trials as f64;
    let scale = 1.0 + z * z / n;
    let centre = (share + z * z / (2.0 * n)) / scale;
    let half = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt() / scale;
    Some(((centre - half).max(0.0), (centre + half).min(1.0)))
}

/// Interval of `after - before` for two independent shares, each `(successes, trials)`, at `z` normal quantiles
/// (Newcombe 1998, method 10); none where a share has no trials.
#[must_use]
pub fn share_difference(z: f64, before: (u64, u64), after: (u64, u64)) -> Option<(f64, f64)> {
    let (old, new) = (share(before.0, before.1)?, share(after.0, after.1)?);
    let (old_low, old_high) = wilson_at(z, before.0, before.1)?;
    let (new_low, new_high) = wilson_at(z, after.0, after.1)?;
    let difference = new - old;
    let down = ((new - new_low).powi(2) + (old_high - old).powi(2)).sqrt();
    let up = ((new_high - new).powi(2) + (old - old_low).powi(2)).sqrt();
    Some((difference - down, difference + up))
}

fn share(successes: u64, trials: u64) -> Option<f64> {
    (trials > 0).then(|| successes.min(trials) as f64 / trials as f64)
}
