//! Models behind Ollama's own protocol (newline-delimited JSON), spoken here directly: the general client cannot set
//! the context length, without which Ollama silently cuts long prompts, nor a schema for the reply.

use std::time::Duration;

use assay_domain::draft::{Finish, Generator};
use assay_domain::{Code, Failure};
use async_trait::async_trait;
use futures::{Stream, StreamExt as _};
use serde::Deserialize;
use serde_json::{Value, json};

use super::chat::{label_schema, short, transport};
use crate::error::ProviderError;
use crate::ports::{Chunk, ChunkStream, End, Job, Provider, Shape};
use crate::service::TEMPERATURE;

/// Longest wait for a connection.
const CONNECT: Duration = Duration::from_secs(5);
/// Longest line of a reply, in bytes.
const LINE: usize = 1024 * 1024;

/// The HTTP client of every model adapter. It follows no redirect, which would carry the prompt to a server that no
/// setting names. The TLS provider is the process's own, set if nobody set it before.
pub(super) fn http_client() -> Result<reqwest::Client, Failure> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .connect_timeout(CONNECT)
        .redirect(reqwest::redirect::Policy::none())
        .tcp_nodelay(true)
        .pool_max_idle_per_host(4)
        .build()
        .map_err(|error| {
            Failure::new(
                Code::Configuration,
                format!("the HTTP client of the model providers cannot be built: {error}"),
            )
        })
}

/// A model of an Ollama server.
#[derive(Debug, Clone)]
pub struct Ollama {
    name: String,
    tag: String,
    url: String,
    tags_url: String,
    client: reqwest::Client,
}

/// The models that a server has.
#[derive(Debug, Deserialize)]
struct Tags {
    models: Vec<Tag>,
}

#[derive(Debug, Deserialize)]
struct Tag {
    name: String,
    #[serde(default)]
    digest: String,
}

/// One line of a reply.
#[derive(Debug, Deserialize)]
struct Line {
    #[serde(default)]
    message: Option<Message>,
    #[serde(default)]
    done: bool,
    #[serde(default)]
    done_reason: Option<String>,
    #[serde(default)]
    prompt_eval_count: Option<u32>,
    #[serde(default)]
    eval_count: Option<u32>,
    #[serde(default)]
    error: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Message {
    #[serde(default)]
    content: String,
}

// === impl Ollama ===

impl Ollama {
    /// A model at the server whose root is `base_url`.
    ///
    /// # Errors
    /// `CONFIGURATION` if no HTTP client can be built.
    pub fn new(model: &str, base_url: &str) -> Result<Self, Failure> {
        let base = base_url.trim_end_matches('/');
        Ok(Self {
            name: format!("ollama:{model}"),
            tag: model.to_owned(),
            url: format!("{base}/api/chat"),
            tags_url: format!("{base}/api/tags"),
            client: http_client()?,
        })
    }

    async fn send(&self, body: &Value) -> Result<reqwest::Response, ProviderError> {
        let response = self
            .client
            .post(&self.url)
            .json(body)
            .send()
            .await
            .map_err(|error| transport(&error, "request failed"))?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let body = response.text().await.unwrap_or_default();
        Err(ProviderError::Status { status: status.as_u16(), body: short(&body) })
    }
}

#[async_trait]
impl Provider for Ollama {
    fn model(&self) -> &str {
        &self.name
    }

    fn is_model(&self) -> bool {
        true
    }

    fn takes_seed(&self) -> bool {
        true
    }

    async fn stream(&self, job: Job<'_>) -> Result<ChunkStream, ProviderError> {
        let mut body = json!({
            "model": self.tag,
            "stream": true,
            "messages": [
                { "role": "system", "content": job.prompt.system },
                { "role": "user", "content": job.prompt.user },
            ],
            "options": {
                "temperature": TEMPERATURE,
                "seed": job.seed,
                "num_predict": job.completion_tokens,
                "num_ctx": job.context_tokens,
            },
        });
        match job.shape {
            Shape::OneOf(labels) => body["format"] = label_schema(labels),
            Shape::Object(schema) => body["format"] = schema.clone(),
            Shape::Text | Shape::Query(_) => {}
        }
        let response = self.send(&body).await?;
        Ok(Box::pin(chunks(response.bytes_stream().boxed())))
    }

