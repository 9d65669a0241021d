//! Every span of Assay: made here, with the names of [`crate::names`], so that no service spells one itself.
//!
//! A span is an ordinary `tracing` span: instrument the work with it and put on it what becomes known. Texts that people
//! wrote or read go on it only where the process may show content, and leave redacted.

use std::borrow::Cow;

use opentelemetry::trace::Status;
use tracing::{Span, info_span};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

use crate::content;
use crate::names::attributes as a;
use crate::names::spans as names;

/// Most texts of one call to embed that are shown.
const SHOWN_TEXTS: usize = 8;

// --- transport ---

/// A request at the front door.
#[must_use]
pub fn http_request(method: &str, route: &str, request_id: &str) -> Span {
    info_span!(
        target: "assay::gateway",
        names::HTTP_REQUEST,
        otel.name = format!("{method} {route}"),
        otel.kind = "server",
        { a::HTTP_METHOD } = method,
        { a::HTTP_ROUTE } = route,
        { a::REQUEST_ID } = request_id,
    )
}

/// A call received; `path` is `package.Service/Method`.
#[must_use]
pub fn rpc_server(path: &str) -> Span {
    let (service, method) = path.split_once('/').unwrap_or((path, ""));
    info_span!(
        target: "assay::rpc",
        names::RPC_SERVER,
        otel.name = path,
        otel.kind = "server",
        { a::RPC_SYSTEM } = "grpc",
        { a::RPC_SERVICE } = service,
        { a::RPC_METHOD } = method,
    )
}

/// A call made; `path` is `package.Service/Method`, `peer` the name or address of the called service.
#[must_use]
pub fn rpc_client(path: &str, peer: &str) -> Span {
    let (service, method) = path.split_once('/').unwrap_or((path, ""));
    info_span!(
        target: "assay::rpc",
        names::RPC_CLIENT,
        otel.name = path,
        otel.kind = "client",
        { a::RPC_SYSTEM } = "grpc",
        { a::RPC_SERVICE } = service,
        { a::RPC_METHOD } = method,
        { a::SERVER_ADDRESS } = peer,
    )
}

/// Says how a call ended, and that it ends now: the name of its gRPC status. A server is at fault only for some of them.
pub fn rpc_ended(span: &Span, status: &'static str) {
    ends_now(span);
    set(span, a::RPC_STATUS, status);
    if !matches!(status, "OK" | "CANCELLED" | "NOT_FOUND" | "INVALID_ARGUMENT" | "ALREADY_EXISTS" | "ABORTED")
    {
        failed(span, status);
    }
}

// --- the answer graph ---

/// One request through the answer graph.
#[must_use]
pub fn answer(audit_id: &dyn std::fmt::Display) -> Span {
    info_span!(
        target: "assay::router",
        names::ANSWER,
        { a::SPAN_KIND } = "CHAIN",
        { a::AUDIT_ID } = %audit_id,
        { a::LANGFUSE_TRACE } = "answer",
    )
}

/// Who asked, and in which session; both empty if unknown.
pub fn asked_by(span: &Span, principal: &str, session: &str) {
    if !session.is_empty() {
        set(span, a::SESSION_ID, session.to_owned());
    }
    if content::enabled() && !principal.is_empty() {
        set(span, a::USER_ID, principal.to_owned());
    }
}

/// How a request ended.
#[derive(Debug, Clone, Copy)]
pub struct Settled<'a> {
    /// Query type; `NONE` if it was not decided.
    pub query_type: &'static str,
    /// Outcome.
    pub outcome: &'static str,
    /// Verdict; `NONE` if there is none.
    pub verdict: &'static str,
    /// Attempts made.
    pub attempts: u32,
    /// Calls of a language model.
    pub model_calls: u32,
    /// What was delivered.
    pub text: &'a str,
}

/// Puts on a span how its request ended.
pub fn settled(span: &Span, end: &Settled<'_>) {
    set(span, a::QUERY_TYPE, end.query_type);
    set(span, a::OUTCOME, end.outcome);
    set(span, a::VERDICT, end.verdict);
    set(span, a::ATTEMPTS, i64::from(end.attempts));
    set(span, a::MODEL_CALLS, i64::from(end.model_calls));
    output(span, end.text);
}

/// Deciding the query type.
#[must_use]
pub fn classify() -> Span {
    info_span!(target: "assay::router", names::CLASSIFY, { a::SPAN_KIND } = "CHAIN")
}

/// Searching for evidence.
#[must_use]
pub fn retrieve() -> Span {
    info_span!(target: "assay::router", names::RETRIEVE, { a::SPAN_KIND } = "RETRIEVER")
}

/// Finding validated examples.
#[must_use]
pub fn examples() -> Span {
    info_span!(target: "assay::router", names::EXAMPLES, { a::SPAN_KIND } = "RETRIEVER")
}

/// Judging the evidence against the question.
#[must_use]
pub fn relevance() -> Span {
    info_span!(target: "assay::router", names::RELEVANCE, { a::SPAN_KIND } = "GUARDRAIL")
}

