//! Generation over gRPC.

use assay_domain::draft::{Draft, Spent};
use assay_domain::{Code, Failure, QueryType};
use assay_proto::generation as wire;
use assay_proto::generation::generation_service_client::GenerationServiceClient;
use assay_rpc::{Channel, Context, MAX_MESSAGE_BYTES, Peers};
use assay_wire::{ToWire as _, from_peer, list_to_wire, metadata};
use async_trait::async_trait;
use futures::StreamExt as _;
use futures::stream::BoxStream;
use prost::Message as _;

use crate::adapters::peer;
use crate::ports::{Brief, Generator, Opinion, Reformulated, Written};

/// The channel to the service.
#[derive(Clone)]
pub(crate) struct GrpcGeneration(GenerationServiceClient<Channel>);

impl GrpcGeneration {
    /// Takes the channel of the peer.
    ///
    /// # Errors
    /// `CONFIGURATION` if it is missing.
    pub(crate) fn new(peers: &Peers) -> Result<Self, Failure> {
        let client = GenerationServiceClient::new(peers.channel("generation")?)
            .max_decoding_message_size(MAX_MESSAGE_BYTES)
            .max_encoding_message_size(MAX_MESSAGE_BYTES);
        Ok(Self(client))
    }
}

#[async_trait]
impl Generator for GrpcGeneration {
    async fn draft(
        &self,
        context: &Context,
        brief: Brief,
    ) -> Result<BoxStream<'static, Result<Written, Failure>>, Failure> {
        let turns = brief.turns.iter().map(|turn| wire::Turn {
            question: turn.question.clone(),
            answer: turn.answer.clone(),
            sources: list_to_wire(&turn.sources),
        });
        let request = wire::DraftRequest {
            question: Some(brief.question.to_wire()),
            query_type: brief.query_type.to_wire(),
            sources: list_to_wire(&brief.sources),
            examples: list_to_wire(&brief.examples),
            turns: turns.collect(),
            attempt: brief.attempt.to_wire(),
            rejected_draft: brief.rejected_draft,
            retry_prompt: brief.retry_prompt,
            context_relevant: brief.context_relevant,
        };
        let reply = self.0.clone().draft(context.request(request)).await.map_err(|status| silent(&status))?;
        let model =
            reply.metadata().get(metadata::MODEL).and_then(|model| model.to_str().ok()).map(str::to_owned);
        let asked = futures::stream::iter(model.map(|model| Ok(Written::Asked(model))));
        let written = reply.into_inner().flat_map(|message| {
            let (first, second) = match message {
                Ok(message) => (Some(draft_part(message.part)), None),
                Err(status) => {
                    (spent(&status).map(|spent| Ok(Written::Spent(spent))), Some(Err(silent(&status))))
                }
            };
            futures::stream::iter(first.into_iter().chain(second))
        });
        Ok(asked.chain(written).boxed())
    }

    async fn reformulate(
        &self,
        context: &Context,
        question: &str,
        hint: &str,
        topic: &str,
    ) -> Result<Reformulated, Failure> {
        let request = wire::ReformulateRequest {
            question: question.into(),
            hint: hint.into(),
            referred_topic: topic.into(),
        };
        let reply =
            self.0.clone().reformulate(context.request(request)).await.map_err(peer::failure)?.into_inner();
        Ok(Reformulated {
            query: reply.query,
            spent: Spent {
                model_calls: reply.model_calls,
                prompts: peer::list("prompts", reply.prompts)?,
                provider_trail: peer::list("provider_trail", reply.provider_trail)?,
            },
        })
    }

    async fn model(&self, context: &Context, query_type: QueryType) -> Result<String, Failure> {
        let request = context.request(wire::DescribeRequest::default());
        let reply = self.0.clone().describe(request).await.map_err(peer::failure)?.into_inner();
        Ok(match query_type {
            QueryType::Retrieval | QueryType::CodeGeneration => reply.main,
            QueryType::Conversational | QueryType::Platform => reply.conversational,
        })
    }

    async fn classify(
        &self,
        context: &Context,
        prompt: &str,
        labels: Vec<String>,
    ) -> Result<Opinion, Failure> {
        let request = wire::ClassifyRequest { prompt: prompt.into(), labels };
        let reply =
            self.0.clone().classify(context.request(request)).await.map_err(peer::failure)?.into_inner();
        Ok(Opinion { label: reply.label, model_calls: reply.model_calls })
    }
}

/// A generator that went away is one that does not answer.
fn silent(status: &tonic::Status) -> Failure {
    match peer::silent(status, Code::GenerationUnavailable) {
        failure if failure.code == Code::Cancelled => {
            Failure { code: Code::GenerationUnavailable, ..failure }
        }
        failure => failure,
    }
}

fn draft_part(part: Option<wire::draft_response::Part>) -> Result<Written, Failure> {
    match part {
        Some(wire::draft_response::Part::Delta(text)) => Ok(Written::Delta(text)),
        Some(wire::draft_response::Part::Done(draft)) => {
            Ok(Written::Done(Box::new(from_peer::<Draft, _>(draft)?)))
        }
        None => Err(peer::empty("generation")),
    }
}

/// What a failed draft cost, if its status says so.
fn spent(status: &tonic::Status) -> Option<Spent> {
    let bytes = status.metadata().get_bin(metadata::SPENT)?.to_bytes().ok()?;
    let draft = assay_proto::common::Draft::decode(bytes).ok()?;
    Some(Spent {
        model_calls: draft.model_calls,
        prompts: peer::list("prompts", draft.prompts).ok()?,
        provider_trail: peer::list("provider_trail", draft.provider_trail).ok()?,
    })
}
