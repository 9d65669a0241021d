//! Span names, and what each span is.

/// A request in the gateway; named `METHOD route`.
pub const HTTP_REQUEST: &str = "http.request";
/// A call received by a service; named after the method, `package.Service/Method`.
pub const RPC_SERVER: &str = "rpc.server";
/// A call made to a service; named after the method, `package.Service/Method`.
pub const RPC_CLIENT: &str = "rpc.client";
/// One request through the answer graph.
pub const ANSWER: &str = "assay.answer";
/// Deciding the query type.
pub const CLASSIFY: &str = "assay.classify";
/// Searching for evidence.
pub const RETRIEVE: &str = "assay.retrieve";
/// Finding validated examples.
pub const EXAMPLES: &str = "assay.examples";
/// Judging the evidence against the question.
pub const RELEVANCE: &str = "assay.relevance";
/// Rewriting the question for a second search.
pub const REFORMULATE: &str = "assay.reformulate";
/// Writing a draft.
pub const DRAFT: &str = "assay.draft";
/// Checking a draft.
pub const CHECK: &str = "assay.check";
/// Storing a record.
pub const RECORD: &str = "assay.record";
/// Embedding texts.
pub const EMBED: &str = "assay.embed";
/// A call of a language model; named `chat MODEL`.
pub const CHAT: &str = "gen_ai.chat";
/// Composing an answer from evidence without a language model.
pub const EXTRACT: &str = "assay.extract";
/// Judging a whole draft: every check, then the verdict.
pub const JUDGE: &str = "assay.judge";
/// Asking the parser for every code block of a draft.
pub const PARSE: &str = "assay.parse";
/// Parsing, in the parser itself.
pub const PARSER: &str = "assay.parser";

/// A row about a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// Where it is opened.
    pub service: &'static str,
    /// Its kind as OpenInference names it; empty for plain transport.
    pub kind: &'static str,
    /// What it covers.
    pub what: &'static str,
    /// Attributes that it carries beside its kind, as far as they apply.
    pub attributes: &'static [&'static str],
}

use super::attributes as a;

/// Every span.
pub const TABLE: &[Row] = &[
    Row {
        name: HTTP_REQUEST,
        service: "gateway",
        kind: "",
        what: "a request at the front door",
        attributes: &[a::HTTP_ROUTE, a::HTTP_METHOD, a::HTTP_STATUS],
    },
    Row {
        name: RPC_CLIENT,
        service: "every caller",
        kind: "",
        what: "a call made to a service, until its stream ends",
        attributes: &[a::RPC_SYSTEM, a::RPC_SERVICE, a::RPC_METHOD, a::RPC_STATUS, a::SERVER_ADDRESS],
    },
    Row {
        name: RPC_SERVER,
        service: "every service",
        kind: "",
        what: "a call received, until its stream ends",
        attributes: &[a::RPC_SYSTEM, a::RPC_SERVICE, a::RPC_METHOD, a::RPC_STATUS],
    },
    Row {
        name: ANSWER,
        service: "router",
        kind: "CHAIN",
        what: "one request through the answer graph",
        attributes: &[
            a::AUDIT_ID,
            a::QUERY_TYPE,
            a::OUTCOME,
            a::VERDICT,
            a::ATTEMPTS,
            a::MODEL_CALLS,
            a::SESSION_ID,
            a::USER_ID,
            a::INPUT,
            a::OUTPUT,
        ],
    },
    Row {
        name: CLASSIFY,
        service: "router",
        kind: "CHAIN",
        what: "deciding the query type: rules, head, model",
        attributes: &[a::QUERY_TYPE, a::ROUTE_LAYER, a::ROUTE_PROBABILITY],
    },
    Row {
        name: RETRIEVE,
        service: "router",
        kind: "RETRIEVER",
        what: "a search for evidence, with what it found",
        attributes: &[a::DOCUMENTS, a::INDEX_MANIFEST, a::INPUT],
    },
    Row {
        name: EXAMPLES,
        service: "router",
        kind: "RETRIEVER",
        what: "validated examples for a code answer",
        attributes: &[a::DOCUMENTS],
    },
    Row {
        name: RELEVANCE,
        service: "router",
        kind: "GUARDRAIL",
        what: "whether the evidence answers the question",
        attributes: &[a::RELEVANT, a::RELEVANCE],
    },
    Row {
        name: REFORMULATE,
        service: "router",
        kind: "CHAIN",
        what: "rewriting the question for the second search",
        attributes: &[a::INPUT, a::OUTPUT],
    },
    Row {
        name: DRAFT,
        service: "router",
        kind: "CHAIN",
        what: "writing a draft, until its last piece",
        attributes: &[a::ATTEMPT, a::OUTPUT],
    },
    Row {
        name: CHECK,
        service: "router",
        kind: "GUARDRAIL",
        what: "waiting for the report on a draft",
        attributes: &[a::ATTEMPT, a::VERDICT, a::CHECKS, a::SUPPORT],
    },
    Row {
        name: RECORD,
        service: "router",
        kind: "CHAIN",
        what: "handing the record to the audit log",
        attributes: &[a::AUDIT_ID],
    },
    Row {
        name: EMBED,
        service: "retrieval",
        kind: "EMBEDDING",
        what: "embedding texts",
        attributes: &[a::OPERATION, a::MODEL, a::DIMENSIONS, a::TEXTS, a::EMBEDDED],
    },
    Row {
        name: CHAT,
        service: "generation",
        kind: "LLM",
        what: "a call of a language model, until its last token",
        attributes: &[
            a::OPERATION,
            a::PROVIDER,
            a::MODEL,
            a::MAX_TOKENS,
            a::TEMPERATURE,
            a::SEED,
            a::INPUT_TOKENS,
            a::OUTPUT_TOKENS,
            a::FINISH_REASONS,
            a::PROMPT_ID,
            a::ERROR_TYPE,
            a::INPUT_MESSAGES,
            a::OUTPUT_MESSAGES,
        ],
    },
    Row {
        name: EXTRACT,
        service: "generation",
        kind: "CHAIN",
        what: "composing an answer from evidence without a model",
        attributes: &[a::PROMPT_ID, a::OUTPUT],
    },
    Row {
        name: JUDGE,
        service: "validation",
        kind: "GUARDRAIL",
        what: "every check of a draft, then the verdict",
        attributes: &[a::QUERY_TYPE, a::ATTEMPT, a::VERDICT, a::CHECKS, a::SUPPORT, a::INPUT, a::OUTPUT],
    },
    Row {
        name: PARSE,
        service: "validation",
        kind: "TOOL",
        what: "asking the parser for every code block of a draft",
        attributes: &[a::TOOL_NAME, a::BLOCKS, a::CODE_STATUS],
    },
    Row {
        name: PARSER,
        service: "parser",
        kind: "TOOL",
        what: "parsing, in the parser itself",
        attributes: &[a::TOOL_NAME, a::BLOCKS],
    },
];
