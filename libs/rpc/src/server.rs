//! A composed service and the two ways to serve it: over in-memory channels and over a socket.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use assay_domain::{Code, Failure};
use futures::future::BoxFuture;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;
use tonic::transport::Server;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

use crate::admit::Admission;
use crate::channel::Channel;
use crate::io::Received;
use crate::spec::ServiceSpec;
use crate::tls::Tls;
use crate::{accept, task};

/// Name under which health checks ask whether a service can do its work: its own storage is usable and it is not
/// draining. The empty name asks whether the process is alive.
pub const READY: &str = "ready";

/// Pause between two looks at the storage.
const PROBE: Duration = Duration::from_secs(2);
/// Time that a look at the storage may take.
const PROBE_LIMIT: Duration = Duration::from_secs(2);
/// Time that cut connections have to end.
const CUT: Duration = Duration::from_secs(1);

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
    /// Pause after which a silent connection is pinged, in seconds.
    pub keep_alive_seconds: u64,
    /// Time a ping may take to be answered before the connection counts as dead, in seconds.
    pub keep_alive_timeout_seconds: u64,
    /// Time between the moment at which a process says that it is not ready and the moment at which it takes no new
    /// connections, in seconds: what a load balancer in front of it needs to notice.
    pub drain_delay_seconds: u64,
    /// Most time a drain may take, in seconds.
    pub drain_seconds: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            concurrent_calls: 1024,
            concurrent_streams: 2048,
            call_seconds: 120,
            keep_alive_seconds: 20,
            keep_alive_timeout_seconds: 10,
            drain_delay_seconds: 0,
            drain_seconds: 10,
        }
    }
}

impl Limits {
    /// Refuses limits that cannot work.
    ///
    /// # Errors
    /// `CONFIGURATION`, naming the setting.
    pub fn check(&self) -> Result<(), Failure> {
        let streams = usize::try_from(self.concurrent_streams).unwrap_or(usize::MAX);
        let seconds = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
        for (field, value) in [
            ("limits.concurrent_calls", self.concurrent_calls),
            ("limits.concurrent_streams", streams),
            ("limits.call_seconds", seconds(self.call_seconds)),
            ("limits.keep_alive_seconds", seconds(self.keep_alive_seconds)),
            ("limits.keep_alive_timeout_seconds", seconds(self.keep_alive_timeout_seconds)),
        ] {
            if value == 0 {
                return Err(
                    Failure::new(Code::Configuration, format!("{field} must be at least 1")).field(field)
                );
            }
        }
        Ok(())
    }
}

type OnDrain = Box<dyn FnOnce() -> BoxFuture<'static, ()> + Send>;
type Check = Arc<dyn Fn() -> BoxFuture<'static, Result<(), Failure>> + Send + Sync>;

/// A composed service: what every `compose` returns.
pub struct Service {
    spec: &'static ServiceSpec,
    routes: Routes,
    health: HealthReporter,
    ready: Option<Check>,
    on_drain: Vec<OnDrain>,
}

impl std::fmt::Debug for Service {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Service").field("spec", self.spec).finish_non_exhaustive()
    }
}

// === impl Service ===

impl Service {
    /// A service with health and reflection. `descriptors` hold its schema; of the services in them its own is listed.
    ///
    /// # Errors
    /// `INTERNAL` if the descriptors cannot be read.
    pub fn new(spec: &'static ServiceSpec, descriptors: &'static [u8]) -> Result<Self, Failure> {
        Self::listing(spec, descriptors, &[spec.grpc])
    }

    /// The same, where reflection lists other services than its own: those that can be reached here.
    ///
    /// # Errors
    /// `INTERNAL` if the descriptors cannot be read.
    pub fn listing(
        spec: &'static ServiceSpec,
        descriptors: &'static [u8],
        names: &[&str],
    ) -> Result<Self, Failure> {
        let (health, server) = tonic_health::server::health_reporter();
        let reflection = || {
            let schema = tonic_reflection::server::Builder::configure()
                .register_encoded_file_descriptor_set(descriptors)
                .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
                .with_service_name("grpc.health.v1.Health");
            names
                .iter()
                .filter(|name| !name.is_empty())
                .fold(schema, |schema, name| schema.with_service_name(*name))
        };
        let unreadable = |error| Failure::internal(format!("descriptors of {}: {error}", spec.name));
        // Clients of the older version are still the rule in Python.
        let routes = Routes::new(server)
            .add_service(reflection().build_v1().map_err(unreadable)?)
            .add_service(reflection().build_v1alpha().map_err(unreadable)?);
        Ok(Self { spec, routes, health, ready: None, on_drain: Vec::new() })
    }

    /// Adds generated servers: `.with(|routes| routes.add_service(…))`.
    #[must_use]
    pub fn with(mut self, add: impl FnOnce(Routes) -> Routes) -> Self {
        self.routes = add(self.routes);
        self
    }

    /// Says how to find out whether the service's own storage is usable; a cheap question, asked every two seconds while
    /// the service listens on a socket. Peers are not part of it: they only degrade an answer.
    #[must_use]
    pub fn ready_when<F, Fut>(mut self, check: F) -> Self
    where
        F: Fn() -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<(), Failure>> + Send + 'static,
    {
        self.ready = Some(Arc::new(move || Box::pin(check())));
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
        let (connections, received) = mpsc::channel(16);
        let channel = Channel::memory(self.spec.name, connections);
        let end = End::new();
        let incoming = accept::memory(received, end.cut.clone());
        let running = self.serve(incoming, None, end, limits, tower::layer::util::Identity::new());
        (channel, running)
    }

