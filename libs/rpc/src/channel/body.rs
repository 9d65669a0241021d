//! Bodies on their way: requests that can be sent again, and answers that end at the deadline.
//!
//! Whether a call was made is seen at its request body. The transport reads it only once the call's stream is open,
//! and a handler gets nothing to act upon before its first message has arrived; so a body that nobody read belongs to
//! a call that never left.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Instant;

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use tokio::time::Sleep;
use tonic::Status;
use tonic::body::Body;

use super::call::Ending;
use super::set::Load;

/// Bytes before a message.
const FRAME_BYTES: usize = 5;

/// A request body that knows whether it was read.
pub(crate) struct Payload(Kind);

enum Kind {
    /// One message, encoded: can be sent any number of times.
    Kept { bytes: Bytes, read: Arc<AtomicBool> },
    /// A stream: can be sent again as long as nobody read it.
    Stream(Arc<Mutex<Slot>>),
}

struct Slot {
    body: Body,
    read: bool,
}

impl Payload {
    /// Takes a request body. One message is encoded here, so a message over the limit fails before anything is sent.
    ///
    /// # Errors
    /// What encoding says.
    pub(crate) async fn new(body: Body, one_request: bool) -> Result<Self, Status> {
        if !one_request {
            return Ok(Self(Kind::Stream(Arc::new(Mutex::new(Slot { body, read: false })))));
        }
        // A body that is passed on from outside may be of any size.
        let bounded = Limited::new(body, crate::MAX_MESSAGE_BYTES + FRAME_BYTES);
        let bytes = bounded.collect().await.map_err(too_large)?.to_bytes();
        Ok(Self(Kind::Kept { bytes, read: Arc::default() }))
    }

    /// The body for an attempt.
    pub(crate) fn attempt(&self) -> Body {
        match &self.0 {
            Kind::Kept { bytes, read } => {
                read.store(false, Ordering::Release);
                Body::new(Marked { inner: Full::new(bytes.clone()), read: Arc::clone(read) })
            }
            Kind::Stream(slot) => Body::new(Shared(Arc::clone(slot))),
        }
    }

    /// Whether anybody read the body of the last attempt.
    pub(crate) fn was_read(&self) -> bool {
        match &self.0 {
            Kind::Kept { read, .. } => read.load(Ordering::Acquire),
            Kind::Stream(slot) => slot.lock().unwrap_or_else(PoisonError::into_inner).read,
        }
    }

    /// Whether it can be sent once more after it was read.
    pub(crate) fn is_kept(&self) -> bool {
        matches!(self.0, Kind::Kept { .. })
    }
}

/// The status of a body that could not be read to its end; for one that is too large the one that tonic gives.
fn too_large(error: Box<dyn std::error::Error + Send + Sync>) -> Status {
    if error.is::<LengthLimitError>() {
        let limit = crate::MAX_MESSAGE_BYTES;
        return Status::out_of_range(format!("the message is too large: the limit is {limit} bytes"));
    }
    error.downcast::<Status>().map_or_else(|error| Status::internal(error.to_string()), |status| *status)
}

struct Marked {
    inner: Full<Bytes>,
    read: Arc<AtomicBool>,
}

impl http_body::Body for Marked {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.read.store(true, Ordering::Release);
        Pin::new(&mut self.inner).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

struct Shared(Arc<Mutex<Slot>>);

impl http_body::Body for Shared {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        slot.read = true;
        loop {
            let frame = Pin::new(&mut slot.body).poll_frame(cx);
            // A body that is passed on ends with an empty frame of its own. Sent as a frame that is not the last, it
            // counts as abuse at the far end, which closes the connection after a hundred.
            let empty = |frame: &Frame<Bytes>| frame.data_ref().is_some_and(Bytes::is_empty);
            if !matches!(&frame, Poll::Ready(Some(Ok(frame))) if empty(frame)) {
                return frame;
            }
        }
    }
}

/// A response body that ends with `DEADLINE_EXCEEDED` at the deadline, counts for its address as long as it lasts, and
/// tells the span of the call how it ended.
pub(crate) struct Answer {
    inner: Body,
    end: Option<Pin<Box<Sleep>>>,
    /// None once the call is over.
    call: Option<(Load, Ending)>,
}

impl Answer {
    pub(crate) fn body(inner: Body, deadline: Option<Instant>, load: Load, ending: Ending) -> Body {
        let end = deadline.map(|at| Box::pin(tokio::time::sleep_until(at.into())));
        Body::new(Self { inner, end, call: Some((load, ending)) })
    }
}

impl http_body::Body for Answer {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if self.call.is_none() {
            return Poll::Ready(None);
        }
        let frame = match Pin::new(&mut self.inner).poll_frame(cx) {
            Poll::Ready(frame) => frame,
            Poll::Pending => match self.end.as_mut().map(|end| end.as_mut().poll(cx)) {
                // The stream is dropped here, which resets it and so reaches the far end.
                Some(Poll::Ready(())) => {
                    self.inner = Body::empty();
                    Some(Err(deadline_exceeded()))
                }
                _ => return Poll::Pending,
            },
        };
        if let Some((_, ending)) = &mut self.call {
            match &frame {
                Some(Ok(frame)) => {
                    frame.trailers_ref().into_iter().for_each(|trailers| ending.note(trailers))
                }
                Some(Err(status)) => ending.status = Some(status.code()),
                None => {}
            }
        }
        if !matches!(frame, Some(Ok(_))) {
            self.call = None;
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.call.is_none() || self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

/// The status of a call whose time is over.
pub(crate) fn deadline_exceeded() -> Status {
    Status::deadline_exceeded("the call ran out of time")
}
