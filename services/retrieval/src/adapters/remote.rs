//! Embeddings of a model server: Ollama's `/api/embed`, or `/embeddings` of any OpenAI-compatible server.

use crate::corpus::{EmbeddingIdentity, sha256_hex};
use crate::error::Error;
use crate::options::Embedding;
use crate::ports::{Embedder, Purpose};
use assay_resilience::Backoff;
use assay_rpc::entropy;
use async_trait::async_trait;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::time::Duration;

/// Longest wait for a connection.
const CONNECT: Duration = Duration::from_secs(5);
/// Longest wait for the vectors of one batch; a model may be loaded first.
const ANSWER: Duration = Duration::from_secs(120);
/// Attempts of a batch.
const ATTEMPTS: u32 = 4;
/// Attempts of one text, after a batch with it was refused.
const ATTEMPTS_ALONE: u32 = 2;
/// A text that is refused and not longer, in bytes, is not cut any more.
const SHORTEST: usize = 64;
const BETWEEN: Backoff = Backoff { base: Duration::from_millis(250), cap: Duration::from_secs(5) };
/// Bytes of an error body that are told.
const TOLD_BYTES: usize = 200;

/// Which routes a server has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// `/api/embed`, `/api/tags`.
    Ollama,
    /// `/embeddings`.
    OpenAi,
}

/// A model of a server.
#[derive(Debug)]
pub struct Remote {
    identity: EmbeddingIdentity,
    server: Server,
}

#[derive(Debug)]
struct Server {
    protocol: Protocol,
    options: Embedding,
    key: String,
    client: reqwest::Client,
}

/// Why one attempt failed.
struct Failed {
    /// HTTP status, if there was an answer.
    status: Option<u16>,
    transient: bool,
    told: String,
}

#[derive(Deserialize)]
struct Vectors {
    #[serde(default)]
    embeddings: Vec<Vec<f32>>,
    #[serde(default)]
    data: Vec<Datum>,
}

#[derive(Deserialize)]
struct Datum {
    index: usize,
    embedding: Vec<f32>,
}

#[derive(Deserialize)]
struct Tags {
    models: Vec<Tag>,
}

#[derive(Deserialize)]
struct Tag {
    name: String,
    digest: String,
}

impl Remote {
    /// Asks the server which model it is and how long its vectors are.
    ///
    /// # Errors
    /// [`Error::Embedding`] if the key file cannot be read, the server does not answer or has no such model.
    pub async fn connect(protocol: Protocol, options: &Embedding) -> Result<Self, Error> {
        let failed = |text: String| Error::Embedding(text);
        let path = &options.api_key_file;
        let key = if path.as_os_str().is_empty() {
            String::new()
        } else {
            let read = std::fs::read_to_string(path);
            read.map_err(|error| failed(format!("cannot read {}: {error}", path.display())))?
                .trim()
                .to_owned()
        };
        let _ = rustls::crypto::ring::default_provider().install_default();
        // It follows no redirect, which would carry texts to a server that no setting names.
        let client = reqwest::Client::builder()
            .connect_timeout(CONNECT)
            .timeout(ANSWER)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| failed(format!("no HTTP client can be built: {error}")))?;
        let server = Server { protocol, options: options.clone(), key, client };
        let digest = match protocol {
            Protocol::Ollama => server.digest().await?,
            // The protocol knows no versions: the name is all there is.
            Protocol::OpenAi => sha256_hex(options.model.as_bytes()),
        };
        let dims = server.batch(&["a".to_owned()]).await?.first().map_or(0, Vec::len);
        let prefix = if protocol == Protocol::Ollama { "ollama" } else { "openai" };
        let model = format!("{prefix}:{}", options.model);
        Ok(Self { identity: EmbeddingIdentity { model, digest, dims }, server })
    }
}

impl Server {
    fn url(&self, route: &str) -> String {
        format!("{}/{route}", self.options.url.trim_end_matches('/'))
    }

    async fn digest(&self) -> Result<String, Error> {
        let tags: Tags = self.asked(self.client.get(self.url("api/tags")), ATTEMPTS).await?;
        let wanted = &self.options.model;
        let same = |name: &str| name == wanted || name.strip_suffix(":latest") == Some(wanted);
        let found = tags.models.into_iter().find(|tag| same(&tag.name));
        found.map(|tag| tag.digest).ok_or_else(|| {
            Error::Embedding(format!("Ollama has no model `{wanted}`; fetch it with `ollama pull {wanted}`"))
        })
    }