/// Rewriting the question for a second search.
#[must_use]
pub fn reformulate() -> Span {
    info_span!(target: "assay::router", names::REFORMULATE, { a::SPAN_KIND } = "CHAIN")
}

/// Writing a draft; attempts count from 1.
#[must_use]
pub fn draft(attempt: u32) -> Span {
    info_span!(target: "assay::router", names::DRAFT, { a::SPAN_KIND } = "CHAIN", { a::ATTEMPT } = attempt)
}

/// Waiting for the report on a draft.
#[must_use]
pub fn check(attempt: u32) -> Span {
    info_span!(target: "assay::router", names::CHECK, { a::SPAN_KIND } = "GUARDRAIL", { a::ATTEMPT } = attempt)
}

/// Handing the record to the audit log.
#[must_use]
pub fn record(audit_id: &dyn std::fmt::Display) -> Span {
    info_span!(
        target: "assay::router",
        names::RECORD,
        { a::SPAN_KIND } = "CHAIN",
        { a::AUDIT_ID } = %audit_id
    )
}

// --- the services behind it ---

/// Embedding so many texts with a model; the texts are shown where content may be.
#[must_use]
pub fn embed(model: &str, dimensions: usize, texts: &[String]) -> Span {
    let span = info_span!(
        target: "assay::retrieval",
        names::EMBED,
        { a::SPAN_KIND } = "EMBEDDING",
        { a::OPERATION } = "embeddings",
        { a::MODEL } = model,
        { a::DIMENSIONS } = dimensions,
        { a::TEXTS } = texts.len(),
    );
    if content::enabled() {
        for (at, text) in texts.iter().take(SHOWN_TEXTS).enumerate() {
            set(&span, format!("{}.{at}.embedding.text", a::EMBEDDED), text.clone());
        }
    }
    span
}

/// A call of a language model.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// Provider as the GenAI conventions name it, e.g. `openai`.
    pub provider: &'a str,
    /// Model that is asked.
    pub model: &'a str,
    /// Prompt template.
    pub prompt: &'a str,
    /// Most tokens that it may write.
    pub max_tokens: u32,
    /// Temperature, as it is sent.
    pub temperature: f64,
    /// Seed, if one is sent.
    pub seed: Option<u64>,
}

/// A call of a language model, until its last token.
#[must_use]
pub fn chat(call: &Call<'_>) -> Span {
    let span = info_span!(
        target: "assay::generation",
        names::CHAT,
        otel.name = format!("chat {}", call.model),
        otel.kind = "client",
        { a::SPAN_KIND } = "LLM",
        { a::OPERATION } = "chat",
        { a::PROVIDER } = call.provider,
        { a::MODEL } = call.model,
        { a::PROMPT_ID } = call.prompt,
        { a::MAX_TOKENS } = call.max_tokens,
        { a::TEMPERATURE } = call.temperature,
    );
    let mut parameters = serde_json::json!({"max_tokens": call.max_tokens, "temperature": call.temperature});
    if let Some(seed) = call.seed {
        set(&span, a::SEED, i64::try_from(seed).unwrap_or(i64::MAX));
        parameters["seed"] = seed.into();
    }
    set(&span, a::LLM_PARAMETERS, parameters.to_string());
    span
}

/// Composing an answer from evidence without a model.
#[must_use]
pub fn extract(prompt: &str) -> Span {
    info_span!(
        target: "assay::generation",
        names::EXTRACT,
        { a::SPAN_KIND } = "CHAIN",
        { a::PROMPT_ID } = prompt
    )
}

/// Every check of a draft, then the verdict.
#[must_use]
pub fn judge(query_type: &'static str, attempt: &dyn std::fmt::Display) -> Span {
    info_span!(
        target: "assay::validation",
        names::JUDGE,
        { a::SPAN_KIND } = "GUARDRAIL",
        { a::QUERY_TYPE } = query_type,
        { a::ATTEMPT } = %attempt
    )
}

/// Asking the parser for every code block of a draft.
#[must_use]
pub fn parse(blocks: usize) -> Span {
    info_span!(
        target: "assay::validation",
        names::PARSE,
        { a::SPAN_KIND } = "TOOL",
        { a::TOOL_NAME } = "parser",
        { a::BLOCKS } = blocks
    )
}

/// Parsing, in the parser itself.
#[must_use]
pub fn parser() -> Span {
    info_span!(
        target: "assay::parser",
        names::PARSER,
        { a::SPAN_KIND } = "TOOL",
        { a::TOOL_NAME } = "parser"
    )
}

// --- how long they last ---

/// A span that lasts until this is dropped. A plain span that nobody is inside of ends when it was last left.
#[derive(Debug)]
pub struct Lasting(Span);

impl Lasting {
    /// Lets a span last.
    #[must_use]
    pub fn new(span: Span) -> Self {
        Self(span)
    }

    /// Nothing that lasts.
    #[must_use]
    pub fn none() -> Self {
        Self(Span::none())
    }
}

impl std::ops::Deref for Lasting {
    type Target = Span;

