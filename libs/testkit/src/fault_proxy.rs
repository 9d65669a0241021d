//! A proxy in front of a gRPC service, in which a test switches single methods off, slows them down or lets them hang.
//!
//! It stands where the network stands: caller and service are the real ones. Plaintext only.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use assay_rpc::task;
use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::client::GrpcService as _;
use tonic::service::Routes;
use tonic::transport::{Channel, Endpoint, Server};

/// What happens to the calls of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// `UNAVAILABLE` at once.
    Down,
    /// Passed on after this time.
    Slow(Duration),
    /// Never answered.
    Silent,
}

/// A running proxy; it stops with the test's runtime.
#[derive(Debug, Clone)]
pub struct FaultProxy {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    target: Channel,
    faults: Mutex<BTreeMap<String, Fault>>,
    calls: Mutex<Vec<String>>,
}

// === impl FaultProxy ===

impl FaultProxy {
    /// Starts on a free loopback port in front of the service at `url`, which need not run yet.
    ///
    /// # Errors
    /// If no port can be bound or `url` is no address.
    pub async fn before(url: &str) -> std::io::Result<Self> {
        let endpoint = Endpoint::from_shared(url.to_owned()).map_err(std::io::Error::other)?;
        let target = endpoint.tcp_nodelay(true).connect_lazy();
        let shared = Arc::new(Shared { target, faults: Mutex::default(), calls: Mutex::default() });
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let routes = Routes::from(Router::new().fallback(forward).with_state(Arc::clone(&shared)));
        task::spawn(async move {
            let incoming = TcpListenerStream::new(listener);
            let _ = Server::builder().add_routes(routes).serve_with_incoming(incoming).await;
        });
        Ok(Self { address, shared })
    }

    /// Where it listens.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// From now on every call of the method, by its short name, meets this fault.
    pub fn set(&self, method: &str, fault: Fault) {
        self.shared.faults().insert(method.to_owned(), fault);
    }

    /// From now on every call is passed on.
    pub fn heal(&self) {
        self.shared.faults().clear();
    }

    /// Short names of the methods that were called so far.
    #[must_use]
    pub fn calls(&self) -> Vec<String> {
        self.shared.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Shared {
    fn faults(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, Fault>> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn forward(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let method = request.uri().path().rsplit('/').next().unwrap_or_default().to_owned();
    let fault = shared.faults().get(&method).copied();
    shared.calls.lock().unwrap_or_else(PoisonError::into_inner).push(method);
    match fault {
        None => {}
        Some(Fault::Down) => return refused("switched off by a test"),
        Some(Fault::Slow(time)) => tokio::time::sleep(time).await,
        Some(Fault::Silent) => std::future::pending::<()>().await,
    }
    let mut target = shared.target.clone();
    let ready = std::future::poll_fn(|cx| target.poll_ready(cx)).await;
    let answer = match ready {
        Ok(()) => target.call(request.map(tonic::body::Body::new)).await,
        Err(error) => Err(error),
    };
    answer.map_or_else(|error| refused(&error.to_string()), |response| response.map(Body::new))
}

fn refused(why: &str) -> Response {
    tonic::Status::unavailable(why.to_owned()).into_http::<tonic::body::Body>().map(Body::new)
}
