//! The service alone over an in-memory channel, its peers scripted.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::time::Duration;

use assay_domain::answer::Outcome;
use assay_domain::{Code, Question};
use assay_proto::router::router_service_client::RouterServiceClient;
use assay_proto::{common as messages, router as wire};
use assay_router::compose_with;
use assay_rpc::{Channel, Limits, Running};
use assay_wire::{ToWire as _, from_status};
use common::*;

async fn serve(bench: &Bench) -> (RouterServiceClient<Channel>, Running) {
    let service = compose_with(bench.options.clone(), bench.ports.clone()).await.unwrap();
    let (channel, running) = service.in_memory(Limits::default());
    (RouterServiceClient::new(channel), running)
}

fn asked(text: &str) -> Option<messages::Question> {
    Some(Question::new(text).to_wire())
}

#[tokio::test]
async fn ask_answers_and_leaves_one_record() {
    let bench = bench();
    let (mut client, running) = serve(&bench).await;
    let request = context().request(wire::AskRequest { question: asked(RETRIEVAL) });
    let answer = client.ask(request).await.unwrap().into_inner().answer.unwrap();
    assert_eq!(answer.outcome, messages::Outcome::Answered as i32);
    assert_eq!(bench.record().audit_id.to_string(), answer.audit_id);
    running.drain().await;
}

#[tokio::test]
async fn failure_is_a_status_with_code_and_audit_id() {
    let bench = bench();
    bench.plays([Play::Fail(Code::GenerationUnavailable)]);
    let (mut client, running) = serve(&bench).await;
    let request = context().request(wire::AskRequest { question: asked(RETRIEVAL) });
    let status = client.ask(request).await.unwrap_err();
    assert_eq!(from_status(&status).code, Code::GenerationUnavailable);
    let id = status.metadata().get("assay-audit-id").unwrap().to_str().unwrap().to_owned();
    assert_eq!(bench.record().audit_id.to_string(), id);
    running.drain().await;
}

#[tokio::test]
async fn a_question_that_cannot_be_read_is_refused_and_recorded() {
    let bench = bench();
    let (mut client, running) = serve(&bench).await;
    let question = messages::Question { declared_type: 99, ..asked(RETRIEVAL).unwrap() };
    let request = context().request(wire::AskRequest { question: Some(question) });
    let failure = from_status(&client.ask(request).await.unwrap_err());
    assert_eq!((failure.code, failure.field.as_str()), (Code::InvalidArgument, "question.declared_type"));
    assert_eq!(bench.record().outcome, Outcome::Refused);
    running.drain().await;
}

#[tokio::test]
async fn refusals_of_the_gateway_are_recorded() {
    let bench = bench();
    let (mut client, running) = serve(&bench).await;
    let refusal = |code: &str| wire::RefuseRequest {
        code: code.into(),
        detail: "the body is no JSON".into(),
        query: "mail ada@example.org".into(),
        count: 7,
    };
    let request = context().request(refusal("invalid_argument"));
    let reply = client.refuse(request).await.unwrap().into_inner();
    let record = bench.record();
    assert_eq!((record.audit_id.to_string(), record.outcome), (reply.audit_id, Outcome::Refused));
    assert_eq!(record.errors, ["invalid_argument"], "errors are never erased, so they quote nobody");
    assert_eq!(record.warnings, ["requests=7", "the body is no JSON"]);
    assert!(!record.query.contains("ada@example.org"));
    for code in ["unavailable", "internal"] {
        client.refuse(context().request(refusal(code))).await.unwrap();
        assert_eq!(
            bench.records().last().unwrap().errors,
            [code],
            "the outbox works, whatever the gateway says"
        );
    }
    let unknown = from_status(&client.refuse(context().request(refusal("nosuch"))).await.unwrap_err());
    assert_eq!((unknown.code, unknown.field.as_str()), (Code::InvalidArgument, "code"));
    assert_eq!(bench.records().len(), 3);
    running.drain().await;
}

