//! Sockets: connections with time-outs for slow clients, and a drain that lets running requests end.

use std::net::SocketAddr;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use assay_domain::{Code, Failure};
use assay_rpc::{Running, task};
use axum::Router;
use http::Request;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use tower::Service;

use crate::access::AccessLog;
use crate::compose::Gateway;
use crate::door;
use crate::options::seconds;
use crate::peer::Peer;
use crate::routes;

/// Pause after a failed accept, such as too many open files.
const PAUSE: Duration = Duration::from_millis(50);
/// Most headers of a request.
const HEADERS: usize = 100;

/// A gateway that listens.
#[derive(Debug)]
#[must_use = "dropping it does not stop the server; drain it"]
pub struct Serving {
    address: SocketAddr,
    door: Running,
    stop: CancellationToken,
    kill: CancellationToken,
    gone: mpsc::Receiver<()>,
    log: Arc<AccessLog>,
    bound: Duration,
}

impl Gateway {
    /// Binds the address of the options and serves; port 0 takes any free one.
    ///
    /// # Errors
    /// `configuration` if the address cannot be bound.
    pub async fn listen(self) -> Result<Serving, Failure> {
        let address = self.options.http;
        let listener = TcpListener::bind(address).await.map_err(|error| {
            let text = format!("cannot listen on {address}: {error}; choose another address");
            Failure::new(Code::Configuration, text).field("http")
        })?;
        let address = listener.local_addr().map_err(|error| Failure::internal(error.to_string()))?;
        let stop = CancellationToken::new();
        let kill = CancellationToken::new();
        let (alive, gone) = mpsc::channel(1);
        let shared = Arc::new(self.shared);
        shared.gate.watch(&stop);
        let log = Arc::clone(&shared.log);
        let door = door::open(self.options.grpc, &shared, self.behind, self.limits).await?;
        let acceptor = Acceptor {
            app: routes::router(shared, address, stop.clone()),
            header_read: seconds(self.options.header_read_seconds),
            head_bytes: self.options.head_bytes,
            stop: stop.clone(),
            kill: kill.clone(),
            _alive: alive,
        };
        task::spawn(acceptor.run(listener, self.options.connections));
        Ok(Serving { address, door, stop, kill, gone, log, bound: seconds(self.options.drain_seconds) })
    }
}

impl Serving {
    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where the gRPC door is.
    #[must_use]
    pub fn grpc_address(&self) -> Option<SocketAddr> {
        self.door.address()
    }

    /// Takes no new connections, lets running requests end within the bound, then cuts them off.
    pub async fn drain(mut self) {
        self.stop.cancel();
        let http = async {
            if tokio::time::timeout(self.bound, self.gone.recv()).await.is_err() {
                tracing::warn!(target: "assay", "requests were cut off by the drain of the gateway");
                self.kill.cancel();
                self.gone.recv().await;
            }
        };
        tokio::join!(http, self.door.drain());
        self.log.close();
    }
}

#[derive(Clone)]
struct Acceptor {
    app: Router,
    header_read: Duration,
    head_bytes: usize,
    stop: CancellationToken,
    kill: CancellationToken,
    /// Held by every task; when all are dropped the drain is over.
    _alive: mpsc::Sender<()>,
}

impl Acceptor {
    async fn run(self, listener: TcpListener, connections: usize) {
        let slots = Arc::new(Semaphore::new(connections));
        loop {
            let accepted = tokio::select! {
                () = self.stop.cancelled() => return,
                accepted = accept(&listener, &slots) => accepted,
            };
            match accepted {
                Some((stream, peer, slot)) => {
                    let connection = self.clone();
                    task::spawn(async move {
                        connection.serve(stream, peer).await;
                        drop(slot);
                    });
                }
                None => tokio::time::sleep(PAUSE).await,
            }
        }
    }

    /// One connection. HTTP/1 only, so that its header time-out holds from the first byte on and between requests.
    async fn serve(self, stream: TcpStream, peer: SocketAddr) {
        let mut builder = Builder::new(TokioExecutor::new()).http1_only();
        builder
            .http1()
            .timer(TokioTimer::new())
            .header_read_timeout(self.header_read)
            .max_buf_size(self.head_bytes)
            .max_headers(HEADERS);
        let service = TowerToHyperService::new(FromPeer { app: self.app, peer: Peer(peer) });
        let connection = builder.serve_connection(TokioIo::new(stream), service);
        tokio::pin!(connection);
        let mut stopping = false;
        loop {
            tokio::select! {
                ended = connection.as_mut() => {
                    if let Err(error) = ended {
                        tracing::debug!(target: "assay::gateway", %error, "a connection broke");
                    }
                    return;
                }
                () = self.stop.cancelled(), if !stopping => {
                    stopping = true;
                    connection.as_mut().graceful_shutdown();
                }
                () = self.kill.cancelled() => return,
            }
        }
    }
}

/// Says in every request of a connection where it comes from.
#[derive(Debug, Clone)]
struct FromPeer {
    app: Router,
    peer: Peer,
}

impl<B> Service<Request<B>> for FromPeer
where
    Router: Service<Request<B>>,
{
    type Response = <Router as Service<Request<B>>>::Response;
    type Error = <Router as Service<Request<B>>>::Error;
    type Future = <Router as Service<Request<B>>>::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.app.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        request.extensions_mut().insert(self.peer);
        self.app.call(request)
    }
}

async fn accept(
    listener: &TcpListener,
    slots: &Arc<Semaphore>,
) -> Option<(TcpStream, SocketAddr, tokio::sync::OwnedSemaphorePermit)> {
    let slot = Arc::clone(slots).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, peer)) => {
            // Small events must not wait for each other; a socket that refuses this still works.
            let _ = stream.set_nodelay(true);
            Some((stream, peer, slot))
        }
        Err(error) => {
            tracing::warn!(target: "assay::gateway", %error, "a connection could not be accepted");
            None
        }
    }
}
