//! Metric names, what each means, and the buckets of histograms.

/// Requests by outcome and query type.
pub const ANSWERS_TOTAL: &str = "assay_answers_total";
/// Verdicts by query type.
pub const VERDICTS_TOTAL: &str = "assay_verdicts_total";
/// Seconds from request to settled answer, by query type.
pub const ANSWER_SECONDS: &str = "assay_answer_seconds";
/// Rules of the routing contract that a settled request did not keep, by rule.
pub const CONTRACT_VIOLATIONS_TOTAL: &str = "assay_contract_violations_total";
/// Attempts whose code was to be checked.
pub const CODE_CHECKS_TOTAL: &str = "assay_code_checks_total";
/// Attempts whose code could not be checked, by reason.
pub const PARSER_UNAVAILABLE_TOTAL: &str = "assay_parser_unavailable_total";
/// State of the parser breaker: 0 closed, 1 half-open, 2 open.
pub const BREAKER_STATE: &str = "assay_parser_breaker_state";
/// Records waiting in the outbox.
pub const OUTBOX_RECORDS: &str = "assay_outbox_records";
/// Age of the oldest waiting record, in seconds.
pub const OUTBOX_AGE_SECONDS: &str = "assay_outbox_age_seconds";
/// Records that audit cannot take, set aside in the outbox.
pub const OUTBOX_SET_ASIDE: &str = "assay_outbox_set_aside";
/// Records whose closing waits for the outbox's disk.
pub const OUTBOX_UNCLOSED: &str = "assay_outbox_unclosed";
/// Appends after which the audit log had not grown.
pub const LOG_ROLLBACKS_TOTAL: &str = "assay_log_rollbacks_total";
/// Settled requests by the layer that routed them.
pub const ROUTES_TOTAL: &str = "assay_routes_total";
/// Messages classified on request, by layer.
pub const CLASSIFIED_TOTAL: &str = "assay_classified_total";
/// Calibrated probability of the type that a request was routed to.
pub const ROUTE_PROBABILITY: &str = "assay_route_probability";
/// Routed requests that a shadow head decided too, by whether it agrees.
pub const SHADOW_ROUTES_TOTAL: &str = "assay_shadow_routes_total";
/// Routed messages that were to be kept for training, by outcome.
pub const COLLECTED_TOTAL: &str = "assay_collected_messages_total";
/// Calls received, by service, method and status.
pub const RPC_SERVER_TOTAL: &str = "assay_rpc_server_total";
/// Seconds that a received call took, until its stream ended, by service and method.
pub const RPC_SERVER_SECONDS: &str = "assay_rpc_server_seconds";
/// Calls to a peer that were made again, by peer and reason.
pub const RPC_CLIENT_RETRIES_TOTAL: &str = "assay_rpc_client_retries_total";
/// Connections closed or refused because a bound of connections was reached, by action.
pub const CONNECTIONS_CLOSED_TOTAL: &str = "assay_connections_closed_total";
/// Refused questions that could not be recorded, by code.
pub const REFUSALS_UNRECORDED_TOTAL: &str = "assay_refusals_unrecorded_total";
/// Calls of a language model, by model and outcome.
pub const MODEL_CALLS_TOTAL: &str = "assay_model_calls_total";
/// Seconds of a call of a language model, by model.
pub const MODEL_CALL_SECONDS: &str = "assay_model_call_seconds";
/// Tokens of a language model, by model and direction.
pub const MODEL_TOKENS_TOTAL: &str = "assay_model_tokens_total";
/// Pairs of a window and a statement or question that the reader was asked about, by task and outcome.
pub const READER_PAIRS_TOTAL: &str = "assay_reader_pairs_total";
/// Always 1; its labels say which reader the process reads with.
pub const READER_INFO: &str = "assay_reader_info";
/// HTTP requests by route, method and status.
pub const HTTP_REQUESTS_TOTAL: &str = "assay_http_requests_total";
/// Seconds of an HTTP request, until its headers were sent, by route.
pub const HTTP_REQUEST_SECONDS: &str = "assay_http_request_seconds";
/// Spans that the trace store took.
pub const SPANS_EXPORTED_TOTAL: &str = "assay_telemetry_spans_exported_total";
/// Spans that were lost, by reason.
pub const SPANS_DROPPED_TOTAL: &str = "assay_telemetry_spans_dropped_total";

/// What a metric is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It only grows.
    Counter,
    /// It goes up and down.
    Gauge,
    /// Observations in buckets.
    Histogram,
}

