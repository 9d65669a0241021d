//! The audit record of a request: what a third party needs to hold the answer against its evidence.

use crate::answer::{Grounding, Outcome, Route};
use crate::draft::{PromptId, ProviderCall};
use crate::identity::Identity;
use crate::ids::AuditId;
use crate::question::Mode;
use crate::report::{Check, ModelUse, Verdict};

/// A citation as recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedCitation {
    /// The claim's words.
    pub claim: String,
    /// Path of the source, or its id where it has no path.
    pub source: String,
    /// Lines, `first-last`.
    pub line_range: String,
    /// SHA-256 of the cited text, lower-case hex.
    pub sha256: String,
    /// `VALID`, `FLAGGED`, `INVALID` or `NOT_CHECKED`.
    pub validation_status: String,
    /// Support of the claim; none where it was not judged.
    pub semantic_score: Option<f64>,
}

/// One draft and what became of it.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedAttempt {
    /// From 1.
    pub number: u32,
    /// Verdict of this draft.
    pub verdict: Option<Verdict>,
    /// Failed and flagged checks, by name.
    pub defects: Vec<String>,
    /// SHA-256 of the draft, lower-case hex.
    pub text_sha256: String,
    /// Whether this draft was delivered.
    pub delivered: bool,
}

/// The result of validation as recorded.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedValidation {
    /// The verdict; none unless answered or rejected.
    pub status: Option<Verdict>,
    /// Citations that resolved.
    pub citations_validated: u32,
    /// Citations that failed by syntax, existence or range.
    pub citations_failed: u32,
    /// Claims unsupported or contradicted.
    pub hallucinations_detected: u32,
    /// Support of the whole answer; none if nothing was judged.
    pub confidence_score: Option<f64>,
    /// Every check.
    pub checks: Vec<Check>,
    /// Models that were at hand for the claims of the delivered attempt.
    pub models: Vec<ModelUse>,
    /// Policy that was used, by name; empty in records that are older than the field.
    pub policy: String,
}

/// Everything that is kept of a request. Query, claims, answer, principal and session are payload and can be erased;
/// the rest is public and stays in the log's leaf.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Claims the leaf, exactly once.
    pub audit_id: AuditId,
    /// Milliseconds since the Unix epoch at which the request was received.
    pub unix_ms: u64,
    /// Who asked.
    pub identity: Identity,
    /// The session; empty if none.
    pub session_id: String,
    /// The caller's request id; empty if none.
    pub request_id: String,
    /// The id under which the response reached its caller (`x-request-id`); the record's own where none was given.
    pub response_id: String,
    /// The question, redacted.
    pub query: String,
    /// SHA-256 of the delivered text, lower-case hex; empty if nothing was delivered.
    pub answer_sha256: String,
    /// The delivered or withheld text; empty where policy keeps only its digest.
    pub answer: String,
    /// How the request ended.
    pub outcome: Outcome,
    /// How it was routed; none if it never was.
    pub route: Option<Route>,
    /// What the checks said; none if nothing was drafted.
    pub validation: Option<RecordedValidation>,
    /// Citations of the delivered attempt.
    pub citations: Vec<RecordedCitation>,
    /// All drafts.
    pub attempts: Vec<RecordedAttempt>,
    /// The whole request, in milliseconds.
    pub processing_ms: f64,
    /// All checks, in milliseconds.
    pub validation_ms: f64,
    /// `provider:model`, or the composer's name.
    pub model_version: String,
    /// Calls of a language model, all purposes.
    pub model_calls: u32,
    /// Prompts used.
    pub prompts: Vec<PromptId>,
    /// Providers tried.
    pub provider_trail: Vec<ProviderCall>,
    /// Manifest of the index; empty if nothing was searched.
    pub index_manifest: String,
    /// Version and grammar hash of the parser; empty if it was not asked.
    pub parser_version: String,
    /// Strict or lenient.
    pub mode: Mode,
    /// What the answer rests on.
    pub grounding: Grounding,
    /// Temperature that was sent.
    pub temperature: Option<f64>,
    /// Seed that was sent.
    pub seed: Option<u64>,
    /// Whether the first context was relevant; none if nothing was searched.
    pub context_relevant_first: Option<bool>,
    /// Whether the final context was relevant.
    pub context_relevant: Option<bool>,
    /// Why a possible retry was skipped; empty if it was not.
    pub retry_skipped: String,
    /// Hash of the effective list of platform prefixes.
    pub platform_prefixes_sha256: String,
    /// What went wrong, by code.
    pub errors: Vec<String>,
    /// What was flagged for the reader.
    pub warnings: Vec<String>,
}

impl Record {
    /// A record of a request of which nothing else is known: every other field is empty, the mode strict.
    #[must_use]
    pub fn new(audit_id: AuditId, unix_ms: u64, identity: Identity, outcome: Outcome) -> Self {
        Self {
            audit_id,
            unix_ms,
            identity,
            session_id: String::new(),
            request_id: String::new(),
            response_id: String::new(),
            query: String::new(),
            answer_sha256: String::new(),
            answer: String::new(),
            outcome,
            route: None,
            validation: None,
            citations: Vec::new(),
            attempts: Vec::new(),
            processing_ms: 0.0,
            validation_ms: 0.0,
            model_version: String::new(),
            model_calls: 0,
            prompts: Vec::new(),
            provider_trail: Vec::new(),
            index_manifest: String::new(),
            parser_version: String::new(),
            mode: Mode::Strict,
            grounding: Grounding::None,
            temperature: None,
            seed: None,
            context_relevant_first: None,
            context_relevant: None,
            retry_skipped: String::new(),
            platform_prefixes_sha256: String::new(),
            errors: Vec::new(),
            warnings: Vec::new(),
        }
    }
}
