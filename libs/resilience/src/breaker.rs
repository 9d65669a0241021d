//! A circuit breaker with exactly one probe in half-open, whatever the concurrency.
//!
//! `CLOSED —threshold consecutive failures→ OPEN —cooldown→ HALF_OPEN —probe ok→ CLOSED, probe fails→ OPEN`.
//! The caller asks [`Breaker::acquire`] before a call and reports with [`Breaker::release`]; both are given the time.

use std::time::Duration;

/// When the breaker opens and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakerSettings {
    /// Consecutive failures that open it; at least 1.
    pub threshold: u32,
    /// Time it stays open before a probe is let through.
    pub cooldown: Duration,
}

/// State as seen from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Calls go through.
    Closed,
    /// Calls are refused.
    Open,
    /// One probe is under way; all other calls are refused.
    HalfOpen,
}

/// A change of state that is worth a log line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transition {
    /// It opened.
    Opened,
    /// It let a probe through.
    Probing,
    /// It closed.
    Closed,
}

/// Permission for one call; give it back with the call's end, also when the call was cancelled.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a permit that is not released blocks the probe for a cooldown"]
pub struct Permit {
    generation: u64,
    probe: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inner {
    Closed { failures: u32 },
    Open { until: Duration },
    HalfOpen { since: Duration },
}

/// The breaker.
#[derive(Debug, Clone)]
pub struct Breaker {
    settings: BreakerSettings,
    inner: Inner,
    /// Counts changes of state, so that calls that began before the last change cannot move it.
    generation: u64,
}

impl Breaker {
    /// A closed breaker. A threshold of zero counts as one.
    #[must_use]
    pub fn new(settings: BreakerSettings) -> Self {
        let threshold = settings.threshold.max(1);
        Self {
            settings: BreakerSettings { threshold, ..settings },
            inner: Inner::Closed { failures: 0 },
            generation: 0,
        }
    }

    /// State at the last event.
    #[must_use]
    pub fn state(&self) -> State {
        match self.inner {
            Inner::Closed { .. } => State::Closed,
            Inner::Open { .. } => State::Open,
            Inner::HalfOpen { .. } => State::HalfOpen,
        }
    }

    /// Asks for a call at `now`; none means that it must not be made. A probe whose permit was lost is replaced after
    /// a cooldown.
    pub fn acquire(&mut self, now: Duration) -> (Option<Permit>, Option<Transition>) {
        let due = match self.inner {
            Inner::Closed { .. } => {
                return (Some(Permit { generation: self.generation, probe: false }), None);
            }
            Inner::Open { until } => now >= until,
            Inner::HalfOpen { since } => {
                now >= since.saturating_add(self.settings.cooldown.max(Duration::from_millis(1)))
            }
        };
        if !due {
            return (None, None);
        }
        self.change(Inner::HalfOpen { since: now });
        (Some(Permit { generation: self.generation, probe: true }), Some(Transition::Probing))
    }

    /// Reports the end of a call at `now`.
    pub fn release(&mut self, permit: Permit, success: bool, now: Duration) -> Option<Transition> {
        if permit.generation != self.generation {
            return None;
        }
        match (self.inner, success) {
            (Inner::Closed { .. }, true) => {
                self.inner = Inner::Closed { failures: 0 };
                None
            }
            (Inner::Closed { failures }, false) if failures + 1 < self.settings.threshold => {
                self.inner = Inner::Closed { failures: failures + 1 };
                None
            }
            (Inner::HalfOpen { .. }, true) if permit.probe => {
                self.change(Inner::Closed { failures: 0 });
                Some(Transition::Closed)
            }
            (Inner::Closed { .. } | Inner::HalfOpen { .. }, false) => {
                self.change(Inner::Open { until: now.saturating_add(self.settings.cooldown) });
                Some(Transition::Opened)
            }
            (Inner::Open { .. } | Inner::HalfOpen { .. }, _) => None,
        }
    }

