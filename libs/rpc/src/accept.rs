//! Connections as they come: the one accept loop of every listener, and what becomes of a connection before its first
//! request.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use assay_domain::{Code, Failure};
use tokio::io::DuplexStream;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;

use crate::connections::{ConnectionSlot, ConnectionTable};
use crate::io::{Received, Remote};
use crate::task;
use crate::tls::{self, Tls};

/// Connections that wait for the server.
const QUEUE: usize = 64;
/// Pause after a failed accept, such as too many open files.
const PAUSE: Duration = Duration::from_millis(50);

/// Connections as they come.
pub(crate) type Incoming = ReceiverStream<io::Result<Received>>;

/// A bound socket whose connections take slots of a table.
#[derive(Debug)]
pub struct Listener {
    socket: TcpListener,
    address: SocketAddr,
    table: ConnectionTable,
}

// === impl Listener ===

impl Listener {
    /// Listens on an address; port 0 takes any free one. `field` names the setting of the address.
    ///
    /// # Errors
    /// `CONFIGURATION` if the address cannot be bound.
    pub async fn bind(address: SocketAddr, field: &str, table: ConnectionTable) -> Result<Self, Failure> {
        let socket = TcpListener::bind(address).await.map_err(|error| {
            let text = format!("cannot listen on {address}: {error}; choose another address");
            Failure::new(Code::Configuration, text).field(field)
        })?;
        let address = socket.local_addr().map_err(|error| Failure::internal(error.to_string()))?;
        Ok(Self { socket, address, table })
    }

    /// Address of the socket.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The next connection for which there is a slot; `cut` closes it.
    pub async fn next(&self, cut: &CancellationToken) -> (TcpStream, SocketAddr, ConnectionSlot) {
        loop {
            match self.socket.accept().await {
                Ok((stream, address)) => {
                    // Small messages must not wait for each other; a socket that refuses this still works.
                    let _ = stream.set_nodelay(true);
                    if let Some(slot) = self.table.take(address.ip(), cut) {
                        return (stream, address, slot);
                    }
                }
                Err(error) => {
                    tracing::warn!(target: "assay", %error, "a connection could not be accepted");
                    // Too many open files are the usual reason: an idle connection may give its own back.
                    self.table.relieve();
                    tokio::time::sleep(PAUSE).await;
                }
            }
        }
    }
}

/// Connections of a listener until `stop`; then the socket is closed at once, so that newcomers are refused and try
/// elsewhere. `cut` ends those that are there; a peer has `opening` for its TLS handshake and again for its first bytes.
pub(crate) fn socket(
    listener: Listener,
    tls: Option<Tls>,
    opening: Duration,
    stop: CancellationToken,
    cut: CancellationToken,
) -> Incoming {
    let (connections, incoming) = mpsc::channel(QUEUE);
    task::detached(async move {
        loop {
            let (stream, address, slot) = tokio::select! {
                () = stop.cancelled() => return,
                next = listener.next(&cut) => next,
            };
            let remote = Remote::of(address, &slot);
            let Some(tls) = &tls else {
                if connections.send(Ok(Received::new(stream, remote, slot, opening, &stop))).await.is_err() {
                    return;
                }
                continue;
            };
            let (tls, connections, stop) = (tls.clone(), connections.clone(), stop.clone());
            task::detached(async move {
                if let Some(received) = shake(&tls, stream, remote, slot, opening, &stop).await {
                    let _ = connections.send(Ok(received)).await;
                }
            });
        }
    });
    ReceiverStream::new(incoming)
}

async fn shake(
    tls: &Tls,
    stream: TcpStream,
    remote: Remote,
    slot: ConnectionSlot,
    opening: Duration,
    stop: &CancellationToken,
) -> Option<Received> {
    let shaken = tokio::select! {
        () = slot.closed() => return None,
        shaken = tokio::time::timeout(opening, tls::accept(tls, stream)) => shaken,
    };
    let address = remote.address;
    match shaken {
        Ok(Ok((stream, names))) => {
            Some(Received::new(stream, Remote { names: Some(names), ..remote }, slot, opening, stop))
        }
        Ok(Err(error)) => {
            tracing::debug!(target: "assay", ?address, %error, "a peer was refused in the handshake");
            None
        }
        Err(_) => {
            tracing::debug!(target: "assay", ?address, "a peer did not finish the handshake in time");
            None
        }
    }
}

/// Connections from within the process.
pub(crate) fn memory(
    connections: mpsc::Receiver<DuplexStream>,
    cut: CancellationToken,
) -> impl futures::Stream<Item = io::Result<Received>> + Send {
    ReceiverStream::new(connections).map(move |stream| Ok(Received::within(stream, &cut)))
}
