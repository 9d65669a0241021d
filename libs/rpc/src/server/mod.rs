//! A composed service and the two ways to serve it: over in-memory channels and over a socket.

mod limits;
mod running;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use assay_domain::{Code, Failure};
use futures::future::BoxFuture;
use tokio::sync::mpsc;
use tonic::service::Routes;
use tonic::transport::Server;
use tonic_health::server::HealthReporter;

pub use limits::Limits;
use running::{End, set_ready};
pub use running::{Running, shutdown_signal};

use crate::accept::Listener;
use crate::admit::Admission;
use crate::channel::Channel;
use crate::front::Front;
use crate::io::Received;
use crate::layers::Observe;
use crate::methods::Methods;
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

type OnDrain = Box<dyn FnOnce() -> BoxFuture<'static, ()> + Send>;
type Check = Arc<dyn Fn() -> BoxFuture<'static, Result<(), Failure>> + Send + Sync>;

/// A composed service: what every `compose` returns.
pub struct Service {
    spec: &'static ServiceSpec,
    routes: Routes,
    /// What can be called here and is not made up.
    methods: Methods,
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
        let schemas = [
            descriptors,
            tonic_health::pb::FILE_DESCRIPTOR_SET,
            tonic_reflection::pb::v1::FILE_DESCRIPTOR_SET,
            tonic_reflection::pb::v1alpha::FILE_DESCRIPTOR_SET,
        ];
        let methods = Methods::read(&schemas.concat())?;
        let unreadable = |error| Failure::internal(format!("descriptors of {}: {error}", spec.name));
        // Clients of the older version are still the rule in Python.
        let routes = Routes::new(server)
            .add_service(reflection().build_v1().map_err(unreadable)?)
            .add_service(reflection().build_v1alpha().map_err(unreadable)?);
        Ok(Self { spec, routes, methods, health, ready: None, on_drain: Vec::new() })
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

    /// What can be called here.
    pub(crate) fn methods(&self) -> &Methods {
        &self.methods
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
        let running = self.serve(incoming, None, end, limits, None);
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
        let listener = Listener::bind(address, "listen", limits.connection_table()).await?;
        self.serve_at(listener, limits, tls, None).await
    }

    /// Serves on a listener, as a front door if `front` says so.
    pub(crate) async fn serve_at(
        self,
        listener: Listener,
        limits: Limits,
        tls: Option<Tls>,
        front: Option<Front>,
    ) -> Result<Running, Failure> {
        let bound = listener.address();
        let end = End::new();
        let incoming = accept::socket(listener, tls, limits.handshake(), end.stop.clone(), end.cut.clone());
        if let Some(check) = &self.ready {
            check().await?;
        }
        Ok(self.serve(incoming, Some(bound), end, limits, front))
    }

    fn serve(
        self,
        incoming: impl futures::Stream<Item = std::io::Result<Received>> + Send + 'static,
        address: Option<SocketAddr>,
        end: End,
        limits: Limits,
        front: Option<Front>,
    ) -> Running {
        let stopped = end.stop.clone();
        let (name, grpc) = (self.spec.name, self.spec.grpc);
        let health = self.health.clone();
        let watch = self.ready.map(|check| task::detached(watch(name, grpc, health.clone(), check)));
        let reporter = self.health;
        let public = self.spec.callers.is_empty();
        let (entrance, forward) = front.map(|front| (front.entrance, front.forward)).unzip();
        let layers = tower::ServiceBuilder::new()
            .option_layer(entrance)
            .layer(Observe::new(self.methods, public))
            .layer(Admission::new(self.spec))
            .option_layer(forward);
        let server = Server::builder()
            .layer(layers)
            .timeout(Duration::from_secs(limits.call_seconds))
            .concurrency_limit_per_connection(limits.concurrent_calls)
            .load_shed(true)
            .max_concurrent_streams(limits.concurrent_streams)
            // Callers of one peer that give up all at once must not break its connection for the others.
            .http2_max_pending_accept_reset_streams(usize::try_from(limits.concurrent_streams).ok())
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
            watch,
            on_drain: self.on_drain,
            bound: Duration::from_secs(limits.drain_seconds),
        }
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
