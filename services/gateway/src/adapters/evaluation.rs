//! The evaluation service over gRPC.

use assay_domain::Failure;
use assay_proto::evaluation::EvaluateRagRequest;
use assay_proto::evaluation::evaluate_rag_response::Part;
use assay_proto::evaluation::evaluation_service_client::EvaluationServiceClient;
use assay_rpc::{Channel, Context, MAX_MESSAGE_BYTES};
use assay_wire::from_status;
use async_trait::async_trait;

use crate::ports::{Evaluated, Evaluations};

/// Runs golden sets through the evaluation service.
#[derive(Debug, Clone)]
pub(crate) struct GrpcEvaluations(EvaluationServiceClient<Channel>);

impl GrpcEvaluations {
    pub(crate) fn new(channel: Channel) -> Self {
        let client = EvaluationServiceClient::new(channel);
        Self(client.max_decoding_message_size(MAX_MESSAGE_BYTES).max_encoding_message_size(MAX_MESSAGE_BYTES))
    }
}

#[async_trait]
impl Evaluations for GrpcEvaluations {
    async fn run(
        &self,
        context: &Context,
        golden: &str,
        collection: &str,
        repetitions: u32,
    ) -> Result<Evaluated, Failure> {
        let request = context.request(EvaluateRagRequest {
            golden_jsonl: golden.to_owned(),
            collection: collection.to_owned(),
            repetitions,
            ..EvaluateRagRequest::default()
        });
        let reply = self.0.clone().evaluate_rag(request).await.map_err(|status| from_status(&status))?;
        let mut messages = reply.into_inner();
        while let Some(message) = messages.message().await.map_err(|status| from_status(&status))? {
            if let Some(Part::Report(report)) = message.part {
                return Ok(Evaluated {
                    missing_for_binding: report.missing_for_binding,
                    report_json: report.report_json,
                });
            }
        }
        Err(Failure::internal("evaluation sent no report"))
    }
}
