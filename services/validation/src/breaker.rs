//! Keeps answers from waiting for a parser that is down: a circuit breaker in front of the parser, with its log lines.
//!
//! It knows no transport; the arithmetic of states is in the resilience crate, time is an argument.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use assay_domain::code::DISABLED;
use assay_resilience::{Breaker, BreakerSettings, Permit, State, Transition};
use assay_rpc::Context;
use assay_telemetry::names::metrics::{BREAKER_STATE, CODE_CHECKS_TOTAL, PARSER_UNAVAILABLE_TOTAL};
use async_trait::async_trait;

use crate::ports::{CodeQuery, NotParsed, ParsedAnswer, ParserPort};

/// A call was not made, because the parser is left alone or switched off.
pub const OPEN_LINE: &str = "[ptvl] circuit OPEN — skipping parser, returning unvalidated";
/// One call finds out whether the parser is back.
pub const HALF_OPEN_LINE: &str = "[ptvl] circuit HALF-OPEN — probing parser availability";
/// The parser is back.
pub const CLOSED_LINE: &str = "[ptvl] circuit CLOSED — parser reachable";
/// A call was made and failed.
pub const UNAVAILABLE_LINE: &str = "[ptvl] parser unavailable — returning unvalidated";

/// Reason of a call that the breaker did not let through.
pub const CIRCUIT_OPEN: &str = "circuit_open";

/// Time since any fixed moment.
pub type Clock = Arc<dyn Fn() -> Duration + Send + Sync>;

/// A parser behind a breaker.
pub struct GuardedParser {
    inner: Arc<dyn ParserPort>,
    /// None if code checks are switched off.
    breaker: Option<Mutex<Breaker>>,
    clock: Clock,
}

impl std::fmt::Debug for GuardedParser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GuardedParser").field("breaker", &self.breaker).finish_non_exhaustive()
    }
}

impl GuardedParser {
    /// Guards a parser; without settings it is never asked.
    #[must_use]
    pub fn new(inner: Arc<dyn ParserPort>, settings: Option<BreakerSettings>, clock: Clock) -> Self {
        let breaker = settings.map(|settings| Mutex::new(Breaker::new(settings)));
        gauge(if breaker.is_some() { State::Closed } else { State::Open });
        Self { inner, breaker, clock }
    }

    /// Permission for a call, or why there is none.
    fn acquire(&self) -> Result<Held<'_>, NotParsed> {
        let Some(breaker) = &self.breaker else {
            tracing::warn!(target: "assay", "{OPEN_LINE}");
            return Err(unavailable(NotParsed::down(DISABLED)));
        };
        let (permit, transition) = {
            let mut breaker = breaker.lock().unwrap_or_else(PoisonError::into_inner);
            let now = (self.clock)();
            let acquired = breaker.acquire(now);
            gauge(breaker.state());
            acquired
        };
        if transition == Some(Transition::Probing) {
            tracing::info!(target: "assay", "{HALF_OPEN_LINE}");
        }
        match permit {
            Some(permit) => Ok(Held { breaker, clock: &self.clock, permit: Some(permit) }),
            None => {
                tracing::warn!(target: "assay", "{OPEN_LINE}");
                Err(unavailable(NotParsed::down(CIRCUIT_OPEN)))
            }
        }
    }
}

#[async_trait]
impl ParserPort for GuardedParser {
    async fn parse_answer(&self, context: &Context, query: CodeQuery) -> Result<ParsedAnswer, NotParsed> {
        metrics::counter!(CODE_CHECKS_TOTAL).increment(1);
        let held = self.acquire()?;
        let parsed = self.inner.parse_answer(context, query).await;
        let reached = parsed.as_ref().map_or_else(|not| not.reachable, |_| true);
        if !reached && context.remaining().is_zero() {
            // The request ran out of time, which says nothing of the parser.
            drop(held);
        } else if held.release(reached) == Some(Transition::Closed) {
            tracing::info!(target: "assay", "{CLOSED_LINE}");
        }
        parsed.map_err(|not| {
            tracing::warn!(target: "assay", reason = %not.reason, "{UNAVAILABLE_LINE}");
            unavailable(not)
        })
    }
}

fn unavailable(not: NotParsed) -> NotParsed {
    metrics::counter!(PARSER_UNAVAILABLE_TOTAL, "reason" => not.reason.clone()).increment(1);
    not
}

fn gauge(state: State) {
    let value = match state {
        State::Closed => 0.0,
        State::HalfOpen => 1.0,
        State::Open => 2.0,
    };
    metrics::gauge!(BREAKER_STATE).set(value);
}

/// A permit that is given back even when the call is dropped.
struct Held<'a> {
    breaker: &'a Mutex<Breaker>,
    clock: &'a Clock,
    permit: Option<Permit>,
}

impl Held<'_> {
    fn release(mut self, reached: bool) -> Option<Transition> {
        let permit = self.permit.take()?;
        let mut breaker = self.breaker.lock().unwrap_or_else(PoisonError::into_inner);
        let transition = breaker.release(permit, reached, (self.clock)());
        gauge(breaker.state());
        transition
    }
}

impl Drop for Held<'_> {
    /// A call that nobody waits for any more is no failure of the parser; but a probe has to end, so it opens again.
    fn drop(&mut self) {
        let Some(permit) = self.permit.take() else { return };
        let mut breaker = self.breaker.lock().unwrap_or_else(PoisonError::into_inner);
        if breaker.state() == State::HalfOpen {
            let _ = breaker.release(permit, false, (self.clock)());
            gauge(breaker.state());
        }
    }
}
