//! The gRPC face: decode, call the service, encode.

use std::pin::Pin;

use assay_domain::{AuditId, Code, Failure, Record};
use assay_ledger::export::Line;
use assay_ledger::receipt::RECEIPT_VERSION;
use assay_ledger::record::Digests;
use assay_ledger::{Hash, Salt};
use assay_proto::audit;
use assay_proto::audit::audit_service_server::AuditService;
use assay_rpc::{Context, clock, entropy};
use assay_wire::{FromWire as _, ToWire as _, required, to_status};
use futures::{Stream, StreamExt as _};
use tonic::{Request, Response, Status};

use crate::ports::{Filter, Kept, Receipt, Remembered, Verified};
use crate::service::Audit;

/// Records of a page unless it asks for another number.
const PAGE_SIZE: usize = 20;
/// Most records of a page.
const MAX_PAGE_SIZE: usize = 1000;

/// Serves [`Audit`] over gRPC.
#[derive(Clone)]
pub(crate) struct Grpc(pub(crate) Audit);

fn receipt(receipt: &Receipt) -> audit::Receipt {
    audit::Receipt {
        leaf_index: receipt.leaf_index,
        leaf_hash: receipt.leaf.to_string(),
        stored_unix_ms: receipt.stored_unix_ms,
    }
}

fn kept(kept: &Kept) -> audit::GetResponse {
    audit::GetResponse {
        record: Some(kept.record.to_wire()),
        receipt: Some(receipt(&kept.receipt)),
        payload_erased: kept.salt.is_none(),
        digests_salted: kept.digests == Some(Digests::Salted),
        salt: kept.salt.map(|salt| Hash(salt.0).to_string()).unwrap_or_default(),
    }
}

fn hashes(path: &[Hash]) -> Vec<String> {
    path.iter().map(Hash::to_string).collect()
}

fn audit_id(text: &str) -> Result<AuditId, Failure> {
    AuditId::parse(text).ok_or_else(|| {
        Failure::new(Code::InvalidArgument, "an audit id is a version 7 UUID").field("audit_id")
    })
}

fn filter(request: &audit::ListRequest) -> Result<Filter, Failure> {
    let before = match request.page_token.as_str() {
        "" => None,
        token => Some(token.parse().map_err(|_| {
            Failure::new(Code::InvalidArgument, "the page token is not one that a list returned")
                .field("page_token")
        })?),
    };
    let field = |name: &'static str| move |failure| assay_wire::inside(name, failure);
    Ok(Filter {
        outcome: Option::from_wire(request.outcome).map_err(field("outcome"))?,
        verdict: Option::from_wire(request.verdict).map_err(field("verdict"))?,
        session: Some(request.session_id.clone()).filter(|session| !session.is_empty()),
        from_unix_ms: Some(request.from_unix_ms).filter(|ms| *ms > 0),
        until_unix_ms: Some(request.until_unix_ms).filter(|ms| *ms > 0),
        awaiting_review: request.awaiting_review,
        before,
        limit: match usize::try_from(request.page_size).unwrap_or(MAX_PAGE_SIZE) {
            0 => PAGE_SIZE,
            size => size.min(MAX_PAGE_SIZE),
        },
    })
}

impl Grpc {
    async fn do_append(&self, request: audit::AppendRequest) -> Result<audit::AppendResponse, Failure> {
        let record: Record = required("record", request.record)?;
        let appended = self.0.append(record, Salt(entropy::bytes32()), clock::unix_ms()).await?;
        let response = audit::AppendResponse {
            receipt: Some(receipt(&appended.receipt)),
            repeated_delivery: appended.repeated,
            tree_size: appended.head.size,
            root: appended.head.root.0.to_vec(),
            log_id: appended.head.log_id,
        };
        Ok(response)
    }

    async fn do_list(
        &self,
        context: &Context,
        request: audit::ListRequest,
    ) -> Result<audit::ListResponse, Failure> {
        let page = context.within(self.0.list(context.identity(), filter(&request)?)).await??;
        Ok(audit::ListResponse {
            records: page.records.iter().map(kept).collect(),
            next_page_token: page.next.map(|index| index.to_string()).unwrap_or_default(),
        })
    }

    async fn do_verify(
        &self,
        context: &Context,
        request: audit::VerifyRequest,
    ) -> Result<audit::VerifyResponse, Failure> {
        let remembered = Remembered { checkpoint: Some(request.checkpoint), ..Remembered::default() };
        let verified = context.within(self.0.verify(context.identity(), remembered)).await??;
        Ok(verify_response(verified))
    }

