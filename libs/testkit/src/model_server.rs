//! An OpenAI-compatible chat server that plays a script: each request takes the next reply.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use assay_rpc::clock;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::Response;
use axum::routing::post;
use futures::{StreamExt as _, stream};
use serde_json::{Value, json};

/// What a request is answered with.
#[derive(Debug, Clone)]
pub enum Reply {
    /// This text, streamed word by word.
    Text(String),
    /// An HTTP status without a body.
    Status(u16),
    /// Some words, and then the connection breaks.
    Cut(String),
    /// These words, and then nothing more until the client goes away.
    Hang(String),
}

#[derive(Debug, Default)]
struct Script {
    replies: VecDeque<Reply>,
    by_prompt: Vec<(String, String)>,
    requests: Vec<Value>,
    left: Vec<Instant>,
}

/// Notes the moment at which a client that was kept waiting goes away.
struct Waiting(Arc<Mutex<Script>>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).left.push(clock::now());
    }
}

/// A running server; it stops with the test's runtime.
#[derive(Debug, Clone)]
pub struct ModelServer {
    address: SocketAddr,
    script: Arc<Mutex<Script>>,
}

// === impl ModelServer ===

impl ModelServer {
    /// Starts on a free loopback port. After the last reply the last one is repeated.
    ///
    /// # Errors
    /// If no port can be bound.
    pub async fn start(replies: Vec<Reply>) -> std::io::Result<Self> {
        Self::serve(Script { replies: replies.into(), ..Script::default() }).await
    }

    /// Starts on a free loopback port. A request whose body holds the first text of a pair is answered with the second;
    /// the first such pair wins, and a request that fits none is 503. Requests are not kept.
    ///
    /// # Errors
    /// If no port can be bound.
    pub async fn choosing(pairs: Vec<(String, String)>) -> std::io::Result<Self> {
        Self::serve(Script { by_prompt: pairs, ..Script::default() }).await
    }

    async fn serve(script: Script) -> std::io::Result<Self> {
        let script = Arc::new(Mutex::new(script));
        let app = Router::new()
            .route("/v1/chat/completions", post(chat))
            .route("/chat/completions", post(chat))
            .with_state(Arc::clone(&script));
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        assay_rpc::task::spawn(async move {
            let _ = axum::serve(listener, app).await;
        });
        Ok(Self { address, script })
    }

    /// Base address with the version path that OpenAI clients expect.
    #[must_use]
    pub fn base_url(&self) -> String {
        format!("http://{}/v1/", self.address)
    }

    /// Forgets what was asked and answers with these from now on.
    pub fn play(&self, replies: Vec<Reply>) {
        let mut script = self.script.lock().unwrap_or_else(PoisonError::into_inner);
        (script.replies, script.requests) = (replies.into(), Vec::new());
    }

    /// Bodies of the requests so far.
    #[must_use]
    pub fn requests(&self) -> Vec<Value> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner).requests.clone()
    }

    /// When the connections of hanging replies were closed by their clients, in order.
    #[must_use]
    pub fn left(&self) -> Vec<Instant> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner).left.clone()
    }
}

fn chunk(delta: Value, finish: Option<&str>) -> String {
    let body = json!({
        "id": "chatcmpl-script", "object": "chat.completion.chunk", "created": 0, "model": "script",
        "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }],
    });
    format!("data: {body}\n\n")
}

async fn chat(State(script): State<Arc<Mutex<Script>>>, body: Bytes) -> Response {
    let request: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
    let streaming = request.get("stream").and_then(Value::as_bool).unwrap_or(false);
    let reply = {
        let mut script = script.lock().unwrap_or_else(PoisonError::into_inner);
        if !script.by_prompt.is_empty() {
            let body = request.to_string();
            let fitting = script.by_prompt.iter().find(|(needle, _)| body.contains(needle));
            fitting.map(|(_, text)| Reply::Text(text.clone()))
        } else {
            script.requests.push(request);
            if script.replies.len() > 1 {
                script.replies.pop_front()
            } else {
                script.replies.front().cloned()
            }
        }
    };
    match reply {
        None => status(StatusCode::SERVICE_UNAVAILABLE),
        Some(Reply::Status(code)) => {
            status(StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR))
        }
        Some(Reply::Text(text)) if !streaming => {
            let body = json!({
                "id": "chatcmpl-script", "object": "chat.completion", "created": 0, "model": "script",
                "choices": [{ "index": 0, "message": { "role": "assistant", "content": text }, "finish_reason": "stop" }],
                "usage": { "prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20 },
            });
            respond("application/json", Body::from(body.to_string()))
        }
        Some(Reply::Text(text)) => {
            let mut events = words(&text);
            events.push(chunk(json!({}), Some("stop")));
            events.push("data: [DONE]\n\n".to_owned());
            respond(
                "text/event-stream",
                Body::from_stream(stream::iter(events.into_iter().map(Ok::<_, Infallible>))),
            )
        }
        Some(Reply::Cut(text)) => {
            let events = words(&text).into_iter().map(Ok).chain([Err(std::io::Error::other("cut"))]);
            respond("text/event-stream", Body::from_stream(stream::iter(events.collect::<Vec<_>>())))
        }
        Some(Reply::Hang(text)) => {
            let waiting = Waiting(Arc::clone(&script));
            let events = stream::iter(words(&text).into_iter().map(Ok::<_, Infallible>))
                .chain(stream::pending())
                .inspect(move |_| {
                    let _ = &waiting;
                });
            respond("text/event-stream", Body::from_stream(events))
        }
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_inclusive(' ').map(|word| chunk(json!({ "content": word }), None)).collect()
}

fn status(code: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = code;
    response
}

fn respond(kind: &'static str, body: Body) -> Response {
    let mut response = Response::new(body);
    response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static(kind));
    response
}
