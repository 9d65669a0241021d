//! Deadlines, backoff, retry budgets and the circuit breaker as pure arithmetic over times that the caller passes in.
//!
//! Times are durations since any fixed moment the caller likes. This crate must never read a clock, sleep or spawn.

pub mod backoff;
pub mod breaker;
pub mod budget;
pub mod deadline;

pub use backoff::Backoff;
pub use breaker::{Breaker, BreakerSettings, Permit, State, Transition};
pub use budget::{Budget, BudgetSettings};
pub use deadline::Deadline;
