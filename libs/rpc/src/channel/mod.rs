//! The way to a peer: every address of its name, balanced; calls repeated where that is safe; one span each.
//!
//! What is repeated, always within the deadline of the call:
//! - a call that never left, or that the peer says it did not look at, whatever its method: it waits until the peer can be reached, for as long as the peer's
//!   outage is younger than [`Retry::patience_seconds`];
//! - a call that may have been made, because its connection broke or the peer answered `UNAVAILABLE`: only if the
//!   protocol declares the method idempotent, before the first byte of an answer, a few times, within a budget.
//!
//! | file | holds |
//! |---|---|
//! | `options.rs` | settings |
//! | `set.rs` | addresses, their states, the choice between them; pure |
//! | `dial.rs` | one connection |
//! | `body.rs` | requests that can be sent again, answers that end at the deadline |

mod body;
mod dial;
mod options;
mod set;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use assay_domain::{Code, Failure};
use assay_resilience::Budget;
use assay_telemetry::{propagation, spans};
use futures::future::BoxFuture;
use http::{HeaderMap, HeaderValue, Request, Response, Uri};
use tokio::io::DuplexStream;
use tokio::sync::{Notify, mpsc};
use tonic::Status;
use tonic::body::Body;
use tonic::transport::Channel as Http2;
use tower::Service as _;
use tracing::Instrument as _;

use crate::io::OnDrop;
use crate::layers::code_name;
use crate::methods::{Methods, is_health};
use crate::tls::{self, Tls};
use crate::{clock, context, entropy, task};
use body::{Answer, Payload, deadline_exceeded};
use dial::{Dial, Security, Target};
use set::{Address, Chosen, Failed, Load, Pick, Set};

pub use options::{Connection, Retry};

/// Most time that a look-up of a name may take.
const LOOKUP: Duration = Duration::from_secs(5);
/// Pause between two look-ups of a peer that cannot be reached.
const EAGER_LOOKUP: Duration = Duration::from_secs(1);
/// What is left of a deadline that counts as nothing: timers are no finer.
const SLACK: Duration = Duration::from_millis(2);

/// Finds the addresses of a host name and port.
pub type Lookup = Arc<dyn Fn(String, u16) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>> + Send + Sync>;

/// The look-up of the operating system.
#[must_use]
pub fn system_lookup() -> Lookup {
    Arc::new(|host, port| {
        Box::pin(async move { Ok(tokio::net::lookup_host((host.as_str(), port)).await?.collect()) })
    })
}

/// How the peers of a process are reached.
#[derive(Clone)]
pub struct Outbound {
    /// Connections.
    pub connection: Connection,
    /// Repeated calls.
    pub retry: Retry,
    /// Certificates; none means plaintext.
    pub tls: Option<Tls>,
    /// What may be repeated.
    pub methods: Methods,
    /// Who knows the addresses of a name.
    pub lookup: Lookup,
}

impl Default for Outbound {
    fn default() -> Self {
        Self {
            connection: Connection::default(),
            retry: Retry::default(),
            tls: None,
            methods: Methods::default(),
            lookup: system_lookup(),
        }
    }
}

impl Outbound {
    /// The channel to the peer `name` (the short name of its service, which its certificate must hold) at `url`. With
    /// TLS the scheme makes no difference. It connects when it is first used.
    ///
    /// # Errors
    /// `CONFIGURATION` if the address is no URL with a host, or asks for TLS that is not configured.
    pub fn channel(&self, name: &str, url: &str) -> Result<Channel, Failure> {
        let (https, host, port) = parse(url)?;
        let security = match (&self.tls, https) {
            (Some(tls), _) => Security::Mutual(tls.clone()),
            (None, false) => Security::Plain,
            (None, true) => {
                let text =
                    format!("{url:?} asks for TLS; set tls.folder to the certificates of this process");
                return Err(Failure::new(Code::Configuration, text).field("tls.folder"));
            }
        };
        let dial = Dial::host(name, &host, port, security, self.connection)?;
        let methods = self.methods.clone();
        Ok(Channel::new(name, dial, self.retry, methods, Arc::clone(&self.lookup), &host, port))
    }
}

/// A way to a peer; cheap to clone. Dropping the future of a call, or the body of its answer, cancels the call at the
/// far end.
#[derive(Clone)]
pub struct Channel(Arc<Inner>);

struct Inner {
    peer: String,
    dial: Dial,
    retry: Retry,
    methods: Methods,
    lookup: Lookup,
    set: Mutex<Set<Http2>>,
    budget: Mutex<Budget>,
    /// Told whenever the set changed.
    changed: Notify,
    /// Told when the keeper should look at once.
    poke: Arc<Notify>,
    kept: AtomicBool,
}

