//! Byte streams under HTTP/2: what a server accepts, with the names that the peer's certificate proves, and what a
//! client dials.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::oneshot;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tonic::transport::server::Connected;

/// Bytes both ways.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Send + Unpin + 'static {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin + 'static> Stream for T {}

/// Who is at the other end of a received connection; an extension of every request that came over it.
#[derive(Debug, Clone)]
pub struct Remote {
    /// Its address; none within the process.
    pub address: Option<SocketAddr>,
    /// Names in its certificate; none without TLS.
    pub names: Option<Arc<[String]>>,
}

/// A connection that a server received.
pub(crate) struct Received {
    stream: Box<dyn Stream>,
    remote: Remote,
    /// Ends the connection whatever is under way, when a drain has taken too long.
    cut: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl Received {
    pub(crate) fn new(stream: impl Stream, remote: Remote, cut: &CancellationToken) -> Self {
        Self { stream: Box::new(stream), remote, cut: Box::pin(cut.clone().cancelled_owned()) }
    }
}

impl Connected for Received {
    type ConnectInfo = Remote;

    fn connect_info(&self) -> Remote {
        self.remote.clone()
    }
}

impl AsyncRead for Received {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.cut.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Err(io::Error::new(
                io::ErrorKind::ConnectionAborted,
                "the service has stopped",
            )));
        }
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Received {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

/// Runs when it is dropped.
pub(crate) struct OnDrop(Option<Box<dyn FnOnce() + Send>>);

impl OnDrop {
    pub(crate) fn new(work: impl FnOnce() + Send + 'static) -> Self {
        Self(Some(Box::new(work)))
    }
}

impl Drop for OnDrop {
    fn drop(&mut self) {
        if let Some(work) = self.0.take() {
            work();
        }
    }
}

/// A connection that a client made.
///
/// It tells when the far end first speaks. A gRPC server speaks first, so silence or an end there means that nobody
/// serves this connection: it waited in the queue of a server that stopped, or the server does not accept our
/// certificate, which TLS 1.3 says only after the handshake.
pub(crate) struct Dialed {
    stream: Box<dyn Stream>,
    first: Option<oneshot::Sender<io::Result<()>>>,
    _closed: OnDrop,
}

impl Dialed {
    pub(crate) fn new(stream: Box<dyn Stream>, closed: OnDrop) -> (Self, oneshot::Receiver<io::Result<()>>) {
        let (first, spoken) = oneshot::channel();
        (Self { stream, first: Some(first), _closed: closed }, spoken)
    }
}

impl AsyncRead for Dialed {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        if let Poll::Ready(result) = &read
            && let Some(first) = self.first.take()
        {
            let _ = first.send(match result {
                Ok(()) if buf.filled().len() > before => Ok(()),
                Ok(()) => Err(io::Error::new(
                    io::ErrorKind::ConnectionReset,
                    "the peer closed the connection at once",
                )),
                Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
            });
        }
        read
    }
}

impl AsyncWrite for Dialed {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
