//! The audit service over gRPC.

use assay_domain::{AuditId, Failure, Record};
use assay_proto::audit::audit_service_client::AuditServiceClient;
use assay_proto::audit::{
    GetRequest, GetResponse, ListRequest, ProveRequest, ProveResponse, VerifyRequest, VerifyResponse,
};
use assay_rpc::{Channel, Context, MAX_MESSAGE_BYTES};
use assay_wire::{ToWire as _, from_peer, from_status, list_to_wire, missing};
use async_trait::async_trait;

use crate::ports::{RecordFilter, Records, Stored};

/// Reads records from the audit service.
#[derive(Debug, Clone)]
pub(crate) struct GrpcRecords(AuditServiceClient<Channel>);

impl GrpcRecords {
    pub(crate) fn new(channel: Channel) -> Self {
        Self(AuditServiceClient::new(channel).max_decoding_message_size(MAX_MESSAGE_BYTES))
    }
}

#[async_trait]
impl Records for GrpcRecords {
    async fn get(&self, context: &Context, id: AuditId) -> Result<Stored, Failure> {
        let request = context.request(GetRequest { audit_id: id.to_wire() });
        stored(self.0.clone().get(request).await.map_err(|status| from_status(&status))?.into_inner())
    }

    async fn prove(&self, context: &Context, id: AuditId) -> Result<ProveResponse, Failure> {
        let request = context.request(ProveRequest { audit_id: id.to_wire() });
        Ok(self.0.clone().prove(request).await.map_err(|status| from_status(&status))?.into_inner())
    }

    async fn verify(&self, context: &Context) -> Result<VerifyResponse, Failure> {
        let request = context.request(VerifyRequest::default());
        Ok(self.0.clone().verify(request).await.map_err(|status| from_status(&status))?.into_inner())
    }

    async fn list(&self, context: &Context, filter: &RecordFilter) -> Result<(Vec<Stored>, String), Failure> {
        let request = context.request(ListRequest {
            page_size: filter.page_size,
            page_token: filter.page_token.clone(),
            outcome: filter.outcome.to_wire(),
            verdicts: list_to_wire(&filter.verdicts),
            query_type: filter.query_type.to_wire(),
            session_id: filter.session_id.clone(),
            principal: filter.principal.clone(),
            from_unix_ms: filter.from_unix_ms,
            until_unix_ms: filter.until_unix_ms,
            text: filter.text.clone(),
            ..ListRequest::default()
        });
        let page = self.0.clone().list(request).await.map_err(|status| from_status(&status))?.into_inner();
        let records = page.records.into_iter().map(stored).collect::<Result<_, _>>()?;
        Ok((records, page.next_page_token))
    }
}

/// A record as audit sends it.
pub(crate) fn stored(reply: GetResponse) -> Result<Stored, Failure> {
    let record = reply.record.ok_or_else(|| Failure::internal(missing("record").message))?;
    Ok(Stored {
        record: from_peer::<Record, _>(record)?,
        receipt: reply.receipt,
        payload_erased: reply.payload_erased,
        notes: reply.notes,
    })
}
