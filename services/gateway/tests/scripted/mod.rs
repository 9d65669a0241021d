//! A gateway on a real socket whose peers play scripts, and a client that says exactly what a test wants to say.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use assay_domain::answer::{EventBody, Grounding, Layer, Outcome, Rejection, Timing, TokenUsage};
use assay_domain::code::ParsedBlock;
use assay_domain::evidence::{LegRank, LineRange, SourceKind};
use assay_domain::report::{
    Check, CheckName, CheckStatus, Citation, CitationOrigin, Claim, ClaimKind, ClaimStatus, Defect,
    DefectKind, Evidence, Finding, Report, Resolution, Span, Verdict,
};
use assay_domain::{
    Answer, AnswerEvent, AuditId, AuditState, Block, BlockStatus, Code, CodeStatus, Failure, Generator, Hit,
    Identity, QueryType, Route, Source, ValidationStatus,
};
use assay_gateway::{Gateway, Options, Serving, compose};
use assay_proto::audit::audit_service_server::{AuditService, AuditServiceServer};
use assay_proto::evaluation::evaluation_service_server::{EvaluationService, EvaluationServiceServer};
use assay_proto::parser::parser_service_server::{ParserService, ParserServiceServer};
use assay_proto::retrieval::retrieval_service_server::{RetrievalService, RetrievalServiceServer};
use assay_proto::router::router_service_server::{RouterService, RouterServiceServer};
use assay_proto::validation::validation_service_server::{ValidationService, ValidationServiceServer};
use assay_proto::{audit, evaluation, parser, retrieval, router, validation};
use assay_rpc::{Context, Limits, Peers, Running, Service, ServiceSpec};
use assay_wire::{ToWire as _, WireEnum as _, to_status};
use async_trait::async_trait;
use futures::{Stream, StreamExt as _, stream};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tonic::{Request, Response, Status};

/// Log lines of this process, as JSON.
#[derive(Clone, Default)]
pub(crate) struct Lines(Arc<Mutex<Vec<u8>>>);

impl Lines {
    /// Hears every line that the filter lets through; once a process.
    pub(crate) fn hear(filter: &str) -> Self {
        let lines = Self::default();
        let writer = lines.clone();
        let subscriber = tracing_subscriber::fmt()
            .json()
            .flatten_event(true)
            .with_env_filter(filter)
            .with_writer(move || writer.clone());
        tracing::subscriber::set_global_default(subscriber.finish()).unwrap();
        lines
    }

