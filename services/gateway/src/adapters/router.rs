//! The router over gRPC.

use assay_domain::question::Delivery;
use assay_domain::{Answer, AnswerEvent, AuditId, Failure, Question};
use assay_proto::router::router_service_client::RouterServiceClient;
use assay_proto::router::{AskRequest, AskStreamRequest, RefuseRequest};
use assay_rpc::{Channel, Context, MAX_MESSAGE_BYTES};
use assay_wire::{ToWire as _, from_peer, from_status, metadata, missing};
use async_trait::async_trait;
use futures::StreamExt as _;
use tonic::Status;

use crate::ports::{Engine, Events, Refused};

/// Asks the router service.
#[derive(Debug, Clone)]
pub(crate) struct GrpcEngine(RouterServiceClient<Channel>);

impl GrpcEngine {
    pub(crate) fn new(channel: Channel) -> Self {
        Self(RouterServiceClient::new(channel).max_decoding_message_size(MAX_MESSAGE_BYTES))
    }
}

/// What the router refused, with the record that it left.
fn refused(status: &Status) -> Refused {
    let id = status.metadata().get(metadata::AUDIT_ID).and_then(|value| value.to_str().ok());
    let known = id.and_then(AuditId::parse).map(|id| id.to_string());
    Refused::by_peer(from_status(status), known)
}

#[async_trait]
impl Engine for GrpcEngine {
    async fn ask(&self, context: &Context, question: &Question) -> Result<Answer, Refused> {
        let request = context.request(AskRequest { question: Some(question.to_wire()) });
        let reply = self.0.clone().ask(request).await.map_err(|status| refused(&status))?;
        let unreadable = |failure| Refused::by_peer(failure, None);
        let answer = reply.into_inner().answer;
        let answer = answer.ok_or_else(|| unreadable(Failure::internal(missing("answer").message)))?;
        from_peer(answer).map_err(unreadable)
    }

    async fn ask_stream(
        &self,
        context: &Context,
        question: &Question,
        delivery: Delivery,
    ) -> Result<Events, Refused> {
        let request = context
            .request(AskStreamRequest { question: Some(question.to_wire()), delivery: delivery.to_wire() });
        let reply = self.0.clone().ask_stream(request).await.map_err(|status| refused(&status))?;
        let events = reply.into_inner().map(|message| match message {
            Ok(event) => from_peer::<AnswerEvent, _>(event),
            Err(status) => Err(from_status(&status)),
        });
        Ok(events.boxed())
    }

    async fn refuse(
        &self,
        context: &Context,
        failure: &Failure,
        query: &str,
        count: u32,
    ) -> Result<String, Failure> {
        let request = context.request(RefuseRequest {
            code: failure.code.as_str().to_owned(),
            detail: failure.message.clone(),
            query: query.to_owned(),
            count,
        });
        let reply = self.0.clone().refuse(request).await.map_err(|status| from_status(&status))?;
        Ok(reply.into_inner().audit_id)
    }
}
