//! Validation over gRPC.

use assay_domain::{Failure, Terms};
use assay_proto::validation as wire;
use assay_proto::validation::validation_service_client::ValidationServiceClient;
use assay_rpc::{Channel, Context, MAX_MESSAGE_BYTES, Peers};
use assay_wire::{ToWire as _, from_peer};
use async_trait::async_trait;
use futures::StreamExt as _;
use tokio::sync::mpsc;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tracing::Instrument as _;

use crate::adapters::peer;
use crate::ports::{CheckInput, CheckOutput, CheckSession, Validator};

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
        CheckInput::Finish => Part::Finish(wire::Finish { more: true }),
        CheckInput::Next(attempt) => Part::Next(wire::Next { attempt: attempt.to_wire() }),
    };
    wire::CheckRequest { part: Some(part) }
}

fn check_output(message: Result<wire::CheckResponse, tonic::Status>) -> Result<CheckOutput, Failure> {
    use wire::check_response::Part;
    match message.map_err(peer::failure)?.part {
        Some(Part::Relevance(relevance)) => Ok(CheckOutput::Relevance(from_peer(relevance)?)),
        Some(Part::Segment(segment)) => Ok(CheckOutput::Segment(from_peer(segment)?)),
        Some(Part::Done(done)) => Ok(CheckOutput::Done(Box::new(from_peer(done)?))),
        None => Err(peer::empty("validation")),
    }
}

#[async_trait]
impl Validator for GrpcValidation {
    async fn check(&self, context: &Context, terms: Terms) -> Result<CheckSession, Failure> {
        let open = wire::check_request::Part::Open(terms.to_wire());
        let first = wire::CheckRequest { part: Some(open) };
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
}
