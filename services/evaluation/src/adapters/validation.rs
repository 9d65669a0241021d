//! One check of one text, asked of the validation service.

use assay_domain::{Failure, Terms};
use assay_proto::validation::check_request::Part;
use assay_proto::validation::validation_service_client::ValidationServiceClient;
use assay_proto::validation::{CheckDone, CheckRequest, Finish, check_response};
use assay_rpc::{Channel, Context, MAX_MESSAGE_BYTES};
use assay_wire::{ToWire as _, from_status};

/// The client of the service.
pub(crate) type Client = ValidationServiceClient<Channel>;

pub(super) fn client(channel: Channel) -> Client {
    let client = Client::new(channel);
    client.max_decoding_message_size(MAX_MESSAGE_BYTES).max_encoding_message_size(MAX_MESSAGE_BYTES)
}

/// What validation says of a text that is held against sources alone and need not cite them.
pub(super) async fn check(
    client: &Client,
    context: &Context,
    terms: Terms,
    text: &str,
) -> Result<CheckDone, Failure> {
    let terms = Terms { sources_only: true, citations_optional: true, ..terms };
    let parts =
        [Part::Open(terms.to_wire()), Part::Text(text.to_owned()), Part::Finish(Finish { more: false })];
    let messages = parts.map(|part| CheckRequest { part: Some(part) });
    let call = context.request(futures::stream::iter(messages));
    let mut replies = client.clone().check(call).await.map_err(|status| from_status(&status))?.into_inner();
    while let Some(reply) = replies.message().await.map_err(|status| from_status(&status))? {
        if let Some(check_response::Part::Done(done)) = reply.part {
            return Ok(done);
        }
    }
    Err(Failure::internal("validation sent no report"))
}
