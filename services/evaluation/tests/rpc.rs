//! The service alone over an in-memory channel, its peers scripted.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use assay_domain::answer::{Grounding, Layer, Outcome, Rejection, Timing};
use assay_domain::code::{Block, BlockStatus, ParsedBlock};
use assay_domain::report::Verdict;
use assay_domain::{
    Answer, AuditId, AuditState, Code, CodeStatus, Failure, Generator, Identity, QueryType, Route,
    ValidationStatus,
};
use assay_evaluation::{Options, SPEC, compose, golden, report};
use assay_proto::evaluation::evaluate_rag_response::Part;
use assay_proto::evaluation::evaluation_service_client::EvaluationServiceClient;
use assay_proto::evaluation::{EvaluateRagRequest, EvaluationReport, GoldenItem, ItemResult, ScoreRequest};
use assay_proto::parser::parser_service_server::{ParserService, ParserServiceServer};
use assay_proto::router::router_service_server::{RouterService, RouterServiceServer};
use assay_proto::{parser, router};
use assay_rpc::{Channel, Context, Limits, Peers, Running, Service, ServiceSpec};
use assay_wire::{ToWire as _, from_status, list_to_wire, to_status};
use futures::{Stream, StreamExt as _};
use serde_json::json;
use tokio::sync::Notify;
use tonic::{Request, Response, Status};

fn answer(text: &str) -> Answer {
    Answer {
        audit_id: AuditId::from_parts(1_790_000_000_123, [9; 10]),
        outcome: Outcome::Answered,
        text: text.into(),
        route: Route {
            query_type: QueryType::Retrieval,
            layer: Layer::Rules,
            probability: 1.0,
            accepted: true,
            reason: String::new(),
        },
        sources: vec![],
        report: None,
        verdict: Some(Verdict::Pass),
        validation_status: ValidationStatus::None,
        code_status: CodeStatus::Valid,
        context_relevant: Some(true),
        attempts: 1,
        audit: AuditState::Stored,
        timing: Timing::default(),
        generator: Some(Generator::Extractive),
        model: "extractive/1".into(),
        grounding: Grounding::Documentation,
        index_manifest: "m".into(),
        warnings: vec![],
        rejection: None,
        failure: None,
        usage: None,
    }
}

/// Answers by the text of the question.
struct Router {
    hanging: Arc<Notify>,
    dropped: Arc<Notify>,
}

struct Guard(Arc<Notify>);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

#[tonic::async_trait]
impl RouterService for Router {
    async fn ask(
        &self,
        request: Request<router::AskRequest>,
    ) -> Result<Response<router::AskResponse>, Status> {
        let question = request.into_inner().question.unwrap();
        assert_eq!(question.collection, "guide");
        let reply = match question.text.as_str() {
            "valid" => answer("VALID"),
            "invalid" => answer("INVALID"),
            "mixed" => answer("VALID NO_GRAMMAR"),
            "prose" => answer("no code"),
            "abstain" => Answer { outcome: Outcome::Abstained, verdict: None, ..answer("") },
            "reject" => Answer {
                outcome: Outcome::Rejected,
                verdict: Some(Verdict::Reject),
                rejection: Some(Rejection {
                    reason: String::new(),
                    suggestion: String::new(),
                    partial_response: "INVALID".into(),
                    searched: vec![],
                    errors: vec![],
                    warnings: vec![],
                }),
                ..answer("")
            },
            "fail" => return Err(to_status(&Failure::new(Code::SearchUnavailable, "down"))),
            "hang" => {
                let _guard = Guard(Arc::clone(&self.dropped));
                self.hanging.notify_one();
                std::future::pending().await
            }
            other => answer(other),
        };
        Ok(Response::new(router::AskResponse { answer: Some(reply.to_wire()) }))
    }

    type AskStreamStream = Pin<Box<dyn Stream<Item = Result<router::AskStreamResponse, Status>> + Send>>;

    async fn ask_stream(
        &self,
        _: Request<router::AskStreamRequest>,
    ) -> Result<Response<Self::AskStreamStream>, Status> {
        Err(Status::unimplemented("not scripted"))
    }

