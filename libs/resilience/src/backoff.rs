//! Waits between attempts: doubling, bounded, with jitter from chance that the caller passes in.

use std::time::Duration;

/// Doubling waits with full jitter (AWS Architecture Blog, "Exponential Backoff and Jitter", 2015).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    /// Longest wait before the second attempt.
    pub base: Duration,
    /// Longest wait at all.
    pub cap: Duration,
}

impl Backoff {
    /// Wait after `failures` failures in a row, for a chance in `0.0..1.0`.
    #[must_use]
    pub fn wait(self, failures: u32, chance: f64) -> Duration {
        let doubled =
            self.base.saturating_mul(1_u32.checked_shl(failures.saturating_sub(1)).unwrap_or(u32::MAX));
        doubled.min(self.cap).mul_f64(chance.clamp(0.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BACKOFF: Backoff = Backoff { base: Duration::from_millis(100), cap: Duration::from_secs(5) };

    #[test]
    fn waits_double_up_to_the_cap() {
        let longest: Vec<u128> = (1..9).map(|n| BACKOFF.wait(n, 1.0).as_millis()).collect();
        assert_eq!(longest, [100, 200, 400, 800, 1600, 3200, 5000, 5000]);
    }

    proptest! {
        #[test]
        fn a_wait_never_passes_the_cap(failures in 0_u32..200, chance in -1.0_f64..2.0) {
            prop_assert!(BACKOFF.wait(failures, chance) <= BACKOFF.cap);
        }
    }
}
