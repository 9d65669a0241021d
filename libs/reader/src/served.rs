//! A language model behind a server as a reader: one window and one statement a call, the probability of its yes.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use assay_domain::Failure;
use assay_domain::reader::{ReaderIdentity, Reading, Window};
use assay_resilience::{Breaker, Permit, State, Transition};
use assay_rpc::{Context, clock};
use async_trait::async_trait;
use futures::StreamExt as _;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::options::{Kind, Protocol, Served};
use crate::port::{Missing, Question, Reader, Statement};
use crate::template::{Task, VERSION};
use crate::wrong;

/// Longest wait for a connection.
const CONNECT: Duration = Duration::from_secs(5);
/// Alternatives to the first token that are asked for: what both protocols allow.
const ALTERNATIVES: usize = 20;
/// Longest reply, in bytes; one token with its alternatives has a few thousand.
const REPLY: usize = 256 * 1024;

/// A language model of a server.
#[derive(Debug)]
pub(crate) struct Remote {
    identity: ReaderIdentity,
    options: Served,
    url: String,
    key: String,
    client: reqwest::Client,
    breaker: Mutex<Breaker>,
    started: Instant,
}

/// A reply of either protocol.
#[derive(Debug, Deserialize)]
struct Reply {
    /// Of an OpenAI-compatible server.
    #[serde(default)]
    choices: Vec<Choice>,
    /// Of Ollama.
    #[serde(default)]
    logprobs: Option<Vec<Token>>,
}

#[derive(Debug, Deserialize)]
struct Choice {
    #[serde(default)]
    logprobs: Option<Content>,
}

#[derive(Debug, Deserialize)]
struct Content {
    #[serde(default)]
    content: Option<Vec<Token>>,
}

/// A token with its alternatives.
#[derive(Debug, Deserialize)]
struct Token {
    token: String,
    logprob: f64,
    #[serde(default)]
    top_logprobs: Vec<Alternative>,
}

#[derive(Debug, Deserialize)]
struct Alternative {
    token: String,
    logprob: f64,
}

/// Which reader a served model is: nobody knows its weights, the words that it is asked in are ours.
pub(crate) fn identity(options: &Served) -> ReaderIdentity {
    ReaderIdentity {
        kind: Kind::Served.as_str().to_owned(),
        name: format!("{}:{}", options.protocol.as_str(), options.model),
        version: VERSION.to_owned(),
        sha256: String::new(),
    }
}

impl Remote {
    /// A model that is asked from now on. Whether it is there shows with the first pair.
    ///
    /// # Errors
    /// `CONFIGURATION` if the file of the key cannot be read.
    pub(crate) fn new(options: &Served) -> Result<Self, Failure> {
        let path = &options.api_key_file;
        let key = if path.as_os_str().is_empty() {
            String::new()
        } else {
            let read = std::fs::read_to_string(path);
            let told = |error| {
                wrong("reader.served.api_key_file", format!("cannot read {}: {error}", path.display()))
            };
            read.map_err(told)?.trim().to_owned()
        };
        let _ = rustls::crypto::ring::default_provider().install_default();
        // It follows no redirect, which would carry texts to a server that no setting names.
        let client = reqwest::Client::builder()
            .connect_timeout(CONNECT)
            .redirect(reqwest::redirect::Policy::none())
            .tcp_nodelay(true)
            .build()
            .map_err(|error| wrong("reader.served.url", format!("no HTTP client can be built: {error}")))?;
        let route = match options.protocol {
            Protocol::OpenAi => "chat/completions",
            Protocol::Ollama => "api/chat",
        };
        Ok(Self {
            identity: identity(options),
            url: format!("{}/{route}", options.url.trim_end_matches('/')),
            key,
            client,
            breaker: Mutex::new(Breaker::new(options.breaker())),
            started: clock::now(),
            options: options.clone(),
        })
    }

    fn body(&self, task: Task, window: &Window, text: &str) -> Value {
        let messages = json!([
            { "role": "system", "content": task.system() },
            { "role": "user", "content": task.user(window, text) },
        ]);
        let model = &self.options.model;
        match self.options.protocol {
            Protocol::OpenAi => json!({
                "model": model, "messages": messages, "temperature": 0, "max_tokens": 1, "seed": 0, "stream": false,
                "logprobs": true, "top_logprobs": ALTERNATIVES,
            }),
            Protocol::Ollama => json!({
                "model": model, "messages": messages, "stream": false, "logprobs": true, "top_logprobs": ALTERNATIVES,
                "options": { "temperature": 0, "num_predict": 1, "seed": 0 },
            }),
        }
    }

    fn breaker(&self) -> std::sync::MutexGuard<'_, Breaker> {
        self.breaker.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn since_start(&self) -> Duration {
        clock::now().saturating_duration_since(self.started)
    }

    /// Probability of yes for one pair.
    async fn ask(&self, context: &Context, task: Task, window: &Window, text: &str) -> Result<f64, Missing> {
        if context.remaining().is_zero() {
            return Err(Missing::Timeout);
        }
        let now = self.since_start();
        let (permit, transition) = self.breaker().acquire(now);
        if transition == Some(Transition::Probing) {
            tracing::info!(target: "assay", url = self.url, "one pair finds out whether the served reader is back");
        }
        let held = Held { remote: self, permit: Some(permit.ok_or(Missing::CircuitOpen)?) };
        let found = match context.within(self.send(&self.body(task, window, text))).await {
            Ok(found) => found,
            Err(_) => Err(Missing::Timeout),
        };
        // A reply without a yes or a no is a property of the model, not of the connection.
        held.release(!matches!(found, Err(Missing::Timeout | Missing::Failed(UNREACHABLE))));
        found
    }

