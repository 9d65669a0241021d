//! What answers are made with, asked of every service that has a part in them.

use assay_domain::{Code, Failure, Source, SourceKind, Terms};
use assay_proto::generation::DescribeRequest;
use assay_proto::generation::generation_service_client::GenerationServiceClient;
use assay_proto::retrieval::DescribeCollectionRequest;
use assay_proto::retrieval::retrieval_service_client::RetrievalServiceClient;
use assay_proto::router;
use assay_proto::router::router_service_client::RouterServiceClient;
use assay_rpc::{Channel, Context, MAX_MESSAGE_BYTES};
use assay_wire::from_status;
use async_trait::async_trait;

use crate::adapters::validation;
use crate::ports::{Parts, Pipeline};

/// Asks the services.
#[derive(Debug, Clone)]
pub(crate) struct GrpcPipeline {
    retrieval: RetrievalServiceClient<Channel>,
    generation: GenerationServiceClient<Channel>,
    router: RouterServiceClient<Channel>,
    validation: validation::Client,
}

impl GrpcPipeline {
    pub(crate) fn new(retrieval: Channel, generation: Channel, router: Channel, validation: Channel) -> Self {
        Self {
            router: RouterServiceClient::new(router),
            validation: validation::client(validation),
            retrieval: RetrievalServiceClient::new(retrieval).max_decoding_message_size(MAX_MESSAGE_BYTES),
            generation: GenerationServiceClient::new(generation),
        }
    }
}

impl GrpcPipeline {
    /// The policy of the checks and their models, as a check of one claim tells them.
    async fn checks(&self, context: &Context, parts: &mut Parts) -> Result<(), Failure> {
        let source = Source::given("1", SourceKind::Doc, "A queue holds messages.", 1);
        let terms = Terms::new("", vec![source]);
        let done = validation::check(&self.validation, context, terms, "Messages wait in a queue.").await?;
        parts.settings.insert("validation.policy".into(), done.policy);
        for model in done.report.into_iter().flat_map(|report| report.models) {
            parts.models.insert(model.kind, format!("{}@{}", model.name, model.sha256));
        }
        Ok(())
    }
}

#[async_trait]
impl Pipeline for GrpcPipeline {
    async fn parts(&self, context: &Context, collection: &str) -> Result<Parts, Failure> {
        let mut parts = Parts::default();
        let described = context.request(DescribeRequest::default());
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
        parts.temperature = generation.has_model.then_some(generation.temperature);
        parts.prompts = generation.prompts.into_iter().map(|prompt| (prompt.id, prompt.sha256)).collect();
        let settings = context.request(router::DescribeRequest {});
        let settings = self.router.clone().describe(settings).await.map_err(|status| from_status(&status))?;
        let named = settings.into_inner().settings.into_iter();
        parts.settings = named.map(|(name, value)| (format!("router.{name}"), value)).collect();
        self.checks(context, &mut parts).await?;
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
