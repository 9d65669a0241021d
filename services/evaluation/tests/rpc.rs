//! The service alone over an in-memory channel, its peers scripted.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use assay_domain::answer::{Grounding, Layer, Outcome, Rejection, Timing};
use assay_domain::code::{Block, BlockStatus, ParsedBlock};
use assay_domain::report::{Claim, ClaimKind, ClaimStatus, Report, Span, Verdict};
use assay_domain::{
    Answer, AuditId, AuditState, Code, CodeStatus, Failure, Generator, Hit, Identity, QueryType, Route,
    Source, SourceKind, ValidationStatus,
};
use assay_evaluation::{Options, SPEC, compose, golden};
use assay_proto::evaluation::evaluate_rag_response::Part;
use assay_proto::evaluation::evaluation_service_client::EvaluationServiceClient;
use assay_proto::evaluation::{Done, EvaluateRagRequest, GoldenItem, ScoreRequest};
use assay_proto::parser::parser_service_server::{ParserService, ParserServiceServer};
use assay_proto::router::router_service_server::{RouterService, RouterServiceServer};
use assay_proto::{parser, router};
use assay_rpc::{Channel, Context, Limits, Peers, Running, Service, ServiceSpec};
use assay_scoring::{Manifest, Recorded, judge};
use assay_wire::{ToWire as _, from_status, list_to_wire, to_status};
use futures::{Stream, StreamExt as _};
use serde_json::{Value, json};
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
        examples: 3,
    }
}

