//! The gRPC face: decode, call the service, encode.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::Pin;

use assay_domain::report::Verdict;
use assay_domain::{AuditId, Code, Failure, Record};
use assay_ledger::export::Line;
use assay_ledger::receipt::RECEIPT_VERSION;
use assay_ledger::record::Digests;
use assay_ledger::{Hash, Said, Salt};
use assay_proto::audit;
use assay_proto::audit::audit_service_server::AuditService;
use assay_rpc::{Context, clock, entropy};
use assay_wire::{FromWire as _, ToWire as _, required, to_status};
use futures::{Stream, StreamExt as _};
use tonic::{Request, Response, Status};

use crate::ports::{Filter, Kept, Noted, Receipt, Remembered, Selector, Verified, Waiting, WaitingFilter};
use crate::rates::{Rate, Rates};
use crate::reviews::Fresh;
use crate::service::Audit;
use crate::words::words;

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

/// Chance and time for a note.
fn fresh() -> Fresh {
    let now_unix_ms = clock::unix_ms();
    let mut random = [0; 10];
    random.copy_from_slice(&entropy::bytes32()[..10]);
    Fresh { id: AuditId::from_parts(now_unix_ms, random), salt: Salt(entropy::bytes32()), now_unix_ms }
}

fn note(noted: Noted) -> audit::Note {
    audit::Note {
        note_id: noted.note.id.to_string(),
        said: noted.note.said.as_str().to_owned(),
        claim: noted.note.claim,
        principal: noted.note.principal,
        reason: noted.note.reason,
        leaf_index: noted.leaf_index,
        stored_unix_ms: noted.stored_unix_ms,
    }
}

fn rate(name: impl ToString, rate: &Rate) -> audit::ReviewRate {
    let (low, high) = rate.interval().unzip();
    audit::ReviewRate {
        name: name.to_string(),
        confirmed: rate.confirmed,
        overturned: rate.overturned,
        needs_source: rate.needs_source,
        overturned_share: rate.overturned_share(),
        low,
        high,
    }
}

/// Why nobody can say what share of the wrong answers was doubted.
const NO_CATCH: &str = "it needs decided answers of both kinds, some of them wrong; audit.review_sample_pass queues a share of \
                        the answers that passed";

fn rates(rates: &Rates) -> audit::ReviewRatesResponse {
    fn each<N: ToString>(all: &BTreeMap<N, Rate>) -> Vec<audit::ReviewRate> {
        all.iter().map(|(name, of)| rate(name.to_string(), of)).collect()
    }
    audit::ReviewRatesResponse {
        doubted: Some(rate("doubted", &rates.doubted)),
        policies: each(&rates.policies),
        checks: each(&rates.checks),
        weeks: each(&rates.weeks),
        passed: Some(rate("passed", &rates.passed)),
        catch: rates.catch.map(|catch| catch.share),
        catch_low: rates.catch.map(|catch| catch.interval.0),
        catch_high: rates.catch.map(|catch| catch.interval.1),
        no_catch: if rates.catch.is_some() { String::new() } else { NO_CATCH.to_owned() },
    }
}

/// One of some things that can be said.
fn said(field: &str, name: &str, of: &[Said]) -> Result<Said, Failure> {
    Said::named(name).filter(|said| of.contains(said)).ok_or_else(|| {
        let names: Vec<&str> = of.iter().map(|said| said.as_str()).collect();
        let text = format!("{name:?} is none of {}", names.join(", "));
        Failure::new(Code::InvalidArgument, text).field(field)
    })
}

