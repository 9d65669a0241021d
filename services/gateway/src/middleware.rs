//! What holds for every request: its id, its span, who may make it, its headers, its line in the log, and panics that
//! become problems.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use assay_domain::{Code, Failure, Identity};
use assay_rpc::connections::OpenConnection;
use assay_rpc::context::is_request_id;
use assay_rpc::entropy;
use assay_telemetry::{names, propagation, spans};
use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use futures::FutureExt as _;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use tracing::Instrument as _;

use crate::access_log::{AccessLog, Tail};
use crate::authorize::{Authorizer, Caller, rate_headers};
use crate::compat;
use crate::credentials;
use crate::hosts::Hosts;
use crate::peer::Peer;
use crate::problem::Problem;
use crate::refusals::Refusals;
use crate::roles::{self, Needs, Unserved};

/// Header that carries the id of a request, both ways.
const REQUEST_ID: HeaderName = HeaderName::from_static(assay_rpc::context::REQUEST_ID);

/// The id of a request: the caller's if it is short and plain, else ours.
#[derive(Debug, Clone)]
pub(crate) struct RequestTag(pub(crate) Arc<str>);

impl RequestTag {
    /// The id in the headers of a request, or a new one.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let given = headers.get(REQUEST_ID).and_then(|value| value.to_str().ok());
        let given = given.filter(|text| is_request_id(text));
        Self(given.map_or_else(|| uuid::Uuid::from_bytes(entropy::bytes16()).to_string().into(), Into::into))
    }
}

/// What every request passes.
#[derive(Clone)]
pub(crate) struct Middleware {
    pub(crate) hosts: Hosts,
    pub(crate) authorizer: Arc<Authorizer>,
    pub(crate) log: Arc<AccessLog>,
    pub(crate) refusals: Refusals,
}

// === impl Middleware ===

impl Middleware {
    /// Who asks, and what the route takes; none where the route takes nothing.
    fn recognise(
        &self,
        request: &Request,
        route: Option<&str>,
    ) -> Result<Option<(Identity, Needs)>, Problem> {
        self.hosts.admit(request.uri(), request.headers())?;
        // What no route matches has no handler but the one that says so.
        let Some(route) = route else { return Ok(None) };
        let needs = match roles::of_route(request.method(), route) {
            Ok(Needs::Open) => return Ok(None),
            Ok(needs) => needs,
            Err(unserved) => return Err(refusal(request, unserved)),
        };
        let cookie = self.authorizer.cookie();
        self.hosts.admit_site(request.headers(), credentials::is_cookie(request.headers(), cookie))?;
        let unknown = IpAddr::from([0, 0, 0, 0]);
        let peer = request.extensions().get::<Peer>().map_or(unknown, |peer| peer.0.ip());
        Ok(Some((self.authorizer.recognise(request.headers(), cookie, peer)?, needs)))
    }
}

/// The name of a method in labels and lines; strangers cannot invent any.
fn name_of(method: &Method) -> &'static str {
    const KNOWN: [Method; 9] = [
        Method::GET,
        Method::HEAD,
        Method::POST,
        Method::PUT,
        Method::DELETE,
        Method::PATCH,
        Method::OPTIONS,
        Method::TRACE,
        Method::CONNECT,
    ];
    const NAMES: [&str; 9] = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"];
    KNOWN.iter().zip(NAMES).find(|(known, _)| *known == method).map_or("other", |(_, name)| name)
}

fn refusal(request: &Request, unserved: Unserved) -> Problem {
    match unserved {
        Unserved::NoRow => Problem::new(Code::Internal, "the route has no row in the table of roles"),
        Unserved::OtherMethods(methods) => {
            let text = format!(
                "{} is not possible at {}; there are {methods}",
                request.method(),
                request.uri().path()
            );
            let failure = Failure::new(Code::InvalidArgument, text).field("method");
            let allow = HeaderValue::try_from(methods).unwrap_or(HeaderValue::from_static(""));
            Problem::from(failure)
                .with_status(StatusCode::METHOD_NOT_ALLOWED)
                .with_header(header::ALLOW, allow)
        }
    }
}