    async fn explain(
        &self,
        _: Request<router::ExplainRequest>,
    ) -> Result<Response<router::ExplainResponse>, Status> {
        Err(Status::unimplemented("not scripted"))
    }

    async fn classify(
        &self,
        _: Request<router::ClassifyRequest>,
    ) -> Result<Response<router::ClassifyResponse>, Status> {
        Err(Status::unimplemented("not scripted"))
    }

    async fn refuse(
        &self,
        _: Request<router::RefuseRequest>,
    ) -> Result<Response<router::RefuseResponse>, Status> {
        Err(Status::unimplemented("not scripted"))
    }
}

/// How the parser misbehaves.
#[derive(Clone, Copy, PartialEq)]
enum Parser {
    Fine,
    Absent,
    Slow,
    ChangesOnParse,
    ChangesAtTheEnd,
    Disabled,
}

struct Parsing(Parser, AtomicU32);

#[tonic::async_trait]
impl ParserService for Parsing {
    async fn parse(
        &self,
        _: Request<parser::ParseRequest>,
    ) -> Result<Response<parser::ParseResponse>, Status> {
        Err(Status::unimplemented("not scripted"))
    }

    async fn parse_answer(
        &self,
        request: Request<parser::ParseAnswerRequest>,
    ) -> Result<Response<parser::ParseAnswerResponse>, Status> {
        if self.0 == Parser::Slow {
            std::future::pending::<()>().await;
        }
        let text = request.into_inner().answer;
        let block = |status| ParsedBlock {
            block: Block {
                index: 0,
                language: "avap".into(),
                declared: true,
                code: String::new(),
                byte_start: 0,
                byte_end: 0,
                first_line: 1,
            },
            status,
            diagnostics: vec![],
        };
        let blocks: Vec<ParsedBlock> = text
            .split(' ')
            .filter_map(|word| match word {
                "VALID" if self.0 == Parser::Disabled => {
                    Some(block(BlockStatus::Unavailable("disabled".into())))
                }
                "VALID" => Some(block(BlockStatus::Valid)),
                "INVALID" => Some(block(BlockStatus::Invalid)),
                "NO_GRAMMAR" => Some(block(BlockStatus::NoGrammar)),
                _ => None,
            })
            .collect();
        let version = if self.0 == Parser::ChangesOnParse { "2" } else { "1" };
        Ok(Response::new(parser::ParseAnswerResponse {
            blocks: list_to_wire(&blocks),
            version: version.into(),
            grammar_hash: "g".into(),
        }))
    }

    async fn describe(
        &self,
        _: Request<parser::DescribeRequest>,
    ) -> Result<Response<parser::DescribeResponse>, Status> {
        let call = self.1.fetch_add(1, Ordering::SeqCst);
        if self.0 == Parser::Absent {
            return Err(Status::unavailable("connection refused"));
        }
        let version = if self.0 == Parser::ChangesAtTheEnd && call > 0 { "2" } else { "1" };
        Ok(Response::new(parser::DescribeResponse {
            version: version.into(),
            grammar_hash: "g".into(),
            ..Default::default()
        }))
    }
}

struct Bench {
    client: EvaluationServiceClient<Channel>,
    running: Vec<Running>,
    hanging: Arc<Notify>,
    dropped: Arc<Notify>,
}

static ROUTER: ServiceSpec = ServiceSpec {
    name: "router",
    grpc: "assay.router.v1alpha1.RouterService",
    port: 0,
    calls: &[],
    callers: &["evaluation"],
    purpose: "a script",
};
static PARSER: ServiceSpec =
    ServiceSpec { name: "parser", grpc: "assay.parser.v1alpha1.ParserService", ..ROUTER };