    pub(crate) fn all(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    pub(crate) fn clear(&self) {
        self.0.lock().unwrap().clear();
    }
}

impl std::io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

pub(crate) const AUDIT_ID: &str = "01a0c3dc-8e7b-7909-8909-090909090909";
/// Record of an answer to the local user, in the session `s-1`.
pub(crate) const OWN_ID: &str = "01a0c3dc-8e7b-7909-8909-0b0b0b0b0b0b";
/// The same of somebody else.
pub(crate) const OTHERS_ID: &str = "01a0c3dc-8e7b-7909-8909-0c0c0c0c0c0c";
/// Record of a refused question.
pub(crate) const REFUSED_ID: &str = "01a0c3dc-8e7b-7909-8909-0a0a0a0a0a0a";

fn audit_id() -> AuditId {
    AuditId::parse(AUDIT_ID).unwrap()
}

pub(crate) fn hit() -> Hit {
    Hit {
        source: Source {
            path: "avap/request-parameters.md".into(),
            lines: LineRange::new(12, 31),
            title: "Request parameters".into(),
            sha256: "ab".repeat(32),
            ..Source::given(
                "avap/request-parameters.md#1",
                SourceKind::Doc,
                "`addParam` reads a parameter.",
                12,
            )
        },
        score: 0.03,
        bm25: Some(LegRank { rank: 1, score: 9.5 }),
        knn: None,
    }
}

pub(crate) fn report() -> Report {
    let span = Span { byte_start: 3, byte_end: 9, ..Span::default() };
    Report {
        verdict: Verdict::Pass,
        support: Some(f64::NAN),
        checks: vec![Check {
            name: CheckName::CitationSyntax,
            status: CheckStatus::Passed,
            reason: String::new(),
            required: true,
        }],
        claims: vec![Claim {
            text: "Use addParam.".into(),
            span,
            kind: ClaimKind::Factual,
            status: ClaimStatus::Supported,
            support: Some(0.9),
            citations: vec![0],
            evidence: vec![Evidence { source: 1, lines: LineRange::new(12, 12), text: "reads".into() }],
            reason: String::new(),
            decided_by: "trees".into(),
        }],
        citations: vec![Citation {
            marker: 1,
            text: "[^1]".into(),
            span,
            lines: None,
            in_range: true,
            claim: Some(0),
            origin: CitationOrigin::Written,
            resolution: Resolution::Exact,
        }],
        defects: vec![Defect { kind: DefectKind::Malformed, span, detail: "x".into() }],
        blocks: vec![],
        context_relevance: Some(0.8),
        errors: vec![],
        warnings: vec![],
        text: "Use `addParam`. [^1]".into(),
        partial_response: String::new(),
        retry_prompt: String::new(),
        suggestion: String::new(),
        models: Vec::new(),
    }
}

fn route() -> Route {
    Route {
        query_type: QueryType::Retrieval,
        layer: Layer::Rules,
        probability: 1.0,
        accepted: true,
        reason: "RC".into(),
    }
}

pub(crate) fn answer() -> Answer {
    Answer {
        audit_id: audit_id(),
        outcome: Outcome::Answered,
        text: "Use `addParam`. [^1]".into(),
        route: route(),
        sources: vec![hit()],
        report: Some(report()),
        verdict: Some(Verdict::Pass),
        validation_status: ValidationStatus::None,
        code_status: CodeStatus::NotApplicable,
        context_relevant: Some(true),
        attempts: 1,
        audit: AuditState::Stored,
        timing: Timing { total_ms: 12.0, ..Timing::default() },
        generator: Some(Generator::Extractive),
        model: "extractive/1".into(),
        grounding: Grounding::Documentation,
        index_manifest: "m".into(),
        warnings: vec![],
        rejection: None,
        failure: None,
        usage: Some(TokenUsage { prompt_tokens: 812, completion_tokens: 64 }),
        examples: 0,
    }
}

fn rejected() -> Answer {
    Answer {
        outcome: Outcome::Rejected,
        text: String::new(),
        verdict: Some(Verdict::Reject),
        rejection: Some(Rejection {
            reason: "nothing supports it".into(),
            suggestion: "ask again".into(),
            partial_response: "What stands. [^1]".into(),
            searched: vec!["avap/request-parameters.md".into()],
            errors: vec![Finding {
                kind: "claim_support".into(),
                detail: "no source says it".into(),
                span: None,
            }],
            warnings: vec![Finding {
                kind: "identifiers".into(),
                detail: "unknown".into(),
                span: Some(Span { byte_start: 3, byte_end: 9, ..Span::default() }),
            }],
        }),
        ..answer()
    }
}

/// An answer whose code the parser rejected.
fn code() -> Answer {
    let text = "Here it is:\n\n```avap\naddVar(x, 1)\n```\n\nAnd in Python:\n\n```python\nx = 1\n```\n";
    let parsed = |index, language: &str, code: &str| ParsedBlock {
        block: Block {
            index,
            language: language.into(),
            declared: true,
            code: code.into(),
            byte_start: 0,
            byte_end: 0,
            first_line: 4,
        },
        status: BlockStatus::Invalid,
        diagnostics: vec![],
    };
    // One block that the checks saw was not delivered.
    let blocks = vec![
        parsed(0, "avap", "gone()\n"),
        parsed(1, "avap", "addVar(x, 1)\n"),
        parsed(2, "python", "x = 1\n"),
    ];
    Answer {
        text: text.into(),
        verdict: Some(Verdict::Review),
        validation_status: ValidationStatus::InvalidUnresolved,
        code_status: CodeStatus::Invalid,
        report: Some(Report { blocks, text: text.into(), ..report() }),
        ..answer()
    }
}

/// A call that reached a peer: on whose behalf, and under which request id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) identity: Identity,
    pub(crate) request_id: Option<String>,
}

/// A record of requests that were refused before they were asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused {
    pub(crate) principal: String,
    pub(crate) code: String,
    pub(crate) query: String,
    pub(crate) count: u32,
}

/// What the script has seen.
#[derive(Default)]
struct Seen {
    asked: AtomicUsize,
    calls: Mutex<Vec<Call>>,
    questions: Mutex<Vec<(assay_proto::common::Question, Option<i32>)>>,
    refused: Mutex<Vec<Refused>>,
    recorded: Mutex<Vec<router::RecordCheckRequest>>,
    hanging: Notify,
    cancelled: Notify,
    gate: Arc<Notify>,
}

impl Seen {
    fn hear<T>(&self, request: &Request<T>) {
        let context = Context::from_request(request).unwrap();
        let request_id = context.request_id().map(str::to_owned);
        self.calls.lock().unwrap().push(Call { identity: context.identity().clone(), request_id });
    }
}

/// Tells that its work was dropped before its end.
struct Guard(Arc<Seen>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.cancelled.notify_one();
    }
}

#[derive(Clone)]
struct Router(Arc<Seen>);

type Events = Pin<Box<dyn Stream<Item = Result<router::AskStreamResponse, Status>> + Send>>;

fn event(sequence: u64, attempt: u32, body: EventBody) -> Result<router::AskStreamResponse, Status> {
    Ok(AnswerEvent { sequence, attempt, body }.to_wire())
}

fn failure() -> Status {
    to_status(&Failure::new(Code::SearchUnavailable, "no leg answers").field("index"))
}

