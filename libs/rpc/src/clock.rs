//! The one home of time.
#![allow(clippy::disallowed_methods, reason = "this is the home of the clock")]

use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Milliseconds since the Unix epoch; 0 on a clock before it.
#[must_use]
pub fn unix_ms() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| u64::try_from(d.as_millis()).unwrap_or(u64::MAX))
}

/// The monotonic clock.
#[must_use]
pub fn now() -> Instant {
    Instant::now()
}

/// Milliseconds since `start`, with fractions.
#[must_use]
pub fn elapsed_ms(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1000.0
}
