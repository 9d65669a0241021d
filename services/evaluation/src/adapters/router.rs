//! The router over gRPC.

use assay_domain::{Answer, Failure, Question};
use assay_proto::router::AskRequest;
use assay_proto::router::router_service_client::RouterServiceClient;
use assay_rpc::{Channel, Context, MAX_MESSAGE_BYTES};
use assay_wire::{ToWire as _, from_peer, from_status, missing};
use async_trait::async_trait;

use crate::ports::Asker;

/// Asks the router service.
#[derive(Debug, Clone)]
pub(crate) struct GrpcAsker(RouterServiceClient<Channel>);

impl GrpcAsker {
    pub(crate) fn new(channel: Channel) -> Self {
        Self(RouterServiceClient::new(channel).max_decoding_message_size(MAX_MESSAGE_BYTES))
    }
}

#[async_trait]
impl Asker for GrpcAsker {
    async fn ask(&self, context: &Context, question: &Question) -> Result<Answer, Failure> {
        let request = context.request(AskRequest { question: Some(question.to_wire()) });
        let reply = self.0.clone().ask(request).await.map_err(|status| from_status(&status))?;
        from_peer(reply.into_inner().answer.ok_or_else(|| Failure::internal(missing("answer").message))?)
    }
}