#[async_trait]
impl RouterService for Router {
    async fn ask(
        &self,
        request: Request<router::AskRequest>,
    ) -> Result<Response<router::AskResponse>, Status> {
        self.0.asked.fetch_add(1, Ordering::SeqCst);
        self.0.hear(&request);
        let question = request.into_inner().question.unwrap();
        self.0.questions.lock().unwrap().push((question.clone(), None));
        let reply = match question.text.as_str() {
            "reject" => rejected(),
            "fail" => return Err(failure()),
            "code" => code(),
            "fail with a record" => {
                let mut status = failure();
                status.metadata_mut().insert("assay-audit-id", AUDIT_ID.parse().unwrap());
                return Err(status);
            }
            "settled failure" => Answer {
                outcome: Outcome::Failed,
                failure: Some(Failure::new(Code::DeadlineExceeded, "late")),
                ..answer()
            },
            "hang" => {
                let _guard = Guard(Arc::clone(&self.0));
                self.0.hanging.notify_one();
                std::future::pending().await
            }
            "gate" => {
                self.0.hanging.notify_one();
                self.0.gate.notified().await;
                answer()
            }
            _ => answer(),
        };
        Ok(Response::new(router::AskResponse { answer: Some(reply.to_wire()) }))
    }

    type AskStreamStream = Events;

    async fn ask_stream(
        &self,
        request: Request<router::AskStreamRequest>,
    ) -> Result<Response<Events>, Status> {
        self.0.asked.fetch_add(1, Ordering::SeqCst);
        self.0.hear(&request);
        let routed = event(0, 0, EventBody::Routed { route: route(), audit_id: audit_id() });
        let settled = |sequence, answer| event(sequence, 1, EventBody::Settled(Box::new(answer)));
        let router::AskStreamRequest { question, delivery } = request.into_inner();
        let question = question.unwrap();
        self.0.questions.lock().unwrap().push((question.clone(), Some(delivery)));
        let events: Events = match question.text.as_str() {
            "fail" => return Err(failure()),
            "reject" => stream::iter([routed, settled(1, rejected())]).boxed(),
            "code" => stream::iter([routed, settled(1, code())]).boxed(),
            "break off" => stream::iter([routed]).boxed(),
            "hang" => {
                let guard = Guard(Arc::clone(&self.0));
                let seen = Arc::clone(&self.0);
                let forever = stream::once(async move {
                    let _guard = guard;
                    seen.hanging.notify_one();
                    std::future::pending().await
                });
                stream::iter([routed]).chain(forever).boxed()
            }
            "gate" => {
                let seen = Arc::clone(&self.0);
                let end = stream::once(async move {
                    seen.hanging.notify_one();
                    seen.gate.notified().await;
                    settled(1, answer())
                });
                stream::iter([routed]).chain(end).boxed()
            }
            "flood" => {
                let guard = Guard(Arc::clone(&self.0));
                let more = stream::unfold((guard, 1), |(guard, sequence)| async move {
                    let text = "x".repeat(64 * 1024);
                    Some((event(sequence, 1, EventBody::Segment(text)), (guard, sequence + 1)))
                });
                stream::iter([routed]).chain(more).boxed()
            }
            _ => stream::iter([
                routed,
                event(1, 0, EventBody::Sources(vec![hit()])),
                event(2, 1, EventBody::Segment("Wrong.\r\n\"quoted\" ñ [^9]".into())),
                event(3, 1, EventBody::Retracted),
                event(4, 2, EventBody::Segment("Use `addParam`. [^1]".into())),
                settled(5, answer()),
            ])
            .boxed(),
        };
        Ok(Response::new(events))
    }

    async fn explain(
        &self,
        _: Request<router::ExplainRequest>,
    ) -> Result<Response<router::ExplainResponse>, Status> {
        Err(Status::unimplemented("script"))
    }

    async fn classify(
        &self,
        _: Request<router::ClassifyRequest>,
    ) -> Result<Response<router::ClassifyResponse>, Status> {
        Err(Status::unimplemented("script"))
    }

    async fn describe(
        &self,
        _: Request<router::DescribeRequest>,
    ) -> Result<Response<router::DescribeResponse>, Status> {
        Err(Status::unimplemented("not scripted"))
    }

    async fn forget(
        &self,
        request: Request<router::ForgetRequest>,
    ) -> Result<Response<router::ForgetResponse>, Status> {
        let whose = request.into_inner().whose;
        assert_eq!(whose, Some(router::forget_request::Whose::Principal("ada".into())));
        let erased = [("sessions".to_owned(), 1)].into();
        Ok(Response::new(router::ForgetResponse {
            payloads: 3,
            erased,
            undelivered: 0,
            backups: vec!["audit.sqlite3.v3.backup".into()],
        }))
    }

    async fn record_check(
        &self,
        request: Request<router::RecordCheckRequest>,
    ) -> Result<Response<router::RecordCheckResponse>, Status> {
        self.0.recorded.lock().unwrap().push(request.into_inner());
        Ok(Response::new(router::RecordCheckResponse {
            audit_id: AUDIT_ID.into(),
            audit: AuditState::Stored.to_wire(),
        }))
    }

    async fn refuse(
        &self,
        request: Request<router::RefuseRequest>,
    ) -> Result<Response<router::RefuseResponse>, Status> {
        let principal = Context::from_request(&request).unwrap().identity().principal.clone();
        let router::RefuseRequest { code, detail, query, count } = request.into_inner();
        assert!(!detail.is_empty(), "a record says why");
        self.0.refused.lock().unwrap().push(Refused { principal, code, query, count });
        Ok(Response::new(router::RefuseResponse { audit_id: REFUSED_ID.into() }))
    }
}

struct Audit(Arc<Seen>);

