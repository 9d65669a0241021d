//! What holds for every request: who may reach us, its id, its span, its headers, and panics that become problems.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use assay_domain::Code;
use assay_rpc::{clock, entropy};
use assay_telemetry::{names, propagation};
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use futures::FutureExt as _;
use http::{HeaderMap, HeaderName, HeaderValue, Uri, header};
use tracing::Instrument as _;

use crate::problem::Problem;

/// Header that carries the id of a request, both ways.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The id of a request: the caller's if it is short and plain, else ours.
#[derive(Debug, Clone)]
pub(crate) struct RequestTag(pub(crate) Arc<str>);

impl RequestTag {
    fn of(headers: &HeaderMap) -> Self {
        let plain = |text: &&str| {
            (1..=128).contains(&text.len())
                && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte))
        };
        let given = headers.get(REQUEST_ID).and_then(|value| value.to_str().ok()).filter(plain);
        Self(given.map_or_else(|| uuid::Uuid::from_bytes(entropy::bytes16()).to_string().into(), Into::into))
    }
}

/// The names under which this server may be addressed: loopback only, so that a page of another site that resolves
/// its own name to this machine is refused.
#[derive(Debug, Clone)]
pub(crate) struct Hosts(Arc<[String]>);

impl Hosts {
    pub(crate) fn of(address: std::net::SocketAddr) -> Self {
        let port = address.port();
        let bound = std::net::SocketAddr::new(address.ip(), port).to_string();
        let mut hosts = vec![bound];
        for name in ["localhost", "127.0.0.1", "[::1]"] {
            hosts.push(format!("{name}:{port}"));
            if port == 80 {
                hosts.push(name.to_owned());
            }
        }
        Self(hosts.into())
    }

    fn knows(&self, host: &str) -> bool {
        self.0.iter().any(|known| known.eq_ignore_ascii_case(host))
    }

