//! TLS and credentials in front of a plain HTTP server, which stays the real one.

use std::net::SocketAddr;
use std::sync::Arc;

use assay_rpc::task;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

/// Largest head of a request.
const MOST_HEAD_BYTES: usize = 64 * 1024;
const REFUSED: &str = "HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";

/// A running front; it stops with the test's runtime.
#[derive(Debug, Clone)]
pub struct SecureFront {
    address: SocketAddr,
    certificate: String,
}

impl SecureFront {
    /// Starts on a free loopback port in front of `upstream`, `HOST:PORT`. A request passes if its `Authorization` is
    /// one of `accepted`.
    ///
    /// # Errors
    /// If no port can be bound or no certificate can be made.
    pub async fn before(upstream: &str, accepted: &[&str]) -> std::io::Result<Self> {
        let signed = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()])
            .map_err(std::io::Error::other)?;
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(signed.signing_key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .and_then(|config| {
                config.with_no_client_auth().with_single_cert(vec![signed.cert.der().clone()], key)
            })
            .map_err(std::io::Error::other)?;
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let accepted: Arc<[String]> = accepted.iter().map(|value| (*value).to_owned()).collect();
        let upstream = upstream.to_owned();
        task::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, accepted, upstream) =
                    (acceptor.clone(), Arc::clone(&accepted), upstream.clone());
                task::spawn(async move { pass(acceptor, stream, &accepted, &upstream).await });
            }
        });
        Ok(Self { address, certificate: signed.cert.pem() })
    }

    /// Where it listens.
    #[must_use]
    pub fn url(&self) -> String {
        format!("https://localhost:{}", self.address.port())
    }

    /// Its certificate in PEM, which signs itself.
    #[must_use]
    pub fn certificate(&self) -> &str {
        &self.certificate
    }
}

/// Passes one request of a connection on; the server is told to close, so that every request is looked at.
async fn pass(
    acceptor: TlsAcceptor,
    stream: TcpStream,
    accepted: &[String],
    upstream: &str,
) -> std::io::Result<()> {
    let mut client = acceptor.accept(stream).await?;
    let mut head = Vec::new();
    let end = loop {
        if let Some(at) = head.windows(4).position(|four| four == b"\r\n\r\n") {
            break at;
        }
        if head.len() > MOST_HEAD_BYTES || client.read_buf(&mut head).await? == 0 {
            return Ok(());
        }
    };
    let text = String::from_utf8_lossy(&head[..end]).into_owned();
    let credentials = text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("authorization").then(|| value.trim().to_owned())
    });
    if !credentials.is_some_and(|value| accepted.contains(&value)) {
        client.write_all(REFUSED.as_bytes()).await?;
        return client.shutdown().await;
    }
    let mut server = TcpStream::connect(upstream).await?;
    server.write_all(&head[..end]).await?;
    server.write_all(b"\r\nconnection: close").await?;
    server.write_all(&head[end..]).await?;
    tokio::io::copy_bidirectional(&mut client, &mut server).await?;
    Ok(())
}
