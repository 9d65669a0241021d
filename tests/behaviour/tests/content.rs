//! With the content switch on a trace shows what was asked, found, said and judged: in the file of the embedded system, and
//! in a real Phoenix where one is named.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use assay_behaviour::cases::models::{GOOD, PAGE, QUESTION, question};
use assay_behaviour::harness::{Embedded, until};
use assay_domain::{QueryType, Verdict};
use assay_telemetry::{Options, Otlp, Protocol};
use assay_testkit::external;
use assay_testkit::model_server::{ModelServer, Reply};
use serde_json::Value;

/// An attribute of the span with this name, as the file has it.
fn attribute<'a>(spans: &'a [Value], name: &str, attribute: &str) -> &'a str {
    let span =
        spans.iter().find(|span| span["name"] == name).unwrap_or_else(|| panic!("no {name} in {spans:#?}"));
    span["attributes"][attribute].as_str().unwrap_or_else(|| panic!("no {attribute} on {span:#?}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trace_shows_what_was_asked_found_said_and_judged() {
    let phoenix = external::from_environment("ASSAY_TEST_PHOENIX_URL");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("spans.jsonl");
    let model = ModelServer::start(Vec::new()).await.unwrap();
    let otlp = Otlp {
        endpoint: phoenix.clone().unwrap_or_default(),
        protocol: Protocol::Http,
        delay_ms: 50,
        ..Otlp::default()
    };
    let project = format!("assay-test-{}", std::process::id());
    let options = Options {
        otlp,
        content: true,
        project: project.clone(),
        trace_file: Some(file.clone()),
        ..Options::default()
    };
    let telemetry = assay_telemetry::start("assay", &options).unwrap();
    let system = Embedded::start(&[
        ("OLLAMA_MODEL_NAME", "openai:script"),
        ("OPENAI_BASE_URL", &model.base_url()),
        ("OPENAI_API_KEY", "none"),
    ])
    .await;
    system.ingest("", &[PAGE]).await;
    model.play(vec![Reply::Text(GOOD.into())]);
    let answer = system.put(&question(QueryType::Retrieval)).await;
    assert_eq!(answer.verdict, Some(Verdict::Pass), "{:#?}", answer.report);
    let id = answer.audit_id.to_string();
    let all = until("the trace is written", async || {
        telemetry.flush();
        let text = std::fs::read_to_string(&file).ok()?;
        let spans: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let answered = |span: &Value| {
            span["attributes"]["assay.audit_id"] == id.as_str() && span["name"] == "assay.answer"
        };
        spans.iter().any(answered).then_some(spans)
    })
    .await;
    for (span, name, value) in [
        ("assay.answer", "input.value", QUESTION),
        ("assay.answer", "output.value", GOOD),
        ("assay.answer", "langfuse.trace.input", QUESTION),
        ("assay.retrieve", "input.value", QUESTION),
        ("assay.draft", "output.value", GOOD),
        ("chat script", "llm.output_messages.0.message.content", GOOD),
        ("chat script", "llm.input_messages.0.message.role", "system"),
        ("chat script", "llm.input_messages.1.message.role", "user"),
        ("assay.judge", "input.value", GOOD),
    ] {
        assert_eq!(attribute(&all, span, name), value, "{span}: {name}");
    }
    assert!(attribute(&all, "chat script", "llm.input_messages.1.message.content").contains(QUESTION));
    assert!(attribute(&all, "chat script", "gen_ai.input.messages").contains("skips empty rows"));
    let found = attribute(&all, "assay.retrieve", "retrieval.documents.0.document.content");
    assert!(found.contains("skips empty rows"), "{found}");
    let judged: Value = serde_json::from_str(attribute(&all, "assay.judge", "output.value")).unwrap();
    assert_eq!(judged["verdict"], "PASS");
    if let Some(url) = phoenix {
        in_phoenix(&url, &project, &id).await;
    }
    system.stop().await;
    drop(telemetry);
}

/// The same tree, read back from a real Phoenix.
async fn in_phoenix(url: &str, project: &str, audit_id: &str) {
    let client = reqwest::Client::new();
    let address = format!("{url}/v1/projects/{project}/spans?limit=1000");
    let spans = until("Phoenix shows the trace", async || {
        let body: Value = client.get(&address).send().await.ok()?.json().await.ok()?;
        let spans = body["data"].as_array()?.clone();
        let answered =
            |span: &Value| span["attributes"]["assay.audit_id"] == audit_id && span["name"] == "assay.answer";
        spans.iter().any(answered).then_some(spans)
    })
    .await;
    let named = |name: &str| {
        spans.iter().find(|span| span["name"] == name).unwrap_or_else(|| panic!("no {name} in Phoenix"))
    };
    for (name, kind) in [
        ("assay.answer", "CHAIN"),
        ("assay.retrieve", "RETRIEVER"),
        ("assay.embed", "EMBEDDING"),
        ("chat script", "LLM"),
        ("assay.check", "GUARDRAIL"),
        ("assay.judge", "GUARDRAIL"),
    ] {
        assert_eq!(named(name)["span_kind"], kind, "{name}");
    }
    let root = named("assay.answer");
    assert_eq!(root["attributes"]["assay.verdict"], "PASS");
    assert_eq!(root["attributes"]["input.value"], QUESTION);
    assert_eq!(root["attributes"]["output.value"], GOOD);
    assert_eq!(named("assay.retrieve")["parent_id"], root["context"]["span_id"]);
    let found = &named("assay.retrieve")["attributes"]["retrieval.documents.0.document.content"];
    assert!(
        found.as_str().is_some_and(|text| text.contains("skips empty rows")),
        "{:#}",
        named("assay.retrieve")
    );
}
