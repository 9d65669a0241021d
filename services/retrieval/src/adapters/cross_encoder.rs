//! A cross-encoder of the models folder, run beside the async threads.

use crate::error::Error;
use crate::options::Options;
use crate::ports::Reranker;
use assay_domain::{Code, Failure};
use assay_models::store::{self, Kind, OFF};
use assay_models::{Limits, Reranker as Model};
use async_trait::async_trait;
use std::sync::Arc;

/// A loaded cross-encoder.
#[derive(Debug)]
pub(crate) struct CrossEncoder {
    name: String,
    model: Arc<Model>,
}

impl CrossEncoder {
    /// The reranker of the settings; none where it is off or the models folder lists none.
    ///
    /// # Errors
    /// `CONFIGURATION`, naming the file and what to do.
    pub(crate) fn open(options: &Options) -> Result<Option<Self>, Failure> {
        const FIELD: &str = "retrieval.reranker_model";
        let wrong = |error: &dyn std::fmt::Display| {
            Failure::new(Code::Configuration, format!("{error}; or set {FIELD} = \"{OFF}\"")).field(FIELD)
        };
        let chosen = store::chosen(&options.models_dir, &options.reranker_model, Kind::Rerank);
        let Some(chosen) = chosen.map_err(|error| wrong(&error))? else { return Ok(None) };
        let limits = Limits { cores: options.parallel(), ..Limits::default() };
        let model = Model::load(&chosen.files, limits).map_err(|error| wrong(&error))?;
        let name = format!("rerank:{}@{}", chosen.name, model.digest());
        tracing::info!(target: "assay", model = name, "a reranker orders the hits of a search");
        Ok(Some(Self { name, model: Arc::new(model) }))
    }
}

#[async_trait]
impl Reranker for CrossEncoder {
    fn model(&self) -> &str {
        &self.name
    }

    async fn score(&self, query: &str, passages: Vec<String>) -> Result<Vec<f64>, Error> {
        let (model, query) = (Arc::clone(&self.model), query.to_owned());
        let work = move |stop: &(dyn Fn() -> bool + Sync)| {
            let passages: Vec<&str> = passages.iter().map(String::as_str).collect();
            model.score(&query, &passages, stop)
        };
        let done = assay_rpc::task::while_wanted(work).await;
        let logits = done
            .map_err(|panic| Error::Internal(panic.to_string()))?
            .map_err(|error| Error::Reranking(error.to_string()))?;
        Ok(logits.into_iter().map(|logit| 1.0 / (1.0 + (-f64::from(logit)).exp())).collect())
    }
}