    fn change(&mut self, inner: Inner) {
        self.inner = inner;
        self.generation += 1;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    const S: Duration = Duration::from_secs(1);
    const SETTINGS: BreakerSettings = BreakerSettings { threshold: 3, cooldown: Duration::from_secs(30) };

    fn fail(breaker: &mut Breaker, now: Duration) -> Option<Transition> {
        let permit = breaker.acquire(now).0.unwrap();
        breaker.release(permit, false, now)
    }

    fn opened() -> Breaker {
        let mut breaker = Breaker::new(SETTINGS);
        assert_eq!(fail(&mut breaker, S), None);
        assert_eq!(fail(&mut breaker, S), None);
        assert_eq!(fail(&mut breaker, S), Some(Transition::Opened));
        breaker
    }

    #[test]
    fn a_success_starts_the_count_anew() {
        let mut breaker = Breaker::new(SETTINGS);
        fail(&mut breaker, S);
        fail(&mut breaker, S);
        let permit = breaker.acquire(S).0.unwrap();
        breaker.release(permit, true, S);
        assert_eq!(fail(&mut breaker, S), None);
        assert_eq!(breaker.state(), State::Closed);
    }

    #[test]
    fn an_open_breaker_refuses_until_the_cooldown_is_over() {
        let mut breaker = opened();
        assert_eq!(breaker.acquire(30 * S), (None, None));
        let (permit, transition) = breaker.acquire(31 * S);
        assert!(permit.is_some());
        assert_eq!(transition, Some(Transition::Probing));
    }

    #[test]
    fn half_open_admits_one_probe_and_no_other() {
        let mut breaker = opened();
        let probe = breaker.acquire(31 * S).0.unwrap();
        for _ in 0..100 {
            assert_eq!(breaker.acquire(31 * S).0, None);
        }
        assert_eq!(breaker.release(probe, true, 32 * S), Some(Transition::Closed));
        assert!(breaker.acquire(32 * S).0.is_some());
    }

    #[test]
    fn a_failed_probe_opens_for_another_cooldown() {
        let mut breaker = opened();
        let probe = breaker.acquire(31 * S).0.unwrap();
        assert_eq!(breaker.release(probe, false, 31 * S), Some(Transition::Opened));
        assert_eq!(breaker.acquire(60 * S).0, None);
        assert!(breaker.acquire(61 * S).0.is_some());
    }

    #[test]
    fn a_lost_probe_is_replaced_after_a_cooldown() {
        let mut breaker = opened();
        let lost = breaker.acquire(31 * S).0.unwrap();
        assert_eq!(breaker.acquire(60 * S).0, None);
        let second = breaker.acquire(61 * S).0.unwrap();
        assert_eq!(breaker.release(lost, true, 62 * S), None);
        assert_eq!(breaker.release(second, true, 62 * S), Some(Transition::Closed));
    }

    #[test]
    fn a_call_from_before_the_opening_cannot_close_it() {
        let mut breaker = Breaker::new(SETTINGS);
        let slow = breaker.acquire(S).0.unwrap();
        for _ in 0..3 {
            fail(&mut breaker, S);
        }
        assert_eq!(breaker.release(slow, true, 2 * S), None);
        assert_eq!(breaker.state(), State::Open);
    }

    proptest! {
        #[test]
        fn never_more_than_one_probe_is_under_way(events in prop::collection::vec((0_u8..3, 0_u64..40), 1..200)) {
            let mut breaker = Breaker::new(SETTINGS);
            let mut now = Duration::ZERO;
            let mut held: Vec<Permit> = Vec::new();
            for (event, seconds) in events {
                now += Duration::from_secs(seconds) / 4;
                match event {
                    0 => held.extend(breaker.acquire(now).0),
                    n => if let Some(permit) = held.pop() { breaker.release(permit, n == 1, now); },
                }
                let probes = held.iter().filter(|p| p.probe && p.generation == breaker.generation).count();
                prop_assert!(probes <= 1);
                prop_assert!(breaker.state() == State::HalfOpen || probes == 0);
            }
        }
    }
}