    /// Refuses a foreign `Host` or `Origin`.
    fn admit(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Problem> {
        let refuse = |field: &str, text: String| {
            let failure = assay_domain::Failure::new(Code::PermissionDenied, text).field(field);
            Err(Problem::from(failure))
        };
        let mut hosts = headers.get_all(header::HOST).iter();
        let host = match (hosts.next(), hosts.next()) {
            (Some(host), None) => host.to_str().unwrap_or_default(),
            (None, _) => uri.authority().map(http::uri::Authority::as_str).unwrap_or_default(),
            (Some(_), Some(_)) => "",
        };
        if !self.knows(host) {
            let text = format!("the Host {host:?} is not this server; use one of {}", self.0.join(", "));
            return refuse("host", text);
        }
        for origin in headers.get_all(header::ORIGIN) {
            let origin = origin.to_str().unwrap_or_default();
            if !origin.strip_prefix("http://").is_some_and(|host| self.knows(host)) {
                let text =
                    format!("pages of {origin:?} may not use this server; open its own console instead");
                return refuse("origin", text);
            }
        }
        Ok(())
    }
}

/// Wraps every request.
pub(crate) async fn guard(State(hosts): State<Hosts>, mut request: Request, next: Next) -> Response {
    let started = clock::now();
    let tag = RequestTag::of(request.headers());
    request.extensions_mut().insert(tag.clone());
    let route = request.extensions().get::<MatchedPath>().map_or("other", MatchedPath::as_str).to_owned();
    let method = request.method().clone();
    let span = tracing::info_span!(
        target: "assay::gateway",
        "http.request",
        otel.name = %format!("{method} {route}"),
        otel.kind = "server",
        http.route = %route,
        request_id = %tag.0,
    );
    propagation::set_parent(&span, request.headers());
    let work = async {
        if let Err(problem) = hosts.admit(request.uri(), request.headers()) {
            return problem.into_response();
        }
        AssertUnwindSafe(next.run(request)).catch_unwind().await.unwrap_or_else(|_| {
            tracing::error!(%route, "a request panicked");
            Problem::new(Code::Internal, "a defect stopped the request; the log names it by its request id")
                .into_response()
        })
    };
    let response = work.instrument(span.clone()).await;
    let response = match response.extensions().get::<Problem>().cloned() {
        Some(problem) => {
            let mut rendered = problem.render(&tag.0);
            // What the router knows of the path (`Allow`) stays.
            if let Some(allow) = response.headers().get(header::ALLOW) {
                rendered.headers_mut().insert(header::ALLOW, allow.clone());
            }
            rendered
        }
        None => response,
    };
    let status = response.status().as_u16();
    let labels = [("route", route.clone()), ("method", method.to_string()), ("status", status.to_string())];
    metrics::counter!(names::metrics::HTTP_REQUESTS_TOTAL, &labels).increment(1);
    span.in_scope(|| tracing::debug!(%method, %route, status, ms = clock::elapsed_ms(started), "answered"));
    with_headers(response, &tag)
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
    use super::*;

    fn admitted(host: &str, origin: Option<&str>) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, origin.parse().unwrap());
        }
        Hosts::of("127.0.0.1:7100".parse().unwrap()).admit(&Uri::from_static("/"), &headers).is_ok()
    }

    #[test]
    fn only_loopback_names_with_the_port_are_this_server() {
        for host in ["127.0.0.1:7100", "localhost:7100", "LocalHost:7100", "[::1]:7100"] {
            assert!(admitted(host, None), "{host}");
        }
        for host in ["localhost", "127.0.0.1:7101", "evil.example:7100", "localhost:7100.evil.example", ""] {
            assert!(!admitted(host, None), "{host}");
        }
    }

    #[test]
    fn only_our_own_pages_may_call() {
        assert!(admitted("localhost:7100", Some("http://localhost:7100")));
        assert!(admitted("localhost:7100", Some("http://127.0.0.1:7100")));
        for origin in
            ["https://evil.example", "null", "http://localhost:9999", "https://localhost:7100", "file://"]
        {
            assert!(!admitted("localhost:7100", Some(origin)), "{origin}");
        }
    }

    #[tokio::test]
    async fn a_panic_of_a_handler_is_a_problem_with_the_request_id() {
        use tower::ServiceExt as _;
        async fn broken() -> &'static str {
            panic!("a defect")
        }
        let hosts = Hosts::of("127.0.0.1:7100".parse().unwrap());
        let app = axum::Router::new()
            .route("/", axum::routing::get(broken))
            .layer(axum::middleware::from_fn_with_state(hosts, guard));
        let request = Request::builder().uri("/").header(header::HOST, "localhost:7100");
        let response = app.oneshot(request.body(axum::body::Body::empty()).unwrap()).await.unwrap();
        assert_eq!(response.status(), 500);
        let tag = response.headers()[REQUEST_ID].to_str().unwrap().to_owned();
        let body = axum::body::to_bytes(response.into_body(), 10_000).await.unwrap();
        let problem: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(
            (problem["code"].as_str(), problem["request_id"].as_str()),
            (Some("internal"), Some(tag.as_str()))
        );
    }

    #[test]
    fn two_hosts_or_none_are_refused() {
        let hosts = Hosts::of("127.0.0.1:7100".parse().unwrap());
        let mut headers = HeaderMap::new();
        assert!(hosts.admit(&Uri::from_static("/"), &headers).is_err());
        headers.append(header::HOST, "localhost:7100".parse().unwrap());
        headers.append(header::HOST, "localhost:7100".parse().unwrap());
        assert!(hosts.admit(&Uri::from_static("/"), &headers).is_err());
    }

    #[test]
    fn a_plain_request_id_is_kept_and_any_other_replaced() {
        let tag = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(REQUEST_ID, text.parse().unwrap());
            RequestTag::of(&headers).0.to_string()
        };
        assert_eq!(tag("job-7:a.b_c"), "job-7:a.b_c");
        assert_ne!(tag("a b"), "a b");
        assert_ne!(tag("<script>"), "<script>");
        assert_eq!(tag(&"x".repeat(129)).len(), 36);
    }
}