/// An answer, until when its body may take, and what counts the call.
type Answered = (Response<Body>, Option<Instant>, Load);

impl std::fmt::Debug for Channel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Channel").field("peer", &self.0.peer).finish_non_exhaustive()
    }
}

// === impl Channel ===

impl Channel {
    /// A channel to `url` for a program outside: nothing is repeated and nobody is waited for. With `https` the far end
    /// is verified by its host name against `authority` (PEM).
    ///
    /// # Errors
    /// `CONFIGURATION` if the address is no URL with a host, or TLS is asked for without an authority.
    pub fn to(url: &str, authority: Option<&[u8]>) -> Result<Self, Failure> {
        let (https, host, port) = parse(url)?;
        let security = match (https, authority) {
            (false, _) => Security::Plain,
            (true, Some(authority)) => Security::Server(tls::trusting(authority)?),
            (true, None) => {
                let text = format!("{url:?} asks for TLS; name the certificate authority to trust");
                return Err(Failure::new(Code::Configuration, text));
            }
        };
        let connection = Connection { connect_seconds: 5.0, ..Connection::default() };
        let dial = Dial::host(&host, &host, port, security, connection)?;
        Ok(Self::new(&host, dial, Retry::none(), Methods::default(), system_lookup(), &host, port))
    }

    /// A channel within the process: each connection is one end of a pipe, the other end is sent to `service`.
    pub(crate) fn memory(peer: &str, service: mpsc::Sender<DuplexStream>) -> Self {
        Self::within(peer, Target::Memory(service))
    }

    /// A channel that nobody answers.
    pub(crate) fn nobody() -> Self {
        Self::within("nobody", Target::Nobody)
    }

    fn within(peer: &str, target: Target) -> Self {
        let addresses = [Address::Memory];
        Self::assemble(
            peer,
            Dial::memory(target),
            Retry::none(),
            Methods::default(),
            system_lookup(),
            &addresses,
        )
    }

    fn new(
        peer: &str,
        dial: Dial,
        retry: Retry,
        methods: Methods,
        lookup: Lookup,
        host: &str,
        port: u16,
    ) -> Self {
        let literal = host.parse::<IpAddr>().ok().map(|ip| Address::Socket(SocketAddr::new(ip, port)));
        Self::assemble(peer, dial, retry, methods, lookup, literal.as_slice())
    }

    fn assemble(
        peer: &str,
        dial: Dial,
        retry: Retry,
        methods: Methods,
        lookup: Lookup,
        addresses: &[Address],
    ) -> Self {
        Self(Arc::new(Inner {
            peer: peer.to_owned(),
            // A literal address needs no keeper for look-ups, and without patience nobody waits for a retry.
            kept: AtomicBool::new(!addresses.is_empty() && retry.patience().is_zero()),
            dial,
            retry,
            methods,
            lookup,
            set: Mutex::new(Set::new(addresses)),
            budget: Mutex::new(Budget::new(retry.budget())),
            changed: Notify::new(),
            poke: Arc::default(),
        }))
    }

    /// Makes a connection unless there is one.
    ///
    /// # Errors
    /// `UNAVAILABLE` if the peer cannot be reached, `DEADLINE_EXCEEDED` if `limit` is over first.
    pub async fn reach(&self, limit: Duration) -> Result<(), Status> {
        self.0.keep();
        let deadline = clock::now() + limit;
        self.0.connection(Some(deadline), Duration::ZERO, None).await.map(drop)
    }

    /// Whose service this leads to.
    #[must_use]
    pub fn peer(&self) -> &str {
        &self.0.peer
    }
}

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
struct Ending {
    span: tracing::Span,
    status: Option<tonic::Code>,
}

impl Ending {
    fn note(&mut self, headers: &HeaderMap) {
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

// === impl Inner ===

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
                    let text = dial::root(&error);
                    self.lost(address, id, &text);
                    avoid = Some(address);
                    if !payload.was_read() || never_processed(&text) {
                        // Nobody acted upon it. How long this may go on is decided where a connection is waited for.
                        retried(&self.peer, "unsent");
                        continue;
                    }
                    Err(Status::unavailable(format!("the connection broke: {text}")))
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

    /// A connection for a call, waited for as long as it makes sense.
    async fn connection(
        self: &Arc<Self>,
        deadline: Option<Instant>,
        patience: Duration,
        avoid: Option<Address>,
    ) -> Result<Chosen<Http2>, Status> {
        // Without a keeper each call makes at most one attempt of its own.
        let alone = self.retry.patience().is_zero();
        let mut waited = false;
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let now = clock::now();
            let (due, pick, out, until) = {
                let mut set = lock(&self.set);
                let out = set.out_of_patience(now, patience);
                let due = if (alone && !waited) || !set.out_of_patience(now, self.retry.patience()) {
                    set.connect_due(now)
                } else {
                    Vec::new()
                };
                let wake =
                    set.next_retry().into_iter().chain(set.patience_ends(patience).filter(|end| *end > now));
                (due, set.pick(avoid), out, wake.chain(deadline).min())
            };
            for address in due {
                self.start(address);
            }
            match pick {
                Pick::Go(chosen) => return Ok(chosen),
                Pick::Connecting if alone || !out => waited = true,
                Pick::Waiting if !(out || alone && waited) => {}
                _ => return Err(self.unreachable(deadline, now)),
            }
            if deadline.is_some_and(|at| now + SLACK >= at) {
                return Err(self.unreachable(deadline, now));
            }
            match until {
                Some(at) => {
                    // Never a busy loop: a moment that has passed is looked at again a little later.
                    let at = at.max(now + Duration::from_millis(1));
                    let _ = tokio::time::timeout_at(at.into(), changed).await;
                }
                None => changed.await,
            }
        }
    }