fn record() -> audit::GetResponse {
    let record = audit::Record {
        audit_id: AUDIT_ID.into(),
        unix_ms: 1_790_000_000_123,
        outcome: Outcome::Answered.number(),
        ..Default::default()
    };
    let receipt = audit::Receipt { leaf_index: 4, leaf_hash: "ff".into(), stored_unix_ms: 1_790_000_000_200 };
    audit::GetResponse { record: Some(record), receipt: Some(receipt), ..Default::default() }
}

/// Methods that no test of the gateway reaches.
macro_rules! unscripted {
    ($($method:ident($request:ty) -> $response:ty;)+) => {$(
        // Written out because the attribute of the trait does not look into macros.
        fn $method<'life0, 'async_trait>(
            &'life0 self,
            _: Request<$request>,
        ) -> Pin<Box<dyn Future<Output = Result<Response<$response>, Status>> + Send + 'async_trait>>
        where
            'life0: 'async_trait,
            Self: 'async_trait,
        {
            Box::pin(async { Err(Status::unimplemented("not scripted")) })
        }
    )+};
}

type Nothing<T> = stream::Empty<Result<T, Status>>;

#[tonic::async_trait]
impl AuditService for Audit {
    async fn get(&self, request: Request<audit::GetRequest>) -> Result<Response<audit::GetResponse>, Status> {
        self.0.hear(&request);
        let principal = match request.into_inner().audit_id.as_str() {
            AUDIT_ID => return Ok(Response::new(record())),
            OWN_ID => "local",
            OTHERS_ID => "eve",
            other => panic!("{other}"),
        };
        let mut found = record();
        let kept = found.record.as_mut().unwrap();
        (kept.principal, kept.session_id) = (principal.into(), "s-1".into());
        Ok(Response::new(found))
    }

    async fn list(
        &self,
        request: Request<audit::ListRequest>,
    ) -> Result<Response<audit::ListResponse>, Status> {
        self.0.hear(&request);
        let wanted = request.into_inner();
        let mut found = record();
        found.record.as_mut().unwrap().query = format!(
            "{} {} {} {:?} {:?} {} {} {} {}",
            wanted.page_size,
            Outcome::known(wanted.outcome).map_or("", Outcome::as_str),
            wanted
                .verdicts
                .iter()
                .map(|verdict| Verdict::known(*verdict).unwrap().as_str())
                .collect::<Vec<_>>()
                .join("+"),
            QueryType::known(wanted.query_type),
            wanted.session_id,
            wanted.principal,
            wanted.from_unix_ms,
            wanted.until_unix_ms,
            wanted.text
        );
        Ok(Response::new(audit::ListResponse { records: vec![found], next_page_token: "next".into() }))
    }

    async fn list_reviews(
        &self,
        request: Request<audit::ListReviewsRequest>,
    ) -> Result<Response<audit::ListReviewsResponse>, Status> {
        self.0.hear(&request);
        assert!(request.into_inner().free);
        let waiting = audit::WaitingRecord {
            record: Some(record()),
            one_in: 2,
            claimed_by: "ann".into(),
            claimed_unix_ms: 1_790_000_000_300,
        };
        Ok(Response::new(audit::ListReviewsResponse {
            records: vec![waiting],
            next_page_token: String::new(),
        }))
    }

    /// `ann` has claimed the record.
    async fn claim_review(
        &self,
        request: Request<audit::ClaimReviewRequest>,
    ) -> Result<Response<audit::ClaimReviewResponse>, Status> {
        self.0.hear(&request);
        if request.into_inner().release {
            return Ok(Response::new(audit::ClaimReviewResponse {}));
        }
        Err(to_status(&Failure::new(Code::RequestConflict, "ann has claimed it").field("audit_id")))
    }

    async fn decide_review(
        &self,
        request: Request<audit::DecideReviewRequest>,
    ) -> Result<Response<audit::DecideReviewResponse>, Status> {
        self.0.hear(&request);
        let wanted = request.into_inner();
        assert_eq!((wanted.decision.as_str(), wanted.reason.as_str()), ("OVERTURN", "it is right"));
        Ok(Response::new(audit::DecideReviewResponse { receipt: record().receipt }))
    }

    async fn review_rates(
        &self,
        _: Request<audit::ReviewRatesRequest>,
    ) -> Result<Response<audit::ReviewRatesResponse>, Status> {
        let rate = |name: &str| audit::ReviewRate {
            name: name.into(),
            confirmed: 1,
            overturned: 1,
            overturned_share: Some(0.5),
            low: Some(0.1),
            high: Some(0.9),
            ..Default::default()
        };
        Ok(Response::new(audit::ReviewRatesResponse {
            doubted: Some(rate("doubted")),
            weeks: vec![rate("1789689600000")],
            no_catch: "nobody looked".into(),
            catch_low: None,
            catch_high: None,
            ..Default::default()
        }))
    }

    async fn give_feedback(
        &self,
        request: Request<audit::GiveFeedbackRequest>,
    ) -> Result<Response<audit::GiveFeedbackResponse>, Status> {
        self.0.hear(&request);
        let wanted = request.into_inner();
        assert_eq!((wanted.rating.as_str(), wanted.claim), ("WRONG", Some(1)));
        Ok(Response::new(audit::GiveFeedbackResponse { receipt: record().receipt }))
    }

