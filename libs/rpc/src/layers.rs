//! What wraps every call of every service: a span with the caller as parent, a count, and panics that become statuses.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::task::{Context, Poll};

use assay_telemetry::{names, propagation};
use futures::FutureExt as _;
use http::{Request, Response};
use tonic::body::Body;
use tower::{Layer, Service};
use tracing::Instrument as _;

/// Adds [`Observed`] to a server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Observe;

impl<S> Layer<S> for Observe {
    type Service = Observed<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Observed { inner }
    }
}

/// Wraps a call in its span, counts it and turns a panic into `INTERNAL`.
#[derive(Debug, Clone)]
pub(crate) struct Observed<S> {
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
        let path = request.uri().path().trim_start_matches('/').to_owned();
        let (service, method) = path.split_once('/').unwrap_or((path.as_str(), ""));
        let span = tracing::info_span!(
            target: "assay::rpc",
            "rpc.server",
            otel.name = %path,
            otel.kind = "server",
            rpc.service = %service,
            rpc.method = %method,
        );
        propagation::set_parent(&span, request.headers());
        let labels = [("service", service.to_owned()), ("method", method.to_owned())];
        let work = {
            let _entered = span.enter();
            AssertUnwindSafe(self.inner.call(request))
        };
        Box::pin(
            async move {
                metrics::counter!(names::metrics::RPC_SERVER_TOTAL, &labels).increment(1);
                match work.catch_unwind().await {
                    Ok(done) => done,
                    Err(_) => {
                        tracing::error!(method = %path, "a call panicked");
                        Ok(tonic::Status::internal(
                            "a defect stopped the call; the log of the service names it",
                        )
                        .into_http())
                    }
                }
            }
            .instrument(span),
        )
    }
}
