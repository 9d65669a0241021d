//! Puts the prefix that a model was trained with before each text.

use std::sync::Arc;

use async_trait::async_trait;

use crate::corpus::{EmbeddingIdentity, sha256_hex};
use crate::error::Error;
use crate::ports::{Embedder, Purpose};

/// An embedder with prefixes. They are part of its identity: vectors with others do not meet.
pub(crate) struct Prefixed {
    inner: Arc<dyn Embedder>,
    identity: EmbeddingIdentity,
    query: String,
    passage: String,
}

impl Prefixed {
    /// The embedder itself where both prefixes are empty.
    pub(crate) fn over(inner: Arc<dyn Embedder>, query: &str, passage: &str) -> Arc<dyn Embedder> {
        if query.is_empty() && passage.is_empty() {
            return inner;
        }
        let known = inner.identity();
        let digest = sha256_hex(format!("{}\n{query}\n{passage}", known.digest).as_bytes());
        let identity = EmbeddingIdentity { digest, ..known.clone() };
        Arc::new(Self { inner, identity, query: query.to_owned(), passage: passage.to_owned() })
    }
}

#[async_trait]
impl Embedder for Prefixed {
    fn identity(&self) -> &EmbeddingIdentity {
        &self.identity
    }

    async fn embed(&self, texts: Vec<String>, purpose: Purpose) -> Result<Vec<Vec<f32>>, Error> {
        let prefix = match purpose {
            Purpose::Query => &self.query,
            Purpose::Passage => &self.passage,
        };
        let texts = texts.into_iter().map(|text| format!("{prefix}{text}")).collect();
        self.inner.embed(texts, purpose).await
    }
}