    async fn prove(
        &self,
        request: Request<audit::ProveRequest>,
    ) -> Result<Response<audit::ProveResponse>, Status> {
        assert_eq!(request.into_inner().audit_id, AUDIT_ID);
        Ok(Response::new(audit::ProveResponse {
            entry: r#"{"kind": "entry", "index": 4, "sealed": {"salt": "00", "payload": "{}"}}"#.into(),
            path: vec!["aa".into()],
            checkpoint: "note".into(),
            public_key: "log+00+key".into(),
            ..Default::default()
        }))
    }

    async fn verify(
        &self,
        _: Request<audit::VerifyRequest>,
    ) -> Result<Response<audit::VerifyResponse>, Status> {
        let findings = vec!["leaf 4 was changed".to_owned()];
        Ok(Response::new(audit::VerifyResponse {
            leaves: 5,
            findings,
            finding_count: 1,
            ..Default::default()
        }))
    }

    type ExportStream = Nothing<audit::ExportResponse>;
    unscripted! {
        append(audit::AppendRequest) -> audit::AppendResponse;
        checkpoint(audit::CheckpointRequest) -> audit::CheckpointResponse;
        erase(audit::EraseRequest) -> audit::EraseResponse;
        export(audit::ExportRequest) -> Self::ExportStream;
    }
}

struct Retrieval(Arc<Seen>);

/// Reports one answer to a golden set that names it.
struct Evaluation;

#[tonic::async_trait]
impl EvaluationService for Evaluation {
    type EvaluateRAGStream =
        Pin<Box<dyn Stream<Item = Result<evaluation::EvaluateRagResponse, Status>> + Send>>;

    async fn evaluate_rag(
        &self,
        request: Request<evaluation::EvaluateRagRequest>,
    ) -> Result<Response<Self::EvaluateRAGStream>, Status> {
        use evaluation::evaluate_rag_response::Part;
        let wanted = request.into_inner();
        assert_eq!(
            (wanted.golden_jsonl.as_str(), wanted.collection.as_str(), wanted.repetitions),
            (GOLDEN, "guide", 2)
        );
        let figures = r#"{"faithfulness": {"value": 0.5}, "context_recall": {"value": null}}"#;
        let report = evaluation::EvaluationReport {
            missing_for_binding: vec!["seed".into()],
            report_json: format!(r#"{{"standing": "NON_BINDING", "answers": 2, "figures": {figures}}}"#),
        };
        let parts = [Part::ManifestJson("{}".into()), Part::Report(report)];
        let messages = parts.map(|part| Ok(evaluation::EvaluateRagResponse { part: Some(part) }));
        Ok(Response::new(Box::pin(futures::stream::iter(messages))))
    }

    async fn score(
        &self,
        _: Request<evaluation::ScoreRequest>,
    ) -> Result<Response<evaluation::ScoreResponse>, Status> {
        Err(Status::unimplemented("not scripted"))
    }
}

/// Says of every answer what [`report`] says, of "late" nothing in time, and that no policy is called "soft".
struct Validation;

#[tonic::async_trait]
impl ValidationService for Validation {
    type CheckStream = Pin<Box<dyn Stream<Item = Result<validation::CheckResponse, Status>> + Send>>;

    async fn check(
        &self,
        request: Request<tonic::Streaming<validation::CheckRequest>>,
    ) -> Result<Response<Self::CheckStream>, Status> {
        use validation::{check_request, check_response};
        let mut messages = request.into_inner();
        let mut found = report();
        while let Some(message) = messages.message().await? {
            match message.part {
                Some(check_request::Part::Open(open)) => {
                    assert!(open.sources_only, "the index of this server is not asked");
                    if open.policy == "soft" {
                        let failure = Failure::new(Code::InvalidArgument, "no such policy").field("policy");
                        return Err(to_status(&failure));
                    }
                    let source = open.sources.first().map_or(String::new(), |source| source.id.clone());
                    found.suggestion = format!("{source} {}", open.citations_optional);
                }
                Some(check_request::Part::Text(text)) if text == "late" => std::future::pending().await,
                Some(check_request::Part::Text(text)) => found.claims[0].text = text,
                _ => {}
            }
        }
        found.claims[0].reason = std::mem::take(&mut found.suggestion);
        let done = validation::CheckDone { report: Some(found.to_wire()), ..Default::default() };
        let part = check_response::Part::Done(done);
        let messages = [Ok(validation::CheckResponse { part: Some(part) })];
        Ok(Response::new(Box::pin(stream::iter(messages))))
    }

    unscripted! {
        assess_relevance(validation::AssessRelevanceRequest) -> validation::AssessRelevanceResponse;
    }
}

/// Knows AVAP alone, and calls every program valid.
struct Parser;

#[tonic::async_trait]
impl ParserService for Parser {
    async fn parse(
        &self,
        request: Request<parser::ParseRequest>,
    ) -> Result<Response<parser::ParseResponse>, Status> {
        use assay_proto::common::BlockState;
        let state = |program: parser::Program| {
            let known = program.language == "avap";
            let state = if known { BlockState::Valid } else { BlockState::NoGrammar };
            parser::ParsedProgram { state: state.into(), diagnostics: Vec::new() }
        };
        let programs = request.into_inner().programs.into_iter().map(state).collect();
        let response = parser::ParseResponse { programs, version: "1".into(), grammar_hash: "ff".into() };
        Ok(Response::new(response))
    }

