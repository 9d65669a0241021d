//! HTTP connections with time-outs for slow clients, and a drain that lets running requests end.

use std::net::SocketAddr;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use assay_domain::Failure;
use assay_rpc::accept::Listener;
use assay_rpc::connections::{ConnectionSlot, ConnectionTable, OpenConnection};
use assay_rpc::{Limits, Running, task};
use axum::Router;
use http::Request;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tower::Service;

use crate::access_log::AccessLog;
use crate::compose::Gateway;
use crate::door;
use crate::options::seconds;
use crate::peer::Peer;
use crate::refusals::Refusals;
use crate::routes;

/// Time that the last records of refusals may take.
const CLOSING: Duration = Duration::from_secs(3);
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
    refusals: Refusals,
    recording: JoinHandle<()>,
    bound: Duration,
}

impl Gateway {
    /// Binds the address of the options and serves; port 0 takes any free one.
    ///
    /// # Errors
    /// `configuration` if the address cannot be bound.
    pub async fn listen(self) -> Result<Serving, Failure> {
        let proxies = self.shared.authorizer.proxies().clone();
        let Limits { connections, connections_per_address, .. } = self.limits;
        // One table for both listeners: what a client takes at one it does not have at the other.
        let table = ConnectionTable::exempting(connections, connections_per_address, move |address| {
            proxies.trusts(address.to_canonical())
        });
        let listener = Listener::bind(self.options.http, "http", table.clone()).await?;
        let address = listener.address();
        let stop = CancellationToken::new();
        let kill = CancellationToken::new();
        let (alive, gone) = mpsc::channel(1);
        let shared = Arc::new(self.shared);
        let refusals = shared.refusals.clone();
        let log = Arc::clone(&shared.log);
        let door = door::open(self.options.grpc, &shared, self.behind, self.limits, table).await?;
        // Only what listens is drained: a task started before an error would never be told to stop.
        shared.authorizer.watch(&stop);
        let recording = task::spawn(refusals.clone().run(stop.clone()));
        let acceptor = Acceptor {
            app: routes::router(shared, address, stop.clone()),
            header_read: seconds(self.options.header_read_seconds),
            head_bytes: self.options.head_bytes,
            stop: stop.clone(),
            kill: kill.clone(),
            _alive: alive,
        };
        task::spawn(acceptor.run(listener));
        Ok(Serving {
            address,
            door,
            stop,
            kill,
            gone,
            log,
            refusals,
            recording,
            bound: seconds(self.options.drain_seconds),
        })
    }
}

impl Serving {
    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where the gRPC listener is.
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
        self.refusals.close(self.recording, CLOSING).await;
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
    async fn run(self, listener: Listener) {
        loop {
            let (stream, peer, slot) = tokio::select! {
                () = self.stop.cancelled() => return,
                next = listener.next(&self.kill) => next,
            };
            task::spawn(self.clone().serve(stream, peer, slot));
        }
    }

    /// One connection. HTTP/1 only, so that its header time-out holds from the first byte on and between requests.
    async fn serve(self, stream: TcpStream, peer: SocketAddr, slot: ConnectionSlot) {
        let mut builder = Builder::new(TokioExecutor::new()).http1_only();
        builder
            .http1()
            .timer(TokioTimer::new())
            .header_read_timeout(self.header_read)
            .max_buf_size(self.head_bytes)
            .max_headers(HEADERS);
        let service = TowerToHyperService::new(FromPeer {
            app: self.app,
            peer: Peer(peer),
            connection: slot.connection(),
        });
        let connection = builder.serve_connection(TokioIo::new(stream), service);
        tokio::pin!(connection);
        let closed = slot.closed();
        tokio::pin!(closed);
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
                () = &mut closed => return,
            }
        }
    }
}

/// Says in every request of a connection where it comes from.
#[derive(Debug, Clone)]
struct FromPeer {
    app: Router,
    peer: Peer,
    connection: OpenConnection,
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
        request.extensions_mut().insert(self.connection.clone());
        self.app.call(request)
    }
}