/// Wraps every request.
pub(crate) async fn handle(State(layer): State<Middleware>, mut request: Request, next: Next) -> Response {
    let tag = RequestTag::of(request.headers());
    request.extensions_mut().insert(tag.clone());
    let matched = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let route = matched.clone().unwrap_or_else(|| "other".to_owned());
    let method = name_of(request.method());
    // The words of a protocol are chosen by its paths, also where there is nothing at them.
    let shape = compat::shape(matched.as_deref(), request.uri().path()).to_owned();
    let recognised = layer.recognise(&request, matched.as_deref());
    let span = spans::http_request(method, &route, &tag.0);
    let known = recognised.as_ref().ok().and_then(Option::as_ref).map(|(identity, _)| identity.clone());
    if known.is_some() {
        // A stranger's trace is not continued: it would decide what is recorded here.
        propagation::set_parent(&span, request.headers());
    }
    let mut line = span.in_scope(|| layer.log.begin(method, &route, &tag.0));
    let caller = known.map(|identity| {
        line.by(&identity, request.extensions().get::<OpenConnection>().map(OpenConnection::busy));
        Caller { identity, request_id: Arc::clone(&tag.0) }
    });
    let mut standing = None;
    let work = async {
        match recognised {
            Ok(None) => {}
            Ok(Some((identity, needs))) => match layer.authorizer.admit(&identity, needs) {
                Ok(admitted) => standing = admitted,
                Err(problem) => return problem.into_response(),
            },
            Err(problem) => return problem.into_response(),
        }
        if let Some(caller) = caller.clone() {
            request.extensions_mut().insert(caller);
        }
        AssertUnwindSafe(next.run(request)).catch_unwind().await.unwrap_or_else(|_| {
            tracing::error!(target: "assay::gateway", %route, request_id = %tag.0, "a request panicked");
            Problem::new(Code::Internal, "a defect stopped the request; the log names it by its request id")
                .into_response()
        })
    };
    let response = work.instrument(span.clone()).await;
    let mut response = match response.extensions().get::<Problem>().cloned() {
        Some(mut problem) => {
            if let Some(caller) = caller.filter(|_| roles::asks(&route)) {
                problem = layer.refusals.recorded(&caller, problem).instrument(span.clone()).await;
            }
            let mut rendered = rendered(&problem, &tag.0, &shape);
            rendered.extensions_mut().insert(problem);
            rendered
        }
        None => response,
    };
    if let Some(standing) = standing {
        response.headers_mut().extend(rate_headers(standing));
    }
    let status = response.status().as_u16();
    let labels = [("route", route), ("method", method.to_owned()), ("status", status.to_string())];
    span.in_scope(|| metrics::counter!(names::metrics::HTTP_REQUESTS_TOTAL, &labels).increment(1));
    spans::set(&span, names::attributes::HTTP_STATUS, i64::from(status));
    if let Some(problem) = response.extensions().get::<Problem>().filter(|_| status >= 500) {
        spans::failed(&span, problem.failure.code.as_str());
    }
    line.status(status);
    with_headers(response, &tag).map(|body| Body::new(Tail::new(body, line)))
}

/// A problem with its body and headers, in the words of the protocol that `route` belongs to. Who is told to slow down is
/// always told for how long.
fn rendered(problem: &Problem, request_id: &str, route: &str) -> Response {
    let status = problem.status();
    let (kind, body) = match compat::problem_body(route, problem, request_id) {
        Some(body) => ("application/json", body),
        None => {
            let audit_id = problem.audit_id.as_deref();
            let body = assay_api::Problem::new(&problem.failure, status.as_u16(), audit_id, request_id);
            ("application/problem+json", serde_json::json!(body))
        }
    };
    let kind = HeaderValue::from_static(kind);
    let mut response = (status, [(header::CONTENT_TYPE, kind)], body.to_string()).into_response();
    let headers = response.headers_mut();
    headers.extend((*problem.headers).clone());
    headers.extend(compat::problem_headers(route, problem));
    if status == StatusCode::TOO_MANY_REQUESTS {
        headers.entry(header::RETRY_AFTER).or_insert(HeaderValue::from_static("1"));
    }
    response
}