    unscripted! {
        parse_answer(parser::ParseAnswerRequest) -> parser::ParseAnswerResponse;
        describe(parser::DescribeRequest) -> parser::DescribeResponse;
    }
}

/// The golden set of the script.
pub(crate) const GOLDEN: &str = r#"{"id": "a", "question": "What is a queue?"}"#;

#[tonic::async_trait]
impl RetrievalService for Retrieval {
    async fn search(
        &self,
        request: Request<retrieval::SearchRequest>,
    ) -> Result<Response<retrieval::SearchResponse>, Status> {
        self.0.hear(&request);
        let wanted = request.into_inner();
        assert_eq!((wanted.limit, wanted.mode), (3, retrieval::SearchMode::Bm25Only as i32));
        Ok(Response::new(retrieval::SearchResponse {
            hits: vec![hit().to_wire()],
            degraded: vec!["knn".into()],
            ..Default::default()
        }))
    }

    async fn list_collections(
        &self,
        request: Request<retrieval::ListCollectionsRequest>,
    ) -> Result<Response<retrieval::ListCollectionsResponse>, Status> {
        self.0.hear(&request);
        let manifest = retrieval::Manifest { collection: "default".into(), files: 25, ..Default::default() };
        Ok(Response::new(retrieval::ListCollectionsResponse { collections: vec![manifest] }))
    }

    /// The lines that were asked for, as if each said its number.
    async fn read_lines(
        &self,
        request: Request<retrieval::ReadLinesRequest>,
    ) -> Result<Response<retrieval::ReadLinesResponse>, Status> {
        let wanted = request.into_inner();
        let lines = wanted.lines.unwrap_or_default();
        let last = lines.last.min(40);
        let text = (lines.first..=last).map(|line| format!("line {line}\n")).collect();
        Ok(Response::new(retrieval::ReadLinesResponse {
            lines: Some(assay_proto::common::LineRange { first: lines.first, last }),
            text,
            line_count: 40,
            sha256: wanted.path,
            index_manifest: wanted.collection,
            blocks: vec![retrieval::ReadBlock {
                kind: "heading".into(),
                lines: Some(assay_proto::common::LineRange { first: lines.first, last: lines.first }),
                text: "Line".into(),
                level: 1,
                label: String::new(),
            }],
        }))
    }

    /// More findings than are told, the first of them in a document called like the collection.
    async fn lint_collection(
        &self,
        request: Request<retrieval::LintCollectionRequest>,
    ) -> Result<Response<retrieval::LintCollectionResponse>, Status> {
        let finding = retrieval::LintFinding {
            rule: "dead-anchor".into(),
            path: request.into_inner().collection,
            first_line: 3,
            last_line: 4,
            message: "`#x`: no such anchor".into(),
        };
        Ok(Response::new(retrieval::LintCollectionResponse {
            findings: vec![finding],
            total: 1200,
            files: 2,
        }))
    }

    /// A vector of two components for each text.
    async fn embed(
        &self,
        request: Request<retrieval::EmbedRequest>,
    ) -> Result<Response<retrieval::EmbedResponse>, Status> {
        let texts = request.into_inner().texts;
        let vectors = texts.iter().map(|_| retrieval::Vector { values: vec![0.5, -1.0] }).collect();
        Ok(Response::new(retrieval::EmbedResponse { vectors, embedding_model: "m".into(), hashed: true }))
    }

    type IngestStream = Nothing<retrieval::IngestResponse>;
    type DescribeCollectionStream =
        Pin<Box<dyn Stream<Item = Result<retrieval::DescribeCollectionResponse, Status>> + Send>>;

    /// A manifest, then two documents in a message each.
    async fn describe_collection(
        &self,
        request: Request<retrieval::DescribeCollectionRequest>,
    ) -> Result<Response<Self::DescribeCollectionStream>, Status> {
        let collection = request.into_inner().collection;
        let first = retrieval::DescribeCollectionResponse {
            manifest: Some(retrieval::Manifest { collection, files: 2, ..Default::default() }),
            documents: Vec::new(),
        };
        let document = |key: &str| retrieval::DescribeCollectionResponse {
            manifest: None,
            documents: vec![retrieval::IndexedDocument { key: key.into(), lines: 3, ..Default::default() }],
        };
        let parts = [first, document("a.md"), document("b.md")];
        Ok(Response::new(Box::pin(stream::iter(parts.map(Ok)))))
    }