    /// The status of a call that never left.
    fn unreachable(&self, deadline: Option<Instant>, now: Instant) -> Status {
        let set = lock(&self.set);
        match set.trouble() {
            "" if deadline.is_some_and(|at| now + SLACK >= at) => deadline_exceeded(),
            "" => Status::unavailable("no connection"),
            trouble => Status::unavailable(trouble),
        }
    }

    /// Starts a connection that already counts as connecting.
    fn start(self: &Arc<Self>, address: Address) {
        let inner = Arc::clone(self);
        task::detached(async move {
            let id = lock(&inner.set).next_id();
            let weak = Arc::downgrade(&inner);
            let closed = OnDrop::new(move || {
                if let Some(inner) = Weak::upgrade(&weak) {
                    inner.lost(address, id, "the connection broke");
                }
            });
            match inner.dial.connect(address, closed).await {
                Ok(connection) => {
                    lock(&inner.set).connected(address, id, connection);
                }
                Err(error) => {
                    // Callers are told why, and only the log where: an answer may end up outside.
                    let why = error.to_string();
                    let failed = lock(&inner.set).failed(address, &why, clock::now(), |n| inner.wait(n));
                    inner.told(failed, &format!("{address}: {why}"));
                }
            }
            inner.changed.notify_waiters();
        });
    }

    fn wait(&self, failures: u32) -> Duration {
        if self.retry.patience().is_zero() {
            return Duration::ZERO;
        }
        self.retry.backoff().wait(failures, entropy::fraction())
    }

    fn proven(&self, address: Address, id: u64) {
        if let Some(outage) = lock(&self.set).proven(address, id, clock::now())
            && !self.retry.patience().is_zero()
        {
            tracing::info!(target: "assay", peer = %self.peer, outage_ms = outage.as_millis(), "a peer answers again");
        }
    }

    fn lost(&self, address: Address, id: u64, text: &str) {
        let failed = lock(&self.set).lost(address, id, text, clock::now(), |n| self.wait(n));
        self.told(failed, text);
        if failed.is_some() {
            self.changed.notify_waiters();
        }
    }

    fn told(&self, failed: Option<Failed>, text: &str) {
        let Some(failed) = failed else { return };
        self.poke.notify_one();
        if failed.begins && !self.retry.patience().is_zero() {
            tracing::warn!(target: "assay", peer = %self.peer, error = %text, "a peer cannot be reached");
        } else {
            tracing::debug!(peer = %self.peer, error = %text, failures = failed.failures, "no connection");
        }
    }

    // === The keeper: looks names up, and tries again what failed. ===

    /// Starts the keeper with the first call.
    fn keep(self: &Arc<Self>) {
        if !self.kept.swap(true, Ordering::Relaxed) {
            task::detached(keep(Arc::downgrade(self), Arc::clone(&self.poke)));
        }
    }

    async fn look_up(&self) {
        let Target::Host { host, port } = &self.dial.target else { return };
        if host.parse::<IpAddr>().is_ok() {
            return;
        }
        let found = tokio::time::timeout(LOOKUP, (self.lookup)(host.clone(), *port)).await;
        let result = match found {
            Ok(Ok(found)) => Ok(found.into_iter().map(Address::Socket).collect::<Vec<_>>()),
            Ok(Err(error)) => Err(format!("{host}: {error}")),
            Err(_) => Err(format!("{host}: the look-up took longer than {} s", LOOKUP.as_secs())),
        };
        let result = match result {
            Ok(mut addresses) if !addresses.is_empty() => {
                addresses.sort_unstable();
                addresses.dedup();
                Ok(addresses)
            }
            Ok(_) => Err(format!("{host} has no address")),
            Err(text) => Err(text),
        };
        let begins = match &result {
            Ok(addresses) => {
                lock(&self.set).replace(addresses);
                false
            }
            Err(text) => lock(&self.set).lookup_failed(text, clock::now()),
        };
        if let (true, Err(text)) = (begins, &result) {
            self.told(Some(Failed { failures: 1, begins }), text);
        }
        self.changed.notify_waiters();
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.poke.notify_one();
    }
}

