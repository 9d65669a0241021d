//! The parser over gRPC, asked directly: no breaker and no setting stands between it and an evaluation.

use assay_domain::Failure;
use assay_domain::code::ParsedBlock;
use assay_proto::parser::parser_service_client::ParserServiceClient;
use assay_proto::parser::{DescribeRequest, ParseAnswerRequest};
use assay_rpc::{Channel, Context, MAX_MESSAGE_BYTES};
use assay_wire::{from_peer, from_status};
use async_trait::async_trait;

use crate::ports::{Parser, ParserVersion};

/// Asks the parser service.
#[derive(Debug, Clone)]
pub(crate) struct GrpcParser(ParserServiceClient<Channel>);

impl GrpcParser {
    pub(crate) fn new(channel: Channel) -> Self {
        let client = ParserServiceClient::new(channel);
        Self(client.max_decoding_message_size(MAX_MESSAGE_BYTES).max_encoding_message_size(MAX_MESSAGE_BYTES))
    }
}

#[async_trait]
impl Parser for GrpcParser {
    async fn describe(&self, context: &Context) -> Result<ParserVersion, Failure> {
        let request = context.request(DescribeRequest {});
        let reply =
            self.0.clone().describe(request).await.map_err(|status| from_status(&status))?.into_inner();
        Ok(ParserVersion { version: reply.version, grammar_hash: reply.grammar_hash })
    }

    async fn parse(
        &self,
        context: &Context,
        text: &str,
        default_language: &str,
    ) -> Result<(Vec<ParsedBlock>, ParserVersion), Failure> {
        let request = context.request(ParseAnswerRequest {
            answer: text.to_owned(),
            default_language: default_language.to_owned(),
            ..ParseAnswerRequest::default()
        });
        let reply =
            self.0.clone().parse_answer(request).await.map_err(|status| from_status(&status))?.into_inner();
        let blocks = reply.blocks.into_iter().map(from_peer).collect::<Result<_, _>>()?;
        Ok((blocks, ParserVersion { version: reply.version, grammar_hash: reply.grammar_hash }))
    }
}
