//! Names that OpenTelemetry has conventions for are spelled as its own list spells them, and the tables are complete.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
// The GenAI names moved to a repository of their own; this list still has them.
#![allow(deprecated)]

use std::collections::BTreeSet;

use assay_telemetry::names::{attributes as a, metrics, spans};
use opentelemetry_semantic_conventions::attribute as otel;

#[test]
fn names_are_those_of_the_semantic_conventions() {
    for (ours, theirs) in [
        (a::SERVICE_NAME, otel::SERVICE_NAME),
        (a::SERVICE_NAMESPACE, otel::SERVICE_NAMESPACE),
        (a::SERVICE_VERSION, otel::SERVICE_VERSION),
        (a::SERVICE_INSTANCE, otel::SERVICE_INSTANCE_ID),
        (a::POD, otel::K8S_POD_NAME),
        (a::NAMESPACE, otel::K8S_NAMESPACE_NAME),
        (a::NODE, otel::K8S_NODE_NAME),
        (a::RPC_SYSTEM, otel::RPC_SYSTEM_NAME),
        (a::RPC_METHOD, otel::RPC_METHOD),
        (a::RPC_STATUS, otel::RPC_RESPONSE_STATUS_CODE),
        (a::SERVER_ADDRESS, otel::SERVER_ADDRESS),
        (a::HTTP_ROUTE, otel::HTTP_ROUTE),
        (a::HTTP_METHOD, otel::HTTP_REQUEST_METHOD),
        (a::HTTP_STATUS, otel::HTTP_RESPONSE_STATUS_CODE),
        (a::ERROR_TYPE, otel::ERROR_TYPE),
        (a::SESSION_ID, otel::SESSION_ID),
        (a::USER_ID, otel::USER_ID),
        (a::OPERATION, otel::GEN_AI_OPERATION_NAME),
        (a::PROVIDER, otel::GEN_AI_PROVIDER_NAME),
        (a::MODEL, otel::GEN_AI_REQUEST_MODEL),
        (a::MAX_TOKENS, otel::GEN_AI_REQUEST_MAX_TOKENS),
        (a::TEMPERATURE, otel::GEN_AI_REQUEST_TEMPERATURE),
        (a::SEED, otel::GEN_AI_REQUEST_SEED),
        (a::INPUT_TOKENS, otel::GEN_AI_USAGE_INPUT_TOKENS),
        (a::OUTPUT_TOKENS, otel::GEN_AI_USAGE_OUTPUT_TOKENS),
        (a::FINISH_REASONS, otel::GEN_AI_RESPONSE_FINISH_REASONS),
        (a::INPUT_MESSAGES, otel::GEN_AI_INPUT_MESSAGES),
        (a::OUTPUT_MESSAGES, otel::GEN_AI_OUTPUT_MESSAGES),
        (a::PROMPT_ID, otel::GEN_AI_PROMPT_NAME),
        (a::DIMENSIONS, otel::GEN_AI_EMBEDDINGS_DIMENSION_COUNT),
        (a::CONVERSATION_ID, otel::GEN_AI_CONVERSATION_ID),
        (a::GEN_AI_TOOL, otel::GEN_AI_TOOL_NAME),
    ] {
        assert_eq!(ours, theirs);
    }
}

/// The values of the string constants of a file of names, in order.
fn constants(source: &str) -> Vec<&str> {
    source
        .lines()
        .filter(|line| line.starts_with("pub const ") && line.contains(": &str = \""))
        .filter_map(|line| line.split('"').nth(1))
        .collect()
}

#[test]
fn every_span_and_metric_has_a_row_and_one_meaning() {
    let names = constants(include_str!("../src/names/spans.rs"));
    let rows: BTreeSet<&str> = spans::TABLE.iter().map(|row| row.name).collect();
    assert_eq!(rows, names.iter().copied().collect());
    assert_eq!(rows.len(), spans::TABLE.len());
    let names = constants(include_str!("../src/names/metrics.rs"));
    let rows: BTreeSet<&str> = metrics::TABLE.iter().map(|(name, ..)| *name).collect();
    assert_eq!(rows, names.iter().copied().collect());
    let names = constants(include_str!("../src/names/attributes.rs"));
    assert_eq!(names.len(), names.iter().collect::<BTreeSet<_>>().len());
}

#[test]
fn kinds_are_those_that_langfuse_knows_too() {
    for row in spans::TABLE.iter().filter(|row| !row.kind.is_empty()) {
        assert!(a::LANGFUSE_KINDS.iter().any(|(kind, _)| *kind == row.kind), "{}", row.name);
    }
}
