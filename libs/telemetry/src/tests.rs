//! Spans on their way to a trace store of our own, over both protocols, in good times and bad.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::time::Duration;

use assay_testkit::otlp_sink::{Mood, OtlpSink, Seen};
use tracing::Instrument as _;
use tracing_subscriber::layer::SubscriberExt as _;

use super::*;

/// Telemetry for this test alone. What is measured goes to the recorder given back.
struct Local {
    telemetry: Telemetry,
    _subscriber: tracing::subscriber::DefaultGuard,
    recorder: Recorder,
}

impl Local {
    fn start(options: &Options) -> Self {
        options.check().unwrap();
        let recorder = Recorder::default();
        let telemetry = metrics::with_local_recorder(&recorder, || pipeline("router", options)).unwrap();
        let subscriber = tracing_subscriber::registry().with(telemetry.layer());
        let subscriber = tracing::subscriber::set_default(subscriber);
        opentelemetry::global::set_text_map_propagator(TraceContextPropagator::new());
        Self { telemetry, _subscriber: subscriber, recorder }
    }

    fn counted(&self, name: &str) -> f64 {
        let text = self.recorder.render(None).body;
        let line = text.lines().find(|line| line.starts_with(name)).unwrap_or("0");
        line.rsplit(' ').next().unwrap().parse().unwrap()
    }
}

fn towards(endpoint: String, protocol: Protocol) -> Options {
    let otlp =
        Otlp { endpoint, protocol, delay_ms: 20, timeout_ms: 400, shutdown_ms: 500, ..Otlp::default() };
    Options {
        otlp,
        pod: "router-0".into(),
        resource: "deployment.environment.name=test".into(),
        ..Options::default()
    }
}

/// One request as the router makes it, with everything on its spans that people wrote.
async fn request() {
    let answer = spans::answer(&"0190-audit");
    spans::asked_by(&answer, "ana", "session-7");
    spans::input(&answer, "QUESTION of ana@example.com");
    let work = async {
        let retrieve = spans::retrieve();
        spans::input(&retrieve, "QUESTION");
        let document = spans::Document {
            id: "guide.md#3",
            content: "SOURCE text",
            score: 0.5,
            metadata: serde_json::json!({"path": "guide.md"}),
        };
        spans::documents(&retrieve, [document]);
        let call = spans::Call {
            provider: "openai",
            model: "m",
            prompt: "draft",
            max_tokens: 100,
            temperature: 0.0,
            seed: Some(7),
        };
        let chat = spans::chat(&call);
        spans::asked(&chat, &[("system", "RULES"), ("user", "QUESTION")]);
        spans::answered(&chat, "WRITTEN");
        spans::used(&chat, Some(10), Some(3), "stop");
        tokio::task::yield_now().await;
    };
    work.instrument(answer.clone()).await;
    let end = spans::Settled {
        query_type: "RETRIEVAL",
        outcome: "ANSWERED",
        verdict: "PASS",
        attempts: 1,
        model_calls: 1,
        text: "WRITTEN",
    };
    spans::settled(&answer, &end);
}

fn named<'a>(spans: &'a [Seen], name: &str) -> &'a Seen {
    spans.iter().find(|span| span.name == name).unwrap_or_else(|| panic!("no {name} in {spans:?}"))
}

/// Content is a switch of the process; tests that turn it take turns.
static SWITCH: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

#[tokio::test]
async fn spans_arrive_by_either_protocol_as_one_tree() {
    let _turn = SWITCH.lock().await;
    let sink = OtlpSink::start().await.unwrap();
    for (url, protocol) in [(sink.grpc_url(), Protocol::Grpc), (sink.http_url(), Protocol::Http)] {
        let before = sink.spans().len();
        let local = Local::start(&towards(url, protocol));
        request().await;
        let all = sink.spans_when(|spans| spans.len() >= before + 3).await;
        let all = all.get(before..).unwrap();
        let (answer, retrieve, chat) =
            (named(all, "assay.answer"), named(all, "assay.retrieve"), named(all, "chat m"));
        assert_eq!(answer.parent_id, "");
        for child in [retrieve, chat] {
            assert_eq!((&child.trace_id, &child.parent_id), (&answer.trace_id, &answer.span_id));
        }
        for (span, name, value) in [
            (answer, "openinference.span.kind", "CHAIN"),
            (answer, "assay.verdict", "PASS"),
            (answer, "langfuse.trace.metadata.verdict", "PASS"),
            (answer, "langfuse.session.id", "session-7"),
            (answer, "langfuse.observation.type", "chain"),
            (retrieve, "retrieval.documents.0.document.id", "guide.md#3"),
            (retrieve, "retrieval.documents.0.document.metadata", "{\"path\":\"guide.md\"}"),
            (retrieve, "langfuse.observation.type", "retriever"),
            (chat, "gen_ai.operation.name", "chat"),
            (chat, "llm.model_name", "m"),
            (chat, "llm.token_count.total", "13"),
            (chat, "gen_ai.usage.input_tokens", "10"),
            (chat, "gen_ai.response.finish_reasons", "[stop]"),
            (chat, "langfuse.observation.type", "generation"),
        ] {
            assert_eq!(span.attributes.get(name).map(String::as_str), Some(value), "{name} of {}", span.name);
        }
        for (name, value) in [
            ("service.name", "router"),
            ("service.instance.id", "router-0"),
            ("k8s.pod.name", "router-0"),
            ("openinference.project.name", "assay"),
            ("deployment.environment.name", "test"),
        ] {
            assert_eq!(chat.resource.get(name).map(String::as_str), Some(value), "{name}");
        }
        assert_eq!(chat.kind, 3);
        drop(local);
    }
}

