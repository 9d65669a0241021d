//! Making one connection: address, TLS, HTTP/2.

use std::io;
use std::sync::Arc;

use assay_domain::{Code, Failure};
use http::Uri;
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::DuplexStream;
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio_rustls::TlsConnector;
use tonic::transport::{Channel as Http2, Endpoint};

use super::options::Connection;
use super::set::Address;
use crate::io::{Dialed, OnDrop, Stream};
use crate::tls::Tls;

/// Bytes that a peer may send ahead on one call, and on one connection.
const STREAM_WINDOW: u32 = 1024 * 1024;
const CONNECTION_WINDOW: u32 = 8 * 1024 * 1024;
/// Size of the two buffers of a connection in memory.
const MEMORY_BYTES: usize = 256 * 1024;

/// How a connection is protected.
#[derive(Clone, Default)]
pub(crate) enum Security {
    /// Not at all.
    #[default]
    Plain,
    /// Both ends show a certificate; the peer's must name it.
    Mutual(Tls),
    /// The far end shows a certificate for its host name.
    Server(Arc<ClientConfig>),
}

/// Where connections lead.
pub(crate) enum Target {
    /// A host by name or literal address.
    Host {
        /// Without brackets.
        host: String,
        port: u16,
    },
    /// A service in this process; each connection is handed to it.
    Memory(mpsc::Sender<DuplexStream>),
    /// Nowhere.
    Nobody,
}

/// Everything that a connection needs but its address.
pub(crate) struct Dial {
    pub(crate) target: Target,
    pub(crate) security: Security,
    /// Name that a certificate must hold.
    pub(crate) server_name: Option<ServerName<'static>>,
    pub(crate) connection: Connection,
    endpoint: Endpoint,
}

impl Dial {
    /// A dial to `host:port`, verified as `name`.
    pub(crate) fn host(
        name: &str,
        host: &str,
        port: u16,
        security: Security,
        connection: Connection,
    ) -> Result<Self, Failure> {
        let wrong = |error: &dyn std::fmt::Display| {
            Failure::new(Code::Configuration, format!("{name:?} is no name of a peer: {error}"))
        };
        let server_name = match security {
            Security::Plain => None,
            _ => Some(ServerName::try_from(name.to_owned()).map_err(|error| wrong(&error))?),
        };
        let scheme = if server_name.is_some() { "https" } else { "http" };
        let authority =
            if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") };
        let origin: Uri = format!("{scheme}://{authority}").parse().map_err(|error| wrong(&error))?;
        let endpoint = endpoint(&connection).origin(origin);
        Ok(Self {
            target: Target::Host { host: host.to_owned(), port },
            security,
            server_name,
            connection,
            endpoint,
        })
    }

    /// A dial within the process.
    pub(crate) fn memory(target: Target) -> Self {
        let connection = Connection::default();
        // Both ends are here: nothing to ping.
        let endpoint = Endpoint::from_static("http://in-memory");
        Self { target, security: Security::Plain, server_name: None, connection, endpoint }
    }

    /// One connection, which the far end serves. `closed` runs when it is gone, however it goes.
    ///
    /// # Errors
    /// Why there is none.
    pub(crate) async fn connect(&self, address: Address, closed: OnDrop) -> io::Result<Http2> {
        let limit = self.connection.connect();
        let work = async {
            let stream = self.open(address).await?;
            let (io, served) = Dialed::new(stream, closed);
            let mut io = Some(io);
            // Asked for a second connection it has none: making another is decided elsewhere.
            let connector = tower::service_fn(move |_: Uri| {
                let io = io.take().map(TokioIo::new);
                async move {
                    io.ok_or_else(|| io::Error::new(io::ErrorKind::ConnectionReset, "the connection ended"))
                }
            });
            let http2 = self
                .endpoint
                .connect_with_connector(connector)
                .await
                .map_err(|error| io::Error::other(root(&error)))?;
            served.await.unwrap_or_else(|_| {
                Err(io::Error::new(io::ErrorKind::ConnectionReset, "the peer closed the connection at once"))
            })?;
            Ok(http2)
        };
        tokio::time::timeout(limit, work).await.unwrap_or_else(|_| {
            let text = format!("no connection within {} s", limit.as_secs_f64());
            Err(io::Error::new(io::ErrorKind::TimedOut, text))
        })
    }

    async fn open(&self, address: Address) -> io::Result<Box<dyn Stream>> {
        let socket = match (&self.target, address) {
            (Target::Memory(service), _) => {
                let (client, server) = tokio::io::duplex(MEMORY_BYTES);
                let stopped = |_| io::Error::new(io::ErrorKind::ConnectionRefused, "the service has stopped");
                service.send(server).await.map_err(stopped)?;
                return Ok(Box::new(client));
            }
            (Target::Host { .. }, Address::Socket(socket)) => socket,
            _ => return Err(io::Error::new(io::ErrorKind::ConnectionRefused, "nobody is there")),
        };
        let stream = TcpStream::connect(socket).await?;
        stream.set_nodelay(true)?;
        let config = match &self.security {
            Security::Plain => return Ok(Box::new(stream)),
            Security::Mutual(tls) => tls.client(),
            Security::Server(config) => Arc::clone(config),
        };
        let name = self.server_name.clone().ok_or_else(|| io::Error::other("the peer has no name"))?;
        Ok(Box::new(TlsConnector::from(config).connect(name, stream).await?))
    }
}

fn endpoint(connection: &Connection) -> Endpoint {
    Endpoint::from_static("http://peer")
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .http2_keep_alive_interval(connection.keep_alive())
        .keep_alive_timeout(connection.keep_alive_timeout())
        .keep_alive_while_idle(true)
}

/// The innermost cause: the layers above it only repeat that something went wrong.
pub(crate) fn root(error: &(dyn std::error::Error + 'static)) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    innermost.to_string()
}
