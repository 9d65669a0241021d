//! A budget for repeated calls: repeats are a bounded share of first attempts, so that they cannot add up to a storm.
//!
//! A token bucket without a clock: every call pays in a fraction of a token, every repeat takes a whole one. In the
//! long run the share of repeats is at most that fraction; a full bucket absorbs the burst when a peer dies.

/// How many repeats are allowed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BudgetSettings {
    /// Tokens of a full bucket: repeats that may follow each other at once.
    pub burst: u32,
    /// Tokens that each call pays in: the share of repeats in the long run.
    pub share: f64,
}

/// The bucket, in thousandths of a token so that sums are exact.
#[derive(Debug, Clone)]
pub struct Budget {
    full: u64,
    deposit: u64,
    tokens: u64,
}

const WHOLE: u64 = 1000;

impl Budget {
    /// A full bucket.
    #[must_use]
    pub fn new(settings: BudgetSettings) -> Self {
        let full = u64::from(settings.burst).saturating_mul(WHOLE);
        // A share outside 0..=1 (or no number) has no meaning and is taken as the nearest that has.
        let share = if settings.share.is_nan() { 0.0 } else { settings.share.clamp(0.0, 1.0) };
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 1000")]
        let deposit = (share * 1000.0).round() as u64;
        Self { full, deposit, tokens: full }
    }

    /// A first attempt was made.
    pub fn deposit(&mut self) {
        self.tokens = self.tokens.saturating_add(self.deposit).min(self.full);
    }

    /// Takes a token for a repeat; false means that it must not be made.
    #[must_use]
    pub fn withdraw(&mut self) -> bool {
        match self.tokens.checked_sub(WHOLE) {
            Some(left) => {
                self.tokens = left;
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_full_bucket_absorbs_a_burst_and_no_more() {
        let mut budget = Budget::new(BudgetSettings { burst: 3, share: 0.2 });
        assert_eq!((0..5).map(|_| budget.withdraw()).collect::<Vec<_>>(), [true, true, true, false, false]);
    }

    #[test]
    fn calls_earn_repeats_at_the_share() {
        let mut budget = Budget::new(BudgetSettings { burst: 1, share: 0.2 });
        assert!(budget.withdraw());
        for _ in 0..4 {
            budget.deposit();
            assert!(!budget.withdraw());
        }
        budget.deposit();
        assert!(budget.withdraw());
    }

    #[test]
    fn without_a_burst_nothing_is_repeated() {
        let mut budget = Budget::new(BudgetSettings { burst: 0, share: 1.0 });
        budget.deposit();
        assert!(!budget.withdraw());
    }

    proptest! {
        #[test]
        fn repeats_never_pass_burst_and_share(events in prop::collection::vec(any::<bool>(), 0..500), burst in 0_u32..20, share in 0.0_f64..1.0) {
            let mut budget = Budget::new(BudgetSettings { burst, share });
            let (mut calls, mut repeats) = (0.0, 0.0);
            for call in events {
                if call {
                    budget.deposit();
                    calls += 1.0;
                } else if budget.withdraw() {
                    repeats += 1.0;
                }
            }
            prop_assert!(repeats <= f64::from(burst) + calls * (share + 0.001));
        }
    }
}
