//! The access log: a line for each request of a known caller, and at most one a second for all others together.
//!
//! Strangers are written down here and nowhere else; the ledger holds only requests that somebody answers for. A line
//! names the route and never the address with its parameters, and never a credential.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use assay_domain::Identity;
use assay_rpc::clock;
use assay_rpc::connections::Busy;
use assay_telemetry::names;
use axum::body::Body;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use sha2::{Digest as _, Sha256};

/// Least time between two lines about strangers.
const PAUSE: Duration = Duration::from_secs(1);

/// Writes the lines.
#[derive(Debug)]
pub(crate) struct AccessLog {
    on: bool,
    names: bool,
    strangers: Mutex<Strangers>,
}

/// What is not yet said about strangers.
#[derive(Debug, Default)]
struct Strangers {
    last: Option<Instant>,
    suppressed: u64,
}

impl Strangers {
    /// Whether a line may be written now, and how many were held back since the one before.
    fn admit(&mut self, now: Instant) -> Option<u64> {
        if self.last.is_some_and(|last| now.saturating_duration_since(last) < PAUSE) {
            self.suppressed += 1;
            return None;
        }
        self.last = Some(now);
        Some(std::mem::take(&mut self.suppressed))
    }
}

// === impl AccessLog ===

impl AccessLog {
    /// A log; `names` writes principals by name instead of by pseudonym.
    pub(crate) fn new(on: bool, names: bool) -> Arc<Self> {
        Arc::new(Self { on, names, strangers: Mutex::default() })
    }

    /// A request that began; the line is written when the returned value is dropped, which is when its body has ended.
    pub(crate) fn begin(self: &Arc<Self>, method: &'static str, route: &str, request_id: &str) -> Line {
        Line {
            log: Arc::clone(self),
            span: tracing::Span::current(),
            started: clock::now(),
            method,
            route: route.to_owned(),
            request_id: request_id.to_owned(),
            status: 0,
            principal: None,
            _busy: None,
        }
    }

    /// How a principal is written: by name, or as the first twelve hex digits of SHA-256 over tenant, a zero byte and
    /// principal. The latter hides names from those who do not know them already; it is no anonymity.
    fn principal(&self, identity: &Identity) -> String {
        if self.names {
            return format!("{}/{}", identity.tenant, identity.principal);
        }
        let digest = Sha256::new()
            .chain_update(&identity.tenant)
            .chain_update([0])
            .chain_update(&identity.principal)
            .finalize();
        hex::encode(digest).chars().take(12).collect()
    }

    /// Says how many strangers are still unsaid, once, at the end.
    pub(crate) fn close(&self) {
        let suppressed =
            std::mem::take(&mut self.strangers.lock().unwrap_or_else(PoisonError::into_inner).suppressed);
        if self.on && suppressed > 0 {
            tracing::info!(target: "assay::access", suppressed, "requests of strangers");
        }
    }

    fn write(&self, line: &Line) {
        if !self.on || is_health(&line.route) {
            return;
        }
        let now = clock::now();
        let ms = now.saturating_duration_since(line.started).as_millis();
        let ms = u64::try_from(ms).unwrap_or(u64::MAX);
        let Line { method, route, request_id, status, .. } = line;
        if let Some(principal) = &line.principal {
            tracing::info!(target: "assay::access", %method, %route, status, ms, %principal, %request_id, "request");
            return;
        }
        let admitted = self.strangers.lock().unwrap_or_else(PoisonError::into_inner).admit(now);
        if let Some(suppressed) = admitted {
            tracing::info!(target: "assay::access", %method, %route, status, ms, %request_id, suppressed, "request");
        }
    }
}

fn is_health(route: &str) -> bool {
    matches!(route, "/healthz" | "/readyz")
}

/// A request on its way; its end is its line.
#[derive(Debug)]
pub(crate) struct Line {
    log: Arc<AccessLog>,
    span: tracing::Span,
    started: Instant,
    method: &'static str,
    route: String,
    request_id: String,
    status: u16,
    principal: Option<String>,
    /// Keeps the place of the connection until the request has ended.
    _busy: Option<Busy>,
}

impl Line {
    /// Names the caller; its request keeps the place of its connection.
    pub(crate) fn by(&mut self, identity: &Identity, busy: Option<Busy>) {
        self.principal = Some(self.log.principal(identity));
        self._busy = busy;
    }

    /// The status that the caller sees.
    pub(crate) fn status(&mut self, status: u16) {
        self.status = status;
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        let _entered = self.span.clone().entered();
        let seconds = clock::now().saturating_duration_since(self.started).as_secs_f64();
        metrics::histogram!(names::metrics::HTTP_REQUEST_SECONDS, "route" => self.route.clone())
            .record(seconds);
        self.log.write(self);
    }
}

/// A body that ends its request's line when it ends or its reader goes away.
pub(crate) struct Tail {
    body: Body,
    _line: Line,
}

impl Tail {
    pub(crate) fn new(body: Body, line: Line) -> Self {
        Self { body, _line: line }
    }
}

impl http_body::Body for Tail {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
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
    use super::*;

    #[test]
    fn strangers_get_a_line_a_second_that_counts_the_others() {
        let mut strangers = Strangers::default();
        let start = clock::now();
        let lines: Vec<u64> = (0..10_000)
            .filter_map(|number| strangers.admit(start + Duration::from_millis(number / 4)))
            .collect();
        assert_eq!(lines.len(), 3, "2.5 seconds");
        assert_eq!(lines[0], 0);
        assert_eq!(lines.iter().sum::<u64>() + lines.len() as u64 + strangers.suppressed, 10_000);
    }

    #[test]
    fn pseudonym_is_opaque_and_stable() {
        let log = AccessLog::new(true, false);
        let ada = Identity { principal: "ada@example.org".into(), tenant: "north".into(), roles: vec![] };
        let written = log.principal(&ada);
        assert_eq!(written.len(), 12);
        assert_eq!(written, log.principal(&ada));
        assert_ne!(written, log.principal(&Identity { tenant: "south".into(), ..ada.clone() }));
        assert_eq!(AccessLog::new(true, true).principal(&ada), "north/ada@example.org");
    }
}
