//! Connections to a service: from a socket, with or without TLS, or from within the process.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use assay_domain::{Code, Failure};
use tokio::io::DuplexStream;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc};
use tokio_stream::StreamExt as _;
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::sync::CancellationToken;

use crate::io::{Received, Remote};
use crate::task;
use crate::tls::{self, Tls};

/// Time a peer has for its handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Handshakes under way at the same time.
const HANDSHAKES: usize = 256;
/// Connections that wait for the server.
const QUEUE: usize = 64;
/// Pause after a failed accept, such as too many open files.
const PAUSE: Duration = Duration::from_millis(50);

/// Connections as they come.
pub(crate) type Incoming = ReceiverStream<io::Result<Received>>;

/// A listener on an address; port 0 takes any free one.
///
/// # Errors
/// `CONFIGURATION` if the address cannot be bound.
pub(crate) async fn bind(address: SocketAddr, field: &str) -> Result<(TcpListener, SocketAddr), Failure> {
    let listener = TcpListener::bind(address).await.map_err(|error| {
        let text = format!("cannot listen on {address}: {error}; choose another address");
        Failure::new(Code::Configuration, text).field(field)
    })?;
    let bound = listener.local_addr().map_err(|error| Failure::internal(error.to_string()))?;
    Ok((listener, bound))
}

/// Connections of a socket until `stop`; then the socket is closed at once, so that newcomers are refused and try
/// elsewhere. `cut` ends those that are there.
pub(crate) fn socket(
    listener: TcpListener,
    tls: Option<Tls>,
    stop: CancellationToken,
    cut: CancellationToken,
) -> Incoming {
    let (connections, incoming) = mpsc::channel(QUEUE);
    task::detached(async move {
        let handshakes = Arc::new(Semaphore::new(HANDSHAKES));
        loop {
            let accepted = tokio::select! {
                () = stop.cancelled() => return,
                accepted = listener.accept() => accepted,
            };
            let (stream, address) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    tracing::warn!(target: "assay", %error, "a connection could not be accepted");
                    tokio::time::sleep(PAUSE).await;
                    continue;
                }
            };
            // Small messages must not wait for each other; a socket that refuses this still works.
            let _ = stream.set_nodelay(true);
            let Some(tls) = &tls else {
                let remote = Remote { address: Some(address), names: None };
                if connections.send(Ok(Received::new(stream, remote, &cut))).await.is_err() {
                    return;
                }
                continue;
            };
            let Ok(turn) = Arc::clone(&handshakes).acquire_owned().await else { return };
            let (tls, connections, cut) = (tls.clone(), connections.clone(), cut.clone());
            task::detached(async move {
                if let Some(received) = shake(&tls, stream, address, &cut).await {
                    let _ = connections.send(Ok(received)).await;
                }
                drop(turn);
            });
        }
    });
    ReceiverStream::new(incoming)
}

async fn shake(
    tls: &Tls,
    stream: TcpStream,
    address: SocketAddr,
    cut: &CancellationToken,
) -> Option<Received> {
    match tokio::time::timeout(HANDSHAKE, tls::accept(tls, stream)).await {
        Ok(Ok((stream, names))) => {
            Some(Received::new(stream, Remote { address: Some(address), names: Some(names) }, cut))
        }
        Ok(Err(error)) => {
            tracing::debug!(target: "assay", %address, %error, "a peer was refused in the handshake");
            None
        }
        Err(_) => {
            tracing::debug!(target: "assay", %address, "a peer did not finish the handshake in time");
            None
        }
    }
}

/// Connections from within the process.
pub(crate) fn memory(
    connections: mpsc::Receiver<DuplexStream>,
    cut: CancellationToken,
) -> impl futures::Stream<Item = io::Result<Received>> + Send {
    ReceiverStream::new(connections)
        .map(move |stream| Ok(Received::new(stream, Remote { address: None, names: None }, &cut)))
}
