//! What the router needs from outside, in the words of the domain.

use assay_domain::answer::Layer;
pub use assay_domain::draft::Turn;
use assay_domain::draft::{Draft, Spent};
use assay_domain::evidence::{Hit, Source};
use assay_domain::question::HistoryEntry;
use assay_domain::report::Attempt;
use assay_domain::{
    Answer, AuditId, CheckResult, CheckedSegment, Failure, Identity, QueryType, Question, Record, Relevance,
    RequestId, SessionId, Terms,
};
use assay_rpc::Context;
use async_trait::async_trait;
use futures::stream::BoxStream;
use tokio::sync::mpsc::UnboundedSender;

// === Evidence ===

/// A search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchQuery {
    /// What to search for.
    pub query: String,
    /// Further formulations, fused with the first.
    pub further: Vec<String>,
    /// Collection; empty means the default.
    pub collection: String,
    /// Hits wanted.
    pub limit: u32,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Best first.
    pub hits: Vec<Hit>,
    /// Manifest of the index.
    pub index_manifest: String,
    /// Legs that could not be used: `knn`, with the reason behind a colon if there is one.
    pub degraded: Vec<String>,
}

/// Validated examples.
#[derive(Debug, Clone, PartialEq)]
pub struct Examples {
    /// Best first.
    pub sources: Vec<Source>,
    /// Whether the pool could not be used as configured.
    pub degraded: bool,
}

/// Vectors of texts.
#[derive(Debug, Clone, PartialEq)]
pub struct Vectors {
    /// In the order of the texts.
    pub vectors: Vec<Vec<f32>>,
    /// Identity of the embedding model.
    pub model: String,
    /// Whether no model made them: hashed words.
    pub hashed: bool,
}

/// Finds evidence.
#[async_trait]
pub trait Retriever: Send + Sync {
    /// Searches a collection; `SEARCH_UNAVAILABLE` if nobody answers.
    async fn search(&self, context: &Context, query: SearchQuery) -> Result<Found, Failure>;
    /// Fetches validated examples for a task.
    async fn examples(
        &self,
        context: &Context,
        task: &str,
        language: &str,
        limit: u32,
    ) -> Result<Examples, Failure>;
    /// Embeds at most 256 texts.
    async fn embed(&self, context: &Context, texts: Vec<String>) -> Result<Vectors, Failure>;
}

// === Drafts ===

/// What a draft is written from.
#[derive(Debug, Clone, PartialEq)]
pub struct Brief {
    /// The question.
    pub question: Question,
    /// The type it was routed to.
    pub query_type: QueryType,
    /// Sources in marker order.
    pub sources: Vec<Source>,
    /// Validated examples.
    pub examples: Vec<Source>,
    /// Earlier turns, oldest first.
    pub turns: Vec<Turn>,
    /// First draft or retry.
    pub attempt: Attempt,
    /// The rejected draft; empty for the first.
    pub rejected_draft: String,
    /// What was wrong with it.
    pub retry_prompt: String,
    /// Whether the sources were judged able to answer.
    pub context_relevant: Option<bool>,
}

/// A piece of a draft, or its end.
#[derive(Debug, Clone, PartialEq)]
pub enum Written {
    /// A language model was asked, `provider:model`; first, if it comes at all.
    Asked(String),
    /// Text to append.
    Delta(String),
    /// The finished draft; the last piece.
    Done(Box<Draft>),
    /// What was spent on a draft that cannot be made; a failure follows.
    Spent(Spent),
}

/// A rewritten search query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reformulated {
    /// The query; empty if there is none.
    pub query: String,
    /// What it cost.
    pub spent: Spent,
}

/// A model's opinion on the type of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opinion {
    /// What it answered; empty if there is no model.
    pub label: String,
    /// Calls of a language model spent.
    pub model_calls: u32,
}

/// Writes drafts.
#[async_trait]
pub trait Generator: Send + Sync {
    /// Starts a draft; dropping the stream stops it down to the model. `GENERATION_UNAVAILABLE` if nobody answers, or
    /// goes away on the way.
    async fn draft(
        &self,
        context: &Context,
        brief: Brief,
    ) -> Result<BoxStream<'static, Result<Written, Failure>>, Failure>;
    /// Rewrites a search query with a hint.
    async fn reformulate(
        &self,
        context: &Context,
        question: &str,
        hint: &str,
        topic: &str,
    ) -> Result<Reformulated, Failure>;
    /// `provider:model` that is asked first for this type of question.
    async fn model(&self, context: &Context, query_type: QueryType) -> Result<String, Failure>;
    /// Classifies with a ready-made prompt.
    async fn classify(
        &self,
        context: &Context,
        prompt: &str,
        labels: Vec<String>,
    ) -> Result<Opinion, Failure>;
}

