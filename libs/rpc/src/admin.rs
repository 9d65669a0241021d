//! The admin listener of a process: gRPC health for probes that cannot do TLS, and metrics for a scraper. Plaintext, and
//! nothing that belongs to anybody is told here.

use std::convert::Infallible;
use std::task::{Context, Poll};
use std::time::Duration;

use futures::future::{Either, Ready, ready};
use http::{HeaderValue, Method, Request, Response, StatusCode, header};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonic::body::Body;
use tonic::service::Routes;
use tonic::transport::Server;
use tonic_health::pb::health_server::HealthServer;
use tonic_health::server::{HealthReporter, HealthService};
use tower::{Layer, Service};

use crate::accept::{self, Listener};
use crate::task;

/// Time that probes and scrapes under way have when the listener stops.
const GRACE: Duration = Duration::from_secs(1);

/// A running admin listener.
pub(crate) struct Admin {
    stop: CancellationToken,
    cut: CancellationToken,
    join: JoinHandle<()>,
}

/// Serves health and `GET /metrics` on a listener; a client has `opening` to begin.
pub(crate) fn serve(listener: Listener, opening: Duration, health: HealthReporter) -> Admin {
    let (stop, cut) = (CancellationToken::new(), CancellationToken::new());
    let incoming = accept::socket(listener, None, opening, stop.clone(), cut.clone());
    let routes = Routes::new(HealthServer::new(HealthService::from_health_reporter(health)));
    let stopped = stop.clone();
    let server = Server::builder()
        .accept_http1(true)
        .layer(Metrics)
        .add_routes(routes.prepare())
        .serve_with_incoming_shutdown(incoming, async move { stopped.cancelled().await });
    let join = task::detached(async move {
        if let Err(error) = server.await {
            tracing::error!(target: "assay", %error, "the admin listener stopped");
        }
    });
    Admin { stop, cut, join }
}

impl Admin {
    /// Ends it.
    pub(crate) async fn stop(self) {
        self.stop.cancel();
        let mut join = self.join;
        if tokio::time::timeout(GRACE, &mut join).await.is_err() {
            // A watch of health never ends by itself.
            self.cut.cancel();
            let _ = tokio::time::timeout(GRACE, join).await;
        }
    }
}

#[derive(Clone, Copy)]
struct Metrics;

impl<S> Layer<S> for Metrics {
    type Service = WithMetrics<S>;

    fn layer(&self, inner: S) -> WithMetrics<S> {
        WithMetrics { inner }
    }
}

#[derive(Clone)]
struct WithMetrics<S> {
    inner: S,
}

impl<S> Service<Request<Body>> for WithMetrics<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Either<S::Future, Ready<Result<Response<Body>, Infallible>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        if request.method() != Method::GET {
            return Either::Left(self.inner.call(request));
        }
        Either::Right(ready(Ok(get(&request))))
    }
}

fn get(request: &Request<Body>) -> Response<Body> {
    if request.uri().path() != "/metrics" {
        let body = "metrics are at /metrics\n".to_owned();
        return text(StatusCode::NOT_FOUND, "text/plain; charset=utf-8", body);
    }
    let accept = request.headers().get(header::ACCEPT).and_then(|value| value.to_str().ok());
    let metrics = assay_telemetry::exposition(accept);
    text(StatusCode::OK, metrics.content_type, metrics.body)
}

fn text(status: StatusCode, kind: &'static str, body: String) -> Response<Body> {
    let mut response = Response::new(Body::new(http_body_util::Full::new(bytes::Bytes::from(body))));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::Channel;
    use std::net::SocketAddr;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tonic_health::ServingStatus;
    use tonic_health::pb::HealthCheckRequest;
    use tonic_health::pb::health_client::HealthClient;

    async fn get(address: SocketAddr, path: &str) -> String {
        let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nhost: admin\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    #[tokio::test]
    async fn health_and_metrics_share_one_port() {
        let table = crate::Limits::default().connection_table();
        let listener = Listener::bind("127.0.0.1:0".parse().unwrap(), "admin", table).await.unwrap();
        let address = listener.address();
        let (health, _) = tonic_health::server::health_reporter();
        health.set_service_status("ready", ServingStatus::NotServing).await;
        let admin = serve(listener, Duration::from_secs(10), health);

        let metrics = get(address, "/metrics").await;
        assert!(
            metrics.starts_with("HTTP/1.1 200") && metrics.contains("content-type: text/plain"),
            "{metrics}"
        );
        let other = get(address, "/").await;
        assert!(other.starts_with("HTTP/1.1 404"), "{other}");

        let channel = Channel::to(&format!("http://{address}"), None).unwrap();
        let mut client = HealthClient::new(channel);
        let mut of = async |service: &str| {
            let request = HealthCheckRequest { service: service.to_owned() };
            client.check(request).await.unwrap().into_inner().status
        };
        assert_eq!(of("").await, ServingStatus::Serving as i32);
        assert_eq!(of("ready").await, ServingStatus::NotServing as i32);

        // A watch never ends by itself; the listener does.
        let request = HealthCheckRequest { service: String::new() };
        let _watch = client.watch(request).await.unwrap();
        admin.stop().await;
        assert!(tokio::net::TcpStream::connect(address).await.is_err());
    }
}
