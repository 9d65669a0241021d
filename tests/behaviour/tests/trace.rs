//! One request is one trace: how many calls between services it costs, and that only specified services call each other.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use assay_behaviour::cases::answers::declared;
use assay_behaviour::harness::Embedded;
use assay_behaviour::spans::{Spans, specs};
use assay_domain::{Outcome, QueryType};

/// Calls between services that a usual documentation request may cost.
const MOST_CALLS: usize = 8;

#[tokio::test(flavor = "multi_thread")]
async fn a_usual_request_is_one_trace_of_few_calls_between_specified_services() {
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
    assert_eq!(spans.traces(), 1, "one request, one trace");
    let calls = spans.calls();
    assert!(calls.len() >= 4, "the trace is torn: {:?}", spans.names());
    assert!(calls.len() <= MOST_CALLS, "{} calls: {calls:?}", calls.len());
    for (caller, callee) in spans.pairs() {
        let spec = specs().find(|spec| spec.name == caller).unwrap();
        assert!(spec.calls.contains(&callee), "{caller} called {callee}, which its SPEC does not name");
    }
}
