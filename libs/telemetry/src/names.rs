//! Every span, attribute and metric name of Assay; the conventions of OpenTelemetry GenAI and OpenInference where they fit.

/// Span names that are not the path of a call.
pub mod spans {
    /// A request in the gateway.
    pub const HTTP_REQUEST: &str = "http.request";
    /// A call received by a service; the method is an attribute.
    pub const RPC_SERVER: &str = "rpc.server";
    /// A call made to a service.
    pub const RPC_CLIENT: &str = "rpc.client";
    /// One request through the answer graph.
    pub const ANSWER: &str = "assay.answer";
    /// Deciding the query type.
    pub const CLASSIFY: &str = "assay.classify";
    /// Searching for evidence.
    pub const RETRIEVE: &str = "assay.retrieve";
    /// Embedding texts.
    pub const EMBED: &str = "assay.embed";
    /// Writing a draft.
    pub const DRAFT: &str = "assay.draft";
    /// Checking a draft.
    pub const CHECK: &str = "assay.check";
    /// Parsing code.
    pub const PARSE: &str = "assay.parse";
    /// Storing a record.
    pub const RECORD: &str = "assay.record";
}

/// Attribute names.
pub mod attributes {
    /// Name of the service.
    pub const SERVICE_NAME: &str = "service.name";
    /// Version of the service.
    pub const SERVICE_VERSION: &str = "service.version";
    /// Full name of the gRPC service.
    pub const RPC_SERVICE: &str = "rpc.service";
    /// Name of the method.
    pub const RPC_METHOD: &str = "rpc.method";
    /// Kind of span as OpenInference names it.
    pub const SPAN_KIND: &str = "openinference.span.kind";
    /// Operation as the GenAI conventions name it.
    pub const OPERATION: &str = "gen_ai.operation.name";
    /// Model that was asked.
    pub const MODEL: &str = "gen_ai.request.model";
    /// Query type.
    pub const QUERY_TYPE: &str = "assay.query_type";
    /// Verdict.
    pub const VERDICT: &str = "assay.verdict";
    /// Audit id.
    pub const AUDIT_ID: &str = "assay.audit_id";
    /// Outcome.
    pub const OUTCOME: &str = "assay.outcome";
    /// Attempt.
    pub const ATTEMPT: &str = "assay.attempt";
}

/// Metric names.
pub mod metrics {
    /// Requests by outcome and query type.
    pub const ANSWERS_TOTAL: &str = "assay_answers_total";
    /// Verdicts by query type.
    pub const VERDICTS_TOTAL: &str = "assay_verdicts_total";
    /// Seconds from request to settled answer, by query type.
    pub const ANSWER_SECONDS: &str = "assay_answer_seconds";
    /// Routing rules that a layer below would have broken, by rule.
    pub const CONTRACT_VIOLATIONS_TOTAL: &str = "assay_contract_violations_total";
    /// Code checks that found the parser unavailable.
    pub const PARSER_UNAVAILABLE_TOTAL: &str = "assay_parser_unavailable_total";
    /// State of the parser breaker: 0 closed, 1 half-open, 2 open.
    pub const BREAKER_STATE: &str = "assay_parser_breaker_state";
    /// Records waiting in the outbox.
    pub const OUTBOX_RECORDS: &str = "assay_outbox_records";
    /// Age of the oldest waiting record, in seconds.
    pub const OUTBOX_AGE_SECONDS: &str = "assay_outbox_age_seconds";
    /// Calls received, by service, method and status.
    pub const RPC_SERVER_TOTAL: &str = "assay_rpc_server_total";
    /// Calls of a language model, by model and outcome.
    pub const MODEL_CALLS_TOTAL: &str = "assay_model_calls_total";
    /// HTTP requests by route and status.
    pub const HTTP_REQUESTS_TOTAL: &str = "assay_http_requests_total";

    /// Tells the recorder what each metric means.
    pub fn describe() {
        use metrics::{describe_counter, describe_gauge, describe_histogram};
        describe_counter!(ANSWERS_TOTAL, "Requests by outcome and query type");
        describe_counter!(VERDICTS_TOTAL, "Verdicts by query type");
        describe_histogram!(ANSWER_SECONDS, metrics::Unit::Seconds, "Seconds from request to settled answer");
        describe_counter!(CONTRACT_VIOLATIONS_TOTAL, "Routing rules that a lower layer would have broken");
        describe_counter!(PARSER_UNAVAILABLE_TOTAL, "Code checks that found the parser unavailable");
        describe_gauge!(BREAKER_STATE, "Parser breaker: 0 closed, 1 half-open, 2 open");
        describe_gauge!(OUTBOX_RECORDS, "Records waiting in the outbox");
        describe_gauge!(OUTBOX_AGE_SECONDS, metrics::Unit::Seconds, "Age of the oldest waiting record");
        describe_counter!(RPC_SERVER_TOTAL, "Calls received by service, method and status");
        describe_counter!(MODEL_CALLS_TOTAL, "Calls of a language model by model and outcome");
        describe_counter!(HTTP_REQUESTS_TOTAL, "HTTP requests by route and status");
    }
}