#[tokio::test]
async fn a_check_leaves_a_record_on_request() {
    use messages::{CheckName, CheckStatus, Mode, Verdict};
    let bench = bench();
    let (mut client, running) = serve(&bench).await;
    let check = messages::Check {
        name: CheckName::Numbers.into(),
        status: CheckStatus::Failed.into(),
        required: true,
        ..Default::default()
    };
    let span = Some(messages::Span::default());
    let citation = messages::Citation { marker: 1, in_range: true, span, ..Default::default() };
    let report = messages::Report {
        verdict: Verdict::Reject.into(),
        checks: vec![check],
        citations: vec![citation],
        ..Default::default()
    };
    let source = messages::Source {
        id: "orders".into(),
        kind: messages::SourceKind::Doc.into(),
        text: "It stops after 100 errors.".into(),
        lines: Some(messages::LineRange { first: 1, last: 1 }),
        ..Default::default()
    };
    let request = wire::RecordCheckRequest {
        question: "When does it stop? Mail ada@example.org".into(),
        answer: "It stops after 200 errors. [^1]".into(),
        query_type: messages::QueryType::Retrieval.into(),
        mode: Mode::Strict.into(),
        policy: "balanced".into(),
        check_ms: 3.5,
        sources: vec![source],
        report: Some(report),
    };
    let reply = client.record_check(context().request(request.clone())).await.unwrap().into_inner();
    assert_eq!(reply.audit, i32::from(messages::AuditState::Stored));
    let record = bench.record();
    assert_eq!((record.audit_id.to_string(), record.outcome), (reply.audit_id, Outcome::Checked));
    assert_eq!((record.answer.as_str(), record.citations[0].source.as_str()), (&*request.answer, "orders"));
    assert!(!record.query.contains("ada@example.org") && record.query.contains("When does it stop?"));
    let validation = record.validation.unwrap();
    assert_eq!(
        (validation.status, validation.policy.as_str()),
        (Some(assay_domain::report::Verdict::Reject), "balanced")
    );

    bench.world.audit_up.store(false, std::sync::atomic::Ordering::SeqCst);
    let reply = client.record_check(context().request(request.clone())).await.unwrap().into_inner();
    assert_eq!(reply.audit, i32::from(messages::AuditState::Queued), "the outbox has it");
    let silent = wire::RecordCheckRequest { question: String::new(), ..request.clone() };
    client.record_check(context().request(silent)).await.unwrap();
    let bare = wire::RecordCheckRequest { report: None, ..request };
    let failure = from_status(&client.record_check(context().request(bare)).await.unwrap_err());
    assert_eq!((failure.code, failure.field.as_str()), (Code::InvalidArgument, "report"));
    running.drain().await;
}

#[tokio::test]
async fn a_call_without_identity_is_unauthenticated_and_leaves_no_record() {
    let bench = bench();
    let (mut client, running) = serve(&bench).await;
    let status = client.ask(wire::AskRequest { question: asked(RETRIEVAL) }).await.unwrap_err();
    assert_eq!(from_status(&status).code, Code::Unauthenticated);
    assert!(bench.records().is_empty());
    running.drain().await;
}

#[tokio::test]
async fn a_stream_has_gapless_numbers_and_ends_with_settled() {
    let bench = bench();
    let (mut client, running) = serve(&bench).await;
    let request = wire::AskStreamRequest { question: asked(RETRIEVAL), delivery: 0 };
    let mut stream = client.ask_stream(context().request(request)).await.unwrap().into_inner();
    let mut last = None;
    let mut next = 0;
    while let Some(event) = stream.message().await.unwrap() {
        assert_eq!(event.sequence, next);
        next += 1;
        last = event.event;
    }
    assert!(matches!(last, Some(wire::ask_stream_response::Event::Settled(_))));
    running.drain().await;
}

#[tokio::test]
async fn a_client_that_drops_its_stream_leaves_a_cancelled_record() {
    let bench = bench();
    bench.plays([Play::Hang(vec!["Some "])]);
    let (mut client, running) = serve(&bench).await;
    let request = wire::AskStreamRequest { question: asked(RETRIEVAL), delivery: 0 };
    let mut stream = client.ask_stream(context().request(request)).await.unwrap().into_inner();
    while let Some(event) = stream.message().await.unwrap() {
        if matches!(event.event, Some(wire::ask_stream_response::Event::Segment(_))) {
            break;
        }
    }
    drop(stream);
    let recorded = async {
        while bench.records().is_empty() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), recorded).await.unwrap();
    assert_eq!(bench.record().outcome, Outcome::Cancelled);
    running.drain().await;
}

