//! What wraps every call of every service: a span with the caller as parent that lasts until the answer's last byte, a
//! count by status, a duration, and panics that become statuses.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Instant;

use assay_telemetry::names::metrics as names;
use assay_telemetry::{propagation, spans};
use bytes::Bytes;
use futures::FutureExt as _;
use http::{HeaderMap, Request, Response};
use http_body::{Frame, SizeHint};
use tonic::body::Body;
use tonic::{Code, Status};
use tower::{Layer, Service};
use tracing::{Instrument as _, Span};

use crate::clock;
use crate::connections::{Busy, OpenConnection};
use crate::front::LetIn;
use crate::io::Remote;
use crate::methods::Methods;

/// Services that are asked every few seconds by machines; their calls are counted and leave no trace.
const UNTRACED: &[&str] = &["grpc.health.", "grpc.reflection."];
/// What stands for the method of a call that nobody serves, so that strangers cannot invent labels.
const NOBODYS: &str = "other";

/// Adds [`Observed`] to a server.
#[derive(Debug, Clone)]
pub(crate) struct Observe {
    methods: Methods,
    /// Whether anybody may call, so that only an admitted caller may continue its trace here.
    public: bool,
}

impl Observe {
    /// Observes a server that knows these methods.
    pub(crate) fn new(methods: Methods, public: bool) -> Self {
        Self { methods, public }
    }

    /// The name under which a call is counted and traced: strangers cannot invent any.
    fn name(&self, path: &str) -> String {
        let known = self.methods.has(path);
        if known { path.trim_start_matches('/').to_owned() } else { NOBODYS.to_owned() }
    }
}

impl<S> Layer<S> for Observe {
    type Service = Observed<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Observed { observe: self.clone(), inner }
    }
}

/// Wraps a call in its span, counts it and turns a panic into `INTERNAL`.
#[derive(Debug, Clone)]
pub(crate) struct Observed<S> {
    observe: Observe,
    inner: S,
}

type Answer<E> = Pin<Box<dyn Future<Output = Result<Response<Body>, E>> + Send>>;

impl<S> Service<Request<Body>> for Observed<S>
where
    S: Service<Request<Body>, Response = Response<Body>> + Send,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Answer<S::Error>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let path = self.observe.name(request.uri().path());
        let extensions = request.extensions();
        let (span, busy) = if UNTRACED.iter().any(|prefix| path.starts_with(prefix)) {
            // A watch of health never ends: it must not hold the place of its connection.
            (Span::none(), None)
        } else {
            let span = spans::rpc_server(&path);
            if !self.observe.public || extensions.get::<LetIn>().is_some() {
                propagation::set_parent(&span, request.headers());
            }
            let connection = extensions.get::<Remote>().and_then(|remote| remote.connection.as_ref());
            (span, connection.map(OpenConnection::busy))
        };
        let call = Call { span: span.clone(), path, started: clock::now(), status: None, _busy: busy };
        let work = span.in_scope(|| AssertUnwindSafe(self.inner.call(request)));
        Box::pin(
            async move {
                let response = match work.catch_unwind().await {
                    Ok(done) => done?,
                    Err(_) => {
                        tracing::error!(method = %call.path, "a call panicked");
                        Status::internal("a defect stopped the call; the log of the service names it")
                            .into_http()
                    }
                };
                let mut call = call;
                // An answer without a body carries its status in the headers.
                call.note(response.headers());
                Ok(response.map(|body| Body::new(Watched { body, call: Some(call) })))
            }
            .instrument(span),
        )
    }
}

/// A call until its end.
#[derive(Debug)]
struct Call {
    span: Span,
    path: String,
    started: Instant,
    /// As far as it is known; a call that ends without one was given up by its caller.
    status: Option<Code>,
    /// Keeps the place of its connection.
    _busy: Option<Busy>,
}

// === impl Call ===

impl Call {
    fn note(&mut self, headers: &HeaderMap) {
        if let Some(status) = Status::from_header_map(headers) {
            self.status = Some(status.code());
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let status = code_name(self.status.unwrap_or(Code::Cancelled));
        spans::rpc_ended(&self.span, status);
        let served = self.status != Some(Code::Unimplemented);
        let path = if served { self.path.as_str() } else { NOBODYS };
        let seconds = clock::now().duration_since(self.started).as_secs_f64();
        self.span.in_scope(|| count(path, status, seconds));
    }
}

/// Counts a call under a name that is known.
fn count(path: &str, status: &'static str, seconds: f64) {
    let (service, method) = path.split_once('/').unwrap_or((NOBODYS, NOBODYS));
    let names = [("service", service.to_owned()), ("method", method.to_owned())];
    let [service, method] = names.clone();
    let counted = [service, method, ("status", status.to_owned())];
    metrics::counter!(names::RPC_SERVER_TOTAL, &counted).increment(1);
    metrics::histogram!(names::RPC_SERVER_SECONDS, &names).record(seconds);
}

/// Counts a call that was refused at a front door; whatever it named, a stranger named it.
pub(crate) fn count_refused(status: &Status) {
    count(NOBODYS, code_name(status.code()), 0.0);
}

/// The body of an answer; its end is the end of the call.
struct Watched {
    body: Body,
    call: Option<Call>,
}

impl http_body::Body for Watched {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let span = self.call.as_ref().map_or_else(Span::none, |call| call.span.clone());
        let polled = span.in_scope(|| Pin::new(&mut self.body).poll_frame(cx));
        match &polled {
            Poll::Ready(Some(Ok(frame))) => {
                if let Some(trailers) = frame.trailers_ref()
                    && let Some(mut call) = self.call.take()
                {
                    call.note(trailers);
                }
            }
            Poll::Ready(Some(Err(status))) => {
                if let Some(mut call) = self.call.take() {
                    call.status = Some(status.code());
                }
            }
            Poll::Ready(None) => self.call = None,
            Poll::Pending => {}
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

/// The name of a status as the protocol writes it.
pub(crate) fn code_name(code: Code) -> &'static str {
    match code {
        Code::Ok => "OK",
        Code::Cancelled => "CANCELLED",
        Code::Unknown => "UNKNOWN",
        Code::InvalidArgument => "INVALID_ARGUMENT",
        Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
        Code::NotFound => "NOT_FOUND",
        Code::AlreadyExists => "ALREADY_EXISTS",
        Code::PermissionDenied => "PERMISSION_DENIED",
        Code::ResourceExhausted => "RESOURCE_EXHAUSTED",
        Code::FailedPrecondition => "FAILED_PRECONDITION",
        Code::Aborted => "ABORTED",
        Code::OutOfRange => "OUT_OF_RANGE",
        Code::Unimplemented => "UNIMPLEMENTED",
        Code::Internal => "INTERNAL",
        Code::Unavailable => "UNAVAILABLE",
        Code::DataLoss => "DATA_LOSS",
        Code::Unauthenticated => "UNAUTHENTICATED",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn only_methods_that_exist_have_names() {
        let observe = Observe::new(Methods::read(assay_proto::DESCRIPTORS).unwrap(), true);
        let known = "/assay.parser.v1alpha1.ParserService/Parse";
        assert_eq!(observe.name(known), &known[1..]);
        for made_up in ["/assay.parser.v1alpha1.ParserService/Made", "/made.up/Parse", "/", ""] {
            assert_eq!(observe.name(made_up), NOBODYS);
        }
    }
}
