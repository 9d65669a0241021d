//! Bytes of requests that a front door holds: a request of one message is in memory from its first byte until its call
//! has ended.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use assay_domain::Identity;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tonic::Status;
use tonic::body::Body;

use crate::MAX_MESSAGE_BYTES;

/// One principal may hold one part in so many, so that slow requests of one leave room for those of the others.
const SHARES: usize = 4;
/// Bytes before a message on the wire.
const PREFIX: usize = 5;

/// What all calls together may hold, and what those of one principal; cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct ByteBudget {
    most: usize,
    share: usize,
    held: Arc<Mutex<Holdings>>,
}

/// Tenant and principal.
type Holder = Arc<(String, String)>;

/// Bytes that are held; principals that hold none have no entry.
#[derive(Debug, Default)]
struct Holdings {
    total: usize,
    each: HashMap<Holder, usize>,
}

/// What one call holds; free again when dropped.
#[derive(Debug)]
pub(crate) struct ByteShare {
    of: ByteBudget,
    holder: Holder,
    bytes: AtomicUsize,
}

// === impl ByteBudget ===

impl ByteBudget {
    /// A budget of `most` bytes. The share of a principal is never less than a message.
    pub(crate) fn new(most: usize) -> Self {
        let share = (most / SHARES).max(MAX_MESSAGE_BYTES + PREFIX).min(most);
        Self { most, share, held: Arc::default() }
    }

    pub(crate) fn share(&self, of: &Identity) -> Arc<ByteShare> {
        let holder = Arc::new((of.tenant.clone(), of.principal.clone()));
        Arc::new(ByteShare { of: self.clone(), holder, bytes: AtomicUsize::new(0) })
    }

    fn held(&self) -> MutexGuard<'_, Holdings> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl ByteShare ===

impl ByteShare {
    fn add(&self, bytes: usize) -> Result<(), Status> {
        let ByteBudget { most, share, .. } = self.of;
        let mut held = self.of.held();
        let own = held.each.get(&self.holder).copied().unwrap_or_default() + bytes;
        let total = held.total + bytes;
        let refused = if total > most {
            format!(
                "the requests under way hold {most} bytes, as many as the setting limits.request_bytes allows"
            )
        } else if own > share {
            format!(
                "your requests under way hold {share} bytes, as many as one principal may have of the setting \
                 limits.request_bytes"
            )
        } else {
            held.total = total;
            held.each.insert(Arc::clone(&self.holder), own);
            self.bytes.fetch_add(bytes, Ordering::Relaxed);
            return Ok(());
        };
        Err(Status::resource_exhausted(format!("{refused}; try again shortly")))
    }
}

impl Drop for ByteShare {
    fn drop(&mut self) {
        let bytes = *self.bytes.get_mut();
        let mut held = self.of.held();
        held.total = held.total.saturating_sub(bytes);
        if let Some(own) = held.each.get_mut(&self.holder) {
            *own = own.saturating_sub(bytes);
            if *own == 0 {
                held.each.remove(&self.holder);
            }
        }
    }
}

/// A request body whose bytes count.
pub(crate) struct CountedBody {
    body: Body,
    share: Arc<ByteShare>,
}

impl CountedBody {
    pub(crate) fn body(body: Body, share: &Arc<ByteShare>) -> Body {
        Body::new(Self { body, share: Arc::clone(share) })
    }
}

impl http_body::Body for CountedBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        if let Poll::Ready(Some(Ok(frame))) = &polled
            && let Some(data) = frame.data_ref()
            && let Err(status) = self.share.add(data.len())
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn who_holds_nothing_takes_no_room() {
        let budget = ByteBudget::new(4 * SHARES * MAX_MESSAGE_BYTES);
        let identity = |name: &str| Identity { principal: name.into(), ..Identity::local() };
        let share = 4 * MAX_MESSAGE_BYTES;
        for name in ["ada", "bob", "cy"] {
            let (first, second) = (budget.share(&identity(name)), budget.share(&identity(name)));
            first.add(share - 1).unwrap();
            second.add(2).unwrap_err();
            second.add(1).unwrap();
            drop(first);
            second.add(share - 1).unwrap();
            assert_eq!(budget.held().each.len(), 1, "{name}");
        }
        let held = budget.held();
        assert_eq!((held.total, held.each.len()), (0, 0));
    }
}