impl Bench {
    fn new(parser: Parser) -> Self {
        let (hanging, dropped) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let script = Router { hanging: Arc::clone(&hanging), dropped: Arc::clone(&dropped) };
        let (router, first) = Service::new(&ROUTER, assay_proto::DESCRIPTORS)
            .unwrap()
            .with(|routes| routes.add_service(RouterServiceServer::new(script)))
            .in_memory(Limits::default());
        let (parser, second) = Service::new(&PARSER, assay_proto::DESCRIPTORS)
            .unwrap()
            .with(|routes| routes.add_service(ParserServiceServer::new(Parsing(parser, AtomicU32::new(0)))))
            .in_memory(Limits::default());
        let peers = Peers::none().with("router", router).with("parser", parser);
        let (channel, third) = compose(&Options::default(), &peers).unwrap().in_memory(Limits::default());
        Self {
            client: EvaluationServiceClient::new(channel),
            running: vec![third, first, second],
            hanging,
            dropped,
        }
    }

    async fn run(
        &mut self,
        questions: &[(&str, Option<bool>)],
        repetitions: u32,
    ) -> Result<(Vec<ItemResult>, EvaluationReport), Failure> {
        let items = questions
            .iter()
            .enumerate()
            .map(|(index, (question, answerable))| GoldenItem {
                id: format!("q{index}"),
                question: (*question).into(),
                answerable: *answerable,
                ..Default::default()
            })
            .collect();
        let request = EvaluateRagRequest { items, collection: "guide".into(), repetitions };
        let context = Context::new(Identity::local(), std::time::Duration::from_secs(60));
        let reply = self.client.evaluate_rag(context.request(request)).await;
        let mut stream = reply.map_err(|status| from_status(&status))?.into_inner();
        let mut items = Vec::new();
        while let Some(message) = stream.next().await {
            match message.map_err(|status| from_status(&status))?.part.unwrap() {
                Part::Item(item) => items.push(item),
                Part::Report(report) => {
                    assert!(stream.next().await.is_none(), "the report is the last message");
                    return Ok((items, report));
                }
            }
        }
        panic!("no report");
    }

    async fn stop(self) {
        for running in self.running {
            running.drain().await;
        }
    }
}

#[tokio::test]
async fn run_reports_validity_verdicts_outcomes_and_gaps() {
    let mut bench = Bench::new(Parser::Fine);
    let questions = [
        ("valid", Some(true)),
        ("invalid", Some(true)),
        ("mixed", None),
        ("prose", Some(false)),
        ("abstain", Some(false)),
        ("reject", None),
        ("fail", Some(true)),
    ];
    let (items, found) = bench.run(&questions, 0).await.unwrap();
    let ids: Vec<&str> = items.iter().map(|item| item.id.as_str()).collect();
    assert_eq!(ids, ["q0", "q1", "q2", "q3", "q4", "q5", "q6"]);
    assert_eq!((items[6].outcome.as_str(), items[6].failure.as_str()), ("FAILED", "search_unavailable"));
    assert!(items[5].has_code && !items[5].code_valid, "what stands of a rejected answer is parsed, too");
    assert_eq!(
        json!(report::Report::from(&found)),
        json!({
            "standing": "NON_BINDING",
            "missing_for_binding": found.missing_for_binding,
            "items": 7,
            "outcomes": {"ABSTAINED": 1, "ANSWERED": 4, "FAILED": 1, "REJECTED": 1},
            "verdicts": {"PASS": 4, "REJECT": 1},
            "answerability": {
                "answerable_answered": 2, "answerable_other": 1,
                "unanswerable_abstained": 1, "unanswerable_answered": 1,
            },
            "syntactic_validity": {
                "value": 0.5, "answers_with_code": 4, "answers_with_valid_code": 2,
                "wilson_95": [found.syntactic_validity_low, found.syntactic_validity_high],
            },
            "parser_version": "1+g",
            "not_computed": {
                "answer_relevancy": "needs a judge, and this version has none",
                "context_precision": "needs a judge, and this version has none",
                "context_recall": "needs a judge, and this version has none",
                "faithfulness": "needs a judge, and this version has none",
                "syntactic_validity_of_other_languages": "1 blocks have no grammar and were not checked",
            },
        })
    );
    assert!(found.missing_for_binding.iter().any(|text| text.contains("EVAL_SEED")));
    let (low, high) = (found.syntactic_validity_low.unwrap(), found.syntactic_validity_high.unwrap());
    assert!(low > 0.14 && low < 0.16 && high > 0.84 && high < 0.86, "{low} {high}");
    bench.stop().await;
}

