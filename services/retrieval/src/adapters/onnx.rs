//! Any ONNX embedding model in this process, by the path of its folder.

use crate::corpus::EmbeddingIdentity;
use crate::error::Error;
use crate::ports::{Embedder, Purpose};
use assay_models::{Files, Limits, Pooling};
use async_trait::async_trait;
use std::path::Path;
use std::sync::Arc;

/// A loaded model.
#[derive(Debug)]
pub struct Onnx {
    identity: EmbeddingIdentity,
    model: Arc<assay_models::Embedder>,
}

impl Onnx {
    /// Loads the model of a folder: `model.onnx` and `tokenizer.json`. Its name is the folder's.
    ///
    /// # Errors
    /// Names the file that lacks or is wrong.
    pub fn load(folder: &Path, cores: usize, pooling: Pooling) -> Result<Self, Error> {
        let limits = Limits { cores, ..Limits::default() };
        let model = assay_models::Embedder::load(&Files::in_folder(folder)?, limits, pooling)?;
        let name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
        let identity = EmbeddingIdentity {
            model: name.unwrap_or_else(|| "onnx".to_owned()),
            digest: match pooling {
                Pooling::Mean => model.digest().to_owned(),
                Pooling::First => format!("{}-first", model.digest()),
            },
            dims: model.dimensions(),
        };
        Ok(Self { identity, model: Arc::new(model) })
    }
}

#[async_trait]
impl Embedder for Onnx {
    fn identity(&self) -> &EmbeddingIdentity {
        &self.identity
    }

    async fn embed(&self, texts: Vec<String>, _: Purpose) -> Result<Vec<Vec<f32>>, Error> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let model = Arc::clone(&self.model);
        let work = move |stop: &(dyn Fn() -> bool + Sync)| {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            Ok(model.embed(&texts, stop)?)
        };
        assay_rpc::task::while_wanted(work).await.map_err(|panic| Error::Internal(panic.to_string()))?
    }
}