#[tokio::test]
async fn content_leaves_only_with_the_switch_and_redacted() {
    let _turn = SWITCH.lock().await;
    let words = ["QUESTION", "SOURCE", "RULES", "WRITTEN", "ana"];
    let sink = OtlpSink::start().await.unwrap();
    let options = towards(sink.grpc_url(), Protocol::Grpc);
    let local = Local::start(&options);
    // Even where a service puts content on a span, it is taken off in front of the exporter.
    content::enable(true);
    request().await;
    content::enable(false);
    assert_eq!(sink.spans_when(|spans| spans.len() >= 3).await.len(), 3);
    for word in words {
        assert!(!sink.holds(word), "{word} left");
    }
    drop(local);

    let sink = OtlpSink::start().await.unwrap();
    let options = towards(sink.grpc_url(), Protocol::Grpc);
    let local = Local::start(&Options { content: true, ..options });
    content::enable(true);
    request().await;
    content::enable(false);
    let all = sink.spans_when(|spans| spans.len() >= 3).await;
    let answer = named(&all, "assay.answer");
    assert_eq!(answer.attributes["input.value"], "QUESTION of [redacted:email]");
    assert_eq!(answer.attributes["langfuse.user.id"], "ana");
    assert_eq!(answer.attributes["langfuse.trace.input"], "QUESTION of [redacted:email]");
    let chat = named(&all, "chat m");
    assert_eq!(chat.attributes["llm.input_messages.1.message.content"], "QUESTION");
    assert_eq!(chat.attributes["llm.output_messages.0.message.content"], "WRITTEN");
    assert!(!sink.holds("example.com"));
    drop(local);
}

#[tokio::test]
async fn langfuse_is_sent_http_at_its_path_with_its_header() {
    let _turn = SWITCH.lock().await;
    let sink = OtlpSink::start().await.unwrap();
    let mut options = towards(format!("{}/api/public/otel", sink.http_url()), Protocol::Http);
    options.otlp.headers = Headers::new("Authorization=Basic%20cGstbGY6c2stbGY=");
    let local = Local::start(&options);
    request().await;
    sink.spans_when(|spans| spans.len() >= 3).await;
    let deliveries = sink.deliveries();
    let first = deliveries.first().expect("a delivery");
    assert_eq!(first.path, "/api/public/otel/v1/traces");
    assert_eq!(first.headers["authorization"], "Basic cGstbGY6c2stbGY=");
    assert_eq!(first.headers["content-type"], "application/x-protobuf");
    drop(local);
}

#[tokio::test]
async fn broken_store_costs_a_counter_and_a_bounded_end() {
    let _turn = SWITCH.lock().await;
    for protocol in [Protocol::Grpc, Protocol::Http] {
        for mood in [Some(Mood::Refuses), Some(Mood::Silent), None] {
            let sink = OtlpSink::start().await.unwrap();
            let url = match (mood, protocol) {
                (None, _) => "http://127.0.0.1:9".to_owned(),
                (_, Protocol::Grpc) => sink.grpc_url(),
                (_, Protocol::Http) => sink.http_url(),
            };
            sink.set(mood.unwrap_or_default());
            let local = Local::start(&towards(url, protocol));
            request().await;
            let dropped = "assay_telemetry_spans_dropped_total{reason=\"export_failed\"}";
            for _ in 0..400 {
                if local.counted(dropped) >= 3.0 {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(25)).await;
            }
            assert!(local.counted(dropped) >= 3.0, "{protocol:?} {mood:?}");
            assert!(sink.spans().is_empty());
            // Work goes on, and the end of the process does not wait for the store.
            request().await;
            let (end, ended) = tokio::sync::oneshot::channel();
            std::thread::spawn(move || {
                drop(local.telemetry);
                end.send(())
            });
            ended.await.unwrap();
            assert!(sink.spans().is_empty(), "the end came before {protocol:?} {mood:?} took anything");
        }
    }
}

#[tokio::test]
async fn returned_store_gets_the_spans_that_follow() {
    let _turn = SWITCH.lock().await;
    let sink = OtlpSink::start().await.unwrap();
    let local = Local::start(&towards(sink.grpc_url(), Protocol::Grpc));
    sink.set(Mood::Refuses);
    request().await;
    local.telemetry.flush();
    sink.set(Mood::Keeps);
    request().await;
    assert!(sink.spans_when(|spans| spans.len() >= 3).await.len() >= 3);
}

#[tokio::test]
async fn unsampled_requests_send_nothing_unless_their_caller_is_traced() {
    let _turn = SWITCH.lock().await;
    let sink = OtlpSink::start().await.unwrap();
    let options = Options { sampling_ratio: 0.0, ..towards(sink.grpc_url(), Protocol::Grpc) };
    let local = Local::start(&options);
    request().await;
    let mut headers = http::HeaderMap::new();
    let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    headers.insert("traceparent", parent.parse().unwrap());
    let span = spans::rpc_server("assay.router.v1alpha1.RouterService/Ask");
    propagation::set_parent(&span, &headers);
    request().instrument(span).await;
    let all = sink.spans_when(|spans| spans.len() >= 4).await;
    assert_eq!(all.len(), 4);
    assert!(all.iter().all(|span| span.trace_id == "4bf92f3577b34da6a3ce929d0e0e4736"));
    assert_eq!(named(&all, "assay.router.v1alpha1.RouterService/Ask").parent_id, "00f067aa0ba902b7");
    drop(local);
}