#[tokio::test]
async fn repetitions_ask_the_whole_set_again_in_order() {
    let mut bench = Bench::new(Parser::Fine);
    let (items, found) = bench.run(&[("valid", None), ("prose", None)], 3).await.unwrap();
    let order: Vec<(String, u32)> = items.into_iter().map(|item| (item.id, item.repetition)).collect();
    let expected: Vec<(String, u32)> =
        (1..=3).flat_map(|round| [("q0".to_owned(), round), ("q1".to_owned(), round)]).collect();
    assert_eq!(order, expected);
    assert_eq!((found.items, found.syntactic_validity), (6, Some(1.0)));
    bench.stop().await;
}

#[tokio::test]
async fn validity_without_code_is_absent_with_its_reason() {
    let mut bench = Bench::new(Parser::Fine);
    let (_, found) = bench.run(&[("prose", None)], 1).await.unwrap();
    assert_eq!((found.syntactic_validity, found.syntactic_validity_low), (None, None));
    assert!(found.not_computed["syntactic_validity"].contains("no answer holds code"));
    bench.stop().await;
}

#[tokio::test]
async fn a_run_aborts_whenever_the_parser_cannot_be_relied_on() {
    for (parser, why) in [
        (Parser::Absent, "cannot be asked"),
        (Parser::Slow, "longer than 2 s"),
        (Parser::ChangesOnParse, "changed from 1+g to 2+g"),
        (Parser::ChangesAtTheEnd, "changed from 1+g to 2+g"),
        (Parser::Disabled, "disabled"),
    ] {
        let mut bench = Bench::new(parser);
        let failure = bench.run(&[("valid", None)], 1).await.unwrap_err();
        assert_eq!(failure.code, Code::EvaluationAborted, "{why}");
        assert!(
            failure.message.starts_with("EvaluationAborted: MSVL cannot be bypassed"),
            "{}",
            failure.message
        );
        assert!(failure.message.contains(why), "{}", failure.message);
        bench.stop().await;
    }
}

#[tokio::test]
async fn a_caller_that_goes_away_cancels_the_question_under_way() {
    let mut bench = Bench::new(Parser::Fine);
    let (hanging, dropped) = (Arc::clone(&bench.hanging), Arc::clone(&bench.dropped));
    tokio::select! {
        _ = bench.run(&[("hang", None)], 1) => panic!("it hangs"),
        () = hanging.notified() => {}
    }
    dropped.notified().await;
    bench.stop().await;
}

#[tokio::test]
async fn a_bad_set_is_refused_before_any_question() {
    let mut bench = Bench::new(Parser::Fine);
    let failure = bench.run(&[], 1).await.unwrap_err();
    assert_eq!((failure.code, failure.field.as_str()), (Code::InvalidArgument, "items"));
    let failure = bench.run(&[("valid", None), (" ", None)], 1).await.unwrap_err();
    assert_eq!(failure.field, "items[1].question");
    let failure = bench.run(&[("valid", None)], 101).await.unwrap_err();
    assert_eq!(failure.field, "repetitions");
    bench.stop().await;
}

#[tokio::test]
async fn scoring_is_refused_and_says_what_there_is_instead() {
    let mut bench = Bench::new(Parser::Fine);
    let context = Context::new(Identity::local(), std::time::Duration::from_secs(5));
    let failure =
        from_status(&bench.client.score(context.request(ScoreRequest::default())).await.unwrap_err());
    assert_eq!(failure.code, Code::Unimplemented);
    assert!(failure.message.contains("EvaluateRAG"));
    bench.stop().await;
}

#[test]
fn the_golden_questions_of_the_guide_can_be_sent() {
    let items = golden::read(include_str!("../golden/avap.jsonl")).unwrap();
    golden::check(&items).unwrap();
    assert!(SPEC.calls.contains(&"parser") && SPEC.calls.contains(&"router"));
}