    unscripted! {
        delete_collection(retrieval::DeleteCollectionRequest) -> retrieval::DeleteCollectionResponse;
        few_shot(retrieval::FewShotRequest) -> retrieval::FewShotResponse;
        lookup(retrieval::LookupRequest) -> retrieval::LookupResponse;
        ingest(tonic::Streaming<retrieval::IngestRequest>) -> Self::IngestStream;
    }
}

/// A running gateway with its peers.
pub(crate) struct Bench {
    serving: Serving,
    host: String,
    peers: Vec<Running>,
    seen: Arc<Seen>,
}

fn peer(
    spec: &'static ServiceSpec,
    add: impl FnOnce(tonic::service::Routes) -> tonic::service::Routes,
) -> (assay_rpc::Channel, Running) {
    Service::new(spec, assay_proto::DESCRIPTORS).unwrap().with(add).in_memory(Limits::default())
}

const fn spec(name: &'static str, grpc: &'static str) -> ServiceSpec {
    ServiceSpec { name, grpc, port: 0, calls: &[], callers: &["gateway"], purpose: "a script" }
}

static ROUTER: ServiceSpec = spec("router", "assay.router.v1alpha1.RouterService");
static AUDIT: ServiceSpec = spec("audit", "assay.audit.v1alpha1.AuditService");
static EVALUATION: ServiceSpec = spec("evaluation", "assay.evaluation.v1alpha1.EvaluationService");
static VALIDATION: ServiceSpec = spec("validation", "assay.validation.v1alpha1.ValidationService");
static PARSER: ServiceSpec = spec("parser", "assay.parser.v1alpha1.ParserService");
static RETRIEVAL: ServiceSpec = spec("retrieval", "assay.retrieval.v1alpha1.RetrievalService");

fn options(change: impl FnOnce(&mut Options)) -> Options {
    let mut options = Options {
        http: "127.0.0.1:0".parse().unwrap(),
        grpc: "127.0.0.1:0".parse().unwrap(),
        body_bytes: 50_000,
        request_seconds: 30.0,
        ..Options::default()
    };
    change(&mut options);
    options
}

fn metrics() -> assay_gateway::MetricsRenderer {
    Arc::new(|accept| {
        let open = accept.is_some_and(|accept| accept.contains("openmetrics"));
        assay_telemetry::Exposition {
            content_type: if open { "application/openmetrics-text" } else { "text/plain" },
            body: "assay_http_requests_total 1\n".to_owned(),
        }
    })
}

impl Bench {
    pub(crate) async fn start() -> Self {
        Self::with(|_| ()).await
    }

    /// A gateway without living peers, to see whether it comes to be.
    pub(crate) fn compose(change: impl FnOnce(&mut Options)) -> Result<Gateway, Failure> {
        let dead = assay_rpc::Channel::to("http://127.0.0.1:1", None).unwrap();
        let peers = Peers::none()
            .with("router", dead.clone())
            .with("audit", dead.clone())
            .with("retrieval", dead.clone())
            .with("validation", dead.clone())
            .with("parser", dead.clone())
            .with("evaluation", dead);
        compose(&options(change), &peers, metrics())
    }

    pub(crate) async fn with(change: impl FnOnce(&mut Options)) -> Self {
        Self::limited(Limits::default(), change).await
    }

    pub(crate) async fn limited(limits: Limits, change: impl FnOnce(&mut Options)) -> Self {
        let seen = Arc::new(Seen::default());
        let (router, router_running) =
            peer(&ROUTER, |routes| routes.add_service(RouterServiceServer::new(Router(Arc::clone(&seen)))));
        let (audit, audit_running) =
            peer(&AUDIT, |routes| routes.add_service(AuditServiceServer::new(Audit(Arc::clone(&seen)))));
        let (retrieval, retrieval_running) = peer(&RETRIEVAL, |routes| {
            routes.add_service(RetrievalServiceServer::new(Retrieval(Arc::clone(&seen))))
        });
        let (validation, validation_running) =
            peer(&VALIDATION, |routes| routes.add_service(ValidationServiceServer::new(Validation)));
        let (parser, parser_running) =
            peer(&PARSER, |routes| routes.add_service(ParserServiceServer::new(Parser)));
        let (evaluation, evaluation_running) =
            peer(&EVALUATION, |routes| routes.add_service(EvaluationServiceServer::new(Evaluation)));
        let peers = Peers::none()
            .with("router", router)
            .with("audit", audit)
            .with("retrieval", retrieval)
            .with("validation", validation)
            .with("parser", parser)
            .with("evaluation", evaluation);
        let gateway = compose(&options(change), &peers, metrics()).unwrap().with_limits(limits);
        let serving = gateway.listen().await.unwrap();
        let host = serving.address().to_string();
        Self {
            serving,
            host,
            peers: vec![
                router_running,
                audit_running,
                retrieval_running,
                validation_running,
                parser_running,
                evaluation_running,
            ],
            seen,
        }
    }

    /// Ends the peer that evaluates.
    pub(crate) async fn stop_evaluation(&mut self) {
        if let Some(evaluation) = self.peers.pop() {
            evaluation.drain().await;
        }
    }

    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    /// Questions that reached the router.
    pub(crate) fn asked(&self) -> usize {
        self.seen.asked.load(Ordering::SeqCst)
    }

    /// Calls that reached any peer.
    pub(crate) fn calls(&self) -> Vec<Call> {
        self.seen.calls.lock().unwrap().clone()
    }

    /// The latest question that reached the router, and how its text was to be released; none for a unary call.
    pub(crate) fn question(&self) -> (assay_proto::common::Question, Option<i32>) {
        self.seen.questions.lock().unwrap().last().cloned().unwrap()
    }

