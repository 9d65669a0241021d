//! A client of several nodes: it takes the next node that answers, waits where the cluster asks for it, and gives up
//! after a number of attempts. A dropped future closes the connection, and Elasticsearch ends the search with it.

use crate::error::{Error, busy};
use crate::options::Options;
use assay_domain::{Code, Failure};
use assay_resilience::Backoff;
use assay_rpc::{clock, entropy};
use bytes::Bytes;
use elasticsearch::auth::Credentials;
use elasticsearch::cert::{Certificate, CertificateValidation};
use elasticsearch::http::Method;
use elasticsearch::http::headers::{CONTENT_TYPE, HeaderMap, HeaderValue};
use elasticsearch::http::transport::{SingleNodeConnectionPool, Transport, TransportBuilder};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Oldest version that answers what is asked here: `rescore_vector` came with it.
const OLDEST: (u32, u32) = (8, 18);
/// Attempts of a request unless its caller says otherwise.
const ATTEMPTS: u32 = 5;
/// Longest wait for one node's answer unless the caller says otherwise.
const PATIENCE: Duration = Duration::from_secs(30);
/// Waits between attempts.
const BETWEEN: Backoff = Backoff { base: Duration::from_millis(100), cap: Duration::from_secs(5) };
/// How long a node that did not answer is asked last.
const AVOIDED: Backoff = Backoff { base: Duration::from_secs(1), cap: Duration::from_secs(60) };
/// Bytes of an error body that is no JSON and is told.
const TOLD_BYTES: usize = 200;

/// One request.
#[derive(Debug, Clone)]
pub struct Call<'a> {
    method: Method,
    path: &'a str,
    query: Vec<(&'a str, String)>,
    body: Option<(Bytes, &'static str)>,
    attempts: u32,
    patience: Duration,
}

impl<'a> Call<'a> {
    fn new(method: Method, path: &'a str) -> Self {
        Self { method, path, query: Vec::new(), body: None, attempts: ATTEMPTS, patience: PATIENCE }
    }

    /// Reads.
    #[must_use]
    pub fn get(path: &'a str) -> Self {
        Self::new(Method::Get, path)
    }

    /// Sends.
    #[must_use]
    pub fn post(path: &'a str) -> Self {
        Self::new(Method::Post, path)
    }

    /// Puts.
    #[must_use]
    pub fn put(path: &'a str) -> Self {
        Self::new(Method::Put, path)
    }

    /// Deletes.
    #[must_use]
    pub fn delete(path: &'a str) -> Self {
        Self::new(Method::Delete, path)
    }

    /// With a parameter in the address.
    #[must_use]
    pub fn param(mut self, name: &'a str, value: impl ToString) -> Self {
        self.query.push((name, value.to_string()));
        self
    }

    /// With a JSON body.
    #[must_use]
    pub fn json(mut self, body: &Value) -> Self {
        self.body = Some((Bytes::from(body.to_string()), "application/json"));
        self
    }

    /// With a body of JSON lines.
    #[must_use]
    pub fn lines(mut self, body: Bytes) -> Self {
        self.body = Some((body, "application/x-ndjson"));
        self
    }

    /// With so many attempts.
    #[must_use]
    pub fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts;
        self
    }

    /// With another longest wait for a node's answer.
    #[must_use]
    pub fn patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }
}

/// A successful answer.
#[derive(Debug, Clone)]
pub struct Reply {
    bytes: Bytes,
}

impl Reply {
    /// The body as a type.
    ///
    /// # Errors
    /// `Unreadable` if it is not of that form.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_slice(&self.bytes).map_err(|error| Error::Unreadable(error.to_string()))
    }
}

/// A node, and since when it did not answer.
#[derive(Debug)]
struct Node {
    transport: Transport,
    avoided: Mutex<Option<(u32, Instant)>>,
}

