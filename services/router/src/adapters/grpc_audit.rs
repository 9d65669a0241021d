//! Audit over gRPC.

use assay_domain::{Code, Failure, Record};
use assay_proto::audit as wire;
use assay_proto::audit::audit_service_client::AuditServiceClient;
use assay_rpc::{Channel, Context, MAX_MESSAGE_BYTES, Peers};
use assay_wire::ToWire as _;
use async_trait::async_trait;
use prost::Message as _;

use crate::adapters::peer;
use crate::ports::{ErasedPayloads, Ledger, LogHead, Trace};

/// The channel to the service.
#[derive(Clone)]
pub(crate) struct GrpcAudit(AuditServiceClient<Channel>);

impl GrpcAudit {
    /// Takes the channel of the peer.
    ///
    /// # Errors
    /// `CONFIGURATION` if it is missing.
    pub(crate) fn new(peers: &Peers) -> Result<Self, Failure> {
        let client = AuditServiceClient::new(peers.channel("audit")?)
            .max_decoding_message_size(MAX_MESSAGE_BYTES)
            .max_encoding_message_size(MAX_MESSAGE_BYTES);
        Ok(Self(client))
    }
}

#[async_trait]
impl Ledger for GrpcAudit {
    async fn append(&self, context: &Context, record: &Record) -> Result<Option<LogHead>, Failure> {
        let request = wire::AppendRequest { record: Some(record.to_wire()) };
        let bytes = request.encoded_len();
        if bytes > MAX_MESSAGE_BYTES {
            let text = format!("the record has {bytes} bytes; a message may have {MAX_MESSAGE_BYTES}");
            return Err(Failure::new(Code::PayloadTooLarge, text).field("record"));
        }
        let reply =
            self.0.clone().append(context.request(request)).await.map_err(peer::failure)?.into_inner();
        if reply.receipt.is_none() {
            return Err(Failure::new(Code::Internal, "audit sent no receipt"));
        }
        let head = LogHead { log_id: reply.log_id, size: reply.tree_size, root: reply.root };
        // An audit service of an earlier version names no log.
        Ok(Some(head).filter(|head| !head.log_id.is_empty()))
    }

    async fn erase(&self, context: &Context, whose: &Trace) -> Result<ErasedPayloads, Failure> {
        use wire::erase_request::What;
        let what = match whose {
            Trace::Principal(principal) => What::Principal(principal.clone()),
            Trace::Session(session) => What::SessionId(session.clone()),
            Trace::Request(id) => What::AuditId(id.to_string()),
        };
        let request = context.request(wire::EraseRequest { what: Some(what) });
        let reply = self.0.clone().erase(request).await.map_err(peer::failure)?.into_inner();
        Ok(ErasedPayloads { count: reply.payloads, backups: reply.backups })
    }
}
