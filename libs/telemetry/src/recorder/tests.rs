//! Tests of the recorder through the macros that services use.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use opentelemetry::Context;
use opentelemetry::trace::{SpanContext, SpanId, TraceContextExt as _, TraceFlags, TraceId, TraceState};

use super::*;

const SCRAPER: Option<&str> =
    Some("application/openmetrics-text;version=1.0.0;q=0.6,text/plain;version=0.0.4;q=0.5");

fn in_trace<T>(work: impl FnOnce() -> T) -> T {
    let ids = SpanContext::new(
        TraceId::from(0xabcu128),
        SpanId::from(0xdefu64),
        TraceFlags::SAMPLED,
        true,
        TraceState::default(),
    );
    let _inside = Context::new().with_remote_span_context(ids).attach();
    work()
}

#[test]
fn counters_and_histograms_carry_the_trace_of_what_happened_last() {
    let recorder = Recorder::default();
    metrics::with_local_recorder(&recorder, || {
        metrics::describe_counter!("assay_answers_total", "Requests");
        in_trace(|| {
            metrics::counter!("assay_answers_total", "outcome" => "ANSWERED").increment(1);
            metrics::histogram!("assay_answer_seconds", "query_type" => "RETRIEVAL").record(0.03);
        });
        metrics::counter!("assay_answers_total", "outcome" => "ANSWERED").increment(2);
        metrics::gauge!("assay_outbox_age_seconds").set(1.5);
    });
    let text = recorder.render(SCRAPER);
    assert!(text.content_type.starts_with("application/openmetrics-text"));
    let trace = "trace_id=\"00000000000000000000000000000abc\",span_id=\"0000000000000def\"";
    let counter = format!("assay_answers_total{{outcome=\"ANSWERED\"}} 3 # {{{trace}}} 1.0 ");
    assert!(text.body.contains(&counter), "{}", text.body);
    let bucket =
        format!("assay_answer_seconds_bucket{{le=\"0.05\",query_type=\"RETRIEVAL\"}} 1 # {{{trace}}} 0.03 ");
    assert!(text.body.contains(&bucket), "{}", text.body);
    assert!(text.body.contains("# TYPE assay_answers counter\n"), "{}", text.body);
    assert!(text.body.contains("assay_outbox_age_seconds 1.5\n"), "{}", text.body);
    assert!(text.body.ends_with("# EOF\n"));
}

#[test]
fn a_scraper_that_knows_no_openmetrics_gets_the_older_format() {
    let recorder = Recorder::default();
    metrics::with_local_recorder(&recorder, || {
        metrics::describe_counter!("assay_answers_total", "Requests");
        in_trace(|| metrics::counter!("assay_answers_total", "outcome" => "a # \"b\"").increment(1));
    });
    for accept in
        [None, Some("*/*"), Some("text/plain"), Some("application/openmetrics-text;q=0.1,text/plain")]
    {
        let text = recorder.render(accept);
        assert!(text.content_type.starts_with("text/plain; version=0.0.4"));
        assert_eq!(
            text.body,
            "# HELP assay_answers_total Requests\n# TYPE assay_answers_total counter\n\
             assay_answers_total{outcome=\"a # \\\"b\\\"\"} 1\n"
        );
    }
}

#[test]
fn invented_labels_do_not_fill_the_memory() {
    let recorder = Recorder::default();
    metrics::with_local_recorder(&recorder, || {
        for n in 0..MOST_SERIES + 500 {
            metrics::counter!("assay_rpc_server_total", "method" => n.to_string()).increment(1);
        }
    });
    let text = recorder.render(None).body;
    assert_eq!(text.lines().filter(|line| !line.starts_with('#')).count(), MOST_SERIES + 1);
    assert!(text.contains("assay_rpc_server_total{overflow=\"true\"} 500\n"));
}

#[test]
fn values_too_long_for_a_name_share_one_series() {
    let recorder = Recorder::default();
    metrics::with_local_recorder(&recorder, || {
        for n in 0..100 {
            let made_up = format!("{n}{}", "x".repeat(LONGEST_VALUE));
            metrics::counter!("assay_http_requests_total", "method" => made_up).increment(1);
        }
        metrics::counter!("assay_http_requests_total", "method" => "GET").increment(1);
    });
    let text = recorder.render(None).body;
    assert!(text.contains("assay_http_requests_total{method=\"overflow\"} 100\n"), "{text}");
    assert!(text.contains("assay_http_requests_total{method=\"GET\"} 1\n"), "{text}");
    assert!(text.len() < 1000 && recorder.store.known.read().unwrap().len() == 1);
}
