//! One request is one trace: how many calls between services it costs, and that only specified services call each other.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::collections::BTreeMap;

use assay::system::SPECS;
use assay_domain::{Outcome, QueryType, Question};
use common::Embedded;
use serde_json::Value;

/// Calls between services that a usual documentation request may cost.
const MOST_CALLS: usize = 8;

fn service_of(span: &Value) -> Option<&str> {
    let name = span["name"].as_str()?;
    let spec = SPECS.iter().find(|spec| name.starts_with(&format!("{}/", spec.grpc)))?;
    Some(spec.name)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_usual_request_is_one_trace_of_few_calls_between_specified_services() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("spans.jsonl");
    let options =
        assay_telemetry::Options { trace_file: Some(file.clone()), ..assay_telemetry::Options::default() };
    let telemetry = assay_telemetry::start("assay", &options).unwrap();
    let system = Embedded::with_guide(&[]).await;
    let mut question = Question::new("How do I read a request parameter in AVAP and return it?");
    question.declared_type = Some(QueryType::Retrieval);
    let answer = system.put(&question).await;
    assert_eq!(answer.outcome, Outcome::Answered);
    system.record(&answer).await;
    let Embedded { system, clients, dir: _data } = system;
    drop(clients);
    system.drain().await;
    drop(telemetry);

    let text = std::fs::read_to_string(&file).unwrap();
    let spans: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let by_id: BTreeMap<&str, &Value> = spans.iter().map(|s| (s["span_id"].as_str().unwrap(), s)).collect();
    let ask = spans
        .iter()
        .find(|s| s["name"] == "assay.router.v1alpha1.RouterService/Ask")
        .expect("the request's span");
    let calls: Vec<&Value> = spans
        .iter()
        .filter(|s| {
            s["trace_id"] == ask["trace_id"] && s["span_id"] != ask["span_id"] && service_of(s).is_some()
        })
        .collect();
    let names: Vec<&str> = calls.iter().map(|s| s["name"].as_str().unwrap()).collect();
    assert!(calls.len() >= 4, "the trace is torn: {names:?}");
    assert!(calls.len() <= MOST_CALLS, "{} calls: {names:?}", calls.len());
    for call in calls {
        let callee = service_of(call).unwrap();
        let mut above = by_id.get(call["parent_span_id"].as_str().unwrap());
        while let Some(span) = above.filter(|span| service_of(span).is_none()) {
            above = by_id.get(span["parent_span_id"].as_str().unwrap());
        }
        let caller = above.and_then(|span| service_of(span)).expect("a call has a calling service");
        let spec = SPECS.iter().find(|spec| spec.name == caller).unwrap();
        assert!(spec.calls.contains(&callee), "{caller} called {callee}, which its SPEC does not name");
    }
}
