//! The router over gRPC.

use assay_domain::question::Delivery;
use assay_domain::{Answer, AnswerEvent, Failure, Question};
use assay_proto::router::router_service_client::RouterServiceClient;
use assay_proto::router::{AskRequest, AskStreamRequest};
use assay_rpc::{Channel, Context, MAX_MESSAGE_BYTES};
use assay_wire::{ToWire as _, from_peer, missing, of_call};
use async_trait::async_trait;
use futures::StreamExt as _;

use crate::ports::{Engine, Events};

/// Asks the router service.
#[derive(Debug, Clone)]
pub(crate) struct GrpcEngine(RouterServiceClient<Channel>);

impl GrpcEngine {
    pub(crate) fn new(channel: Channel) -> Self {
        Self(RouterServiceClient::new(channel).max_decoding_message_size(MAX_MESSAGE_BYTES))
    }
}

#[async_trait]
impl Engine for GrpcEngine {
    async fn ask(&self, context: &Context, question: &Question) -> Result<Answer, Failure> {
        let request = context.request(AskRequest { question: Some(question.to_wire()) });
        let reply = self.0.clone().ask(request).await.map_err(|status| of_call("router", &status))?;
        let answer = reply.into_inner().answer.ok_or_else(|| Failure::internal(missing("answer").message))?;
        from_peer(answer)
    }

    async fn ask_stream(&self, context: &Context, question: &Question) -> Result<Events, Failure> {
        let request = context.request(AskStreamRequest {
            question: Some(question.to_wire()),
            delivery: Delivery::Verified.to_wire(),
        });
        let reply = self.0.clone().ask_stream(request).await.map_err(|status| of_call("router", &status))?;
        let events = reply.into_inner().map(|message| match message {
            Ok(event) => from_peer::<AnswerEvent, _>(event),
            Err(status) => Err(of_call("router", &status)),
        });
        Ok(events.boxed())
    }
}
