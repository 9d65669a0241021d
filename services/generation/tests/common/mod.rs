//! A model server that plays a script in both protocols and tells when a client went away.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use assay_domain::evidence::{Source, SourceKind};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::response::Response;
use axum::routing::{get, post};
use futures::{Stream, StreamExt as _, stream};
use serde_json::{Value, json};
use tokio::sync::mpsc;

/// What one request is answered with.
#[derive(Debug, Clone)]
pub enum Reply {
    /// These pieces, then a proper end.
    Pieces(Vec<&'static str>),
    /// These pieces, then the end that says the limit was reached.
    Limited(Vec<&'static str>),
    /// These pieces, then the connection closes in order, without the end mark.
    Unended(Vec<&'static str>),
    /// These pieces, then the connection breaks.
    Broken(Vec<&'static str>),
    /// These pieces, then nothing more.
    Hang(Vec<&'static str>),
    /// No answer at all, not even headers.
    Silent,
    /// A status with a body.
    Status(u16, &'static str),
    /// The same request, please, at this address.
    Redirect(String),
}

#[derive(Clone, Copy, PartialEq)]
pub enum Protocol {
    OpenAi,
    Ollama,
}

impl Protocol {
    pub const ALL: [Self; 2] = [Self::OpenAi, Self::Ollama];

    /// Where it takes a chat.
    pub fn path(self) -> &'static str {
        match self {
            Self::OpenAi => "/v1/chat/completions",
            Self::Ollama => "/api/chat",
        }
    }
}

struct Shared {
    replies: Mutex<VecDeque<Reply>>,
    requests: Mutex<Vec<Value>>,
    gone: mpsc::UnboundedSender<()>,
    protocol: Protocol,
}

/// A running server.
pub struct Server {
    pub url: String,
    shared: Arc<Shared>,
    /// Receives one message for every response body that was dropped.
    pub gone: mpsc::UnboundedReceiver<()>,
}

impl Server {
    pub async fn start(protocol: Protocol, replies: Vec<Reply>) -> Self {
        let (sender, gone) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            replies: Mutex::new(replies.into()),
            requests: Mutex::new(Vec::new()),
            gone: sender,
            protocol,
        });
        let tags = json!({ "models": [{ "name": "small:1b", "digest": "0f5c" }] });
        let app = Router::new()
            .route(protocol.path(), post(answer))
            .route("/api/tags", get(move || async move { axum::Json(tags) }))
            .with_state(Arc::clone(&shared));
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        assay_rpc::task::spawn(async move {
            let _ = axum::serve(listener, app).await;
        });
        Self { url: format!("http://{address}"), shared, gone }
    }

    pub fn requests(&self) -> Vec<Value> {
        self.shared.requests.lock().unwrap().clone()
    }
}

/// Tells when it is dropped.
struct Guard(mpsc::UnboundedSender<()>);

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

async fn answer(State(shared): State<Arc<Shared>>, body: Bytes) -> Response {
    shared.requests.lock().unwrap().push(serde_json::from_slice(&body).unwrap());
    let reply = {
        let mut replies = shared.replies.lock().unwrap();
        if replies.len() > 1 { replies.pop_front().unwrap() } else { replies.front().unwrap().clone() }
    };
    let piece = |text: &str| match shared.protocol {
        Protocol::OpenAi => {
            let choice = json!({"index": 0, "delta": {"content": text}, "finish_reason": null});
            format!("data: {}\n\n", json!({"object": "chat.completion.chunk", "choices": [choice]}))
        }
        Protocol::Ollama => {
            format!("{}\n", json!({"message": {"role": "assistant", "content": text}, "done": false}))
        }
    };
    let end = |reason: &str| match shared.protocol {
        Protocol::OpenAi => {
            let choice = json!({"index": 0, "delta": {}, "finish_reason": reason});
            let last = json!({"object": "chat.completion.chunk", "choices": [choice]});
            let usage = json!({"choices": [], "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}});
            format!("data: {last}\n\ndata: {usage}\n\ndata: [DONE]\n\n")
        }
        Protocol::Ollama => format!(
            "{}\n",
            json!({"message": {"role": "assistant", "content": ""}, "done": true, "done_reason": reason, "prompt_eval_count": 11, "eval_count": 7})
        ),
    };
    type Item = Result<String, std::io::Error>;
    let all = |pieces: &[&str]| pieces.iter().map(|text| Ok(piece(text))).collect::<Vec<Item>>();
    match reply {
        Reply::Pieces(pieces) => {
            respond(&shared, stream::iter(all(&pieces).into_iter().chain([Ok(end("stop"))])))
        }
        Reply::Limited(pieces) => {
            respond(&shared, stream::iter(all(&pieces).into_iter().chain([Ok(end("length"))])))
        }
        Reply::Unended(pieces) => respond(&shared, stream::iter(all(&pieces))),
        Reply::Broken(pieces) => {
            let cut = stream::once(async {
                // The pieces leave before the connection breaks.
                tokio::task::yield_now().await;
                Err(std::io::Error::other("broken"))
            });
            respond(&shared, stream::iter(all(&pieces)).chain(cut))
        }
        Reply::Hang(pieces) => respond(&shared, stream::iter(all(&pieces)).chain(stream::pending())),
        Reply::Silent => {
            let _guard = Guard(shared.gone.clone());
            std::future::pending::<Infallible>().await;
            unreachable!()
        }
        Reply::Redirect(to) => {
            Response::builder().status(307).header("location", to).body(Body::empty()).unwrap()
        }
        Reply::Status(status, body) => Response::builder()
            .status(status)
            .header("content-type", "application/json")
            .body(Body::from(body))
            .unwrap(),
    }
}

fn respond(
    shared: &Arc<Shared>,
    pieces: impl Stream<Item = Result<String, std::io::Error>> + Send + 'static,
) -> Response {
    let guard = Guard(shared.gone.clone());
    let pieces = pieces.map(move |piece| {
        let _held = &guard;
        piece
    });
    let kind = if shared.protocol == Protocol::OpenAi { "text/event-stream" } else { "application/x-ndjson" };
    Response::builder().header("content-type", kind).body(Body::from_stream(pieces)).unwrap()
}

/// A documentation source.
pub fn doc(id: &str, text: &str) -> Source {
    let mut source = Source::given(id, SourceKind::Doc, text, 1);
    source.path = format!("{id}.md");
    source.language = "en".to_owned();
    source
}
