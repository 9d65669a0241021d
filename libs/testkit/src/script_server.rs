//! An HTTP server that plays a script: each request takes the next answer, and is kept for the test to read.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use assay_rpc::task;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::response::Response;

/// A request that came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// Method.
    pub method: String,
    /// Path with the query.
    pub path: String,
    /// Body.
    pub body: String,
}

/// A running server; it stops with the test's runtime.
#[derive(Debug, Clone)]
pub struct ScriptServer {
    address: SocketAddr,
    script: Arc<Mutex<Script>>,
}

#[derive(Debug, Default)]
struct Script {
    answers: VecDeque<(u16, String)>,
    asked: Vec<Asked>,
}

impl ScriptServer {
    /// Starts on a free loopback port. Answers are status and body; a request after the last one is never answered.
    ///
    /// # Errors
    /// If no port can be bound.
    pub async fn start(answers: &[(u16, &str)]) -> std::io::Result<Self> {
        let answers = answers.iter().map(|(status, body)| (*status, (*body).to_owned())).collect();
        let script = Arc::new(Mutex::new(Script { answers, asked: Vec::new() }));
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let routes = Router::new().fallback(answer).with_state(Arc::clone(&script));
        task::spawn(async move { axum::serve(listener, routes).await });
        Ok(Self { address, script })
    }

    /// Where it listens.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What was asked so far.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner).asked.clone()
    }
}

async fn answer(State(script): State<Arc<Mutex<Script>>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body: Bytes = axum::body::to_bytes(body, usize::MAX).await.unwrap_or_default();
    let next = {
        let mut script = script.lock().unwrap_or_else(PoisonError::into_inner);
        script.asked.push(Asked {
            method: parts.method.to_string(),
            path: parts.uri.to_string(),
            body: String::from_utf8_lossy(&body).into_owned(),
        });
        script.answers.pop_front()
    };
    let Some((status, body)) = next else { return std::future::pending().await };
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = axum::http::StatusCode::from_u16(status).unwrap_or_default();
    response
}