    async fn do_prove(
        &self,
        context: &Context,
        request: audit::ProveRequest,
    ) -> Result<audit::ProveResponse, Failure> {
        let id = audit_id(&request.audit_id)?;
        let proof = context.within(self.0.prove(context.identity(), id)).await??;
        Ok(audit::ProveResponse {
            receipt: Some(receipt(&proof.receipt)),
            tree_size: proof.head.size,
            path: hashes(&proof.path),
            checkpoint: proof.head.note,
            entry: Line::Entry(proof.entry).to_json(),
            public_key: proof.head.key.to_string(),
        })
    }
}

/// The receipt of a proved record.
///
/// # Errors
/// `INTERNAL` if the reply is not what audit sends.
pub fn receipt_of(reply: &audit::ProveResponse) -> Result<assay_ledger::Receipt, Failure> {
    let wrong = |what: &str| Failure::internal(format!("audit sent {what} that cannot be read"));
    let Ok(Line::Entry(entry)) = Line::from_json(&reply.entry) else { return Err(wrong("an entry")) };
    let path: Option<Vec<Hash>> = reply.path.iter().map(|hash| Hash::from_hex(hash)).collect();
    Ok(assay_ledger::Receipt {
        receipt: RECEIPT_VERSION,
        key: reply.public_key.clone(),
        entry,
        path: path.ok_or_else(|| wrong("a path"))?,
        checkpoint: reply.checkpoint.clone(),
    })
}

/// What a verification found, as a message.
#[must_use]
pub fn verify_response(verified: Verified) -> audit::VerifyResponse {
    let found = verified.verification;
    audit::VerifyResponse {
        ok: found.holds(),
        leaves: found.entries,
        payloads_checked: found.payloads_verified,
        payloads_erased: found.payloads_erased,
        root_hash: found.root.to_string(),
        checkpoint: verified.note,
        findings: found.findings.iter().map(ToString::to_string).collect(),
        public_key: found.key,
        checkpoints_checked: found.checkpoints_verified,
        finding_count: found.finding_count,
        not_covered: found.not_covered,
    }
}

fn context<T>(request: &Request<T>) -> Result<Context, Status> {
    Context::from_request(request).map_err(|failure| to_status(&failure))
}

fn respond<T>(result: Result<T, Failure>) -> Result<Response<T>, Status> {
    result.map(Response::new).map_err(|failure| to_status(&failure))
}

#[tonic::async_trait]
impl AuditService for Grpc {
    async fn append(
        &self,
        request: Request<audit::AppendRequest>,
    ) -> Result<Response<audit::AppendResponse>, Status> {
        // The identity must be there; the deadline is not looked at, an append has its own budget.
        context(&request)?;
        respond(self.do_append(request.into_inner()).await)
    }

    async fn get(&self, request: Request<audit::GetRequest>) -> Result<Response<audit::GetResponse>, Status> {
        let context = context(&request)?;
        let result = async {
            let id = audit_id(&request.get_ref().audit_id)?;
            context.within(self.0.get(context.identity(), id)).await?
        };
        respond(result.await.map(|found| kept(&found)))
    }

    async fn list(
        &self,
        request: Request<audit::ListRequest>,
    ) -> Result<Response<audit::ListResponse>, Status> {
        let context = context(&request)?;
        respond(self.do_list(&context, request.into_inner()).await)
    }

    async fn verify(
        &self,
        request: Request<audit::VerifyRequest>,
    ) -> Result<Response<audit::VerifyResponse>, Status> {
        let context = context(&request)?;
        respond(self.do_verify(&context, request.into_inner()).await)
    }

    async fn prove(
        &self,
        request: Request<audit::ProveRequest>,
    ) -> Result<Response<audit::ProveResponse>, Status> {
        let context = context(&request)?;
        respond(self.do_prove(&context, request.into_inner()).await)
    }

    async fn checkpoint(
        &self,
        request: Request<audit::CheckpointRequest>,
    ) -> Result<Response<audit::CheckpointResponse>, Status> {
        let context = context(&request)?;
        let result = async { context.within(self.0.checkpoint(request.get_ref().old_size)).await? };
        respond(result.await.map(|(head, path)| audit::CheckpointResponse {
            checkpoint: head.note,
            tree_size: head.size,
            root_hash: head.root.to_string(),
            path: hashes(&path),
            public_key: head.key.to_string(),
        }))
    }

    type ExportStream = Pin<Box<dyn Stream<Item = Result<audit::ExportResponse, Status>> + Send>>;

    async fn export(
        &self,
        request: Request<audit::ExportRequest>,
    ) -> Result<Response<Self::ExportStream>, Status> {
        let context = context(&request)?;
        let lines = self.0.export(context.identity()).await.map_err(|failure| to_status(&failure))?;
        let lines = tokio_stream::wrappers::ReceiverStream::new(lines).map(|line| match line {
            Ok(line) => Ok(audit::ExportResponse { line }),
            Err(failure) => Err(to_status(&failure)),
        });
        Ok(Response::new(Box::pin(lines)))
    }
}
