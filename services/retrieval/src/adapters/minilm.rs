//! all-MiniLM-L6-v2 in this process, as the lock file of a models folder lists it.

use crate::corpus::EmbeddingIdentity;
use crate::error::Error;
use crate::ports::{Embedder, Purpose};
use assay_models::store::{self, Lock, MODEL};
use assay_models::{Limits, Pooling, minilm};
use async_trait::async_trait;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// The MiniLM embedder. Its files are compared with the lock file and loaded at the first use.
#[derive(Debug)]
pub struct MiniLm {
    identity: EmbeddingIdentity,
    models: PathBuf,
    limits: Limits,
    loaded: Arc<OnceLock<Result<assay_models::Embedder, Error>>>,
}

impl MiniLm {
    /// The model, if the lock file of the folder lists it; it works on so many cores at most. Nothing but the lock file
    /// is read before the first use.
    ///
    /// # Errors
    /// [`Error::Model`] if the lock file cannot be used.
    pub fn listed(models: &Path, cores: usize) -> Result<Option<Self>, Error> {
        let lock = Lock::read(models)?;
        let file = lock.models.get(minilm::NAME).and_then(|entry| entry.files.get(MODEL));
        Ok(file.map(|file| Self {
            identity: EmbeddingIdentity {
                model: minilm::NAME.to_owned(),
                digest: file.sha256.clone(),
                dims: minilm::DIMENSIONS,
            },
            models: models.to_owned(),
            limits: Limits { cores, max_tokens: minilm::MAX_TOKENS, ..Limits::default() },
            loaded: Arc::default(),
        }))
    }
}

#[async_trait]
impl Embedder for MiniLm {
    fn identity(&self) -> &EmbeddingIdentity {
        &self.identity
    }

    async fn embed(&self, texts: Vec<String>, _: Purpose) -> Result<Vec<Vec<f32>>, Error> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let (cell, identity) = (Arc::clone(&self.loaded), self.identity.clone());
        let (models, limits) = (self.models.clone(), self.limits);
        let work = move |stop: &(dyn Fn() -> bool + Sync)| {
            let model =
                cell.get_or_init(|| load(&models, limits, &identity)).as_ref().map_err(Error::clone)?;
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            Ok(model.embed(&texts, stop)?)
        };
        assay_rpc::task::while_wanted(work).await.map_err(|panic| Error::Internal(panic.to_string()))?
    }
}

fn load(
    models: &Path,
    limits: Limits,
    identity: &EmbeddingIdentity,
) -> Result<assay_models::Embedder, Error> {
    let located = store::find(models, minilm::NAME)?;
    let model = assay_models::Embedder::load(&located.files(), limits, Pooling::Mean)?;
    let found = EmbeddingIdentity {
        model: located.name,
        digest: model.digest().to_owned(),
        dims: model.dimensions(),
    };
    if found == *identity {
        return Ok(model);
    }
    Err(Error::Embedding(format!(
        "the model gives vectors of `{found}` with {} components, and `{identity}` with {} were expected; start again, or \
         fetch the model with `assay models pull`",
        found.dims, identity.dims
    )))
}