async fn keep(weak: Weak<Inner>, poke: Arc<Notify>) {
    let mut next_lookup = clock::now();
    loop {
        let wake = {
            let Some(inner) = weak.upgrade() else { return };
            let now = clock::now();
            if now >= next_lookup {
                inner.look_up().await;
            }
            let now = clock::now();
            let (due, retry, out) = {
                let mut set = lock(&inner.set);
                (set.retry_due(now), set.next_retry(), set.is_out())
            };
            for address in due {
                inner.start(address);
            }
            let pause = inner.dial.connection.resolve();
            if now >= next_lookup {
                next_lookup = now + pause;
            }
            if out {
                next_lookup = next_lookup.min(now + pause.min(EAGER_LOOKUP));
            }
            retry.map_or(next_lookup, |at| at.min(next_lookup)).max(now + Duration::from_millis(1))
        };
        let _ = tokio::time::timeout_at(wake.into(), poke.notified()).await;
    }
}

/// Whether the peer says that it did not look at the call: a stream beyond the last one that its goodbye names, or one
/// that it refused (RFC 9113, 6.8 and 8.7). The HTTP/2 library is not ours to name, so its words are all there is; a
/// test with hand-made frames holds them.
fn never_processed(error: &str) -> bool {
    error == "connection error received: not a result of an error"
        || error == "stream error received: refused stream before processing any application logic"
}

async fn within<F: Future>(deadline: Option<Instant>, work: F) -> Result<F::Output, Status> {
    match deadline {
        Some(at) => tokio::time::timeout_at(at.into(), work).await.map_err(|_| deadline_exceeded()),
        None => Ok(work.await),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
fn write_timeout(headers: &mut HeaderMap, left: Duration) {
    let (value, unit) = match left.as_micros() {
        micros if micros < 100_000_000 => (micros, 'u'),
        micros if micros < 100_000_000_000 => (micros / 1000, 'm'),
        micros => ((micros / 1_000_000).min(99_999_999), 'S'),
    };
    if let Ok(value) = HeaderValue::from_str(&format!("{value}{unit}")) {
        headers.insert("grpc-timeout", value);
    }
}

/// Scheme, host and port of an address.
fn parse(url: &str) -> Result<(bool, String, u16), Failure> {
    let wrong = |why: &str| {
        Failure::new(Code::Configuration, format!("{url:?} is no address: {why}; write http://HOST:PORT"))
    };
    let uri: Uri = url.parse().map_err(|error: http::uri::InvalidUri| wrong(&error.to_string()))?;
    let https = match uri.scheme_str() {
        Some("http") => false,
        Some("https") => true,
        _ => return Err(wrong("the scheme is neither http nor https")),
    };
    let host = uri.host().filter(|host| !host.is_empty()).ok_or_else(|| wrong("it names no host"))?;
    let port = uri.port_u16().unwrap_or(if https { 443 } else { 80 });
    if !matches!(uri.path(), "" | "/") || uri.query().is_some() {
        return Err(wrong("it has a path"));
    }
    Ok((https, host.trim_start_matches('[').trim_end_matches(']').to_owned(), port))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn an_address_has_scheme_host_and_port() {
        assert_eq!(parse("http://router:7101").unwrap(), (false, "router".to_owned(), 7101));
        assert_eq!(parse("https://[::1]:1/").unwrap(), (true, "::1".to_owned(), 1));
        assert_eq!(parse("https://answers.example").unwrap().2, 443);
        for url in ["router:7101", "ftp://router:1", "http://:7101", "http://router:7101/x", ""] {
            let failure = parse(url).unwrap_err();
            assert_eq!(failure.code, Code::Configuration, "{url}");
        }
    }

    #[test]
    fn tls_is_not_asked_for_in_vain() {
        let failure = Outbound::default().channel("router", "https://router:7101").unwrap_err();
        assert_eq!(failure.field, "tls.folder");
        assert!(Channel::to("https://router:7101", None).is_err());
        assert!(Channel::to("https://router:7101", Some(b"nothing")).is_err());
    }

    #[test]
    fn a_timeout_has_at_most_eight_digits_and_is_never_longer() {
        for (millis, text) in
            [(1, "1000u"), (99_999, "99999000u"), (100_000, "100000m"), (200_000_000, "200000S")]
        {
            let mut headers = HeaderMap::new();
            write_timeout(&mut headers, Duration::from_millis(millis));
            assert_eq!(headers["grpc-timeout"], text);
        }
    }
}