fn kept(kept: &Kept) -> audit::GetResponse {
    audit::GetResponse {
        notes: Vec::new(),
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

/// Most words of a search.
const MAX_WORDS: usize = 32;

/// The words of a search.
fn searched(text: &str) -> Result<BTreeSet<String>, Failure> {
    let found = words(text);
    let wrong = match found.len() {
        0 if !text.is_empty() => "the text has no letter and no digit",
        count if count > MAX_WORDS => "a search takes at most 32 words",
        _ => return Ok(found),
    };
    Err(Failure::new(Code::InvalidArgument, wrong).field("text"))
}

/// Tells filters apart, so that a page token belongs to one.
fn fingerprint(filter: &Filter) -> String {
    let Filter { outcome, verdicts, query_type, session, principal, words, .. } = filter;
    let Filter { from_unix_ms, until_unix_ms, awaiting_review, before: _, limit: _, .. } = filter;
    let all = (outcome, verdicts, query_type, session, principal, words);
    let text = format!("{:?}", (all, from_unix_ms, until_unix_ms, awaiting_review));
    Hash::of(&[text.as_bytes()]).to_string().chars().take(12).collect()
}

/// The leaf that a page of a filter follows.
fn page_of(filter: &Filter, token: &str) -> Result<Option<u64>, Failure> {
    let (index, of) = token.split_once('-').unwrap_or((token, ""));
    if token.is_empty() || of == fingerprint(filter) {
        return page(index);
    }
    let text = "the page token is of a list with other filters; begin without one";
    Err(Failure::new(Code::InvalidArgument, text).field("page_token"))
}

/// The leaf that a page follows.
fn page(token: &str) -> Result<Option<u64>, Failure> {
    if token.is_empty() {
        return Ok(None);
    }
    token.parse().map(Some).map_err(|_| {
        Failure::new(Code::InvalidArgument, "the page token is not one that a list returned")
            .field("page_token")
    })
}

fn page_size(wanted: u32) -> usize {
    match usize::try_from(wanted).unwrap_or(MAX_PAGE_SIZE) {
        0 => PAGE_SIZE,
        size => size.min(MAX_PAGE_SIZE),
    }
}

fn selector(request: audit::EraseRequest) -> Result<Selector, Failure> {
    use audit::erase_request::What;
    let filled = |field: &str, text: String| {
        if text.is_empty() { Err(assay_wire::missing(field)) } else { Ok(text) }
    };
    match request.what {
        Some(What::Principal(principal)) => Ok(Selector::Principal(filled("principal", principal)?)),
        Some(What::SessionId(session)) => Ok(Selector::Session(filled("session_id", session)?)),
        Some(What::AuditId(id)) => Ok(Selector::Record(audit_id(&id)?)),
        None => Err(assay_wire::missing("what")),
    }
}

fn filter(request: &audit::ListRequest) -> Result<Filter, Failure> {
    let field = |name: &'static str| move |failure| assay_wire::inside(name, failure);
    let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let mut verdicts = Vec::new();
    for verdict in std::iter::once(&request.verdict).chain(&request.verdicts) {
        verdicts.extend(Option::<Verdict>::from_wire(*verdict).map_err(field("verdict"))?);
    }
    verdicts.sort_unstable();
    verdicts.dedup();
    let filter = Filter {
        outcome: Option::from_wire(request.outcome).map_err(field("outcome"))?,
        verdicts,
        query_type: Option::from_wire(request.query_type).map_err(field("query_type"))?,
        session: given(&request.session_id),
        principal: given(&request.principal),
        words: searched(&request.text)?,
        from_unix_ms: Some(request.from_unix_ms).filter(|ms| *ms > 0),
        until_unix_ms: Some(request.until_unix_ms).filter(|ms| *ms > 0),
        awaiting_review: request.awaiting_review,
        before: None,
        limit: page_size(request.page_size),
    };
    Ok(Filter { before: page_of(&filter, &request.page_token)?, ..filter })
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
        let filter = filter(&request)?;
        let of = fingerprint(&filter);
        let page = context.within(self.0.list(context.identity(), filter, fresh())).await??;
        Ok(audit::ListResponse {
            records: page.records.iter().map(kept).collect(),
            next_page_token: page.next.map(|index| format!("{index}-{of}")).unwrap_or_default(),
        })
    }

    async fn do_list_reviews(
        &self,
        context: &Context,
        request: audit::ListReviewsRequest,
    ) -> Result<audit::ListReviewsResponse, Failure> {
        let filter = WaitingFilter {
            after: page(&request.page_token)?,
            verdict: Option::from_wire(request.verdict)
                .map_err(|failure| assay_wire::inside("verdict", failure))?,
            free: request.free,
            limit: page_size(request.page_size),
        };
        let (waiting, next) = context.within(self.0.waiting(context.identity(), filter, fresh())).await??;
        let record = |one: &Waiting| audit::WaitingRecord {
            record: Some(kept(&one.kept)),
            one_in: one.one_in,
            claimed_by: one.held.as_ref().map(|held| held.by.clone()).unwrap_or_default(),
            claimed_unix_ms: one.held.as_ref().map_or(0, |held| held.since_unix_ms),
        };
        Ok(audit::ListReviewsResponse {
            records: waiting.iter().map(record).collect(),
            next_page_token: next.map(|index| index.to_string()).unwrap_or_default(),
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
        let proof = context.within(self.0.prove(context.identity(), id, fresh())).await??;
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
            let found = context.within(self.0.get(context.identity(), id, fresh())).await??;
            let notes = context.within(self.0.noted(&found)).await??;
            Ok(audit::GetResponse { notes: notes.into_iter().map(note).collect(), ..kept(&found) })
        };
        respond(result.await)
    }

    async fn list_reviews(
        &self,
        request: Request<audit::ListReviewsRequest>,
    ) -> Result<Response<audit::ListReviewsResponse>, Status> {
        let context = context(&request)?;
        respond(self.do_list_reviews(&context, request.into_inner()).await)
    }

    async fn claim_review(
        &self,
        request: Request<audit::ClaimReviewRequest>,
    ) -> Result<Response<audit::ClaimReviewResponse>, Status> {
        let context = context(&request)?;
        let request = request.into_inner();
        let result = async {
            let id = audit_id(&request.audit_id)?;
            let claim = self.0.claim(context.identity(), id, request.release, clock::unix_ms());
            context.within(claim).await?
        };
        respond(result.await.map(|()| audit::ClaimReviewResponse {}))
    }

    async fn decide_review(
        &self,
        request: Request<audit::DecideReviewRequest>,
    ) -> Result<Response<audit::DecideReviewResponse>, Status> {
        let context = context(&request)?;
        let request = request.into_inner();
        let result = async {
            let id = audit_id(&request.audit_id)?;
            let decisions = [Said::Confirm, Said::Overturn, Said::NeedsSource];
            let said = said("decision", &request.decision, &decisions)?;
            let decide = self.0.say(context.identity(), id, said, None, &request.reason, fresh());
            context.within(decide).await?
        };
        respond(result.await.map(|stored| audit::DecideReviewResponse { receipt: Some(receipt(&stored)) }))
    }

    async fn give_feedback(
        &self,
        request: Request<audit::GiveFeedbackRequest>,
    ) -> Result<Response<audit::GiveFeedbackResponse>, Status> {
        let context = context(&request)?;
        let request = request.into_inner();
        let result = async {
            let id = audit_id(&request.audit_id)?;
            let said = said("rating", &request.rating, &[Said::Right, Said::Wrong])?;
            let say = self.0.say(context.identity(), id, said, request.claim, &request.reason, fresh());
            context.within(say).await?
        };
        respond(result.await.map(|stored| audit::GiveFeedbackResponse { receipt: Some(receipt(&stored)) }))
    }

    async fn review_rates(
        &self,
        request: Request<audit::ReviewRatesRequest>,
    ) -> Result<Response<audit::ReviewRatesResponse>, Status> {
        let context = context(&request)?;
        let audit::ReviewRatesRequest { from_unix_ms, until_unix_ms } = request.into_inner();
        let until = if until_unix_ms == 0 { u64::MAX } else { until_unix_ms };
        let result = async { context.within(self.0.rates(context.identity(), from_unix_ms, until)).await? };
        respond(result.await.map(|found| rates(&found)))
    }

    async fn erase(
        &self,
        request: Request<audit::EraseRequest>,
    ) -> Result<Response<audit::EraseResponse>, Status> {
        let context = context(&request)?;
        let result = async {
            let what = selector(request.into_inner())?;
            context.within(self.0.erase(context.identity(), what, clock::unix_ms())).await?
        };
        respond(
            result
                .await
                .map(|erased| audit::EraseResponse { payloads: erased.payloads, backups: erased.backups }),
        )
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
        let lines =
            self.0.export(context.identity(), fresh()).await.map_err(|failure| to_status(&failure))?;
        let lines = tokio_stream::wrappers::ReceiverStream::new(lines).map(|line| match line {
            Ok(line) => Ok(audit::ExportResponse { line }),
            Err(failure) => Err(to_status(&failure)),
        });
        Ok(Response::new(Box::pin(lines)))
    }
}
