//! The one home of spawning: tasks keep the span they were started in, and a panic is logged instead of lost.
#![allow(clippy::disallowed_methods, reason = "this is the home of spawning")]

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use tokio::task::JoinHandle;
use tracing::Instrument as _;

use crate::clock;

/// Starts a task in the current span.
pub fn spawn<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    tokio::spawn(future.in_current_span())
}

/// Starts a task that outlives the request in which it starts and so belongs to no span.
pub fn detached<F>(future: F) -> JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    tokio::spawn(future)
}

/// Runs blocking or computing work beside the async threads, in the current span.
///
/// # Errors
/// The panic message if the work panicked.
pub async fn blocking<T, F>(work: F) -> Result<T, Panicked>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let span = tracing::Span::current();
    tokio::task::spawn_blocking(move || span.in_scope(work))
        .await
        .map_err(|error| Panicked(error.to_string()))
}

/// Runs computing work as [`blocking`] does, on a thread of its own with a stack of so many bytes.
///
/// # Errors
/// If the work panicked, or no such thread can be had.
pub async fn deep<T, F>(stack_bytes: usize, work: F) -> Result<T, Panicked>
where
    F: FnOnce() -> T + Send + 'static,
    T: Send + 'static,
{
    let span = tracing::Span::current();
    let (done, result) = tokio::sync::oneshot::channel();
    let work = move || drop(done.send(span.in_scope(work)));
    let thread = std::thread::Builder::new().name("deep".to_owned()).stack_size(stack_bytes);
    thread.spawn(work).map_err(|error| Panicked(format!("no thread could be started: {error}")))?;
    result.await.map_err(|_| Panicked("the thread ended without a result".to_owned()))
}

/// Runs computing work as [`blocking`] does; the work is handed a question whether nobody waits for it any more.
///
/// # Errors
/// The panic message if the work panicked.
pub async fn while_wanted<T, F>(work: F) -> Result<T, Panicked>
where
    F: FnOnce(&(dyn Fn() -> bool + Sync)) -> T + Send + 'static,
    T: Send + 'static,
{
    let waiting = Waiting::default();
    let gone = Arc::clone(&waiting.0);
    let done = blocking(move || work(&|| gone.load(Ordering::Relaxed))).await;
    drop(waiting);
    done
}

/// Somebody who waits for work that is done elsewhere; once dropped, nobody waits any more.
#[derive(Debug, Default)]
#[must_use = "dropped, it says that nobody waits"]
pub struct Waiting(Arc<AtomicBool>);

impl Waiting {
    /// What the work asks now and then: whether it can end, because nobody waits for it any more or the deadline has come.
    pub fn over(&self, deadline: Instant) -> impl Fn() -> bool + Send + Sync + use<> {
        let gone = Arc::clone(&self.0);
        move || gone.load(Ordering::Relaxed) || clock::now() >= deadline
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Work that panicked.
#[derive(Debug, thiserror::Error)]
#[error("a task panicked: {0}")]
pub struct Panicked(String);

impl From<Panicked> for assay_domain::Failure {
    fn from(panicked: Panicked) -> Self {
        Self::internal(panicked.to_string())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn work_can_end_at_the_deadline_and_where_nobody_waits() {
        let now = clock::now();
        let waiting = Waiting::default();
        assert!(waiting.over(now)(), "the deadline has come");
        let stop = waiting.over(now + Duration::from_secs(3600));
        assert!(!stop(), "somebody waits");
        drop(waiting);
        assert!(stop(), "nobody waits");
    }
}
