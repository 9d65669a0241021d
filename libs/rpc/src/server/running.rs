//! A service that is being served, and how it ends.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

use super::{OnDrain, READY};

/// Time that cut connections have to end.
const CUT: Duration = Duration::from_secs(1);

/// Says to health checks whether a service is ready.
pub(super) async fn set_ready(health: &HealthReporter, grpc: &'static str, ready: bool) {
    let status = if ready { ServingStatus::Serving } else { ServingStatus::NotServing };
    health.set_service_status(READY, status).await;
    if !grpc.is_empty() {
        health.set_service_status(grpc, status).await;
    }
}

/// How a server is told to end: gently, and then not.
pub(super) struct End {
    pub(super) stop: CancellationToken,
    pub(super) cut: CancellationToken,
}

impl End {
    pub(super) fn new() -> Self {
        Self { stop: CancellationToken::new(), cut: CancellationToken::new() }
    }
}

/// A service that is being served.
#[must_use = "dropping it does not stop the server; drain it"]
pub struct Running {
    pub(super) name: &'static str,
    pub(super) grpc: &'static str,
    pub(super) address: Option<SocketAddr>,
    pub(super) end: End,
    pub(super) join: JoinHandle<()>,
    pub(super) health: HealthReporter,
    pub(super) watch: Option<JoinHandle<()>>,
    pub(super) on_drain: Vec<OnDrain>,
    pub(super) bound: Duration,
}

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Running")
            .field("name", &self.name)
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

// === impl Running ===

impl Running {
    /// Short name of the service.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Where it listens; none in memory.
    #[must_use]
    pub fn address(&self) -> Option<SocketAddr> {
        self.address
    }

    /// What health checks are told.
    pub(crate) fn health(&self) -> HealthReporter {
        self.health.clone()
    }

    /// Says to health checks whether the service is ready.
    pub fn set_ready(&self, ready: bool) -> impl Future<Output = ()> + Send + 'static {
        let (health, grpc) = (self.health.clone(), self.grpc);
        async move { set_ready(&health, grpc, ready).await }
    }

    /// Takes no new calls, lets the running ones end within the bound, cuts off the rest, then runs the closing work.
    pub async fn drain(self) {
        let Self { name, grpc, end, mut join, health, watch, on_drain, bound, .. } = self;
        if let Some(watch) = watch {
            watch.abort();
        }
        set_ready(&health, grpc, false).await;
        end.stop.cancel();
        if tokio::time::timeout(bound, &mut join).await.is_err() {
            let seconds = bound.as_secs();
            tracing::warn!(target: "assay", service = name, seconds, "calls were cut off by the drain");
            end.cut.cancel();
            if tokio::time::timeout(CUT, &mut join).await.is_err() {
                join.abort();
            }
        }
        for work in on_drain {
            if tokio::time::timeout(bound, work()).await.is_err() {
                tracing::warn!(target: "assay", service = name, "closing work did not end in time");
            }
        }
    }
}

/// Ends at the first SIGTERM or Ctrl-C after this call. Call it before anybody is told that the service is there, and
/// await it later: from the call on, the signals no longer end the process by themselves.
pub fn shutdown_signal() -> impl Future<Output = ()> + Send {
    use tokio::signal::unix::{SignalKind, signal};
    let streams = [SignalKind::terminate(), SignalKind::interrupt()].map(signal);
    async move {
        let waiting = streams.into_iter().map(|stream| {
            Box::pin(async move {
                match stream {
                    Ok(mut stream) => {
                        stream.recv().await;
                    }
                    Err(error) => {
                        tracing::warn!(target: "assay", %error, "a signal cannot be waited for");
                        std::future::pending::<()>().await;
                    }
                }
            })
        });
        futures::future::select_all(waiting).await;
    }
}
