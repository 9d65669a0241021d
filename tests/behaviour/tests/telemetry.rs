//! Whole requests as a trace store sees them: one tree between specified services, without a word of anybody; and a
//! store that goes away in the middle costs nobody an answer.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::{BTreeMap, BTreeSet};

use assay_behaviour::cases::models::{GOOD, PAGE, QUESTION, WORKING, question};
use assay_behaviour::harness::Embedded;
use assay_behaviour::spans::specs;
use assay_domain::{Outcome, QueryType, Verdict};
use assay_telemetry::{Options, Otlp};
use assay_testkit::model_server::{ModelServer, Reply};
use assay_testkit::otlp_sink::{Mood, OtlpSink, Seen};

/// Kind of a received call.
const SERVER: i32 = 2;

fn service_of(span: &Seen) -> Option<&'static str> {
    let of = |spec: &&assay_rpc::ServiceSpec| {
        !spec.grpc.is_empty() && span.name.starts_with(&format!("{}/", spec.grpc))
    };
    specs().find(of).map(|spec| spec.name).filter(|_| span.kind == SERVER)
}

/// Who called whom.
fn edges(spans: &[Seen]) -> BTreeSet<(&'static str, &'static str)> {
    let by_id: BTreeMap<&str, &Seen> = spans.iter().map(|span| (span.span_id.as_str(), span)).collect();
    let mut edges = BTreeSet::new();
    for span in spans {
        let Some(callee) = service_of(span) else { continue };
        let mut above = by_id.get(span.parent_id.as_str());
        while let Some(up) = above.filter(|up| service_of(up).is_none()) {
            above = by_id.get(up.parent_id.as_str());
        }
        if let Some(caller) = above.and_then(|up| service_of(up)) {
            edges.insert((caller, callee));
        }
    }
    edges
}

/// The trace of the answer with this audit id.
fn trace_of(spans: &[Seen], audit_id: &str) -> Vec<Seen> {
    let answer = |span: &&Seen| {
        span.name == "assay.answer" && span.attributes.get("assay.audit_id").is_some_and(|id| id == audit_id)
    };
    let Some(trace) = spans.iter().find(answer).map(|span| span.trace_id.clone()) else { return Vec::new() };
    spans.iter().filter(|span| span.trace_id == trace).cloned().collect()
}