impl Node {
    fn avoided(&self, now: Instant) -> bool {
        self.avoided.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|(_, until)| now < until)
    }

    fn answered(&self, well: bool) {
        let mut avoided = self.avoided.lock().unwrap_or_else(PoisonError::into_inner);
        *avoided = if well {
            None
        } else {
            let failures = avoided.map_or(0, |(failures, _)| failures).saturating_add(1);
            Some((failures, clock::now() + AVOIDED.wait(failures, 1.0)))
        };
    }
}

/// The attempts of one piece of work.
#[derive(Debug)]
pub struct Attempts {
    most: u32,
    failures: u32,
}

impl Attempts {
    /// So many at most.
    #[must_use]
    pub fn new(most: u32) -> Self {
        Self { most, failures: 0 }
    }

    /// Whether it is tried again after this error; waits before it says so.
    pub async fn again(&mut self, error: &Error) -> bool {
        self.failures += 1;
        if !error.is_transient() || self.failures >= self.most {
            return false;
        }
        tracing::debug!(%error, failures = self.failures, "Elasticsearch is asked again");
        tokio::time::sleep(BETWEEN.wait(self.failures, 0.5 + entropy::fraction() / 2.0)).await;
        true
    }
}

/// A client of a cluster.
#[derive(Debug)]
pub struct Client {
    nodes: Vec<Node>,
    next: AtomicUsize,
}

impl Client {
    /// A client with these settings; no node is asked yet. `section` is where the settings stand.
    ///
    /// # Errors
    /// `CONFIGURATION` for settings that cannot work and files that cannot be read.
    pub fn new(options: &Options, section: &str) -> Result<Self, Failure> {
        options.check(section)?;
        let wrong = |field: &str, text: String| {
            Failure::new(Code::Configuration, text).field(format!("{section}.{field}"))
        };
        let read = |field: &str, path: &Path| {
            std::fs::read_to_string(path)
                .map(|text| text.trim().to_owned())
                .map_err(|error| wrong(field, format!("cannot read {}: {error}", path.display())))
        };
        let named = |path: &Path| !path.as_os_str().is_empty();
        let credentials = if named(&options.api_key_file) {
            Some(Credentials::EncodedApiKey(read("api_key_file", &options.api_key_file)?))
        } else if options.user.is_empty() {
            None
        } else {
            let password = read("password_file", &options.password_file)?;
            Some(Credentials::Basic(options.user.clone(), password))
        };
        let ca = if named(&options.ca_file) { Some(read("ca_file", &options.ca_file)?) } else { None };
        let mut nodes = Vec::new();
        for url in &options.urls {
            let parsed =
                url.parse().map_err(|error| wrong("urls", format!("{url:?} is no address: {error}")))?;
            let mut builder = TransportBuilder::new(SingleNodeConnectionPool::new(parsed))
                .disable_proxy()
                .enable_meta_header(false);
            if let Some(credentials) = &credentials {
                builder = builder.auth(credentials.clone());
            }
            if let Some(pem) = &ca {
                let chain = Certificate::from_pem(pem.as_bytes())
                    .map_err(|error| wrong("ca_file", format!("it holds no certificates in PEM: {error}")))?;
                builder = builder.cert_validation(CertificateValidation::Full(chain));
            }
            let transport = builder
                .build()
                .map_err(|error| wrong("urls", format!("no client can be made for {url}: {error}")))?;
            nodes.push(Node { transport, avoided: Mutex::default() });
        }
        Ok(Self { nodes, next: AtomicUsize::new(0) })
    }

    /// Sends a request; tries again where that can help.
    ///
    /// # Errors
    /// See [`Error`]; what is not there is `Refused` with status 404.
    pub async fn send(&self, call: &Call<'_>) -> Result<Reply, Error> {
        let mut attempts = Attempts::new(call.attempts);
        loop {
            match self.once(call).await {
                Err(error) if attempts.again(&error).await => {}
                done => return done,
            }
        }
    }

