//! The one home of spawning: tasks keep the span they were started in, and a panic is logged instead of lost.
#![allow(clippy::disallowed_methods, reason = "this is the home of spawning")]

use std::future::Future;

use tokio::task::JoinHandle;
use tracing::Instrument as _;

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

/// Work that panicked.
#[derive(Debug, thiserror::Error)]
#[error("a task panicked: {0}")]
pub struct Panicked(String);

impl From<Panicked> for assay_domain::Failure {
    fn from(panicked: Panicked) -> Self {
        Self::internal(panicked.to_string())
    }
}
