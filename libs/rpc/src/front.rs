//! One address in front of several services: a call goes to the service its path names.
//!
//! Who calls is decided here and not by the caller: whatever a call says of itself in its metadata is replaced by what
//! [`Admit`] finds out, and credentials end here. Health says nothing of anybody's data and is open.

use std::any::Any;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use assay_domain::{Failure, Identity};
use futures::future::BoxFuture;
use http::{HeaderMap, Request, Response, header};
use http_body::{Frame, SizeHint};
use tonic::Status;
use tonic::body::Body;
use tower::Layer;

use crate::Channel;
use crate::accept::Listener;
use crate::connections::ConnectionTable;
use crate::context::identity_headers;
use crate::io::Remote;
use crate::layers::count_refused;
use crate::methods::{Methods, is_health};
use crate::request_bytes::{ByteBudget, CountedBody};
use crate::server::{Limits, Running, Service};

/// Header of a key, beside `authorization`; neither goes further than here.
const API_KEY: &str = "x-api-key";

/// Header of the request id.
const REQUEST_ID: &str = "x-request-id";

/// A call that wants to come in.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// `package.Service/Method`.
    pub path: &'a str,
    /// Everything that the caller sent before the first message.
    pub headers: &'a HeaderMap,
    /// The other end of the connection, where that is known.
    pub peer: Option<SocketAddr>,
}

/// A call that may come in.
pub struct Admitted {
    /// Who calls.
    pub identity: Identity,
    /// Id of the request, passed on as `x-request-id`; none leaves what the caller sent.
    pub request_id: Option<Arc<str>>,
    /// Dropped when the last byte of the answer has left, or its reader has gone.
    pub until_the_end: Box<dyn Any + Send>,
}

impl std::fmt::Debug for Admitted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Admitted").field("identity", &self.identity).finish_non_exhaustive()
    }
}

/// Decides who may come in.
pub trait Admit: Send + Sync + 'static {
    /// The identity of a call, or why it may not come in.
    ///
    /// # Errors
    /// What the caller is answered.
    fn admit<'a>(&'a self, call: Call<'a>) -> BoxFuture<'a, Result<Admitted, Status>>;
}

/// Serves the services behind `channels`, each under its full name, and `own` beside them, on one address.
///
/// # Errors
/// `CONFIGURATION` if the address cannot be bound.
pub async fn listen(
    own: Service,
    address: SocketAddr,
    channels: Vec<(&'static str, Channel)>,
    admit: Arc<dyn Admit>,
    limits: Limits,
    table: ConnectionTable,
) -> Result<Running, Failure> {
    let listener = Listener::bind(address, "grpc", table).await?;
    let forward = Forward {
        channels: Arc::new(channels.into_iter().collect()),
        methods: own.methods().clone(),
        budget: ByteBudget::new(limits.request_bytes),
    };
    let front = Front { entrance: Entrance(admit), forward };
    own.serve_at(listener, limits, None, Some(front)).await
}

/// The two layers of a front door: who may come in, outside of everything else, and where the call goes.
pub(crate) struct Front {
    pub(crate) entrance: Entrance,
    pub(crate) forward: Forward,
}

/// Says of a request that its caller was admitted, and who that is.
#[derive(Debug, Clone)]
pub(crate) struct LetIn {
    identity: Identity,
    request_id: Option<Arc<str>>,
}

/// Adds [`Entering`] to a server.
#[derive(Clone)]
pub(crate) struct Entrance(Arc<dyn Admit>);

impl<S> Layer<S> for Entrance {
    type Service = Entering<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Entering { admit: Arc::clone(&self.0), inner }
    }
}

/// Refuses calls that [`Admit`] does not let in, before anything else is done for them.
#[derive(Clone)]
pub(crate) struct Entering<S> {
    admit: Arc<dyn Admit>,
    inner: S,
}

impl<S> tower::Service<Request<Body>> for Entering<S>
where
    S: tower::Service<Request<Body>, Response = Response<Body>> + Clone + Send + 'static,
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
        if is_health(request.uri().path()) {
            return Box::pin(self.inner.call(request));
        }
        let admit = Arc::clone(&self.admit);
        // The one that was asked whether it is ready is the one to call.
        let waiting = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, waiting);
        Box::pin(async move {
            let (mut parts, body) = request.into_parts();
            let call = Call {
                path: parts.uri.path().trim_start_matches('/'),
                headers: &parts.headers,
                peer: peer(&parts.extensions),
            };
            let Admitted { identity, request_id, until_the_end } = match admit.admit(call).await {
                Ok(admitted) => admitted,
                Err(status) => {
                    count_refused(&status);
                    return Ok(status.into_http());
                }
            };
            parts.extensions.insert(LetIn { identity, request_id });
            request = Request::from_parts(parts, body);
            let response = inner.call(request).await?;
            Ok(response.map(|body| Body::new(Held { body, _until_the_end: until_the_end })))
        })
    }
}