    async fn warm(&self) -> Result<(), ProviderError> {
        // A chat without messages loads the model and says nothing.
        self.send(&json!({ "model": self.tag, "stream": false, "messages": [] })).await.map(drop)
    }

    async fn digest(&self) -> Result<Option<String>, ProviderError> {
        let request = self.client.get(&self.tags_url).timeout(CONNECT);
        let response = request.send().await.map_err(|error| transport(&error, "request failed"))?;
        let status = response.status();
        let body = response.bytes().await.map_err(|error| transport(&error, "the reply broke"))?;
        if !status.is_success() {
            let body = short(&String::from_utf8_lossy(&body));
            return Err(ProviderError::Status { status: status.as_u16(), body });
        }
        let tags: Tags = serde_json::from_slice(&body)
            .map_err(|error| ProviderError::Protocol(short(&error.to_string())))?;
        let found = tags.models.into_iter().find(|one| one.name == self.tag).map(|one| one.digest);
        Ok(found
            .map(|digest| digest.trim_start_matches("sha256:").to_owned())
            .filter(|digest| !digest.is_empty()))
    }
}

struct Reading<S> {
    bytes: S,
    buffer: Vec<u8>,
    /// What a line held behind its text.
    end: Option<Chunk>,
}

/// Lines to chunks; a stream that ends before the line that says `done` was cut.
fn chunks<S>(bytes: S) -> impl Stream<Item = Result<Chunk, ProviderError>> + Send
where
    S: Stream<Item = Result<bytes::Bytes, reqwest::Error>> + Send + Unpin,
{
    futures::stream::unfold(Some(Reading { bytes, buffer: Vec::new(), end: None }), |state| async move {
        let mut reading = state?;
        if let Some(end) = reading.end.take() {
            return Some((Ok(end), None));
        }
        loop {
            while let Some(at) = reading.buffer.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = reading.buffer.drain(..=at).collect();
                match read(&line) {
                    Ok((Some(text), end)) => {
                        reading.end = end;
                        return Some((Ok(text), Some(reading)));
                    }
                    Ok((None, Some(end))) => return Some((Ok(end), None)),
                    Ok((None, None)) => {}
                    Err(error) => return Some((Err(error), None)),
                }
            }
            match reading.bytes.next().await {
                Some(Ok(bytes)) if reading.buffer.len() + bytes.len() <= LINE => {
                    reading.buffer.extend_from_slice(&bytes)
                }
                Some(Ok(_)) => {
                    return Some((
                        Err(ProviderError::Protocol("a line of the reply is too long".to_owned())),
                        None,
                    ));
                }
                Some(Err(error)) => return Some((Err(transport(&error, "the reply broke")), None)),
                None if reading.buffer.iter().all(u8::is_ascii_whitespace) => {
                    return Some((Err(ProviderError::Cut), None));
                }
                // The last line may come without its line end.
                None => reading.buffer.push(b'\n'),
            }
        }
    })
}

/// Text and end of one line.
fn read(line: &[u8]) -> Result<(Option<Chunk>, Option<Chunk>), ProviderError> {
    if line.iter().all(u8::is_ascii_whitespace) {
        return Ok((None, None));
    }
    let line: Line = serde_json::from_slice(line).map_err(|error| {
        if error.is_eof() { ProviderError::Cut } else { ProviderError::Protocol(short(&error.to_string())) }
    })?;
    if let Some(error) = line.error {
        return Err(ProviderError::Status { status: 500, body: short(&error) });
    }
    let text =
        line.message.map(|message| message.content).filter(|content| !content.is_empty()).map(Chunk::Text);
    let end = line.done.then(|| {
        Chunk::End(End {
            generator: Generator::Model,
            finish: if line.done_reason.as_deref() == Some("length") { Finish::Length } else { Finish::Stop },
            prompt_tokens: line.prompt_eval_count,
            completion_tokens: line.eval_count,
        })
    });
    Ok((text, end))
}