/// Metric, kind, meaning.
pub const TABLE: &[(&str, Kind, &str)] = &[
    (ANSWERS_TOTAL, Kind::Counter, "Requests by outcome and query type"),
    (VERDICTS_TOTAL, Kind::Counter, "Verdicts by query type"),
    (ANSWER_SECONDS, Kind::Histogram, "Seconds from request to settled answer, by query type"),
    (CONTRACT_VIOLATIONS_TOTAL, Kind::Counter, "Routing rules that a settled request did not keep, by rule"),
    (CODE_CHECKS_TOTAL, Kind::Counter, "Attempts whose code was to be checked"),
    (PARSER_UNAVAILABLE_TOTAL, Kind::Counter, "Attempts whose code could not be checked, by reason"),
    (BREAKER_STATE, Kind::Gauge, "Parser breaker: 0 closed, 1 half-open, 2 open"),
    (OUTBOX_RECORDS, Kind::Gauge, "Records waiting in the outbox"),
    (OUTBOX_AGE_SECONDS, Kind::Gauge, "Age of the oldest waiting record"),
    (OUTBOX_SET_ASIDE, Kind::Gauge, "Records that audit cannot take, set aside in the outbox"),
    (OUTBOX_UNCLOSED, Kind::Gauge, "Records whose closing waits for the disk of the outbox"),
    (LOG_ROLLBACKS_TOTAL, Kind::Counter, "Appends after which the audit log had not grown"),
    (
        ROUTES_TOTAL,
        Kind::Counter,
        "Settled requests by the layer that routed them; FALLBACK is where none was sure",
    ),
    (CLASSIFIED_TOTAL, Kind::Counter, "Messages classified on request, by layer"),
    (
        ROUTE_PROBABILITY,
        Kind::Histogram,
        "Calibrated probability, 0 to 1, of the type that a request was routed to, by layer",
    ),
    (SHADOW_ROUTES_TOTAL, Kind::Counter, "Requests that a shadow head decided too, by whether it agrees"),
    (COLLECTED_TOTAL, Kind::Counter, "Messages that were to be kept for training, by outcome"),
    (RPC_SERVER_TOTAL, Kind::Counter, "Calls received by service, method and status"),
    (RPC_SERVER_SECONDS, Kind::Histogram, "Seconds of a received call, by service and method"),
    (RPC_CLIENT_RETRIES_TOTAL, Kind::Counter, "Calls to a peer that were made again, by peer and reason"),
    (CONNECTIONS_CLOSED_TOTAL, Kind::Counter, "Connections closed or refused at a bound, by action"),
    (REFUSALS_UNRECORDED_TOTAL, Kind::Counter, "Refused questions that could not be recorded, by code"),
    (MODEL_CALLS_TOTAL, Kind::Counter, "Calls of a language model by model and outcome"),
    (MODEL_CALL_SECONDS, Kind::Histogram, "Seconds of a call of a language model, by model"),
    (MODEL_TOKENS_TOTAL, Kind::Counter, "Tokens of a language model by model and direction"),
    (READER_PAIRS_TOTAL, Kind::Counter, "Pairs that the reader was asked about, by task and outcome"),
    (READER_INFO, Kind::Gauge, "1; its labels are kind, name, version and sha256 of the reader"),
    (HTTP_REQUESTS_TOTAL, Kind::Counter, "HTTP requests by route, method and status"),
    (HTTP_REQUEST_SECONDS, Kind::Histogram, "Seconds of an HTTP request, by route"),
    (SPANS_EXPORTED_TOTAL, Kind::Counter, "Spans that the trace store took"),
    (SPANS_DROPPED_TOTAL, Kind::Counter, "Spans that were lost, by reason"),
];

/// Upper bounds of the buckets of a histogram, in seconds: from a call in memory to the longest request.
pub const SECONDS: &[f64] =
    &[0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0];

/// Upper bounds of the buckets of a histogram of probabilities; a head decides from 0.85 on.
pub const PROBABILITIES: &[f64] = &[0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99, 1.0];

/// Upper bounds of the buckets of a histogram.
#[must_use]
pub fn buckets(name: &str) -> &'static [f64] {
    if name == ROUTE_PROBABILITY { PROBABILITIES } else { SECONDS }
}

/// Tells the recorder what each metric means.
pub fn describe() {
    for (name, kind, meaning) in TABLE {
        match kind {
            Kind::Counter => metrics::describe_counter!(*name, *meaning),
            Kind::Gauge => metrics::describe_gauge!(*name, *meaning),
            Kind::Histogram => metrics::describe_histogram!(*name, *meaning),
        }
    }
}