/// Two sources, and three claims of which the checks flag the second.
fn with_claims() -> Answer {
    let hit = |id: &str, text: &str| Hit {
        source: Source::given(id, SourceKind::Doc, text, 1),
        score: 1.0,
        bm25: None,
        knn: None,
    };
    let claim = |text: &str, status| Claim {
        text: text.into(),
        span: Span::default(),
        kind: ClaimKind::Factual,
        status,
        support: None,
        citations: vec![],
        evidence: vec![],
        reason: String::new(),
        decided_by: String::new(),
    };
    let report = Report {
        verdict: Verdict::Review,
        support: None,
        checks: vec![],
        claims: vec![
            claim("A queue holds messages.", ClaimStatus::Supported),
            claim("It holds nine.", ClaimStatus::Unsupported),
            claim("It is fast.", ClaimStatus::Supported),
        ],
        citations: vec![],
        defects: vec![],
        blocks: vec![],
        context_relevance: None,
        errors: vec![],
        warnings: vec![],
        text: String::new(),
        partial_response: String::new(),
        retry_prompt: String::new(),
        suggestion: String::new(),
        models: vec![],
    };
    Answer {
        sources: vec![hit("1", "A queue holds messages."), hit("2", "Dogs bark.")],
        report: Some(report),
        verdict: Some(Verdict::Review),
        ..answer("A queue holds messages. It holds nine. It is fast.")
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
            "claims" => with_claims(),
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

    async fn describe(
        &self,
        _: Request<router::DescribeRequest>,
    ) -> Result<Response<router::DescribeResponse>, Status> {
        let settings = [("profile".to_owned(), "strict".to_owned())].into();
        Ok(Response::new(router::DescribeResponse { settings }))
    }

    async fn record_check(
        &self,
        _: Request<router::RecordCheckRequest>,
    ) -> Result<Response<router::RecordCheckResponse>, Status> {
        Err(Status::unimplemented("not scripted"))
    }

    async fn forget(
        &self,
        _: Request<router::ForgetRequest>,
    ) -> Result<Response<router::ForgetResponse>, Status> {
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
    /// Judges of its runs.
    judges: Vec<String>,
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
        let mut peers = Peers::none().with("router", router).with("parser", parser);
        let mut running = vec![first, second];
        for (name, channel, script) in common::scripts(ROUTER) {
            peers = peers.with(name, channel);
            running.push(script);
        }
        let (channel, third) = compose(&Options::default(), &peers).unwrap().in_memory(Limits::default());
        Self {
            client: EvaluationServiceClient::new(channel),
            running: std::iter::once(third).chain(running).collect(),
            hanging,
            dropped,
            judges: Vec::new(),
        }
    }

    /// The manifest, the lines of the answers, the report.
    async fn run(
        &mut self,
        questions: &[(&str, Option<bool>)],
        repetitions: u32,
    ) -> Result<(Value, Vec<Value>, Value), Failure> {
        self.resume(questions, repetitions, Vec::new()).await
    }

    async fn resume(
        &mut self,
        questions: &[(&str, Option<bool>)],
        repetitions: u32,
        done: Vec<Done>,
    ) -> Result<(Value, Vec<Value>, Value), Failure> {
        let items = questions
            .iter()
            .enumerate()
            .map(|(index, (question, answerable))| GoldenItem {
                id: format!("q{index}"),
                question: (*question).into(),
                answerable: *answerable,
                expected_type: "RETRIEVAL".into(),
                reference: if *question == "claims" {
                    "It holds messages. It is a queue.".into()
                } else {
                    String::new()
                },
                ..Default::default()
            })
            .collect();
        let request = EvaluateRagRequest {
            items,
            collection: "guide".into(),
            repetitions,
            done,
            judges: self.judges.clone(),
            golden_jsonl: String::new(),
        };
        let context = Context::new(Identity::local(), std::time::Duration::from_secs(60));
        let reply = self.client.evaluate_rag(context.request(request)).await;
        let mut stream = reply.map_err(|status| from_status(&status))?.into_inner();
        let read = |json: &str| serde_json::from_str::<Value>(json).unwrap();
        let (mut manifest, mut items) = (Value::Null, Vec::new());
        while let Some(message) = stream.next().await {
            match message.map_err(|status| from_status(&status))?.part.unwrap() {
                Part::ManifestJson(json) => {
                    assert!(items.is_empty(), "the manifest comes before the first question");
                    manifest = read(&json);
                }
                Part::Item(item) => items.push(read(&item.recorded_json)),
                Part::Report(report) => {
                    assert!(stream.next().await.is_none(), "the report is the last message");
                    return Ok((manifest, items, read(&report.report_json)));
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
    let (manifest, items, found) = bench.run(&questions, 0).await.unwrap();
    assert_eq!(
        (&manifest["index"], &manifest["parser"], &manifest["models"], &manifest["gate"]),
        (&json!("m"), &json!("1+g"), &json!({ "embedding": "vectors/1" }), &json!(true))
    );
    assert_eq!(manifest["settings"], json!({ "router.profile": "strict", "validation.policy": "balanced" }));
    let ids: Vec<&str> = items.iter().map(|item| item["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["q0", "q1", "q2", "q3", "q4", "q5", "q6"]);
    assert_eq!((&items[6]["answer"], &items[6]["failure"]), (&Value::Null, &json!("search_unavailable")));
    assert_eq!(
        items[5]["blocks"][0]["valid"],
        json!(false),
        "what stands of a rejected answer is parsed, too"
    );

    assert_eq!(found["manifest"], manifest);
    assert_eq!(
        found["outcomes"],
        json!({ "ABSTAINED": 1, "ANSWERED": 4, "REJECTED": 1, "failed: search_unavailable": 1 })
    );
    assert_eq!(found["verdicts"], json!({ "PASS": 4, "REJECT": 1 }));
    assert_eq!(
        found["answerability"],
        json!({
            "answerable_answered": 2, "answerable_other": 1,
            "unanswerable_abstained": 1, "unanswerable_answered": 1,
        })
    );
    let figures = &found["figures"];
    assert_eq!(figures["syntactic_validity"]["value"], json!(0.5));
    assert_eq!(figures["syntactic_validity"]["questions"], json!(4));
    assert_eq!(figures["syntactic_validity"]["not_computed"], json!({ "no_code": 3 }));
    let low = figures["syntactic_validity"]["interval"][0].as_f64().unwrap();
    assert!(low > 0.14 && low < 0.16, "{low}");
    assert_eq!(figures["routing_accuracy"]["value"], json!(1.0));
    // Rejected code brings the score to 0; the judge's own stays beside it.
    assert_eq!(found["raw"]["answer_relevancy"]["value"], json!(0.75));
    assert_eq!(figures["answer_relevancy"]["value"], json!(0.45));
    assert_eq!(figures["context_recall"]["value"], Value::Null);
    assert_eq!(figures["context_recall"]["not_computed"], json!({ "not_judged": 1, "no_reference": 6 }));
    assert_eq!(found["standing"], json!("NON_BINDING"));
    let missing = found["missing_for_binding"].to_string();
    assert!(missing.contains("EVAL_SEED") && missing.contains("N >= 5"), "{missing}");
    bench.stop().await;
}

#[tokio::test]
async fn a_model_judges_claim_by_claim_and_a_second_judge_is_held_against_it() {
    let mut bench = Bench::new(Parser::Fine);
    bench.judges = ["openai:judge@1", "checks"].map(str::to_owned).to_vec();
    let questions = [("claims", None), ("abstain", Some(false)), ("fail", None)];
    let (manifest, items, found) = bench.run(&questions, 2).await.unwrap();
    assert_eq!(
        (&manifest["judge"], &manifest["other_judges"], &manifest["judge_pinned"]),
        (&json!("openai:judge@1"), &json!(["checks"]), &json!(true))
    );
    // The first of three claims holds, the first of two sources helps, the first of two sentences is attributed.
    let figures = &found["figures"];
    let third = figures["faithfulness"]["value"].as_f64().unwrap();
    assert!((third - 1.0 / 3.0).abs() < 1e-12, "{third}");
    assert_eq!(figures["context_precision"]["value"], json!(1.0));
    assert_eq!(figures["context_recall"]["value"], json!(0.5));
    assert_eq!(figures["answer_relevancy"]["value"], json!(0.5), "one of two derived questions is another");
    assert_eq!(figures["answer_relevancy"]["not_computed"], json!({ "no_answer": 2, "not_judged": 2 }));

    // The checks flag the second claim; the judge finds the second and the third unsupported.
    let agreement = &found["agreement"][0];
    assert_eq!((&agreement["judged"], &agreement["agreed"]), (&json!(3), &json!(2)));
    let kappa = agreement["kappa"].as_f64().unwrap();
    assert!((kappa - 0.4).abs() < 1e-12, "{kappa}");
    let against = &found["against_judges"][0];
    assert_eq!((&against["caught"]["count"], &against["caught"]["of"]), (&json!(1), &json!(2)));
    assert_eq!(
        (&against["falsely_rejected"]["count"], &against["falsely_rejected"]["of"]),
        (&json!(0), &json!(1))
    );
    assert_eq!(found["judge_tokens"], json!([800, 80]), "four calls, twice");

    // What was said is kept, and gives the same verdicts again, offline.
    for item in &items {
        let recorded: Recorded = serde_json::from_value(item.clone()).unwrap();
        let manifest: Manifest = serde_json::from_value(manifest.clone()).unwrap();
        assert_eq!(judge::read_again(&manifest, recorded.clone()), recorded);
    }
    bench.stop().await;
}

#[tokio::test]
async fn a_judge_without_a_version_is_refused_and_a_mute_one_gives_no_number() {
    let mut bench = Bench::new(Parser::Fine);
    for (judges, why) in [(vec!["openai:judge"], "not pinned"), (vec!["checks", "checks"], "named twice")] {
        bench.judges = judges.into_iter().map(str::to_owned).collect();
        let failure = bench.run(&[("claims", None)], 1).await.unwrap_err();
        assert_eq!((failure.code, failure.field.as_str()), (Code::InvalidArgument, "judges"));
        assert!(failure.message.contains(why), "{failure:?}");
    }
    bench.judges = vec!["openai:mute@1".into()];
    let (_, items, found) = bench.run(&[("claims", None)], 1).await.unwrap();
    for name in ["faithfulness", "answer_relevancy", "context_precision", "context_recall"] {
        assert_eq!(found["figures"][name]["not_computed"], json!({ "judge_failed": 1 }), "{name}");
    }
    assert_eq!(items[0]["verdicts"]["calls"][0]["failure"], json!("the provider is down"));
    bench.stop().await;
}

#[tokio::test]
async fn repetitions_ask_the_whole_set_again_and_a_resumed_run_asks_the_rest() {
    let mut bench = Bench::new(Parser::Fine);
    let questions = [("valid", None), ("prose", None)];
    let order = |items: &[Value]| -> Vec<(String, u64)> {
        let pair =
            |item: &Value| (item["id"].as_str().unwrap().to_owned(), item["repetition"].as_u64().unwrap());
        items.iter().map(pair).collect()
    };
    let (manifest, items, found) = bench.run(&questions, 3).await.unwrap();
    let all: Vec<(String, u64)> =
        (1..=3).flat_map(|round| [("q0".to_owned(), round), ("q1".to_owned(), round)]).collect();
    assert_eq!(order(&items), all);
    assert_eq!(found["figures"]["answer_relevancy"]["null_control"], json!(1.0));
    assert_eq!(found["outstanding"], json!(0));

    let done = vec![
        Done { id: "q0".into(), repetition: 1 },
        Done { id: "q1".into(), repetition: 1 },
        Done { id: "q0".into(), repetition: 2 },
    ];
    let (again, rest, _) = bench.resume(&questions, 3, done).await.unwrap();
    assert_eq!(again, manifest);
    assert_eq!(order(&rest), all[3..]);
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
async fn recorded_verdicts_are_scored_without_asking() {
    let mut bench = Bench::new(Parser::Absent);
    let context = Context::new(Identity::local(), std::time::Duration::from_secs(5));
    let line = json!({ "id": 7, "question": "q", "answer": "a", "contexts": ["c"], "verdicts": {
        "statements": [{ "supported": true }, { "supported": false }], "contexts": [false, true], "reference": [],
    } });
    let request = ScoreRequest { lines: vec![line.to_string()] };
    let reply = bench.client.score(context.request(request)).await.unwrap().into_inner();
    let found: Value = serde_json::from_str(&reply.report_json).unwrap();
    assert_eq!(
        found["items"][0],
        json!({
            "id": 7, "faithfulness": 0.5, "answer_relevancy": { "not_computed": "not_judged" },
            "context_precision": 0.5, "context_recall": { "not_computed": "no_reference" },
        })
    );
    let wrong = ScoreRequest { lines: vec![line.to_string(), "{\"id\": 8}".into()] };
    let failure = from_status(&bench.client.score(context.request(wrong)).await.unwrap_err());
    assert_eq!((failure.code, failure.field.as_str()), (Code::InvalidArgument, "line 2"));
    bench.stop().await;
}

/// Lines of the guide that the golden set names.
fn guide(path: &str) -> Option<Vec<String>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/avap");
    let text = std::fs::read_to_string(format!("{folder}/{path}")).ok()?;
    Some(text.lines().map(str::to_owned).collect())
}

#[test]
fn the_golden_set_of_the_guide_covers_types_languages_and_the_unanswerable() {
    let items = golden::read(include_str!("../golden/guide.jsonl")).unwrap();
    assert!(items.len() >= 160, "{}", items.len());
    for query_type in QueryType::ALL {
        for language in ["en", "es"] {
            let of =
                |item: &&GoldenItem| item.expected_type == query_type.as_str() && item.language == language;
            assert!(items.iter().filter(of).count() >= 5, "{query_type} {language}");
        }
    }
    let count = |of: fn(&GoldenItem) -> bool| items.iter().filter(|item| of(item)).count();
    assert!(count(|item| item.answerable == Some(false)) >= 20);
    assert!(count(|item| item.category == "adversarial" || item.category == "false_premise") >= 16);
    assert!(count(|item| !item.turns.is_empty()) >= 16);
    for item in &items {
        for lines in &item.contexts {
            let page = guide(&lines.path).unwrap_or_else(|| panic!("{}: no page {}", item.id, lines.path));
            assert!(page.len() >= lines.last_line as usize, "{}: {} is shorter", item.id, lines.path);
        }
    }
}

#[test]
fn no_golden_question_was_trained_on() {
    let plain = |text: &str| -> String {
        text.to_lowercase().chars().filter(|c| c.is_alphanumeric() || *c == ' ').collect()
    };
    let field = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        plain(line["text"].as_str().unwrap())
    };
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../../libs/heads/data");
    let mut trained = std::collections::HashSet::new();
    for file in ["seed-en.jsonl", "seed-es.jsonl", "dev.jsonl"] {
        trained.extend(std::fs::read_to_string(format!("{data}/{file}")).unwrap().lines().map(field));
    }
    for file in [include_str!("../golden/guide.jsonl"), include_str!("../golden/prometheus.jsonl")] {
        for item in golden::read(file).unwrap() {
            assert!(!trained.contains(&plain(&item.question)), "{}", item.id);
        }
    }
}

#[test]
fn the_service_may_call_whom_a_run_needs() {
    assert!(["router", "parser", "validation"].iter().all(|peer| SPEC.calls.contains(peer)));
}