#[tokio::test]
async fn classify_answers_in_order_and_explain_records_nothing() {
    let bench = bench();
    let (mut client, running) = serve(&bench).await;
    let item = |text: &str| wire::ClassifyItem { text: text.into(), history: Vec::new(), declared_type: 0 };
    let items = [RETRIEVAL, CODE, CHAT, PLATFORM].map(item).to_vec();
    let request = context().request(wire::ClassifyRequest { items, head_json: String::new() });
    let labels: Vec<_> = client
        .classify(request)
        .await
        .unwrap()
        .into_inner()
        .items
        .into_iter()
        .map(|item| item.label)
        .collect();
    assert_eq!(labels, ["RETRIEVAL", "CODE_GENERATION", "CONVERSATIONAL", "PLATFORM"]);
    let request = context().request(wire::ExplainRequest { question: asked(RETRIEVAL) });
    let plan = client.explain(request).await.unwrap().into_inner();
    assert_eq!((plan.search_query.as_str(), plan.sources.len()), (RETRIEVAL, 2));
    assert!(bench.records().is_empty());
    running.drain().await;
}

#[tokio::test]
async fn classification_is_bounded_in_models_and_size() {
    let bench = bench_with(|options| options.classify_model_calls = 2, |_| {});
    bench.world.opinions.store(1, std::sync::atomic::Ordering::SeqCst);
    let (mut client, running) = serve(&bench).await;
    let item = |text: String| wire::ClassifyItem { text, history: Vec::new(), declared_type: 0 };
    let classify = |items| wire::ClassifyRequest { items, head_json: String::new() };
    let unclear = |index: i32| item(format!("the blue one number {index}, maybe tomorrow or so"));
    let reply = client.classify(context().request(classify((0..6).map(unclear).collect()))).await;
    assert_eq!((reply.unwrap().into_inner().items.len(), get(&bench.world.calls.classify)), (6, 2));
    let long = classify(vec![item("x".repeat(4_097))]);
    let failure = from_status(&client.classify(context().request(long)).await.unwrap_err());
    assert_eq!((failure.code, failure.field.as_str()), (Code::InvalidArgument, "items[0].text"));
    let heavy = wire::ClassifyRequest { items: Vec::new(), head_json: " ".repeat(8 * 1024 * 1024 + 1) };
    let failure = from_status(&client.classify(context().request(heavy)).await.unwrap_err());
    assert_eq!(failure.field, "head_json");
    running.drain().await;
}

#[tokio::test]
async fn a_head_of_any_labels_classifies_alone() {
    let examples: Vec<_> = (0..40)
        .map(|index| assay_heads::Example {
            text: if index % 2 == 0 { format!("red apple {index}") } else { format!("fast car {index}") },
            label: if index % 2 == 0 { "fruit" } else { "vehicle" }.into(),
            vector: Vec::new(),
        })
        .collect();
    let settings = assay_heads::Settings { buckets: 512, ..assay_heads::Settings::default() };
    let head = assay_heads::train(&examples, &[], &[], "", settings).unwrap();
    let bench = bench();
    let (mut client, running) = serve(&bench).await;
    let item = wire::ClassifyItem { text: "an apple".into(), history: Vec::new(), declared_type: 0 };
    let request = wire::ClassifyRequest { items: vec![item], head_json: head.to_json() };
    let reply = client.classify(context().request(request)).await.unwrap().into_inner();
    assert_eq!(reply.items[0].label, "fruit");
    running.drain().await;
}

#[tokio::test]
async fn next_process_delivers_the_records_of_a_dead_one() {
    let bench = bench();
    bench.world.audit_up.store(false, std::sync::atomic::Ordering::SeqCst);
    bench.ask(Question::new(RETRIEVAL)).await.unwrap();
    bench.world.audit_up.store(true, std::sync::atomic::Ordering::SeqCst);
    let (_client, running) = serve(&bench).await;
    running.drain().await;
    assert_eq!(bench.record().outcome, Outcome::Answered);
}
