//! The parser service as a port.

use std::time::Duration;

use assay_domain::Code;
use assay_domain::code::{ParsedBlock, TIMEOUT};
use assay_proto::parser::ParseAnswerRequest;
use assay_proto::parser::parser_service_client::ParserServiceClient;
use assay_rpc::{Channel, Context, MAX_MESSAGE_BYTES};
use assay_wire::{from_status, list_from_wire};
use async_trait::async_trait;

use crate::ports::{CodeQuery, NotParsed, ParsedAnswer, ParserPort};

/// Nobody answers.
pub const UNREACHABLE: &str = "unreachable";

/// Asks the parser service.
#[derive(Debug, Clone)]
pub struct GrpcParser {
    client: ParserServiceClient<Channel>,
    timeout: Duration,
}

impl GrpcParser {
    /// Asks over a channel and waits at most `timeout` a call.
    #[must_use]
    pub fn new(channel: Channel, timeout: Duration) -> Self {
        let client = ParserServiceClient::new(channel)
            .max_decoding_message_size(MAX_MESSAGE_BYTES)
            .max_encoding_message_size(MAX_MESSAGE_BYTES);
        Self { client, timeout }
    }
}

#[async_trait]
impl ParserPort for GrpcParser {
    async fn parse_answer(&self, context: &Context, query: CodeQuery) -> Result<ParsedAnswer, NotParsed> {
        let CodeQuery { answer, default_language, wanted_language } = query;
        let request = ParseAnswerRequest {
            answer,
            default_language,
            wanted_language,
            options: None,
            documentation: true,
        };
        let context = context.capped(self.timeout);
        let mut client = self.client.clone();
        let reply = match context.within(client.parse_answer(context.request(request))).await {
            Ok(reply) => reply.map_err(|status| not_parsed(from_status(&status).code))?.into_inner(),
            Err(_) => return Err(NotParsed::down(TIMEOUT)),
        };
        let blocks: Vec<ParsedBlock> =
            list_from_wire("blocks", reply.blocks).map_err(|_| NotParsed::down(Code::Internal.as_str()))?;
        let parser = match (reply.version.as_str(), reply.grammar_hash.as_str()) {
            (version, "") => version.to_owned(),
            (version, hash) => format!("{version} {hash}"),
        };
        Ok(ParsedAnswer { blocks, parser })
    }
}

/// A refusal comes from a parser that is there; everything else counts against it.
fn not_parsed(code: Code) -> NotParsed {
    match code {
        Code::DeadlineExceeded => NotParsed::down(TIMEOUT),
        Code::Unavailable | Code::Cancelled => NotParsed::down(UNREACHABLE),
        Code::InvalidArgument | Code::PayloadTooLarge | Code::ResourceExhausted => {
            NotParsed { reason: code.as_str().to_owned(), reachable: true }
        }
        other => NotParsed::down(other.as_str()),
    }
}
