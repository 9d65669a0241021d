//! One request is one trace: how many calls between services it costs, and that only specified services call each other.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;

use assay_behaviour::cases::answers::declared;
use assay_behaviour::cases::models::{GOOD, PAGE, WORKING};
use assay_behaviour::harness::{BUDGET, Builder, Embedded, Processes};
use assay_behaviour::spans::{Spans, specs};
use assay_domain::{Identity, Outcome, QueryType};
use assay_proto::evaluation::{EvaluateRagRequest, GoldenItem};
use assay_rpc::Context;
use assay_testkit::model_server::{ModelServer, Reply};
use futures::StreamExt as _;
use serde_json::json;

/// Calls between services that a usual documentation request may cost.
const MOST_CALLS: usize = 8;

#[tokio::test(flavor = "multi_thread")]
async fn usual_request_is_one_trace_of_few_calls() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("spans.jsonl");
    let options =
        assay_telemetry::Options { trace_file: Some(file.clone()), ..assay_telemetry::Options::default() };
    let telemetry = assay_telemetry::start("assay", &options).unwrap();
    let system = Embedded::start(&[]).await;
    system.ingest_guide().await;
    let asked = declared("How do I read a request parameter in AVAP and return it?", QueryType::Retrieval);
    let answer = system.put(&asked).await;
    assert_eq!(answer.outcome, Outcome::Answered);
    system.record(answer.audit_id).await;
    system.stop().await;
    drop(telemetry);

    let spans = Spans::read([&file]).traces_with("assay.audit_id", &answer.audit_id.to_string());
    usual(&spans);
}

/// One trace, whole, of few calls.
fn usual(spans: &Spans) {
    assert_eq!(spans.traces(), 1, "one request, one trace");
    let calls = spans.calls();
    assert!(calls.len() >= 4, "the trace is torn: {:?}", spans.names());
    assert!(calls.len() <= MOST_CALLS, "{} calls: {calls:?}", calls.len());
    let allowed = allowed();
    for pair in spans.pairs() {
        assert!(allowed.contains(&pair), "{} called {}, which its SPEC does not name", pair.0, pair.1);
    }
}

/// Caller and called service of every specification.
fn allowed() -> BTreeSet<(&'static str, &'static str)> {
    specs().flat_map(|spec| spec.calls.iter().map(|callee| (spec.name, *callee))).collect()
}

/// Pairs of the specifications that the requests below do not need, and why.
const UNUSED: [(&str, &str); 2] = [
    // Asked for its health only, until the door passes its calls on.
    ("gateway", "evaluation"),
    ("evaluation", "generation"),
];

#[tokio::test(flavor = "multi_thread")]
async fn processes_make_exactly_the_specified_calls() {
    let model = ModelServer::start(vec![Reply::Text(GOOD.into())]).await.unwrap();
    let system = Builder::new().model(&model.base_url()).start().await;
    system.ingest("", &[PAGE]).await;
    let processes = system.processes().unwrap();
    let body = json!({"query": "When does the importer stop?", "query_type": "RETRIEVAL"});
    let (status, answer) = processes.http_ask(&body).await.unwrap();
    assert_eq!((status, answer["verdict"].as_str()), (200, Some("PASS")), "{answer}");
    let id = answer["id"].as_str().unwrap().to_owned();
    system.record(&id).await;
    // Code asks the parser; a name that the evidence does not hold is looked up.
    model.play(vec![Reply::Text(format!("{WORKING}\nSee also `importer.toml` and `importRows`.\n"))]);
    let body = json!({"query": "Write a program that returns 1", "query_type": "CODE_GENERATION"});
    assert_eq!(processes.http_ask(&body).await.unwrap().0, 200);
    for path in [format!("/v1/audit/{id}"), "/v1/search?q=importer".to_owned()] {
        let url = format!("{}{path}", processes.url("gateway"));
        assert!(reqwest::get(url).await.unwrap().status().is_success(), "{path}");
    }
    for (path, body) in [
        ("/v1/check", json!({"answer": "The importer stops.", "sources": [{"text": "The importer stops."}]})),
        ("/v1/parse", json!({"code": "addVar(x, 1)"})),
    ] {
        let url = format!("{}{path}", processes.url("gateway"));
        let sent = reqwest::Client::new().post(url).header("content-type", "application/json");
        assert!(sent.body(body.to_string()).send().await.unwrap().status().is_success(), "{path}");
    }
    let item = GoldenItem { id: "1".into(), question: "Write a program".into(), ..GoldenItem::default() };
    let context = Context::background(Identity::local(), BUDGET);
    let request = EvaluateRagRequest { items: vec![item], ..EvaluateRagRequest::default() };
    let mut evaluation = system.clients.evaluation().unwrap();
    let progress = evaluation.evaluate_rag(context.request(request)).await.unwrap().into_inner();
    assert!(
        progress.all(|message| std::future::ready(message.is_ok())).await,
        "the evaluation ran to its end"
    );

    let folder = system.stop().await;
    let files = specs().map(|spec| Processes::span_file(folder.path(), spec.name));
    let all = Spans::read(files);
    usual(&all.traces_with("assay.audit_id", &id));
    let needed: BTreeSet<_> = allowed().into_iter().filter(|pair| !UNUSED.contains(pair)).collect();
    let seen: BTreeSet<_> = all.pairs().into_iter().filter(|pair| !UNUSED.contains(pair)).collect();
    assert_eq!(seen, needed, "pairs of caller and called");
}
