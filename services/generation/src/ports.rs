//! What the service needs from outside, in domain types: a provider that drafts and completes.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use assay_domain::Failure;
pub use assay_domain::draft::{DraftRequest, Turn};
use assay_domain::draft::{Finish, Generator, PromptId};
use async_trait::async_trait;
use futures::Stream;

use crate::error::ProviderError;

/// A filled template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// Which template.
    pub id: PromptId,
    /// Rules.
    pub system: String,
    /// Material in regions.
    pub user: String,
}

/// What is sent to a provider.
#[derive(Debug, Clone, Copy)]
pub struct Job<'a> {
    /// The filled prompt.
    pub prompt: &'a Prompt,
    /// The structured request behind a draft; providers without a model work from it.
    pub request: Option<&'a DraftRequest>,
    /// What shape the completion must have.
    pub shape: Shape<'a>,
    /// Most tokens of the completion.
    pub completion_tokens: u32,
    /// Tokens a provider must make room for: prompt and completion limits together.
    pub context_tokens: u32,
    /// Seed; a provider that has none drops it.
    pub seed: u64,
    /// Time that the call has.
    pub within: Duration,
}

/// Shape of a completion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape<'a> {
    /// Free text.
    Text,
    /// One of these words.
    OneOf(&'a [String]),
    /// A search query made from this question.
    Query(&'a str),
    /// A JSON object of this schema.
    Object(&'a serde_json::Value),
}

/// A piece of a provider's stream.
#[derive(Debug, Clone, PartialEq)]
pub enum Chunk {
    /// More text.
    Text(String),
    /// The end; nothing follows.
    End(End),
}

/// How a provider's stream ended.
#[derive(Debug, Clone, PartialEq)]
pub struct End {
    /// Who wrote the text.
    pub generator: Generator,
    /// Why it ended.
    pub finish: Finish,
    /// Prompt tokens as the provider counted them.
    pub prompt_tokens: Option<u32>,
    /// Completion tokens as the provider counted them.
    pub completion_tokens: Option<u32>,
}

/// The clock, for the time that calls took.
pub trait Clock: Send + Sync {
    /// Milliseconds since some fixed moment; never runs backwards.
    fn now_ms(&self) -> u64;
}

/// Chunks of one call. Dropping it closes the connection to the model.
pub type ChunkStream = Pin<Box<dyn Stream<Item = Result<Chunk, ProviderError>> + Send>>;

/// A source of text: a language model behind a protocol, or the composer.
#[async_trait]
pub trait Provider: Send + Sync {
    /// `provider:model`.
    fn model(&self) -> &str;

    /// Whether a language model answers; then prompts are built, limited, counted and recorded.
    fn is_model(&self) -> bool;

    /// Whether it takes a seed.
    fn takes_seed(&self) -> bool;

    /// Starts a call. A stream ends with [`Chunk::End`], or with an error; without either it was cut.
    async fn stream(&self, job: Job<'_>) -> Result<ChunkStream, ProviderError>;

    /// Loads the model so that the first request does not wait for it.
    async fn warm(&self) -> Result<(), ProviderError>;

    /// The digest of the model; none where the provider tells none.
    async fn digest(&self) -> Result<Option<String>, ProviderError> {
        Ok(None)
    }
}

/// Opens models by name.
pub trait Models: Send + Sync {
    /// The provider of `provider:model`, or `CONFIGURATION`.
    fn open(&self, name: &str) -> Result<Arc<dyn Provider>, Failure>;
}
