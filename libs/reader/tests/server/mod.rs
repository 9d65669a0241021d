//! A model server on a real socket that says yes where the document holds most words of the text.
#![allow(dead_code, clippy::unwrap_used)]

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use assay_rpc::task;
use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use serde_json::{Value, json};

/// A running server; it stops with the test's runtime.
pub(crate) struct Server {
    address: SocketAddr,
    calls: Arc<AtomicUsize>,
}

impl Server {
    pub(crate) async fn start() -> Self {
        let calls = Arc::new(AtomicUsize::new(0));
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let routes = Router::new()
            .route("/v1/chat/completions", post(openai))
            .route("/api/chat", post(ollama))
            .with_state(Arc::clone(&calls));
        task::spawn(async move { axum::serve(listener, routes).await });
        Self { address, calls }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

/// One token with its alternatives, in the form that both protocols share.
fn token(body: &Value) -> Value {
    let user = body.pointer("/messages/1/content").and_then(Value::as_str).unwrap();
    let (document, text) = user.rsplit_once('\n').unwrap();
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect()
    };
    let (document, text) = (words(document), words(text.split_once(": ").unwrap().1));
    let held = text.iter().filter(|word| document.contains(word)).count() as f64 / text.len() as f64;
    let [yes, no] = [held, 1.0 - held].map(|share| share.clamp(0.01, 0.99).ln());
    json!([{ "token": if yes > no { "Yes" } else { "No" }, "logprob": yes.max(no), "top_logprobs": [
        { "token": "Yes", "logprob": yes }, { "token": "No", "logprob": no },
    ]}])
}

async fn openai(State(calls): State<Arc<AtomicUsize>>, Json(body): Json<Value>) -> Json<Value> {
    calls.fetch_add(1, Ordering::SeqCst);
    Json(json!({ "choices": [{ "index": 0, "logprobs": { "content": token(&body) } }] }))
}

async fn ollama(State(calls): State<Arc<AtomicUsize>>, Json(body): Json<Value>) -> Json<Value> {
    calls.fetch_add(1, Ordering::SeqCst);
    Json(json!({ "model": "judge", "done": true, "logprobs": token(&body) }))
}