    fn deref(&self) -> &Span {
        &self.0
    }
}

impl Drop for Lasting {
    fn drop(&mut self) {
        ends_now(&self.0);
    }
}

/// A span ends when it was last left: leave it now.
fn ends_now(span: &Span) {
    span.in_scope(|| ());
}

// --- what goes on them ---

/// Puts an attribute on a span, under a name of [`crate::names::attributes`].
pub fn set(span: &Span, name: impl Into<Cow<'static, str>>, value: impl Into<opentelemetry::Value>) {
    if !span.is_disabled() {
        span.set_attribute(name.into(), value);
    }
}

/// Says that what a span covers went wrong, by a code.
pub fn failed(span: &Span, code: &str) {
    set(span, a::ERROR_TYPE, code.to_owned());
    if !span.is_disabled() {
        span.set_status(Status::error(code.to_owned()));
    }
}

/// What went in, as text; only where content may be shown.
pub fn input(span: &Span, text: &str) {
    if content::enabled() {
        set(span, a::INPUT, text.to_owned());
        set(span, a::INPUT_TYPE, "text/plain");
    }
}

/// What came out, as text; only where content may be shown.
pub fn output(span: &Span, text: &str) {
    if content::enabled() && !text.is_empty() {
        set(span, a::OUTPUT, text.to_owned());
        set(span, a::OUTPUT_TYPE, "text/plain");
    }
}

/// What came out, as JSON; only where content may be shown.
pub fn output_json(span: &Span, value: impl FnOnce() -> serde_json::Value) {
    if content::enabled() {
        set(span, a::OUTPUT, value().to_string());
        set(span, a::OUTPUT_TYPE, "application/json");
    }
}

/// A document that was found.
#[derive(Debug, Clone)]
pub struct Document<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its text; shown only where content may be.
    pub content: &'a str,
    /// Its score.
    pub score: f64,
    /// Where it comes from.
    pub metadata: serde_json::Value,
}

/// What was found, in order.
pub fn documents<'a>(span: &Span, documents: impl IntoIterator<Item = Document<'a>>) {
    if span.is_disabled() {
        return;
    }
    for (at, document) in documents.into_iter().enumerate() {
        let name = |field: &str| format!("{}.{at}.document.{field}", a::DOCUMENTS);
        set(span, name("id"), document.id.to_owned());
        set(span, name("score"), document.score);
        set(span, name("metadata"), document.metadata.to_string());
        if content::enabled() {
            set(span, name("content"), document.content.to_owned());
        }
    }
}

/// What a model is asked: who speaks and what is said. Only where content may be shown.
pub fn asked(span: &Span, messages: &[(&str, &str)]) {
    if content::enabled() {
        said(span, messages, a::LLM_INPUT_MESSAGES, a::INPUT_MESSAGES);
        if let Some((_, last)) = messages.last() {
            input(span, last);
        }
    }
}

/// What a model answered. Only where content may be shown.
pub fn answered(span: &Span, text: &str) {
    if content::enabled() {
        said(span, &[("assistant", text)], a::LLM_OUTPUT_MESSAGES, a::OUTPUT_MESSAGES);
        output(span, text);
    }
}

fn said(span: &Span, messages: &[(&str, &str)], indexed: &str, whole: &'static str) {
    let mut all = Vec::with_capacity(messages.len());
    for (at, (role, text)) in messages.iter().enumerate() {
        set(span, format!("{indexed}.{at}.message.role"), (*role).to_owned());
        set(span, format!("{indexed}.{at}.message.content"), (*text).to_owned());
        all.push(serde_json::json!({"role": role, "parts": [{"type": "text", "content": text}]}));
    }
    set(span, whole, serde_json::Value::Array(all).to_string());
}

/// What a call of a model took, and why the model stopped; a missing count is not shown.
pub fn used(span: &Span, read: Option<u64>, written: Option<u64>, reason: &'static str) {
    let count = |tokens: u64| i64::try_from(tokens).unwrap_or(i64::MAX);
    if let Some(read) = read {
        set(span, a::INPUT_TOKENS, count(read));
    }
    if let Some(written) = written {
        set(span, a::OUTPUT_TOKENS, count(written));
    }
    let reasons = opentelemetry::Array::String(vec![reason.into()]);
    set(span, a::FINISH_REASONS, opentelemetry::Value::Array(reasons));
}

/// What the checks said: the verdict, the state of each check by name, and the support of the answer.
pub fn verdict<'a>(
    span: &Span,
    verdict: &'static str,
    checks: impl IntoIterator<Item = (&'a str, &'a str)>,
    support: Option<f64>,
) {
    set(span, a::VERDICT, verdict);
    let mut all = serde_json::Map::new();
    for (name, state) in checks {
        set(span, format!("{}.{name}", a::CHECKS), state.to_owned());
        all.insert(name.to_owned(), state.into());
    }
    if let Some(support) = support {
        set(span, a::SUPPORT, support);
    }
    output_json(span, || serde_json::json!({"verdict": verdict, "checks": all, "support": support}));
}
