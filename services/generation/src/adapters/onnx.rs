//! A reranker on disk: found by the lock file of the models folder, run beside the async threads.

use std::sync::Arc;
use std::time::Duration;

use assay_domain::{Code, Failure};
use assay_models::store::{self, Kind, OFF};
use assay_models::{Error, Limits};
use assay_rpc::{clock, task};
use async_trait::async_trait;
use tokio::sync::Semaphore;

use crate::error::ProviderError;
use crate::options::Options;
use crate::ports::Reranker;

/// Answers that run or wait for the model's cores at a time; the next ones wait beside the threads.
const CALLS: usize = 4;
/// Tokens between two looks at the clock: two or three windows.
const BATCH_TOKENS: usize = 512;

/// A reranker of the models folder.
pub struct Onnx {
    model: Arc<assay_models::Reranker>,
    name: String,
    calls: Arc<Semaphore>,
    timeout: Duration,
}

impl Onnx {
    /// The reranker of the settings; none where it is off or the models folder holds none.
    ///
    /// # Errors
    /// `CONFIGURATION`, naming the file and what to do.
    pub fn open(options: &Options) -> Result<Option<Self>, Failure> {
        const FIELD: &str = "reranker_model";
        let wrong = |error: &dyn std::fmt::Display| {
            Failure::new(Code::Configuration, format!("{error}; or set {FIELD} = \"{OFF}\"")).field(FIELD)
        };
        let chosen = store::chosen(&options.models_dir, &options.reranker_model, Kind::Rerank);
        let Some(chosen) = chosen.map_err(|error| wrong(&error))? else { return Ok(None) };
        let limits = Limits { cores: options.model_cores(), batch_tokens: BATCH_TOKENS, ..Limits::default() };
        let model = assay_models::Reranker::load(&chosen.files, limits).map_err(|error| wrong(&error))?;
        let name = format!("rerank:{}@{}", chosen.name, model.digest());
        tracing::info!(target: "assay", model = name, "a reranker orders what the composer chooses from");
        Ok(Some(Self {
            model: Arc::new(model),
            name,
            calls: Arc::new(Semaphore::new(CALLS)),
            timeout: Duration::from_secs_f64(options.model_timeout),
        }))
    }
}

#[async_trait]
impl Reranker for Onnx {
    fn model(&self) -> &str {
        &self.name
    }

    async fn score(
        &self,
        question: &str,
        passages: &[String],
        within: Duration,
    ) -> Result<Vec<f32>, ProviderError> {
        let within = within.min(self.timeout);
        let late = || ProviderError::Timeout(u64::try_from(within.as_millis()).unwrap_or(u64::MAX));
        let failed = |error: &dyn std::fmt::Display| ProviderError::Protocol(error.to_string());
        // Dropped where the time is over or the caller has gone, it ends the work before its next batch.
        let waiting = task::Waiting::default();
        let stop = waiting.over(clock::now() + within);
        let (model, calls) = (Arc::clone(&self.model), Arc::clone(&self.calls));
        let (question, passages) = (question.to_owned(), passages.to_vec());
        let work = async {
            let turn = calls.acquire_owned().await.map_err(|closed| failed(&closed))?;
            let scored = task::blocking(move || {
                // Held until the work ends, even if nobody waits for it any more.
                let _turn = turn;
                let passages: Vec<&str> = passages.iter().map(String::as_str).collect();
                model.score(&question, &passages, &stop)
            });
            match scored.await.map_err(|panic| failed(&panic))? {
                Ok(scores) => Ok(scores),
                Err(Error::Stopped) => Err(late()),
                Err(error) => Err(failed(&error)),
            }
        };
        tokio::time::timeout(within, work).await.map_err(|_| late())?
    }
}
