//! The embedded default: the composer, streamed sentence by sentence. It needs no model and cannot fail; a reranker may
//! order what it chooses from.

use std::sync::Arc;
use std::time::Duration;

use assay_domain::draft::{Finish, Generator, ProviderCall};
use assay_extractive::{self as extractive, MODEL, Prepared};
use assay_rpc::clock;
use async_trait::async_trait;
use futures::stream;

use crate::error::ProviderError;
use crate::ports::{Chunk, ChunkStream, End, Job, Provider, Reranker, Shape};

/// The composer as a provider.
#[derive(Clone, Default)]
pub struct Extractive(Option<Arc<dyn Reranker>>);

impl Extractive {
    /// The composer with a reranker, where there is one.
    #[must_use]
    pub fn new(reranker: Option<Arc<dyn Reranker>>) -> Self {
        Self(reranker)
    }

    /// What the reranker says, with its call; without scores the fitted order stays.
    async fn scores(&self, prepared: &Prepared, within: Duration) -> (Vec<f32>, Option<ProviderCall>) {
        let Some((reranker, (question, windows))) = self.0.as_ref().zip(prepared.contenders()) else {
            return (Vec::new(), None);
        };
        let start = clock::now();
        // Half of the time, so that an answer without it is still in time.
        let scored = reranker.score(question, windows, within / 2).await;
        let scored = scored.and_then(|scores| match scores.len() == windows.len() {
            true if scores.iter().all(|score| score.is_finite()) => Ok(scores),
            _ => Err(ProviderError::Protocol("the scores are not one finite number a window".to_owned())),
        });
        let model = reranker.model();
        let outcome = scored.as_ref().map_or_else(ProviderError::label, |_| "ok".to_owned());
        if let Err(error) = &scored {
            tracing::warn!(target: "assay", model, error = error.logged(), "no scores of the reranker: the fitted order stays");
        }
        let elapsed_ms = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
        (scored.unwrap_or_default(), Some(ProviderCall { model: model.to_owned(), outcome, elapsed_ms }))
    }
}

#[async_trait]
impl Provider for Extractive {
    fn model(&self) -> &str {
        MODEL
    }

    fn is_model(&self) -> bool {
        false
    }

    fn takes_seed(&self) -> bool {
        false
    }

    async fn stream(&self, job: Job<'_>) -> Result<ChunkStream, ProviderError> {
        let mut reranked = None;
        let (text, generator, finish) = match (job.request, job.shape) {
            (Some(request), _) => {
                let prepared = extractive::prepare(request);
                let (scores, call) = self.scores(&prepared, job.within).await;
                reranked = call;
                let composed = prepared.choose(&scores);
                (composed.text, composed.generator, composed.finish)
            }
            (None, Shape::Query(question)) => {
                (extractive::reformulate(question), Generator::Extractive, Finish::Stop)
            }
            (None, _) => return Err(ProviderError::NoModel),
        };
        let end = End { generator, finish, prompt_tokens: None, completion_tokens: None, reranked };
        let chunks = pieces(&text).into_iter().map(Chunk::Text).chain([Chunk::End(end)]).map(Ok);
        Ok(Box::pin(stream::iter(chunks.collect::<Vec<_>>())))
    }

    async fn warm(&self) -> Result<(), ProviderError> {
        Ok(())
    }
}

/// Cuts a text behind its line ends, so that a reader sees it grow.
fn pieces(text: &str) -> Vec<String> {
    text.split_inclusive('\n').map(str::to_owned).collect()
}