/// Adds [`Forwarding`] to a server.
#[derive(Clone)]
pub(crate) struct Forward {
    channels: Arc<BTreeMap<&'static str, Channel>>,
    methods: Methods,
    budget: ByteBudget,
}

impl<S> Layer<S> for Forward {
    type Service = Forwarding<S>;

    fn layer(&self, inner: S) -> Self::Service {
        Forwarding { forward: self.clone(), inner }
    }
}

/// Forwards calls of admitted callers to known services, in nobody's name but their own, and leaves the rest (its own
/// services, health, reflection) to the server behind it.
#[derive(Clone)]
pub(crate) struct Forwarding<S> {
    forward: Forward,
    inner: S,
}

impl<S> tower::Service<Request<Body>> for Forwarding<S>
where
    S: tower::Service<Request<Body>, Response = Response<Body>> + Clone + Send + 'static,
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
        let Some(known) = request.extensions_mut().remove::<LetIn>() else {
            return Box::pin(self.inner.call(request));
        };
        assume(request.headers_mut(), &known);
        let share = self.forward.budget.share(&known.identity);
        if self.forward.methods.of(request.uri().path()).one_request {
            request = request.map(|body| CountedBody::body(body, &share));
        }
        let channel = self.forward.channels.get(service(request.uri().path())).cloned();
        let answer: Self::Future = match channel {
            Some(channel) => Box::pin(async move { Ok(pass_on(channel, request).await) }),
            None => Box::pin(self.inner.call(request)),
        };
        Box::pin(async move {
            Ok(answer.await?.map(|body| Body::new(Held { body, _until_the_end: Box::new(share) })))
        })
    }
}

/// `package.Service` of a path.
fn service(path: &str) -> &str {
    path.trim_start_matches('/').split('/').next().unwrap_or_default()
}

fn peer(extensions: &http::Extensions) -> Option<SocketAddr> {
    extensions.get::<Remote>()?.address
}

/// Replaces what the caller says of itself by what is known, and takes its credentials away.
fn assume(headers: &mut HeaderMap, known: &LetIn) {
    headers.remove(header::AUTHORIZATION);
    headers.remove(API_KEY);
    headers.remove(header::COOKIE);
    for (key, value) in &identity_headers(&known.identity) {
        headers.insert(key, value.clone());
    }
    if let Some(id) = &known.request_id
        && let Ok(value) = id.parse()
    {
        headers.insert(REQUEST_ID, value);
    }
    assay_telemetry::propagation::inject(headers);
}

async fn pass_on(mut channel: Channel, request: Request<Body>) -> Response<Body> {
    let ready = std::future::poll_fn(|cx| tower::Service::poll_ready(&mut channel, cx)).await;
    let answer = match ready {
        Ok(()) => tower::Service::call(&mut channel, request).await,
        Err(error) => Err(error),
    };
    answer.unwrap_or_else(Status::into_http)
}

/// A body that holds something until it ends.
struct Held {
    body: Body,
    _until_the_end: Box<dyn Any + Send>,
}

impl http_body::Body for Held {
    type Data = <Body as http_body::Body>::Data;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Status>>> {
        Pin::new(&mut self.body).poll_frame(cx)
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
    fn caller_claims_are_replaced_and_the_key_stays_here() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("authorization", "Bearer k"),
            ("x-api-key", "k"),
            ("cookie", "assay-token=k"),
            ("assay-roles", "admin,erase"),
            ("assay-principal-bin", "cm9vdA=="),
            ("assay-tenant-bin", "cm9vdA=="),
            ("x-request-id", "theirs"),
        ] {
            headers.append(name, value.parse().unwrap());
            headers.append(name, value.parse().unwrap());
        }
        let identity = Identity { principal: "ada".into(), tenant: "north".into(), roles: vec![] };
        let known = LetIn { identity: identity.clone(), request_id: Some("ours".into()) };
        assume(&mut headers, &known);
        for credential in ["authorization", "x-api-key", "cookie"] {
            assert!(!headers.contains_key(credential), "{credential}");
        }
        for (key, value) in &identity_headers(&identity) {
            let all: Vec<_> = headers.get_all(key).iter().collect();
            assert_eq!(all, [value], "{key}");
        }
        assert_eq!(headers["assay-roles"], "");
        assert_eq!(headers.get_all("x-request-id").iter().count(), 1);
        assert_eq!(headers["x-request-id"], "ours");
    }
}