fn with_headers(mut response: Response, tag: &RequestTag) -> Response {
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(&tag.0) {
        headers.insert(REQUEST_ID, value);
    }
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use assay_domain::question::Delivery;
    use assay_domain::{Answer, Question};
    use assay_rpc::Context;
    use axum::Router;
    use axum::routing::get;
    use tower::ServiceExt as _;

    use super::*;
    use crate::options::Options;
    use crate::ports::{Engine, Events, Refused};

    /// No engine is asked here.
    struct Nobody;

    #[async_trait::async_trait]
    impl Engine for Nobody {
        async fn ask(&self, _: &Context, _: &Question) -> Result<Answer, Refused> {
            std::future::pending().await
        }
        async fn ask_stream(&self, _: &Context, _: &Question, _: Delivery) -> Result<Events, Refused> {
            std::future::pending().await
        }
        async fn refuse(&self, _: &Context, _: &Failure, _: &str, _: u32) -> Result<String, Failure> {
            std::future::pending().await
        }
    }

    #[test]
    fn made_up_methods_share_one_name() {
        assert_eq!(name_of(&Method::HEAD), "HEAD");
        assert_eq!(name_of(&Method::from_bytes(b"M000001AAAA").unwrap()), "other");
        assert_eq!(name_of(&Method::from_bytes(b"get").unwrap()), "other");
    }

    async fn broken() -> &'static str {
        panic!("a defect")
    }

    async fn answered(app: Router, path: &str) -> (StatusCode, HeaderMap, serde_json::Value) {
        let options = Options::default();
        let layer = Middleware {
            hosts: Hosts::of("127.0.0.1:7100".parse().unwrap(), &options),
            authorizer: Arc::new(Authorizer::of(&options).unwrap()),
            log: AccessLog::new(true, false),
            refusals: Refusals::new(Arc::new(Nobody)),
        };
        let app = app.layer(axum::middleware::from_fn_with_state(layer, handle));
        let request = Request::builder().uri(path).header(header::HOST, "localhost:7100");
        let response = app.oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
        let (head, body) = response.into_parts();
        let body = axum::body::to_bytes(body, 10_000).await.unwrap();
        (head.status, head.headers, serde_json::from_slice(&body).unwrap_or_default())
    }

    #[tokio::test]
    async fn panic_of_a_handler_is_a_problem_with_request_id() {
        let (status, headers, problem) = answered(Router::new().route("/", get(broken)), "/").await;
        assert_eq!(status, 500);
        assert_eq!(problem["code"], "internal");
        assert_eq!(problem["request_id"], headers[REQUEST_ID].to_str().unwrap());
    }

    #[tokio::test]
    async fn route_without_a_row_of_roles_is_not_served() {
        let app = Router::new().route("/v1/secret", get(async || "the secret"));
        let (status, _, problem) = answered(app, "/v1/secret").await;
        assert_eq!((status.as_u16(), problem["code"].as_str()), (500, Some("internal")));
        assert!(problem["detail"].as_str().unwrap().contains("table of roles"));
    }

    #[test]
    fn a_plain_request_id_is_kept_and_any_other_replaced() {
        let tag = |bytes: &[u8]| {
            let mut headers = HeaderMap::new();
            headers.insert(REQUEST_ID, HeaderValue::from_bytes(bytes).unwrap());
            RequestTag::of(&headers).0.to_string()
        };
        assert_eq!(tag(b"job-7:a.b_c"), "job-7:a.b_c");
        let long = "x".repeat(129);
        for bytes in [b"a b".as_slice(), b"<script>", b"\xff\xfe", b"a%0d%0aEvil: 1", b"", long.as_bytes()] {
            assert_eq!(tag(bytes).len(), 36, "{bytes:?}");
        }
    }
}