fn named<'a>(spans: &'a [Seen], name: &str) -> &'a Seen {
    spans.iter().find(|span| span.name == name).unwrap_or_else(|| panic!("no {name} in {spans:#?}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn request_is_one_content_free_trace_and_outlives_its_store() {
    let sink = OtlpSink::start().await.unwrap();
    let model = ModelServer::start(Vec::new()).await.unwrap();
    let otlp = Otlp {
        endpoint: sink.grpc_url(),
        delay_ms: 50,
        timeout_ms: 500,
        shutdown_ms: 500,
        ..Otlp::default()
    };
    let telemetry = assay_telemetry::start("assay", &Options { otlp, ..Options::default() }).unwrap();
    let system = Embedded::start(&[
        ("OLLAMA_MODEL_NAME", "openai:script"),
        ("OPENAI_BASE_URL", &model.base_url()),
        ("OPENAI_API_KEY", "none"),
    ])
    .await;
    system.ingest("", &[PAGE]).await;

    let whole = |spans: &[Seen], id: &str| {
        let trace = trace_of(spans, id);
        // The call that began it ends last.
        trace.iter().any(|span| service_of(span) == Some("router"))
    };
    model.play(vec![Reply::Text(GOOD.into())]);
    let answer = system.put(&question(QueryType::Retrieval)).await;
    assert_eq!(answer.verdict, Some(Verdict::Pass), "{:#?}", answer.report);
    let id = answer.audit_id.to_string();
    let all = sink.spans_when(|spans| whole(spans, &id)).await;
    let trace = trace_of(&all, &id);
    let calls = trace.iter().filter(|span| service_of(span).is_some_and(|name| name != "router")).count();
    // At least: search, draft, check, record.
    assert!((4..=8).contains(&calls), "{calls} calls between services");
    let root = named(&trace, "assay.answer");
    for (name, kind) in [
        ("assay.answer", "CHAIN"),
        ("assay.classify", "CHAIN"),
        ("assay.retrieve", "RETRIEVER"),
        ("assay.embed", "EMBEDDING"),
        ("assay.draft", "CHAIN"),
        ("chat script", "LLM"),
        ("assay.check", "GUARDRAIL"),
        ("assay.judge", "GUARDRAIL"),
        ("assay.record", "CHAIN"),
    ] {
        assert_eq!(named(&trace, name).attributes["openinference.span.kind"], kind, "{name}");
    }
    for (span, name, value) in [
        ("assay.answer", "assay.verdict", "PASS"),
        ("assay.answer", "assay.outcome", "ANSWERED"),
        ("assay.answer", "assay.query_type", "RETRIEVAL"),
        ("assay.answer", "langfuse.trace.metadata.verdict", "PASS"),
        ("assay.check", "assay.check.citation_coverage", "PASSED"),
        ("assay.judge", "assay.verdict", "PASS"),
        ("chat script", "gen_ai.operation.name", "chat"),
        ("chat script", "gen_ai.provider.name", "openai"),
        ("chat script", "llm.model_name", "script"),
    ] {
        assert_eq!(
            named(&trace, span).attributes.get(name).map(String::as_str),
            Some(value),
            "{span}: {name}"
        );
    }
    let retrieve = named(&trace, "assay.retrieve");
    assert!(retrieve.attributes["retrieval.documents.0.document.metadata"].contains("importer.md"));
    assert!(retrieve.attributes["retrieval.documents.0.document.score"].parse::<f64>().unwrap() > 0.0);
    for name in ["assay.retrieve", "assay.draft", "assay.check", "assay.record"] {
        assert_eq!(named(&trace, name).parent_id, root.span_id, "{name}");
    }
    // A draft lasts until its last piece: the call of the model is inside it.
    let (draft, chat) = (named(&trace, "assay.draft"), named(&trace, "chat script"));
    assert!(draft.time.0 <= chat.time.0 && chat.time.1 <= draft.time.1, "{draft:#?} {chat:#?}");

    model.play(vec![Reply::Text(WORKING.into())]);
    let answer = system.put(&question(QueryType::CodeGeneration)).await;
    assert_eq!(answer.outcome, Outcome::Answered);
    let id = answer.audit_id.to_string();
    let all = sink.spans_when(|spans| whole(spans, &id)).await;
    let trace = trace_of(&all, &id);
    assert_eq!(named(&trace, "assay.parse").attributes["assay.code_status"], "checked");
    assert_eq!(named(&trace, "assay.parser").attributes["openinference.span.kind"], "TOOL");
    let edges = edges(&trace);
    for (caller, callee) in &edges {
        let spec = specs().find(|spec| spec.name == *caller).unwrap();
        assert!(spec.calls.contains(callee), "{caller} called {callee}, which its SPEC does not name");
    }
    for edge in [
        ("router", "retrieval"),
        ("router", "generation"),
        ("router", "validation"),
        ("router", "audit"),
        ("validation", "parser"),
    ] {
        assert!(edges.contains(&edge), "{edge:?} is missing in {edges:?}");
    }

    for words in [QUESTION, GOOD, "skips empty rows", "returns 1", "addVar", "local"] {
        assert!(!sink.holds(words), "{words:?} left the process");
    }

    for mood in [Mood::Refuses, Mood::Silent] {
        sink.set(mood);
        model.play(vec![Reply::Text(GOOD.into())]);
        let answer = system.put(&question(QueryType::Retrieval)).await;
        assert_eq!(answer.verdict, Some(Verdict::Pass), "{mood:?}");
        system.record(answer.audit_id).await;
    }
    let mut lost = String::new();
    for _ in 0..400 {
        lost = assay_telemetry::exposition(None).body;
        if lost.lines().any(|line| {
            line.starts_with("assay_telemetry_spans_dropped_total{reason=\"export_failed\"}")
                && !line.ends_with(" 0")
        }) {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(25)).await;
    }
    assert!(lost.contains("assay_telemetry_spans_dropped_total{reason=\"export_failed\"}"), "{lost}");
    assert!(!lost.contains("assay_telemetry_spans_dropped_total{reason=\"export_failed\"} 0\n"), "{lost}");
    // Metrics carry the trace they happened in, where the scraper asks for it.
    let text = assay_telemetry::exposition(Some("application/openmetrics-text")).body;
    let counted = text.lines().find(|line| line.starts_with("assay_answers_total{")).unwrap();
    assert!(counted.contains("# {trace_id=\""), "{counted}");
    system.stop().await;
    drop(telemetry);
}
