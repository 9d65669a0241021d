//! Validation and the parser over gRPC, for answers and programs of other systems, and the router for their records.

use assay_domain::{AuditState, Failure, Report};
use assay_proto::parser;
use assay_proto::parser::parser_service_client::ParserServiceClient;
use assay_proto::router::RecordCheckRequest;
use assay_proto::router::router_service_client::RouterServiceClient;
use assay_proto::validation::check_request::Part;
use assay_proto::validation::validation_service_client::ValidationServiceClient;
use assay_proto::validation::{CheckRequest, Finish, Open, check_response};
use assay_rpc::{Channel, Context, MAX_MESSAGE_BYTES};
use assay_wire::{from_peer, from_status};
use async_trait::async_trait;

use crate::ports::Checks;

/// Checks and parses through the services.
#[derive(Debug, Clone)]
pub(crate) struct GrpcChecks {
    validation: ValidationServiceClient<Channel>,
    parser: ParserServiceClient<Channel>,
    router: RouterServiceClient<Channel>,
}

impl GrpcChecks {
    pub(crate) fn new(validation: Channel, parser: Channel, router: Channel) -> Self {
        Self {
            validation: ValidationServiceClient::new(validation).max_decoding_message_size(MAX_MESSAGE_BYTES),
            parser: ParserServiceClient::new(parser).max_decoding_message_size(MAX_MESSAGE_BYTES),
            router: RouterServiceClient::new(router),
        }
    }
}

#[async_trait]
impl Checks for GrpcChecks {
    async fn check(
        &self,
        context: &Context,
        open: Open,
        answer: String,
    ) -> Result<(Report, String), Failure> {
        let parts = [Part::Open(open), Part::Text(answer), Part::Finish(Finish { more: false })];
        let messages = parts.map(|part| CheckRequest { part: Some(part) });
        let call = context.request(futures::stream::iter(messages));
        let reply = self.validation.clone().check(call).await.map_err(|status| from_status(&status))?;
        let mut replies = reply.into_inner();
        while let Some(reply) = replies.message().await.map_err(|status| from_status(&status))? {
            if let Some(check_response::Part::Done(done)) = reply.part {
                let report = done.report.ok_or_else(|| Failure::internal("validation sent no report"))?;
                let mut report: Report = from_peer(report)?;
                // The other side may be of another version.
                report.lower();
                return Ok((report, done.policy));
            }
        }
        Err(Failure::internal("validation ended without a report"))
    }

    async fn parse(
        &self,
        context: &Context,
        request: parser::ParseRequest,
    ) -> Result<parser::ParseResponse, Failure> {
        let reply = self.parser.clone().parse(context.request(request)).await;
        Ok(reply.map_err(|status| from_status(&status))?.into_inner())
    }

    async fn record_check(
        &self,
        context: &Context,
        check: RecordCheckRequest,
    ) -> Result<(String, AuditState), Failure> {
        let reply = self.router.clone().record_check(context.request(check)).await;
        let reply = reply.map_err(|status| from_status(&status))?.into_inner();
        Ok((reply.audit_id, from_peer(reply.audit)?))
    }
}