    /// Vectors of unit length, in order. Some servers refuse a text beyond the model's length instead of cutting it:
    /// then each text goes alone, and one that is refused goes again with half its length.
    async fn batch(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Error> {
        match self.vectors(texts, ATTEMPTS).await {
            Err(failed) if failed.refuses() => {}
            done => return done.map_err(Error::from),
        }
        let mut out = Vec::with_capacity(texts.len());
        for text in texts {
            let mut text = text.clone();
            let vector = loop {
                match self.vectors(std::slice::from_ref(&text), ATTEMPTS_ALONE).await {
                    Err(failed) if failed.refuses() && text.len() > SHORTEST => {
                        text.truncate(text.floor_char_boundary(text.len() / 2));
                    }
                    done => break done?,
                }
            };
            out.extend(vector);
        }
        Ok(out)
    }

    async fn vectors(&self, texts: &[String], attempts: u32) -> Result<Vec<Vec<f32>>, Failed> {
        let model = &self.options.model;
        let (route, body): (&str, Value) = match self.protocol {
            Protocol::Ollama => ("api/embed", json!({ "model": model, "input": texts, "truncate": true })),
            Protocol::OpenAi => {
                ("embeddings", json!({ "model": model, "input": texts, "encoding_format": "float" }))
            }
        };
        let mut found: Vectors = self.asked(self.client.post(self.url(route)).json(&body), attempts).await?;
        found.data.sort_by_key(|datum| datum.index);
        let vectors = match self.protocol {
            Protocol::Ollama => found.embeddings,
            Protocol::OpenAi => found.data.into_iter().map(|datum| datum.embedding).collect(),
        };
        if vectors.len() != texts.len() {
            let told = format!("the server gave {} vectors for {} texts", vectors.len(), texts.len());
            return Err(Failed { status: None, transient: false, told });
        }
        vectors.into_iter().map(unit).collect()
    }

    /// Sends a request; again where that can help.
    async fn asked<T: DeserializeOwned>(
        &self,
        request: reqwest::RequestBuilder,
        attempts: u32,
    ) -> Result<T, Failed> {
        let request = if self.key.is_empty() { request } else { request.bearer_auth(&self.key) };
        let mut failures = 0;
        loop {
            let Some(attempt) = request.try_clone() else {
                return Err(Failed {
                    status: None,
                    transient: false,
                    told: "a request is no text".to_owned(),
                });
            };
            match once(attempt).await {
                Err(failed) if failed.transient && failures + 1 < attempts => {
                    failures += 1;
                    tokio::time::sleep(BETWEEN.wait(failures, 0.5 + entropy::fraction() / 2.0)).await;
                }
                done => return done,
            }
        }
    }
}

impl Failed {
    /// Whether the server may have refused the request for the length of a text.
    fn refuses(&self) -> bool {
        matches!(self.status, Some(400 | 413 | 422 | 500))
    }
}

impl From<Failed> for Error {
    fn from(failed: Failed) -> Self {
        Self::Embedding(failed.told)
    }
}

async fn once<T: DeserializeOwned>(request: reqwest::RequestBuilder) -> Result<T, Failed> {
    let silent = |error: reqwest::Error| Failed {
        status: None,
        transient: true,
        told: format!("the model server does not answer: {}", error.without_url()),
    };
    let response = request.send().await.map_err(silent)?;
    let status = response.status();
    let body = response.bytes().await.map_err(silent)?;
    if !status.is_success() {
        let start = String::from_utf8_lossy(body.get(..body.len().min(TOLD_BYTES)).unwrap_or_default());
        let transient = status.as_u16() == 429 || status.is_server_error();
        let told = format!("the model server says {status}: {start}");
        return Err(Failed { status: Some(status.as_u16()), transient, told });
    }
    serde_json::from_slice(&body).map_err(|error| Failed {
        status: None,
        transient: false,
        told: format!("the model server sent what cannot be read: {error}"),
    })
}

/// A vector of unit length.
fn unit(mut vector: Vec<f32>) -> Result<Vec<f32>, Failed> {
    let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if !norm.is_finite() || norm == 0.0 {
        let told = "the server gave a vector without length".to_owned();
        return Err(Failed { status: None, transient: false, told });
    }
    vector.iter_mut().for_each(|x| *x /= norm);
    Ok(vector)
}

#[async_trait]
impl Embedder for Remote {
    fn identity(&self) -> &EmbeddingIdentity {
        &self.identity
    }

    async fn embed(&self, texts: Vec<String>, _: Purpose) -> Result<Vec<Vec<f32>>, Error> {
        let mut out = Vec::with_capacity(texts.len());
        for batch in texts.chunks(self.server.options.batch) {
            out.extend(self.server.batch(batch).await?);
        }
        if let Some(other) = out.iter().find(|vector| vector.len() != self.identity.dims) {
            return Err(Error::Embedding(format!(
                "the server gave {} components where it gave {} at the start; start again",
                other.len(),
                self.identity.dims
            )));
        }
        Ok(out)
    }
}
