//! Validation over gRPC.

use assay_domain::{Failure, Source};
use assay_proto::validation as wire;
use assay_proto::validation::validation_service_client::ValidationServiceClient;
use assay_rpc::{Channel, Context, MAX_MESSAGE_BYTES, Peers};
use assay_wire::{ToWire as _, from_peer, list_to_wire};
use async_trait::async_trait;
use futures::StreamExt as _;
use tokio::sync::mpsc;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tracing::Instrument as _;

use crate::adapters::peer;
use crate::ports::{
    CheckInput, CheckOrder, CheckOutput, CheckResult, CheckSession, CheckedSegment, Relevance, Validator,
};

/// The channel to the service.
#[derive(Clone)]
pub(crate) struct GrpcValidation(ValidationServiceClient<Channel>);

impl GrpcValidation {
    /// Takes the channel of the peer.
    ///
    /// # Errors
    /// `CONFIGURATION` if it is missing.
    pub(crate) fn new(peers: &Peers) -> Result<Self, Failure> {
        let client = ValidationServiceClient::new(peers.channel("validation")?)
            .max_decoding_message_size(MAX_MESSAGE_BYTES)
            .max_encoding_message_size(MAX_MESSAGE_BYTES);
        Ok(Self(client))
    }
}

fn check_input(input: CheckInput) -> wire::CheckRequest {
    use wire::check_request::Part;
    let part = match input {
        CheckInput::Text(text) => Part::Text(text),
        CheckInput::Finish => Part::Finish(wire::Finish {}),
    };
    wire::CheckRequest { part: Some(part) }
}

fn check_output(message: Result<wire::CheckResponse, tonic::Status>) -> Result<CheckOutput, Failure> {
    use wire::check_response::Part;
    match message.map_err(peer::failure)?.part {
        Some(Part::Segment(segment)) => Ok(CheckOutput::Segment(CheckedSegment {
            text: segment.text,
            passed: segment.passed,
            errors: peer::list("errors", segment.errors)?,
        })),
        Some(Part::Done(done)) => {
            let report = done.report.ok_or_else(|| peer::empty("validation"))?;
            Ok(CheckOutput::Done(Box::new(CheckResult {
                report: from_peer(report)?,
                check_ms: done.check_ms,
                parser_version: done.parser_version,
                model_calls: done.model_calls,
                prompts: peer::list("prompts", done.prompts)?,
                provider_trail: peer::list("provider_trail", done.provider_trail)?,
            })))
        }
        None => Err(peer::empty("validation")),
    }
}

#[async_trait]
impl Validator for GrpcValidation {
    async fn check(&self, context: &Context, order: CheckOrder) -> Result<CheckSession, Failure> {
        let open = wire::Open {
            question: order.question,
            query_type: order.query_type.to_wire(),
            mode: order.mode.to_wire(),
            attempt: order.attempt.to_wire(),
            sources: list_to_wire(&order.sources),
            extra_context: order.extra_context,
            collection: order.collection,
            sources_only: order.sources_only,
            attach: true,
            segments: true,
            default_language: order.default_language,
            wanted_language: order.wanted_language,
            policy: order.profile,
            context_relevance: order.context_relevance,
            ..wire::Open::default()
        };
        let first = wire::CheckRequest { part: Some(wire::check_request::Part::Open(open)) };
        let (input, receiver) = mpsc::unbounded_channel();
        let messages =
            futures::stream::iter([first]).chain(UnboundedReceiverStream::new(receiver).map(check_input));
        let call = context.request(messages);
        let mut client = self.0.clone();
        // The reply headers may come only after the first output, so the call is awaited as part of the output; it
        // belongs to the span that it was opened in.
        let output = futures::stream::once(async move { client.check(call).await }.in_current_span())
            .flat_map(|reply| match reply {
                Ok(reply) => reply.into_inner().map(check_output).boxed(),
                Err(status) => futures::stream::iter([Err(peer::failure(status))]).boxed(),
            })
            .boxed();
        Ok(CheckSession { input, output })
    }

    async fn relevance(
        &self,
        context: &Context,
        question: &str,
        sources: Vec<Source>,
    ) -> Result<Relevance, Failure> {
        let request =
            wire::AssessRelevanceRequest { question: question.into(), sources: list_to_wire(&sources) };
        let reply = self
            .0
            .clone()
            .assess_relevance(context.request(request))
            .await
            .map_err(peer::failure)?
            .into_inner();
        Ok(Relevance { probability: reply.probability, relevant: reply.relevant })
    }
}