    /// Sends a request once to the first node that answers.
    ///
    /// # Errors
    /// See [`Client::send`].
    pub async fn once(&self, call: &Call<'_>) -> Result<Reply, Error> {
        let first = self.next.fetch_add(1, Ordering::Relaxed);
        let now = clock::now();
        let count = self.nodes.len();
        let mut order: Vec<&Node> =
            (0..count).filter_map(|place| self.nodes.get((first + place) % count)).collect();
        order.sort_by_key(|node| node.avoided(now));
        let mut silent = Error::Unreachable("no node is named".to_owned());
        for node in order {
            match ask(&node.transport, call).await {
                Err(error @ Error::Unreachable(_)) => {
                    node.answered(false);
                    silent = error;
                }
                done => {
                    node.answered(true);
                    return done;
                }
            }
        }
        Err(silent)
    }

    /// Refuses a server that is no Elasticsearch of a version that can be used.
    ///
    /// # Errors
    /// `Version`, and what [`Client::send`] says.
    pub async fn check_version(&self) -> Result<(), Error> {
        let told: Value = self.send(&Call::get("/")).await?.json()?;
        let version = &told["version"];
        let number = version["number"].as_str().unwrap_or_default();
        if let Some(other) = version["distribution"].as_str().filter(|name| *name != "elasticsearch") {
            return Err(Error::Version(format!("the server is {other} {number}; Elasticsearch is needed")));
        }
        let mut parts = number.split('.').map_while(|part| part.parse::<u32>().ok());
        match (parts.next(), parts.next()) {
            (Some(major), Some(minor)) if (major, minor) >= OLDEST => Ok(()),
            (Some(_), Some(_)) => Err(Error::Version(format!(
                "the server is Elasticsearch {number}; {}.{} or later is needed",
                OLDEST.0, OLDEST.1
            ))),
            _ => Err(Error::Version(
                "the server at elasticsearch.urls does not say that it is Elasticsearch".to_owned(),
            )),
        }
    }
}

async fn ask(transport: &Transport, call: &Call<'_>) -> Result<Reply, Error> {
    let mut headers = HeaderMap::new();
    let body = call.body.as_ref().map(|(bytes, kind)| {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        bytes.clone()
    });
    let silent = |error: elasticsearch::Error| Error::Unreachable(cause(&error));
    let response = transport
        .send(call.method, call.path, headers, Some(&call.query), body, Some(call.patience))
        .await
        .map_err(silent)?;
    let status = response.status_code().as_u16();
    let bytes = response.bytes().await.map_err(silent)?;
    match status {
        200..300 => Ok(Reply { bytes }),
        401 | 403 => Err(Error::Credentials(status)),
        413 => Err(Error::TooLarge { bytes: call.body.as_ref().map_or(0, |(bytes, _)| bytes.len()) }),
        _ => {
            let told: Value = serde_json::from_slice(&bytes).unwrap_or_default();
            let (kind, reason) = told_error(&told["error"], &bytes);
            let kind = if busy(status) && kind.is_empty() { "unavailable".to_owned() } else { kind };
            Err(Error::Refused { status, path: call.path.to_owned(), kind, reason })
        }
    }
}

/// Type and reason of an error, which may be an object, a text, or no JSON at all. The cause of a search that failed
/// on its shards stands inside.
pub(crate) fn told_error(error: &Value, body: &[u8]) -> (String, String) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    if error.is_object() {
        let cause = [&error["root_cause"][0], &error["caused_by"]];
        let cause = cause.into_iter().map(|cause| text(&cause["reason"])).find(|reason| !reason.is_empty());
        let mut reason = text(&error["reason"]);
        if let Some(cause) = cause.filter(|cause| *cause != reason) {
            reason = format!("{reason}: {cause}");
        }
        (text(&error["type"]), reason)
    } else if let Some(text) = error.as_str() {
        (String::new(), text.to_owned())
    } else {
        let start = body.get(..body.len().min(TOLD_BYTES)).unwrap_or_default();
        (String::new(), String::from_utf8_lossy(start).into_owned())
    }
}

/// The first cause of an error. What stands above it names addresses, which callers need not know.
fn cause(error: &elasticsearch::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