// === Checks ===

/// What is sent into a running check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckInput {
    /// Text of the draft to append.
    Text(String),
    /// The draft is complete.
    Finish,
    /// Another draft begins, judged as this: before any text, or after a report.
    Next(Attempt),
}

/// What comes out of a running check.
#[derive(Debug, Clone, PartialEq)]
pub enum CheckOutput {
    /// Whether the sources can answer; the first output, if the terms ask for it.
    Relevance(Relevance),
    /// A closed segment with its own checks.
    Segment(CheckedSegment),
    /// The report; the last output of a draft.
    Done(Box<CheckResult>),
}

/// A running check; dropping it ends it.
pub struct CheckSession {
    /// Takes the text.
    pub input: UnboundedSender<CheckInput>,
    /// Gives segments and the report.
    pub output: BoxStream<'static, Result<CheckOutput, Failure>>,
}

/// Checks drafts.
#[async_trait]
pub trait Validator: Send + Sync {
    /// Opens a check over the sources of a request: they are sent and read once, for their relevance and every draft.
    async fn check(&self, context: &Context, terms: Terms) -> Result<CheckSession, Failure>;
}

// === Records ===

/// Keeps records.
#[async_trait]
pub trait Ledger: Send + Sync {
    /// Stores a record, exactly once however often it is sent; returns the state of the log, if audit tells it.
    async fn append(&self, context: &Context, record: &Record) -> Result<Option<LogHead>, Failure>;
    /// Erases payloads of the log.
    async fn erase(&self, context: &Context, whose: &Trace) -> Result<ErasedPayloads, Failure>;
}

/// What was erased of the log.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ErasedPayloads {
    /// Payloads of records and of notes about them.
    pub count: u64,
    /// Names of backups that were removed.
    pub backups: Vec<String>,
}

/// The state of an audit log after an append.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogHead {
    /// Name of the log.
    pub log_id: String,
    /// Leaves in it.
    pub size: u64,
    /// Root hash over them.
    pub root: Vec<u8>,
}

/// What is durable before the first byte of an answer leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opened {
    /// The record that will be written.
    pub audit_id: AuditId,
    /// Milliseconds since the Unix epoch at which the request was received.
    pub unix_ms: u64,
    /// Who asks.
    pub identity: Identity,
    /// The session; empty if none.
    pub session_id: String,
    /// SHA-256 of the question, lower-case hex.
    pub query_sha256: String,
    /// What names the request, if its caller named it.
    pub request: Option<RequestKey>,
}

/// What a request id stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestKey {
    /// The id.
    pub id: RequestId,
    /// SHA-256 over everything that was asked, lower-case hex.
    pub content_sha256: String,
}

/// What the outbox says to a new request.
#[derive(Debug, Clone, PartialEq)]
pub enum Admission {
    /// It is opened, durably.
    Opened,
    /// The same request was answered before.
    Answered(Box<Answer>),
    /// The same request is being answered.
    Running,
    /// The id was used with other content.
    Conflict,
    /// Too many records wait.
    Full,
}

/// How many records wait, and since when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Backlog {
    /// Closed records that audit does not have yet.
    pub waiting: u64,
    /// Milliseconds since the Unix epoch at which the oldest was received; 0 if none waits.
    pub oldest_unix_ms: u64,
    /// Records that audit cannot take; they wait for a person.
    pub set_aside: u64,
}

/// Durable entries: opened before, closed after, kept until the log has them.
#[async_trait]
pub trait Outbox: Send + Sync {
    /// Opens a request, or says why not. Durable when it returns.
    async fn open(&self, opened: Opened, now_ms: u64) -> Result<Admission, Failure>;
    /// Closes a request with its record. An answer is kept for repeats of its request id; without one the id is free
    /// again. Durable when it returns.
    async fn close(&self, record: Record, answer: Option<Answer>) -> Result<(), Failure>;
    /// Forgets a record that the log has, and keeps the state of the log if it is the largest seen and none is frozen.
    async fn delivered(&self, audit_id: AuditId, head: Option<LogHead>, now_ms: u64) -> Result<(), Failure>;
    /// Keeps for good a state that a log has left: evidence of a rollback. The first one stays.
    async fn freeze(&self, seen: LogHead, now_ms: u64) -> Result<(), Failure>;
    /// The state kept of each log.
    async fn heads(&self) -> Result<Vec<LogHead>, Failure>;
    /// Takes a record that audit can never store out of the way, with the reason.
    async fn set_aside(&self, audit_id: AuditId, reason: &str) -> Result<(), Failure>;
    /// Puts a record that audit could not store behind the others.
    async fn postpone(&self, audit_id: AuditId) -> Result<(), Failure>;
    /// Closed records, oldest first; one that cannot be read is set aside.
    async fn waiting(&self, limit: u32) -> Result<(Vec<Record>, Backlog), Failure>;
    /// Whether requests can be recorded. After a failure, one write as large as a record has to succeed first.
    async fn usable(&self) -> Result<(), Failure>;
    /// Closes every open entry of an earlier process as `ABORTED` and drops expired request ids; returns how many
    /// were aborted.
    async fn recover(&self, now_ms: u64) -> Result<u64, Failure>;
}

