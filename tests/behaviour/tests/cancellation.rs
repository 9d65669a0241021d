//! A client that goes away, and one whose time is up: the model is left alone at once, and one record says what was done.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::time::{Duration, Instant};

use assay_behaviour::cases::answers::declared;
use assay_behaviour::cases::models::PAGE;
use assay_behaviour::harness::{Builder, Harness, until};
use assay_domain::{Code, Identity, Outcome, QueryType, Question, Record};
use assay_rpc::{clock, task};
use assay_testkit::external::loudly;
use assay_testkit::model_server::{ModelServer, Reply};
use assay_wire::from_status;
use futures::StreamExt as _;
use serde_json::json;

/// What the contract promises is 200 ms; a machine that builds and tests at the same time is given more.
const BOUND: Duration = Duration::from_secs(5);

struct Bench {
    model: ModelServer,
    system: Harness,
}

async fn bench(request_seconds: &str) -> Bench {
    let model = ModelServer::start(vec![Reply::Hang("The importer stops ".into())]).await.unwrap();
    let system = Builder::new()
        .model(&model.base_url())
        .set("gateway", "service.request_seconds", request_seconds)
        .start()
        .await;
    system.ingest("", &[PAGE]).await;
    Bench { model, system }
}

impl Bench {
    /// Waits until the model writes the answer of the `count`th question.
    async fn writing(&self, count: usize) {
        until("the model at work", async || (self.model.requests().len() == count).then_some(())).await;
    }

    /// When the `count`th connection of the model was closed.
    async fn closed(&self, count: usize) -> Instant {
        until("the end of the model's connection", async || self.model.left().get(count - 1).copied()).await
    }

    /// How long after `since` the `count`th connection of the model was closed; said aloud.
    async fn closed_after(&self, count: usize, since: Instant, how: &str) -> Duration {
        let took = self.closed(count).await.saturating_duration_since(since);
        loudly(format_args!(
            "{how}: the model's connection was closed after {:.1} ms",
            took.as_secs_f64() * 1e3
        ));
        took
    }

    async fn cut_record(&self, text: &str, outcome: Outcome) -> Record {
        let record = self.system.records_of(text, 1).await.remove(0);
        assert_eq!(record.outcome, outcome, "{record:#?}");
        assert_eq!((record.model_calls, record.model_version.as_str()), (1, "openai:script"));
        assert_eq!(record.provider_trail[0].outcome, "cut");
        assert_eq!((record.attempts.len(), record.attempts[0].delivered), (1, false));
        assert!(record.route.is_some() && !record.index_manifest.is_empty(), "what was done: {record:#?}");
        assert!(record.answer.is_empty() && record.answer_sha256.is_empty(), "nothing was delivered");
        record
    }
}

fn asked(how: &str) -> Question {
    declared(&format!("When does the importer stop ({how})?"), QueryType::Retrieval)
}

#[tokio::test(flavor = "multi_thread")]
async fn vanished_client_stops_the_model_and_leaves_one_record() {
    let bench = bench("60").await;
    let url = format!("{}/v1/ask", bench.system.processes().unwrap().url("gateway"));

    let question = asked("events over gRPC");
    let mut events = bench.system.stream(&question).await;
    events.next().await.unwrap().unwrap();
    bench.writing(1).await;
    let since = clock::now();
    drop(events);
    assert!(bench.closed_after(1, since, "events over gRPC").await < BOUND);
    bench.cut_record(&question.text, Outcome::Cancelled).await;

    let question = asked("events over HTTP");
    let body = json!({"query": question.text, "query_type": "RETRIEVAL", "stream": true});
    let reply = reqwest::Client::new().post(&url).json(&body).send().await.unwrap();
    let mut bytes = reply.bytes_stream();
    let first = bytes.next().await.unwrap().unwrap();
    assert!(String::from_utf8_lossy(&first).contains("event: routed"));
    bench.writing(2).await;
    let since = clock::now();
    drop(bytes);
    assert!(bench.closed_after(2, since, "events over HTTP").await < BOUND);
    bench.cut_record(&question.text, Outcome::Cancelled).await;

    let question = asked("one reply over HTTP");
    let body = json!({"query": question.text, "query_type": "RETRIEVAL"});
    let call = task::spawn(async move { reqwest::Client::new().post(&url).json(&body).send().await.is_ok() });
    bench.writing(3).await;
    let since = clock::now();
    call.abort();
    assert!(bench.closed_after(3, since, "one reply over HTTP").await < BOUND);
    bench.cut_record(&question.text, Outcome::Cancelled).await;
    assert!(bench.system.verify().await.ok);
}

#[tokio::test(flavor = "multi_thread")]
async fn deadline_during_a_draft_ends_request_and_model_call() {
    let bench = bench("2").await;
    let question = asked("in too little time");
    let short = Duration::from_secs(2);
    let status = bench.system.put_within(&Identity::local(), &question, short).await.unwrap_err();
    assert_eq!(from_status(&status).code, Code::DeadlineExceeded, "{status:?}");
    bench.closed(1).await;
    let record = bench.cut_record(&question.text, Outcome::Failed).await;
    assert!(record.errors.contains(&"deadline_exceeded".to_owned()), "{:?}", record.errors);

    let question = asked("in too little time over HTTP");
    let body = json!({"query": question.text, "query_type": "RETRIEVAL"});
    let (status, problem) = bench.system.processes().unwrap().http_ask(&body).await.unwrap();
    assert_eq!((status, problem["code"].as_str()), (504, Some("deadline_exceeded")), "{problem}");
    bench.closed(2).await;
    let record = bench.cut_record(&question.text, Outcome::Failed).await;
    if let Some(id) = problem["audit_id"].as_str() {
        assert_eq!(id, record.audit_id.to_string());
    }
}
