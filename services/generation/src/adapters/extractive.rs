//! The embedded default: the composer, streamed sentence by sentence. It needs no model and cannot fail.

use assay_domain::draft::{Finish, Generator};
use assay_extractive::{self as extractive, MODEL};
use async_trait::async_trait;
use futures::stream;

use crate::error::ProviderError;
use crate::ports::{Chunk, ChunkStream, End, Job, Provider, Shape};

/// The composer as a provider.
#[derive(Debug, Clone, Copy, Default)]
pub struct Extractive;

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
        let (text, generator, finish) = match (job.request, job.shape) {
            (Some(request), _) => {
                let composed = extractive::compose(request);
                (composed.text, composed.generator, composed.finish)
            }
            (None, Shape::Query(question)) => {
                (extractive::reformulate(question), Generator::Extractive, Finish::Stop)
            }
            (None, _) => return Err(ProviderError::NoModel),
        };
        let end = End { generator, finish, prompt_tokens: None, completion_tokens: None };
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