// === Sessions ===

/// A session as a request sees it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Session {
    /// Changes with every append; 0 for a session that is not stored.
    pub version: u64,
    /// Earlier requests, oldest first, at most 50.
    pub history: Vec<HistoryEntry>,
    /// Earlier turns, oldest first, at most 6.
    pub turns: Vec<Turn>,
}

/// Keeps sessions.
#[async_trait]
pub trait Sessions: Send + Sync {
    /// The session; an empty one if there is none or it has expired.
    ///
    /// `NOT_FOUND` if the id belongs to another principal.
    async fn load(&self, identity: &Identity, id: &SessionId, now_ms: u64) -> Result<Session, Failure>;
    /// Appends a turn if the session still has `version`; says whether it had.
    async fn append(
        &self,
        identity: &Identity,
        id: &SessionId,
        version: u64,
        entry: HistoryEntry,
        turn: Turn,
        now_ms: u64,
    ) -> Result<bool, Failure>;
    /// Drops expired sessions.
    async fn sweep(&self, now_ms: u64) -> Result<u64, Failure>;
}

// === Routed messages ===

/// A routed message, kept for the training of heads.
#[derive(Debug, Clone, PartialEq)]
pub struct RoutedMessage {
    /// Milliseconds since the Unix epoch.
    pub unix_ms: u64,
    /// Tenant of its author.
    pub tenant: String,
    /// Its author.
    pub principal: String,
    /// Session it belongs to; empty for none.
    pub session: String,
    /// Its redacted text; empty where texts are not collected.
    pub text: String,
    /// Its type.
    pub query_type: QueryType,
    /// Who decided it.
    pub layer: Layer,
    /// Calibrated probability of the type.
    pub probability: f64,
    /// What the shadow head says; none without one.
    pub shadow: Option<(QueryType, f64)>,
}

/// Keeps routed messages.
#[async_trait]
pub trait Messages: Send + Sync {
    /// Keeps messages.
    async fn keep(&self, messages: Vec<RoutedMessage>) -> Result<(), Failure>;
    /// Drops messages that are too old; returns how many.
    async fn sweep(&self, now_ms: u64) -> Result<u64, Failure>;
}

// === Erasing ===

/// Whose traces are to be erased, inside a tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trace {
    /// Everything of this principal.
    Principal(String),
    /// Everything of this session.
    Session(String),
    /// What is kept of this request.
    Request(AuditId),
}

/// What was erased of somebody.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Forgotten {
    /// Payloads in the log.
    pub payloads: u64,
    /// Rows by store.
    pub rows: std::collections::BTreeMap<&'static str, u64>,
    /// Records that the log did not have yet.
    pub undelivered: u64,
    /// Names of backups that were removed.
    pub backups: Vec<String>,
}

/// A store that keeps something of people.
#[async_trait]
pub trait Traces: Send + Sync {
    /// Its name.
    fn name(&self) -> &'static str;
    /// Erases, free pages and write-ahead log included; returns how many rows went.
    async fn forget(&self, tenant: &str, whose: &Trace) -> Result<u64, Failure>;
    /// Removes backups that may hold what was erased; returns their names.
    async fn forget_backups(&self) -> Result<Vec<String>, Failure> {
        Ok(Vec::new())
    }
    /// Records that are still to go elsewhere and cannot be erased here.
    async fn undelivered(&self, _: &str, _: &Trace) -> Result<u64, Failure> {
        Ok(0)
    }
}

/// Everything the router needs.
#[derive(Clone)]
pub struct Ports {
    /// Retrieval.
    pub retriever: std::sync::Arc<dyn Retriever>,
    /// Generation.
    pub generator: std::sync::Arc<dyn Generator>,
    /// Validation.
    pub validator: std::sync::Arc<dyn Validator>,
    /// Audit.
    pub ledger: std::sync::Arc<dyn Ledger>,
    /// Outbox.
    pub outbox: std::sync::Arc<dyn Outbox>,
    /// Sessions.
    pub sessions: std::sync::Arc<dyn Sessions>,
    /// Routed messages; none where none are kept.
    pub messages: Option<std::sync::Arc<dyn Messages>>,
    /// The stores that keep something of people.
    pub traces: Vec<std::sync::Arc<dyn Traces>>,
}
