//! A moment after which nobody waits, and how it is shared out.

use std::time::Duration;

/// A moment on the caller's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deadline(Duration);

impl Deadline {
    /// `budget` after `now`.
    #[must_use]
    pub fn after(now: Duration, budget: Duration) -> Self {
        Self(now.saturating_add(budget))
    }

    /// Time left at `now`; zero once it has passed.
    #[must_use]
    pub fn remaining(self, now: Duration) -> Duration {
        self.0.saturating_sub(now)
    }

    /// Whether it has passed.
    #[must_use]
    pub fn is_over(self, now: Duration) -> bool {
        now >= self.0
    }

    /// The earlier of this and `cap` after `now`.
    #[must_use]
    pub fn capped(self, now: Duration, cap: Duration) -> Self {
        self.min(Self::after(now, cap))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: Duration = Duration::from_secs(1);

    #[test]
    fn a_deadline_that_has_passed_leaves_nothing() {
        let deadline = Deadline::after(5 * S, S);
        assert_eq!(deadline.remaining(7 * S), Duration::ZERO);
        assert!(deadline.is_over(6 * S));
        assert!(!deadline.is_over(5 * S));
    }

    #[test]
    fn a_cap_only_shortens() {
        let deadline = Deadline::after(Duration::ZERO, 3 * S);
        assert_eq!(deadline.capped(S, S).remaining(S), S);
        assert_eq!(deadline.capped(S, 60 * S), deadline);
    }
}
