//! One address in front of several services of the same process: a call goes to the service its path names.
//!
//! Who calls through it is decided here and not by the caller: every call gets the given identity, whatever its
//! metadata says. It is meant for loopback only.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use assay_domain::{Failure, Identity};
use http::{Request, Response};
use tonic::body::Body;
use tonic::transport::Channel;
use tower::Layer;

use crate::server::{Limits, Running, Service};
use crate::spec::ServiceSpec;

/// Serves the services behind `channels` on one address.
///
/// # Errors
/// `CONFIGURATION` if the address cannot be bound.
pub async fn listen(
    address: SocketAddr,
    descriptors: &'static [u8],
    channels: Vec<(&'static ServiceSpec, Channel)>,
    identity: &Identity,
    limits: Limits,
) -> Result<Running, Failure> {
    static SPEC: ServiceSpec =
        ServiceSpec { name: "front", grpc: "", port: 0, calls: &[], purpose: "one address for all services" };
    let headers = crate::context::identity_headers(identity);
    let channels = channels.into_iter().map(|(spec, channel)| (spec.grpc, channel)).collect();
    let forward = Forward { channels, headers };
    Service::new(&SPEC, descriptors)?.listen_behind(address, limits, forward).await
}

/// Adds forwarding to a server.
#[derive(Debug, Clone)]
pub(crate) struct Forward {
    channels: BTreeMap<&'static str, Channel>,
    headers: http::HeaderMap,
}

impl<S> Layer<S> for Forward {
    type Service = Forwarding<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Forwarding { forward: self.clone(), inner }
    }
}

/// Forwards calls to known services and leaves the rest (health, reflection) to the server behind it.
#[derive(Debug, Clone)]
pub(crate) struct Forwarding<S> {
    forward: Forward,
    inner: S,
}

impl<S> tower::Service<Request<Body>> for Forwarding<S>
where
    S: tower::Service<Request<Body>, Response = Response<Body>> + Send,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = Response<Body>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, S::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let name = request.uri().path().trim_start_matches('/').split('/').next().unwrap_or_default();
        let Some(channel) = self.forward.channels.get(name) else {
            return Box::pin(self.inner.call(request));
        };
        let mut channel = channel.clone();
        for (key, value) in &self.forward.headers {
            request.headers_mut().insert(key, value.clone());
        }
        Box::pin(async move {
            let ready = std::future::poll_fn(|cx| channel.poll_ready(cx)).await;
            let answer = match ready {
                Ok(()) => channel.call(request).await,
                Err(error) => Err(error),
            };
            Ok(answer.unwrap_or_else(|error| tonic::Status::unavailable(error.to_string()).into_http()))
        })
    }
}
