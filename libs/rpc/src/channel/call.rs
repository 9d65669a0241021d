//! One call: its attempts within its deadline, what is repeated of them, and what its span is told.

use super::body::{Answer, Payload, deadline_exceeded};
use super::set::{Chosen, Load};
use super::{Channel, Inner, lock};
use crate::layers::code_name;
use crate::methods::is_health;
use crate::{clock, context, entropy};
use assay_telemetry::{propagation, spans};
use http::{HeaderMap, HeaderValue, Request, Response};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tonic::Status;
use tonic::body::Body;
use tower::Service as _;
use tracing::Instrument as _;

/// What is left of a deadline that counts as nothing: timers are no finer.
pub(super) const SLACK: Duration = Duration::from_millis(2);

/// An answer, until when its body may take, and what counts the call.
type Answered = (Response<Body>, Option<Instant>, Load);

impl tower::Service<Request<Body>> for Channel {
    type Response = Response<Body>;
    type Error = Status;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Status>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Status>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let inner = Arc::clone(&self.0);
        let span = spans::rpc_client(request.uri().path().trim_start_matches('/'), &inner.peer);
        let ending = Ending { span: span.clone(), status: None };
        Box::pin(async move { inner.call(request, ending).await }.instrument(span))
    }
}

/// Tells the span of a call how it ended; one that is dropped before was given up by its caller.
pub(super) struct Ending {
    span: tracing::Span,
    pub(super) status: Option<tonic::Code>,
}

impl Ending {
    pub(super) fn note(&mut self, headers: &HeaderMap) {
        if let Some(status) = Status::from_header_map(headers) {
            self.status = Some(status.code());
        }
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        spans::rpc_ended(&self.span, code_name(self.status.unwrap_or(tonic::Code::Cancelled)));
    }
}

/// Whether the peer says that it did not look at the call: a stream beyond the last one that its goodbye names, or one
/// that it refused (RFC 9113, 6.8 and 8.7). The HTTP/2 library is not ours to name, so its words are all there is; a
/// test with hand-made frames holds them.
fn never_processed(error: &str) -> bool {
    error == "connection error received: not a result of an error"
        || error == "stream error received: refused stream before processing any application logic"
}

pub(super) async fn within<F: Future>(deadline: Option<Instant>, work: F) -> Result<F::Output, Status> {
    match deadline {
        Some(at) => tokio::time::timeout_at(at.into(), work).await.map_err(|_| deadline_exceeded()),
        None => Ok(work.await),
    }
}

fn retried(peer: &str, reason: &'static str) {
    tracing::debug!(peer, reason, "a call is made again");
    let labels = [("peer", peer.to_owned()), ("reason", reason.to_owned())];
    metrics::counter!(assay_telemetry::names::metrics::RPC_CLIENT_RETRIES_TOTAL, &labels).increment(1);
}

/// An attempt at a request, with the time that is left of it.
fn rebuild(
    head: &http::request::Parts,
    body: Body,
    deadline: Option<Instant>,
) -> Result<Request<Body>, Status> {
    let mut request = Request::new(body);
    *request.method_mut() = head.method.clone();
    *request.uri_mut() = head.uri.clone();
    *request.version_mut() = head.version;
    *request.headers_mut() = head.headers.clone();
    if let Some(at) = deadline {
        let left = at.saturating_duration_since(clock::now());
        if left <= SLACK {
            return Err(deadline_exceeded());
        }
        write_timeout(request.headers_mut(), left);
    }
    Ok(request)
}

/// Writes the time-out of a call; at most eight digits, as gRPC demands.
pub(super) fn write_timeout(headers: &mut HeaderMap, left: Duration) {
    let (value, unit) = match left.as_micros() {
        micros if micros < 100_000_000 => (micros, 'u'),
        micros if micros < 100_000_000_000 => (micros / 1000, 'm'),
        micros => ((micros / 1_000_000).min(99_999_999), 'S'),
    };
    if let Ok(value) = HeaderValue::from_str(&format!("{value}{unit}")) {
        headers.insert("grpc-timeout", value);
    }
}

impl Inner {
    async fn call(
        self: &Arc<Self>,
        request: Request<Body>,
        mut ending: Ending,
    ) -> Result<Response<Body>, Status> {
        match self.attempts(request).await {
            Ok((response, deadline, load)) => {
                ending.note(response.headers());
                Ok(response.map(|body| Answer::body(body, deadline, load, ending)))
            }
            Err(status) => {
                ending.status = Some(status.code());
                Err(status)
            }
        }
    }

    async fn attempts(self: &Arc<Self>, request: Request<Body>) -> Result<Answered, Status> {
        self.keep();
        let deadline = context::timeout_of(request.headers()).map(|budget| clock::now() + budget);
        let (mut head, body) = request.into_parts();
        let method = self.methods.of(head.uri.path());
        let patience = if is_health(head.uri.path()) { Duration::ZERO } else { self.retry.patience() };
        propagation::inject(&mut head.headers);
        let payload = within(deadline, Payload::new(body, method.one_request)).await??;
        lock(&self.budget).deposit();
        // A call that may have been made may be made again only if that is declared, and if its message was kept.
        let repeatable = method.idempotent && payload.is_kept();
        let (mut sent, mut avoid) = (0, None);
        loop {
            let chosen = self.connection(deadline, patience, avoid).await?;
            let attempt = rebuild(&head, payload.attempt(), deadline)?;
            let Chosen { mut connection, address, id, load } = chosen;
            let work = async {
                std::future::poll_fn(|cx| connection.poll_ready(cx)).await?;
                connection.call(attempt).await
            };
            let refusal = match within(deadline, work).await? {
                Ok(response) => {
                    self.proven(address, id);
                    let unavailable = Status::from_header_map(response.headers())
                        .is_some_and(|status| status.code() == tonic::Code::Unavailable);
                    if !unavailable || !repeatable {
                        return Ok((response, deadline, load));
                    }
                    Ok(response)
                }
                Err(_) if deadline.is_some_and(|at| clock::now() + SLACK >= at) => {
                    return Err(deadline_exceeded());
                }
                Err(error) => {
                    let text = super::dial::root(&error);
                    self.lost(address, id, &text);
                    avoid = Some(address);
                    if !payload.was_read() || never_processed(&text) {
                        // Nobody acted upon it. How long this may go on is decided where a connection is waited for.
                        retried(&self.peer, "unsent");
                        continue;
                    }
                    Err(Status::unavailable(format!(
                        "the connection to the {} service broke ({text})",
                        self.peer
                    )))
                }
            };
            sent += 1;
            avoid = Some(address);
            let wait = self.retry.backoff().wait(sent, entropy::fraction());
            let in_time = deadline.is_none_or(|at| clock::now() + wait < at);
            let again = repeatable && sent < self.retry.attempts && in_time && lock(&self.budget).withdraw();
            match refusal {
                Ok(response) if !again => return Ok((response, deadline, load)),
                Err(status) if !again => return Err(status),
                Ok(_) => retried(&self.peer, "unavailable"),
                Err(_) => retried(&self.peer, "lost"),
            }
            drop(load);
            tokio::time::sleep(wait).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeout_has_eight_digits_and_is_never_longer() {
        for (millis, text) in
            [(1, "1000u"), (99_999, "99999000u"), (100_000, "100000m"), (200_000_000, "200000S")]
        {
            let mut headers = HeaderMap::new();
            write_timeout(&mut headers, Duration::from_millis(millis));
            assert_eq!(headers["grpc-timeout"], text);
        }
    }
}