    async fn send(&self, body: &Value) -> Result<f64, Missing> {
        let request = self.client.post(&self.url).json(body);
        let request = if self.key.is_empty() { request } else { request.bearer_auth(&self.key) };
        let failed = |error: &dyn std::fmt::Display| {
            tracing::warn!(target: "assay", url = self.url, %error, "the served reader did not answer");
            Missing::Failed(UNREACHABLE)
        };
        let mut reply = request.send().await.map_err(|error| failed(&error.without_url()))?;
        let status = reply.status();
        let mut bytes = Vec::new();
        while let Some(chunk) = reply.chunk().await.map_err(|error| failed(&error.without_url()))? {
            if bytes.len() + chunk.len() > REPLY {
                return Err(Missing::Failed("reader_reply_too_long"));
            }
            bytes.extend_from_slice(&chunk);
        }
        if !status.is_success() {
            let told: String = String::from_utf8_lossy(&bytes).chars().take(200).collect();
            tracing::warn!(target: "assay", url = self.url, %status, told, "the served reader refused a pair");
            // What the server refuses it refuses again: only silence and breakage count against it.
            let word = if status.is_server_error() { UNREACHABLE } else { "reader_refused" };
            return Err(Missing::Failed(word));
        }
        let reply: Reply = serde_json::from_slice(&bytes).map_err(|_| Missing::Failed("reader_no_reply"))?;
        yes(&reply)
    }

    async fn all(
        &self,
        context: &Context,
        task: Task,
        pairs: &[(Window, String)],
    ) -> Vec<Result<f64, Missing>> {
        let asks = pairs.iter().map(|(window, text)| self.ask(context, task, window, text));
        let asks: Vec<_> = asks.collect();
        task.told(futures::stream::iter(asks).buffered(self.options.parallel).collect().await)
    }
}

/// A permit that is given back even when the call is dropped.
struct Held<'r> {
    remote: &'r Remote,
    permit: Option<Permit>,
}

impl Held<'_> {
    fn release(mut self, reached: bool) {
        let Some(permit) = self.permit.take() else { return };
        let now = self.remote.since_start();
        if self.remote.breaker().release(permit, reached, now) == Some(Transition::Opened) {
            tracing::warn!(target: "assay", url = self.remote.url, "the served reader is left alone for a while");
        }
    }
}

impl Drop for Held<'_> {
    /// A call that nobody waits for any more is no failure; but a probe has to end, so it opens again.
    fn drop(&mut self) {
        let Some(permit) = self.permit.take() else { return };
        let now = self.remote.since_start();
        let mut breaker = self.remote.breaker();
        if breaker.state() == State::HalfOpen {
            let _ = breaker.release(permit, false, now);
        }
    }
}

/// Why a server that does not answer gave no reading.
const UNREACHABLE: &str = "reader_unreachable";

/// Probability of yes among yes and no, by the alternatives of the first token.
fn yes(reply: &Reply) -> Result<f64, Missing> {
    let chat = reply.choices.first().and_then(|choice| choice.logprobs.as_ref()?.content.as_ref());
    let first = chat.or(reply.logprobs.as_ref()).and_then(|tokens| tokens.first());
    let first = first.ok_or(Missing::Failed("reader_no_logprobs"))?;
    let own = [(first.token.as_str(), first.logprob)];
    let others = first.top_logprobs.iter().map(|other| (other.token.as_str(), other.logprob));
    let mut known: HashMap<&str, f64> = HashMap::new();
    // Most servers list the token itself among its alternatives: it counts once.
    for (token, logprob) in others.chain(own) {
        known.insert(token, logprob);
    }
    let share = |wanted: &str| -> f64 {
        let same = |token: &str| token.trim().eq_ignore_ascii_case(wanted);
        known.iter().filter(|(token, _)| same(token)).map(|(_, logprob)| logprob.exp()).sum()
    };
    let (yes, no) = (share("yes"), share("no"));
    let sum = yes + no;
    if !sum.is_finite() || sum <= 0.0 {
        return Err(Missing::Failed("reader_no_label"));
    }
    Ok(yes / sum)
}

#[async_trait]
impl Reader for Remote {
    fn identity(&self) -> &ReaderIdentity {
        &self.identity
    }

    fn budget(&self) -> usize {
        self.options.pairs
    }

    /// A yes or no tells what is said from what is not; it never tells that a window denies.
    async fn read(&self, context: &Context, pairs: &[(Window, Statement)]) -> Vec<Result<Reading, Missing>> {
        let said = self.all(context, Task::Read, pairs).await;
        let reading = |says: f64| Reading { says, open: 1.0 - says, denies: 0.0 };
        said.into_iter().map(|one| one.map(reading)).collect()
    }

    async fn answers(&self, context: &Context, pairs: &[(Window, Question)]) -> Vec<Result<f64, Missing>> {
        self.all(context, Task::Answers, pairs).await
    }
}
