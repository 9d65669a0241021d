//! The judge of the generation service as a port.

use assay_domain::Failure;
use assay_proto::generation::JudgeRequest;
use assay_proto::generation::generation_service_client::GenerationServiceClient;
use assay_rpc::{Channel, Context, MAX_MESSAGE_BYTES};
use assay_wire::{from_status, list_from_wire, list_to_wire};
use async_trait::async_trait;

use crate::ports::{JudgePort, JudgeQuery, Judgement};

/// Asks the generation service.
#[derive(Debug, Clone)]
pub struct GrpcJudge {
    client: GenerationServiceClient<Channel>,
}

impl GrpcJudge {
    /// Asks over a channel.
    #[must_use]
    pub fn new(channel: Channel) -> Self {
        let client = GenerationServiceClient::new(channel)
            .max_decoding_message_size(MAX_MESSAGE_BYTES)
            .max_encoding_message_size(MAX_MESSAGE_BYTES);
        Self { client }
    }
}

#[async_trait]
impl JudgePort for GrpcJudge {
    async fn judge(&self, context: &Context, query: JudgeQuery) -> Result<Judgement, Failure> {
        let request = JudgeRequest { claim: query.claim, sources: list_to_wire(&query.sources) };
        let mut client = self.client.clone();
        let reply = context.within(client.judge(context.request(request))).await?;
        let reply = reply.map_err(|status| from_status(&status))?.into_inner();
        let (supported, reason) = match reply.label.as_str() {
            "SUPPORTED" => (Some(true), String::new()),
            "UNSUPPORTED" => (Some(false), String::new()),
            "UNSURE" => (None, "unsure".to_owned()),
            _ if reply.reason.is_empty() => (None, "no label".to_owned()),
            _ => (None, reply.reason),
        };
        Ok(Judgement {
            supported,
            reason,
            model_calls: reply.model_calls,
            prompts: list_from_wire("prompts", reply.prompts)?,
            trail: list_from_wire("provider_trail", reply.provider_trail)?,
        })
    }
}
