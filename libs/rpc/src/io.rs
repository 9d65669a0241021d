//! Byte streams under HTTP/2: what a server accepts, with the names that the peer's certificate proves, and what a
//! client dials.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::oneshot;
use tokio::time::Sleep;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tonic::transport::server::Connected;

use crate::connections::{ConnectionSlot, OpenConnection};

/// Bytes with which every HTTP/2 connection begins: the preface and the head of a SETTINGS frame (RFC 9113, 3.4).
const OPENING_BYTES: usize = 24 + Frames::HEAD;

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
    /// The slot of the connection; none within the process.
    pub connection: Option<OpenConnection>,
}

impl Remote {
    /// The other end of a socket, whose names are not known.
    pub(crate) fn of(address: SocketAddr, slot: &ConnectionSlot) -> Self {
        Self { address: Some(address), names: None, connection: Some(slot.connection()) }
    }
}

/// A connection that a server received.
pub(crate) struct Received {
    stream: Box<dyn Stream>,
    remote: Remote,
    /// Ends the connection whatever is under way: a drain has taken too long, or its slot is needed.
    closed: Pin<Box<WaitForCancellationFutureOwned>>,
    opening: Option<Opening>,
    _slot: Option<ConnectionSlot>,
}

/// A peer that has not sent the beginning of its connection yet.
struct Opening {
    over: Pin<Box<Sleep>>,
    /// Nobody waits for it when the service stops.
    stop: Pin<Box<WaitForCancellationFutureOwned>>,
    missing: usize,
}

// === impl Received ===

impl Received {
    /// A connection over a socket; it ends if the peer does not begin within `opening`, or before `stop`.
    pub(crate) fn new(
        stream: impl Stream,
        remote: Remote,
        slot: ConnectionSlot,
        opening: Duration,
        stop: &CancellationToken,
    ) -> Self {
        let opening = Opening {
            over: Box::pin(tokio::time::sleep(opening)),
            stop: Box::pin(stop.clone().cancelled_owned()),
            missing: OPENING_BYTES,
        };
        Self {
            stream: Box::new(stream),
            remote,
            closed: Box::pin(slot.closed()),
            opening: Some(opening),
            _slot: Some(slot),
        }
    }

    /// A connection within the process.
    pub(crate) fn within(stream: impl Stream, cut: &CancellationToken) -> Self {
        let remote = Remote { address: None, names: None, connection: None };
        let closed = Box::pin(cut.clone().cancelled_owned());
        Self { stream: Box::new(stream), remote, closed, opening: None, _slot: None }
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
        if self.closed.as_mut().poll(cx).is_ready() {
            let text = "the service has stopped, or needs the slot of the connection";
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::ConnectionAborted, text)));
        }
        let before = buf.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buf);
        let Some(opening) = &mut self.opening else { return read };
        opening.missing = opening.missing.saturating_sub(buf.filled().len() - before);
        if opening.missing == 0 {
            self.opening = None;
        } else if read.is_pending()
            && (opening.over.as_mut().poll(cx).is_ready() || opening.stop.as_mut().poll(cx).is_ready())
        {
            let text = "the peer did not begin to speak in time";
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, text)));
        }
        read
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
/// It tells when the far end has acknowledged our HTTP/2 settings. Until then nobody serves this connection for sure: it
/// may wait in the queue of a server that stops, which then ends it without a word about the calls that it never read;
/// or the server does not accept our certificate, which TLS 1.3 says only after the handshake.
pub(crate) struct Dialed {
    stream: Box<dyn Stream>,
    frames: Frames,
    served: Option<oneshot::Sender<io::Result<()>>>,
    _closed: OnDrop,
}

impl Dialed {
    pub(crate) fn new(stream: Box<dyn Stream>, closed: OnDrop) -> (Self, oneshot::Receiver<io::Result<()>>) {
        let (sender, served) = oneshot::channel();
        (Self { stream, frames: Frames::default(), served: Some(sender), _closed: closed }, served)
    }

    fn tell(&mut self, result: io::Result<()>) {
        if let Some(served) = self.served.take() {
            let _ = served.send(result);
        }
    }
}

/// Finds the acknowledgement of settings among the frames of a peer (RFC 9113, 4.1 and 6.5).
#[derive(Default)]
struct Frames {
    head: Vec<u8>,
    /// Bytes of the current frame that are still to come.
    skip: usize,
}

impl Frames {
    const HEAD: usize = 9;
    const SETTINGS: u8 = 4;
    const ACK: u8 = 1;

    /// Whether the acknowledgement is among these bytes, or its head ends in them.
    fn acknowledged(&mut self, mut bytes: &[u8]) -> bool {
        while !bytes.is_empty() {
            let skipped = self.skip.min(bytes.len());
            self.skip -= skipped;
            bytes = bytes.get(skipped..).unwrap_or_default();
            let missing = Self::HEAD.saturating_sub(self.head.len()).min(bytes.len());
            let (head, rest) = bytes.split_at_checked(missing).unwrap_or((bytes, &[]));
            self.head.extend_from_slice(head);
            bytes = rest;
            if let [a, b, c, kind, flags, ..] = self.head[..]
                && self.head.len() == Self::HEAD
            {
                if kind == Self::SETTINGS && flags & Self::ACK != 0 {
                    return true;
                }
                self.skip = usize::from(a) << 16 | usize::from(b) << 8 | usize::from(c);
                self.head.clear();
            }
        }
        false
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
        if self.served.is_some()
            && let Poll::Ready(result) = &read
        {
            let new = buf.filled().get(before..).unwrap_or_default();
            match result {
                Err(error) => self.tell(Err(io::Error::new(error.kind(), error.to_string()))),
                Ok(()) if new.is_empty() => {
                    let text = "the peer closed the connection at once";
                    self.tell(Err(io::Error::new(io::ErrorKind::ConnectionReset, text)));
                }
                Ok(()) if self.frames.acknowledged(new) => self.tell(Ok(())),
                Ok(()) => {}
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// SETTINGS with one entry, WINDOW_UPDATE, and the acknowledgement.
    const BYTES: [u8; 37] = [
        0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 1, 1, 0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 4, 1, 0,
        0, 0, 0,
    ];

    #[test]
    fn the_acknowledgement_is_found_however_the_bytes_come() {
        for size in 1..=BYTES.len() {
            let mut frames = Frames::default();
            let (all, last) = BYTES.split_at(BYTES.len() - 1);
            assert!(!all.chunks(size).any(|bytes| frames.acknowledged(bytes)), "{size}");
            assert!(frames.acknowledged(last), "{size}");
        }
    }

    #[test]
    fn settings_alone_acknowledge_nothing() {
        assert!(!Frames::default().acknowledged(&BYTES[..28]));
    }
}
