//! The judge of the generation service as a port.

use assay_domain::{Failure, Source, Spent};
use assay_proto::generation::generation_service_client::GenerationServiceClient;
use assay_proto::generation::{self as wire, JudgeRequest};
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
    async fn judge(&self, context: &Context, queries: Vec<JudgeQuery>) -> Result<Judgement, Failure> {
        let mut sources: Vec<Source> = Vec::new();
        for source in queries.iter().flat_map(|query| &query.sources) {
            if !sources.contains(source) {
                sources.push(source.clone());
            }
        }
        let claims = queries.into_iter().map(|query| query.claim).collect();
        let request = JudgeRequest { claim: String::new(), sources: list_to_wire(&sources), claims };
        let mut client = self.client.clone();
        let reply = context.within(client.judge(context.request(request))).await?;
        let reply = reply.map_err(|status| from_status(&status))?.into_inner();
        let word = |own: wire::Judgement| match own.label.as_str() {
            "SUPPORTED" => Ok(true),
            "UNSUPPORTED" => Ok(false),
            "UNSURE" => Err("unsure".to_owned()),
            _ if own.reason.is_empty() => Err("no label".to_owned()),
            _ => Err(own.reason),
        };
        Ok(Judgement {
            supported: reply.judgements.into_iter().map(word).collect(),
            no_model: reply.no_model,
            spent: Spent {
                model_calls: reply.model_calls,
                prompts: list_from_wire("prompts", reply.prompts)?,
                provider_trail: list_from_wire("provider_trail", reply.provider_trail)?,
            },
        })
    }
}
