//! A composed service and the two ways to serve it: over in-memory channels and over a socket.

use std::net::SocketAddr;
use std::time::Duration;

use assay_domain::{Code, Failure};
use futures::future::BoxFuture;
use hyper_util::rt::TokioIo;
use tokio::io::DuplexStream;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;
use tonic::transport::server::TcpIncoming;
use tonic::transport::{Channel, Endpoint, Server};
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

use crate::spec::ServiceSpec;
use crate::task;

/// Limits that hold for every service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Calls a connection may have under way; more are refused at once.
    pub concurrent_calls: usize,
    /// Streams a connection may have open.
    pub concurrent_streams: u32,
    /// Most time a call may take before it answers, whatever the caller says, in seconds.
    pub call_seconds: u64,
    /// Most time a drain may take, in seconds.
    pub drain_seconds: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { concurrent_calls: 1024, concurrent_streams: 2048, call_seconds: 120, drain_seconds: 10 }
    }
}

type OnDrain = Box<dyn FnOnce() -> BoxFuture<'static, ()> + Send>;

/// A composed service: what every `compose` returns.
pub struct Service {
    spec: &'static ServiceSpec,
    routes: Routes,
    health: HealthReporter,
    on_drain: Vec<OnDrain>,
}

impl std::fmt::Debug for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Service").field("spec", self.spec).finish_non_exhaustive()
    }
}

// === impl Service ===

impl Service {
    /// A service with health and, where `descriptors` are given, reflection.
    ///
    /// # Errors
    /// `INTERNAL` if the descriptors cannot be read.
    pub fn new(spec: &'static ServiceSpec, descriptors: &'static [u8]) -> Result<Self, Failure> {
        let (health, server) = tonic_health::server::health_reporter();
        let reflection = tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(descriptors)
            .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
            .build_v1()
            .map_err(|error| Failure::internal(format!("descriptors of {}: {error}", spec.name)))?;
        Ok(Self { spec, routes: Routes::new(server).add_service(reflection), health, on_drain: Vec::new() })
    }

    /// Adds generated servers: `.with(|routes| routes.add_service(…))`.
    #[must_use]
    pub fn with(mut self, add: impl FnOnce(Routes) -> Routes) -> Self {
        self.routes = add(self.routes);
        self
    }

    /// Runs after the last call has ended: flush, close, join.
    #[must_use]
    pub fn on_drain<F, Fut>(mut self, work: F) -> Self
    where
        F: FnOnce() -> Fut + Send + 'static,
        Fut: Future<Output = ()> + Send + 'static,
    {
        self.on_drain.push(Box::new(move || Box::pin(work())));
        self
    }

