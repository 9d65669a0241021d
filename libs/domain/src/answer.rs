//! What leaves the system: one outcome, its text, its evidence and its verdict.

use crate::code::{CodeStatus, ValidationStatus};
use crate::draft::Generator;
use crate::error::Failure;
use crate::evidence::Hit;
use crate::ids::AuditId;
use crate::names::named;
use crate::question::QueryType;
use crate::report::{Finding, Report, Verdict};

named! {
    /// How a request ended; every authenticated request has exactly one.
    pub enum Outcome {
        /// An answer was delivered.
        Answered = "ANSWERED",
        /// The sources do not answer, and that was said.
        Abstained = "ABSTAINED",
        /// The answer did not stand and was withheld.
        Rejected = "REJECTED",
        /// A limit or policy refused the request.
        Refused = "REFUSED",
        /// Something broke.
        Failed = "FAILED",
        /// The client went away.
        Cancelled = "CANCELLED",
        /// The process died.
        Aborted = "ABORTED",
        /// An answer of another system was checked; its caller wanted a record.
        Checked = "CHECKED",
    }
}

named! {
    /// Where the audit record is.
    pub enum AuditState {
        /// In the log, durably.
        Stored = "STORED",
        /// In the outbox, durably; the log could not be reached.
        Queued = "QUEUED",
    }
}

named! {
    /// Which layer decided the query type.
    pub enum Layer {
        /// The caller declared it (RC-00).
        Declared = "DECLARED",
        /// A deterministic rule.
        Rules = "RULES",
        /// The embedding classifier.
        Classifier = "CLASSIFIER",
        /// The model.
        Model = "MODEL",
        /// Nothing decided; the classifier's best class.
        Fallback = "FALLBACK",
    }
}

/// How a request was routed.
#[derive(Debug, Clone, PartialEq)]
pub struct Route {
    /// The type that was used.
    pub query_type: QueryType,
    /// Who decided.
    pub layer: Layer,
    /// Probability of the class, 1 where a rule decided.
    pub probability: f64,
    /// Whether the deciding layer was sure enough by its own bar.
    pub accepted: bool,
    /// Why, in a phrase.
    pub reason: String,
}

named! {
    /// What an answer rests on.
    pub enum Grounding {
        /// Indexed documentation or code.
        Documentation = "DOCUMENTATION",
        /// What the caller gave with the question.
        CallerContext = "CALLER_CONTEXT",
        /// An earlier answer of the session.
        Session = "SESSION",
        /// Nothing; a greeting or an abstention.
        None = "NONE",
    }
}

/// Where the time of a request went, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Timing {
    /// The whole request.
    pub total_ms: f64,
    /// Classification.
    pub route_ms: f64,
    /// Search, both legs and fusion.
    pub search_ms: f64,
    /// Drafting, all attempts.
    pub draft_ms: f64,
    /// Checks, all attempts.
    pub check_ms: f64,
}

/// Tokens that the drafts of an answer cost, all attempts together; zero where no model wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TokenUsage {
    /// Tokens of the prompts.
    pub prompt_tokens: u64,
    /// Tokens of the completions.
    pub completion_tokens: u64,
}

/// What replaces an answer that did not stand (contract §4, rejection body).
#[derive(Debug, Clone, PartialEq)]
pub struct Rejection {
    /// Why, in a sentence.
    pub reason: String,
    /// What the reader can do.
    pub suggestion: String,
    /// Sentences whose own checks passed.
    pub partial_response: String,
    /// Paths that were searched.
    pub searched: Vec<String>,
    /// What failed, in text order.
    pub errors: Vec<Finding>,
    /// What was flagged.
    pub warnings: Vec<Finding>,
}

/// A settled answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Its record.
    pub audit_id: AuditId,
    /// How the request ended.
    pub outcome: Outcome,
    /// Markdown; empty when rejected.
    pub text: String,
    /// How it was routed.
    pub route: Route,
    /// Sources in marker order.
    pub sources: Vec<Hit>,
    /// Report of the delivered attempt; none if nothing was drafted.
    pub report: Option<Report>,
    /// The verdict; none unless answered or rejected.
    pub verdict: Option<Verdict>,
    /// Status for clients of the older protocol.
    pub validation_status: ValidationStatus,
    /// Status of the code.
    pub code_status: CodeStatus,
    /// Whether the context could answer the question; none where nothing was searched.
    pub context_relevant: Option<bool>,
    /// Drafts made.
    pub attempts: u32,
    /// Where the record is.
    pub audit: AuditState,
    /// Where the time went.
    pub timing: Timing,
    /// Who wrote the text.
    pub generator: Option<Generator>,
    /// `provider:model`, or the composer's name.
    pub model: String,
    /// What the answer rests on.
    pub grounding: Grounding,
    /// Manifest of the index that was searched; empty if none was.
    pub index_manifest: String,
    /// Things the reader should know.
    pub warnings: Vec<String>,
    /// Set when rejected.
    pub rejection: Option<Rejection>,
    /// Set when refused or failed.
    pub failure: Option<Failure>,
    /// What the drafts cost; none if a model did not say.
    pub usage: Option<TokenUsage>,
    /// Validated examples that its drafts were given.
    pub examples: u32,
}

/// One event of an answer stream.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerEvent {
    /// Gapless, from 0.
    pub sequence: u64,
    /// Attempt the event belongs to, from 1; 0 before the first draft.
    pub attempt: u32,
    /// What happened.
    pub body: EventBody,
}

/// What happened in a stream.
#[derive(Debug, Clone, PartialEq)]
pub enum EventBody {
    /// The type is decided.
    Routed {
        /// How it was routed.
        route: Route,
        /// The record that will be written.
        audit_id: AuditId,
    },
    /// The evidence is known.
    Sources(Vec<Hit>),
    /// A verified piece of text: sentence, list item, table row or whole code block.
    Segment(String),
    /// All text of the attempt is withdrawn.
    Retracted,
    /// The whole answer; the last event.
    Settled(Box<Answer>),
    /// The request failed; the last event.
    Failed(Failure),
}
