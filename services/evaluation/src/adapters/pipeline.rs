//! What answers are made with, asked of retrieval and generation.

use assay_domain::{Code, Failure};
use assay_proto::generation::DescribeRequest;
use assay_proto::generation::generation_service_client::GenerationServiceClient;
use assay_proto::retrieval::DescribeCollectionRequest;
use assay_proto::retrieval::retrieval_service_client::RetrievalServiceClient;
use assay_rpc::{Channel, Context, MAX_MESSAGE_BYTES};
use assay_wire::from_status;
use async_trait::async_trait;

use crate::ports::{Parts, Pipeline};

/// Asks the services.
#[derive(Debug, Clone)]
pub(crate) struct GrpcPipeline {
    retrieval: RetrievalServiceClient<Channel>,
    generation: GenerationServiceClient<Channel>,
}

impl GrpcPipeline {
    pub(crate) fn new(retrieval: Channel, generation: Channel) -> Self {
        Self {
            retrieval: RetrievalServiceClient::new(retrieval).max_decoding_message_size(MAX_MESSAGE_BYTES),
            generation: GenerationServiceClient::new(generation),
        }
    }
}

#[async_trait]
impl Pipeline for GrpcPipeline {
    async fn parts(&self, context: &Context, collection: &str) -> Result<Parts, Failure> {
        let mut parts = Parts::default();
        let described = context.request(DescribeRequest {});
        let generation = self
            .generation
            .clone()
            .describe(described)
            .await
            .map_err(|status| from_status(&status))?
            .into_inner();
        for (slot, model) in [("main", generation.main), ("conversational", generation.conversational)] {
            if generation.has_model && !model.is_empty() {
                parts.models.insert(slot.into(), model);
            }
        }
        parts.prompts = generation.prompts.into_iter().map(|prompt| (prompt.id, prompt.sha256)).collect();
        let request = context.request(DescribeCollectionRequest { collection: collection.to_owned() });
        let mut described = match self.retrieval.clone().describe_collection(request).await {
            Ok(described) => described.into_inner(),
            Err(status) => return without_index(parts, from_status(&status)),
        };
        match described.message().await {
            Ok(first) => {
                if let Some(manifest) = first.and_then(|first| first.manifest) {
                    parts.index = manifest.id;
                    parts.models.insert("embedding".into(), manifest.embedding_model);
                }
                Ok(parts)
            }
            Err(status) => without_index(parts, from_status(&status)),
        }
    }
}

/// A collection that does not exist has no index; that is said of the run, which is not stopped for it.
fn without_index(parts: Parts, failure: Failure) -> Result<Parts, Failure> {
    if failure.code == Code::NotFound { Ok(parts) } else { Err(failure) }
}
