//! Bytes of requests that a front door holds: a request of one message is in memory from its first byte until its call
//! has ended.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tonic::Status;
use tonic::body::Body;

/// What all calls together may hold; cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Capacity(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    most: usize,
    held: AtomicUsize,
}

/// What one call holds; free again when dropped.
#[derive(Debug)]
pub(crate) struct Portion {
    of: Capacity,
    bytes: AtomicUsize,
}

// === impl Capacity ===

impl Capacity {
    pub(crate) fn new(most: usize) -> Self {
        Self(Arc::new(Inner { most, held: AtomicUsize::new(0) }))
    }

    pub(crate) fn portion(&self) -> Arc<Portion> {
        Arc::new(Portion { of: self.clone(), bytes: AtomicUsize::new(0) })
    }
}

// === impl Portion ===

impl Portion {
    fn add(&self, bytes: usize) -> Result<(), Status> {
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        let Inner { most, held } = &*self.of.0;
        if held.fetch_add(bytes, Ordering::Relaxed) + bytes <= *most {
            return Ok(());
        }
        Err(Status::resource_exhausted(format!(
            "the requests under way hold {most} bytes, as many as the setting limits.request_bytes allows; try again shortly"
        )))
    }
}

impl Drop for Portion {
    fn drop(&mut self) {
        self.of.0.held.fetch_sub(*self.bytes.get_mut(), Ordering::Relaxed);
    }
}

/// A request body whose bytes count.
pub(crate) struct Weighed {
    body: Body,
    portion: Arc<Portion>,
}

impl Weighed {
    pub(crate) fn body(body: Body, portion: &Arc<Portion>) -> Body {
        Body::new(Self { body, portion: Arc::clone(portion) })
    }
}

impl http_body::Body for Weighed {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        if let Poll::Ready(Some(Ok(frame))) = &polled
            && let Some(data) = frame.data_ref()
            && let Err(status) = self.portion.add(data.len())
        {
            return Poll::Ready(Some(Err(status)));
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
