//! An embedder whose every call has its span.

use std::sync::Arc;

use assay_telemetry::spans;
use async_trait::async_trait;
use tracing::Instrument as _;

use crate::corpus::EmbeddingIdentity;
use crate::error::Error;
use crate::ports::{Embedder, Purpose};

/// Puts a span around the calls of another embedder.
pub(crate) struct Traced(pub(crate) Arc<dyn Embedder>);

#[async_trait]
impl Embedder for Traced {
    fn identity(&self) -> &EmbeddingIdentity {
        self.0.identity()
    }

    async fn embed(&self, texts: Vec<String>, purpose: Purpose) -> Result<Vec<Vec<f32>>, Error> {
        let identity = self.0.identity();
        let span = spans::embed(&identity.model, identity.dims, &texts);
        let embedded = self.0.embed(texts, purpose).instrument(span.clone()).await;
        if embedded.is_err() {
            spans::failed(&span, "embedding");
        }
        embedded
    }
}