    /// Serves on a socket in plaintext; port 0 takes any free one.
    ///
    /// # Errors
    /// `CONFIGURATION` if the address cannot be bound.
    pub async fn listen(self, address: SocketAddr, limits: Limits) -> Result<Running, Failure> {
        self.listen_with(address, limits, None).await
    }

    /// Serves on a socket; with certificates only to peers that show one of the same authority and that the specification
    /// names as callers.
    ///
    /// # Errors
    /// `CONFIGURATION` if the address cannot be bound.
    pub async fn listen_with(
        self,
        address: SocketAddr,
        limits: Limits,
        tls: Option<Tls>,
    ) -> Result<Running, Failure> {
        self.bind(address, limits, tls, tower::layer::util::Identity::new()).await
    }

    /// Serves on a socket behind a further layer, in plaintext.
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
        self.bind(address, limits, None, layer).await
    }

    async fn bind<L>(
        self,
        address: SocketAddr,
        limits: Limits,
        tls: Option<Tls>,
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
        let (listener, bound) = accept::bind(address, "listen").await?;
        let end = End::new();
        let incoming = accept::socket(listener, tls, end.stop.clone(), end.cut.clone());
        let ready = self.ready.clone();
        let (name, grpc, health) = (self.spec.name, self.spec.grpc, self.health.clone());
        if let Some(check) = &ready
            && let Err(failure) = check().await
        {
            return Err(failure);
        }
        let mut running = self.serve(incoming, Some(bound), end, limits, layer);
        running.watch = ready.map(|check| task::detached(watch(name, grpc, health, check)));
        Ok(running)
    }

    fn serve<I, L>(
        self,
        incoming: I,
        address: Option<SocketAddr>,
        end: End,
        limits: Limits,
        layer: L,
    ) -> Running
    where
        L: tower::Layer<Routes> + Clone + Send + 'static,
        L::Service: tower::Service<http::Request<tonic::body::Body>, Response = http::Response<tonic::body::Body>>
            + Clone
            + Send
            + 'static,
        <L::Service as tower::Service<http::Request<tonic::body::Body>>>::Future: Send + 'static,
        <L::Service as tower::Service<http::Request<tonic::body::Body>>>::Error:
            Into<Box<dyn std::error::Error + Send + Sync>> + Send + 'static,
        I: futures::Stream<Item = std::io::Result<Received>> + Send + 'static,
    {
        let stopped = end.stop.clone();
        let (name, grpc) = (self.spec.name, self.spec.grpc);
        let health = self.health.clone();
        let reporter = self.health;
        let layers = tower::ServiceBuilder::new()
            .layer(crate::layers::Observe)
            .layer(Admission::new(self.spec))
            .layer(layer);
        let server = Server::builder()
            .layer(layers)
            .timeout(Duration::from_secs(limits.call_seconds))
            .concurrency_limit_per_connection(limits.concurrent_calls)
            .load_shed(true)
            .max_concurrent_streams(limits.concurrent_streams)
            .http2_keepalive_interval(Some(Duration::from_secs(limits.keep_alive_seconds)))
            .http2_keepalive_timeout(Some(Duration::from_secs(limits.keep_alive_timeout_seconds)))
            .add_routes(self.routes.prepare())
            .serve_with_incoming_shutdown(incoming, async move { stopped.cancelled().await });
        let join = task::spawn(async move {
            set_ready(&reporter, grpc, true).await;
            if let Err(error) = server.await {
                tracing::error!(service = name, %error, "the server stopped");
            }
        });
        Running {
            name,
            grpc,
            address,
            end,
            join,
            health,
            watch: None,
            on_drain: self.on_drain,
            bound: Duration::from_secs(limits.drain_seconds),
        }
    }
}

async fn set_ready(health: &HealthReporter, grpc: &'static str, ready: bool) {
    let status = if ready { ServingStatus::Serving } else { ServingStatus::NotServing };
    health.set_service_status(READY, status).await;
    if !grpc.is_empty() {
        health.set_service_status(grpc, status).await;
    }
}

/// Looks at the storage now and then and tells health checks what came of it.
async fn watch(name: &'static str, grpc: &'static str, health: HealthReporter, check: Check) {
    let mut usable = true;
    loop {
        tokio::time::sleep(PROBE).await;
        let result = tokio::time::timeout(PROBE_LIMIT, check()).await.unwrap_or_else(|_| {
            Err(Failure::new(Code::DeadlineExceeded, "the storage did not answer in time"))
        });
        if result.is_ok() == usable {
            continue;
        }
        usable = result.is_ok();
        set_ready(&health, grpc, usable).await;
        match result {
            Ok(()) => tracing::info!(target: "assay", service = name, "the storage is usable again"),
            Err(failure) => {
                tracing::error!(target: "assay", service = name, %failure, "not ready: the storage cannot be used");
            }
        }
    }
}

/// How a server is told to end: gently, and then not.
struct End {
    stop: CancellationToken,
    cut: CancellationToken,
}

impl End {
    fn new() -> Self {
        Self { stop: CancellationToken::new(), cut: CancellationToken::new() }
    }
}

/// A service that is being served.
#[must_use = "dropping it does not stop the server; drain it"]
pub struct Running {
    name: &'static str,
    grpc: &'static str,
    address: Option<SocketAddr>,
    end: End,
    join: JoinHandle<()>,
    health: HealthReporter,
    watch: Option<JoinHandle<()>>,
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
