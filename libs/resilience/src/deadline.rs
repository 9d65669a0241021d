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

    /// Whether a second attempt is worth starting: it may take as long as the first did, and `reserve` to settle.
    #[must_use]
    pub fn allows_repeat(self, now: Duration, first_took: Duration, reserve: Duration) -> bool {
        self.remaining(now) >= first_took.saturating_add(reserve)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: Duration = Duration::from_secs(1);

    #[test]
    fn repeat_needs_first_duration_plus_reserve() {
        let deadline = Deadline::after(Duration::ZERO, 10 * S);
        let reserve = Duration::from_millis(500);
        assert!(deadline.allows_repeat(4 * S, Duration::from_millis(5500), reserve));
        assert!(!deadline.allows_repeat(4 * S, Duration::from_millis(5501), reserve));
    }

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