    /// What the service is.
    #[must_use]
    pub fn spec(&self) -> &'static ServiceSpec {
        self.spec
    }

    /// Serves in memory. The channel makes its connections on demand and may be cloned.
    pub fn in_memory(self, limits: Limits) -> (Channel, Running) {
        let (connections, incoming) = mpsc::channel::<std::io::Result<DuplexStream>>(16);
        let connector = tower::service_fn(move |_: http::Uri| {
            let connections = connections.clone();
            async move {
                let (client, server) = tokio::io::duplex(256 * 1024);
                connections.send(Ok(server)).await.map_err(|_| {
                    std::io::Error::new(std::io::ErrorKind::ConnectionRefused, "the service has stopped")
                })?;
                Ok::<_, std::io::Error>(TokioIo::new(client))
            }
        });
        let channel = Endpoint::from_static("http://in-memory").connect_with_connector_lazy(connector);
        let running =
            self.serve(ReceiverStream::new(incoming), None, limits, tower::layer::util::Identity::new());
        (channel, running)
    }

    /// Serves on a socket; port 0 takes any free one.
    ///
    /// # Errors
    /// `CONFIGURATION` if the address cannot be bound.
    pub async fn listen(self, address: SocketAddr, limits: Limits) -> Result<Running, Failure> {
        self.listen_behind(address, limits, tower::layer::util::Identity::new()).await
    }

    /// Serves on a socket behind a further layer.
    pub(crate) async fn listen_behind<L>(
        self,
        address: SocketAddr,
        limits: Limits,
        layer: L,
    ) -> Result<Running, Failure>
    where
        L: tower::Layer<Routes> + Clone + Send + 'static,
        L::Service: tower::Service<http::Request<tonic::body::Body>, Response = http::Response<tonic::body::Body>>
            + Clone
            + Send
            + 'static,
        <L::Service as tower::Service<http::Request<tonic::body::Body>>>::Future: Send + 'static,
        <L::Service as tower::Service<http::Request<tonic::body::Body>>>::Error:
            Into<Box<dyn std::error::Error + Send + Sync>> + Send + 'static,
    {
        let listener = tokio::net::TcpListener::bind(address).await.map_err(|error| {
            Failure::new(
                Code::Configuration,
                format!("cannot listen on {address}: {error}; choose another address"),
            )
            .field("grpc")
        })?;
        let bound = listener.local_addr().map_err(|error| Failure::internal(error.to_string()))?;
        let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
        Ok(self.serve(incoming, Some(bound), limits, layer))
    }

    fn serve<I, IO, L>(self, incoming: I, address: Option<SocketAddr>, limits: Limits, layer: L) -> Running
    where
        L: tower::Layer<Routes> + Clone + Send + 'static,
        L::Service: tower::Service<http::Request<tonic::body::Body>, Response = http::Response<tonic::body::Body>>
            + Clone
            + Send
            + 'static,
        <L::Service as tower::Service<http::Request<tonic::body::Body>>>::Future: Send + 'static,
        <L::Service as tower::Service<http::Request<tonic::body::Body>>>::Error:
            Into<Box<dyn std::error::Error + Send + Sync>> + Send + 'static,
        I: futures::Stream<Item = std::io::Result<IO>> + Send + 'static,
        IO: tokio::io::AsyncRead
            + tokio::io::AsyncWrite
            + tonic::transport::server::Connected
            + Unpin
            + Send
            + 'static,
    {
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let name = self.spec.name;
        let grpc = self.spec.grpc;
        let health = self.health.clone();
        let reporter = self.health;
        let server = Server::builder()
            .layer(tower::ServiceBuilder::new().layer(crate::layers::Observe).layer(layer))
            .timeout(Duration::from_secs(limits.call_seconds))
            .concurrency_limit_per_connection(limits.concurrent_calls)
            .load_shed(true)
            .max_concurrent_streams(limits.concurrent_streams)
            .add_routes(self.routes.prepare())
            .serve_with_incoming_shutdown(incoming, async move { stopped.cancelled().await });
        let join = task::spawn(async move {
            reporter.set_service_status(grpc, ServingStatus::Serving).await;
            if let Err(error) = server.await {
                tracing::error!(service = name, %error, "the server stopped");
            }
        });
        Running {
            name,
            grpc,
            address,
            stop,
            join,
            health,
            on_drain: self.on_drain,
            bound: Duration::from_secs(limits.drain_seconds),
        }
    }
}

/// A service that is being served.
#[must_use = "dropping it does not stop the server; drain it"]
pub struct Running {
    name: &'static str,
    grpc: &'static str,
    address: Option<SocketAddr>,
    stop: CancellationToken,
    join: JoinHandle<()>,
    health: HealthReporter,
    on_drain: Vec<OnDrain>,
    bound: Duration,
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

    /// Says to health checks whether the service is ready.
    pub async fn set_ready(&self, ready: bool) {
        let status = if ready { ServingStatus::Serving } else { ServingStatus::NotServing };
        self.health.set_service_status(self.grpc, status).await;
    }

    /// Takes no new calls, lets the running ones end within the bound, then runs the closing work.
    pub async fn drain(self) {
        self.set_ready(false).await;
        self.stop.cancel();
        let mut join = self.join;
        if tokio::time::timeout(self.bound, &mut join).await.is_err() {
            tracing::warn!(
                service = self.name,
                seconds = self.bound.as_secs(),
                "calls were cut off by the drain"
            );
            join.abort();
        }
        for work in self.on_drain {
            if tokio::time::timeout(self.bound, work()).await.is_err() {
                tracing::warn!(service = self.name, "closing work did not end in time");
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