    /// Takes the checks that were to be recorded.
    pub(crate) fn recorded(&self) -> Vec<router::RecordCheckRequest> {
        std::mem::take(&mut self.seen.recorded.lock().unwrap())
    }

    /// Takes the records of refused questions.
    pub(crate) fn refused(&self) -> Vec<Refused> {
        std::mem::take(&mut self.seen.refused.lock().unwrap())
    }

    /// Ends the gateway; the records of refused questions that it left until then.
    pub(crate) async fn stop_and_tell(self) -> Vec<Refused> {
        let seen = Arc::clone(&self.seen);
        self.stop().await;
        std::mem::take(&mut seen.refused.lock().unwrap())
    }

    /// Address of the gRPC listener.
    pub(crate) fn door_address(&self) -> std::net::SocketAddr {
        self.serving.grpc_address().unwrap()
    }

    /// A channel to the gRPC listener.
    pub(crate) async fn door(&self) -> tonic::transport::Channel {
        let url = format!("http://{}", self.serving.grpc_address().unwrap());
        tonic::transport::Endpoint::from_shared(url).unwrap().connect().await.unwrap()
    }

    /// Waits until a script hangs.
    pub(crate) async fn hanging(&self) {
        self.seen.hanging.notified().await;
    }

    /// Waits until the work of a hanging script was dropped.
    pub(crate) async fn cancelled(&self) {
        self.seen.cancelled.notified().await;
    }

    /// Opens the script `gate`.
    pub(crate) fn gate(&self) -> Arc<Notify> {
        Arc::clone(&self.seen.gate)
    }

    pub(crate) async fn connect(&self) -> TcpStream {
        TcpStream::connect(&self.host).await.unwrap()
    }

    /// Sends the text as it stands, `{host}` replaced, and reads to the end of the connection.
    pub(crate) async fn raw(&self, request: &str) -> Reply {
        self.exchange(request.replace("{host}", &self.host).as_bytes()).await
    }

    pub(crate) async fn exchange(&self, request: &[u8]) -> Reply {
        let (mut read, mut write) = self.connect().await.into_split();
        let mut bytes = Vec::new();
        // A server that refuses early may close before everything was written.
        let (_, _) = tokio::join!(write.write_all(request), read.read_to_end(&mut bytes));
        Reply::parse(&bytes)
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.raw(&format!("GET {path} HTTP/1.1\r\nHost: {{host}}\r\nConnection: close\r\n\r\n")).await
    }

    pub(crate) async fn post(&self, path: &str, body: &[u8], headers: &str) -> Reply {
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\n{headers}Content-Length: {}\r\n\r\n",
            self.host,
            body.len()
        );
        self.exchange(&[head.as_bytes(), body].concat()).await
    }

    pub(crate) async fn ask(&self, body: &Value) -> Reply {
        self.post("/v1/ask", body.to_string().as_bytes(), "").await
    }

    pub(crate) async fn stop(self) {
        self.serving.drain().await;
        for peer in self.peers {
            peer.drain().await;
        }
    }
}

/// A response, its body put together.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    head: String,
    body: Vec<u8>,
}

/// An event of a stream.
#[derive(Debug)]
pub(crate) struct Heard {
    pub(crate) name: String,
    pub(crate) id: String,
    pub(crate) data: Value,
}

impl Reply {
    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or_else(|| {
            panic!("no head in {:?}", String::from_utf8_lossy(bytes));
        });
        let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let mut reply = Self { status, head, body: bytes[end + 4..].to_vec() };
        if reply.header("transfer-encoding") == "chunked" {
            reply.body = unchunked(&reply.body);
        }
        reply
    }

    pub(crate) fn header(&self, name: &str) -> String {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines
            .into_iter()
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.to_owned())
            .unwrap_or_default()
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?} {}", self.text()))
    }

    /// The data of every event, in order.
    pub(crate) fn data(&self) -> Vec<String> {
        self.text().lines().filter_map(|line| line.strip_prefix("data: ")).map(str::to_owned).collect()
    }

    /// Every line as JSON.
    pub(crate) fn lines(&self) -> Vec<Value> {
        self.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    pub(crate) fn events(&self) -> Vec<Heard> {
        let text = self.text();
        let field = |block: &str, name: &str| {
            let lines = block.lines().filter_map(|line| line.split_once(':'));
            let values: Vec<&str> =
                lines.filter(|(key, _)| *key == name).map(|(_, value)| value.trim_start()).collect();
            values.join("\n")
        };
        text.split("\n\n")
            .filter(|block| block.contains("event:"))
            .map(|block| Heard {
                name: field(block, "event"),
                id: field(block, "id"),
                data: serde_json::from_str(&field(block, "data")).unwrap(),
            })
            .collect()
    }
}

fn unchunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = bytes.windows(2).position(|two| two == b"\r\n") {
        let size = usize::from_str_radix(std::str::from_utf8(&bytes[..end]).unwrap(), 16).unwrap();
        if size == 0 {
            break;
        }
        whole.extend_from_slice(&bytes[end + 2..end + 2 + size]);
        bytes = &bytes[end + 2 + size + 2..];
    }
    whole
}
