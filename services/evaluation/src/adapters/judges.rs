//! Judges by name: our own checks, or models that are pinned to a version.

use std::sync::Arc;
use std::time::Duration;

use assay_domain::{Code, Failure};
use assay_proto::generation::DescribeRequest;
use assay_proto::generation::generation_service_client::GenerationServiceClient;
use assay_proto::retrieval::retrieval_service_client::RetrievalServiceClient;
use assay_rpc::{Channel, Context};
use assay_scoring::{Manifest, pinned};
use assay_wire::from_status;
use async_trait::async_trait;

use crate::adapters::checks::ChecksJudge;
use crate::adapters::model::ModelJudge;
use crate::ports::{Judge, Judges};

/// Opens judges over the services.
pub(crate) struct GrpcJudges {
    checks: Arc<ChecksJudge>,
    generation: GenerationServiceClient<Channel>,
    retrieval: RetrievalServiceClient<Channel>,
    /// Time of one call of a model.
    patience: Duration,
}

impl GrpcJudges {
    pub(crate) fn new(
        validation: Channel,
        generation: Channel,
        retrieval: Channel,
        patience: Duration,
    ) -> Self {
        Self {
            checks: Arc::new(ChecksJudge::new(validation)),
            generation: GenerationServiceClient::new(generation),
            retrieval: RetrievalServiceClient::new(retrieval),
            patience,
        }
    }

    async fn model(&self, context: &Context, name: &str) -> Result<Arc<dyn Judge>, Failure> {
        let request = context.request(DescribeRequest { models: vec![name.to_owned()] });
        let described = self.generation.clone().describe(request).await;
        let described = described.map_err(|status| from_status(&status))?.into_inner();
        let version = described.models.into_iter().next().map_or_else(|| name.to_owned(), |one| one.version);
        if !pinned(&version) {
            let text = format!(
                "the judge {name:?} is not pinned to a version; name one that ends in its date, such as \
                 openai:gpt-4o-2024-08-06, or add @ and the revision that your server runs"
            );
            return Err(Failure::new(Code::InvalidArgument, text).field("judges"));
        }
        Ok(Arc::new(ModelJudge {
            name: version,
            generation: self.generation.clone(),
            retrieval: self.retrieval.clone(),
            patience: self.patience,
        }))
    }
}

#[async_trait]
impl Judges for GrpcJudges {
    async fn open(&self, context: &Context, names: &[String]) -> Result<Vec<Arc<dyn Judge>>, Failure> {
        let mut judges: Vec<Arc<dyn Judge>> = Vec::new();
        for name in names {
            let judge = match name.as_str() {
                Manifest::CHECKS => Arc::clone(&self.checks) as Arc<dyn Judge>,
                model => self.model(context, model).await?,
            };
            if judges.iter().any(|other| other.name() == judge.name()) {
                let text = format!("the judge {name:?} is named twice");
                return Err(Failure::new(Code::InvalidArgument, text).field("judges"));
            }
            judges.push(judge);
        }
        Ok(judges)
    }
}
