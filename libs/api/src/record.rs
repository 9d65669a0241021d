//! The audit record and its receipt, with the names of contract §10.

use assay_domain::answer::Grounding;
use assay_domain::draft::{PromptId, ProviderCall as Call};
use assay_domain::record as domain;
use assay_domain::{Mode, Outcome, Verdict};
use assay_proto::audit;
use schemars::JsonSchema;
use serde::Serialize;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::report::{Check, ModelUse};
use crate::{Name, Route, each, filled, millis};

/// A record. Payload is null or empty after its erasure: question, answer, claims, principal, session.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Record<'a> {
    /// UUID of version 7.
    pub audit_id: String,
    /// When the request arrived.
    pub timestamp: String,
    /// Who asked.
    pub principal: &'a str,
    /// Whose data it is.
    pub tenant: &'a str,
    /// Session.
    pub session_id: Option<&'a str>,
    /// `request_id` of the question, the key of idempotency.
    pub request_id: Option<&'a str>,
    /// `X-Request-Id` of the response.
    pub response_id: Option<&'a str>,
    /// Question, redacted.
    pub query: &'a str,
    /// `ANSWERED`, `ABSTAINED`, `REJECTED`, `REFUSED`, `FAILED`, `CANCELLED`, `ABORTED` or `CHECKED` (an answer of another system).
    pub outcome: Name<Outcome>,
    /// Null where the request was never routed.
    pub route: Option<Route<'a>>,
    /// Delivered or withheld text; null where policy keeps its digest alone.
    pub answer: Option<&'a str>,
    /// SHA-256 of the text, lower-case hex.
    pub answer_sha256: Option<&'a str>,
    /// Null where nothing was drafted.
    pub validation_result: Option<RecordedValidation<'a>>,
    /// Of the delivered attempt, at most 256.
    pub citations: Vec<RecordedCitation<'a>>,
    /// Every draft.
    pub attempts: Vec<RecordedAttempt<'a>>,
    /// Milliseconds of the whole request.
    pub processing_time_ms: f64,
    /// Milliseconds of all checks.
    pub validation_ms: f64,
    /// `provider:model`, or the composer's name.
    pub model_version: Option<&'a str>,
    /// Calls of a language model, for all purposes.
    pub model_calls: u32,
    /// Prompts used.
    pub prompt_ids: Vec<Prompt<'a>>,
    /// Providers tried, in order.
    pub provider_trail: Vec<ProviderCall<'a>>,
    /// Manifest of the searched index.
    pub index_manifest: Option<&'a str>,
    /// Version and grammar hash of the parser.
    pub parser_version: Option<&'a str>,
    /// `STRICT` or `LENIENT`.
    pub mode: Name<Mode>,
    /// As in Answer.
    pub grounding: Name<Grounding>,
    /// Temperature as sent.
    pub temperature: Option<f64>,
    /// Seed as sent.
    pub seed: Option<u64>,
    /// Relevance of the first search.
    pub context_relevant_first: Option<bool>,
    /// Relevance of the last search.
    pub context_relevant: Option<bool>,
    /// Why a possible retry was left out.
    pub retry_skipped: Option<&'a str>,
    /// Hash of the effective list of platform prefixes.
    pub platform_prefixes_sha256: Option<&'a str>,
    /// What went wrong, by code.
    pub errors: &'a [String],
    /// Notes for the reader.
    pub warnings: &'a [String],
}

/// A record with its place in the log.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Record")]
pub struct Stored<'a> {
    /// The record.
    #[serde(flatten)]
    pub record: Record<'a>,
    /// Place in the log.
    pub receipt: Option<Receipt<'a>>,
    /// Whether the payload was erased.
    pub payload_erased: bool,
    /// What was said of it, the oldest first; empty in lists.
    pub notes: Vec<Note<'a>>,
}

/// What somebody said of a record.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Note<'a> {
    /// UUID of version 7.
    pub note_id: &'a str,
    /// `CONFIRM`, `OVERTURN` or `NEEDS_SOURCE` of a reviewer, `RIGHT` or `WRONG` of a reader.
    pub said: &'a str,
    /// The claim that it is about, from 0; null for the whole answer.
    pub claim: Option<u32>,
    /// Who said it; empty once erased.
    pub principal: &'a str,
    /// In their words; empty once erased.
    pub reason: &'a str,
    /// Its place in the log.
    pub leaf_index: u64,
    /// When the log took it.
    pub stored: String,
}

impl<'a> From<&'a audit::Note> for Note<'a> {
    fn from(note: &'a audit::Note) -> Self {
        Self {
            note_id: &note.note_id,
            said: &note.said,
            claim: note.claim,
            principal: &note.principal,
            reason: &note.reason,
            leaf_index: note.leaf_index,
            stored: timestamp(note.stored_unix_ms),
        }
    }
}

/// A page of records.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Records<'a> {
    /// Newest first.
    pub records: Vec<Stored<'a>>,
    /// `page_token` of the next page; null on the last.
    pub next_page_token: Option<&'a str>,
}

/// The receipt of a record.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Receipt<'a> {
    /// Place of the leaf, from 0.
    pub leaf_index: u64,
    /// Hash of the leaf, lower-case hex.
    pub leaf_hash: &'a str,
    /// When the log took the record.
    pub stored: String,
}

/// What the checks said, as recorded.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RecordedValidation<'a> {
    /// Verdict: `PASS`, `REVIEW` or `REJECT`; null unless answered or rejected.
    pub status: Option<Name<Verdict>>,
    /// Citations that resolved.
    pub citations_validated: u32,
    /// Citations that failed by syntax, existence or range.
    pub citations_failed: u32,
    /// Claims unsupported or contradicted.
    pub hallucinations_detected: u32,
    /// Support of the answer, probability, 0 to 1.
    pub confidence_score: Option<f64>,
    /// Every check.
    pub checks: Vec<Check<'a>>,
    /// Models at hand for the claims.
    pub models: Vec<ModelUse<'a>>,
    /// Policy that was used; null in records that are older than the field.
    pub policy: Option<&'a str>,
}

/// A citation as recorded.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RecordedCitation<'a> {
    /// Words of the claim.
    pub claim: &'a str,
    /// Path of the source, or its id where it has no path.
    pub source: &'a str,
    /// `first-last`.
    pub line_range: &'a str,
    /// SHA-256 of the cited text, lower-case hex.
    pub sha256: Option<&'a str>,
    /// `VALID`, `FLAGGED`, `INVALID` or `NOT_CHECKED`.
    pub validation_status: &'a str,
    /// Support of the claim, probability, 0 to 1.
    pub semantic_score: Option<f64>,
}

/// A draft and what became of it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RecordedAttempt<'a> {
    /// From 1.
    pub number: u32,
    /// Verdict of this draft.
    pub verdict: Option<Name<Verdict>>,
    /// Failed and flagged checks, name and status.
    pub defects: &'a [String],
    /// SHA-256 of the draft, lower-case hex.
    pub text_sha256: &'a str,
    /// Whether this draft was delivered.
    pub delivered: bool,
}

/// A prompt that was used.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Prompt<'a> {
    /// Name and version of the template.
    pub id: &'a str,
    /// SHA-256 of the template, lower-case hex.
    pub sha256: &'a str,
}

/// A call of a provider.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProviderCall<'a> {
    /// `provider:model`.
    pub model: &'a str,
    /// `ok`, or why it failed.
    pub outcome: &'a str,
    /// Milliseconds of the call.
    pub elapsed_ms: u64,
}

/// An instant in RFC 3339, UTC, with milliseconds; the number itself where there is no such date.
#[must_use]
pub fn timestamp(unix_ms: u64) -> String {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(unix_ms) * 1_000_000)
        .ok()
        .and_then(|instant| instant.format(&Rfc3339).ok())
        .unwrap_or_else(|| unix_ms.to_string())
}

impl<'a> From<&'a domain::Record> for Record<'a> {
    fn from(record: &'a domain::Record) -> Self {
        Self {
            audit_id: record.audit_id.to_string(),
            timestamp: timestamp(record.unix_ms),
            principal: &record.identity.principal,
            tenant: &record.identity.tenant,
            session_id: filled(&record.session_id),
            request_id: filled(&record.request_id),
            response_id: filled(&record.response_id),
            query: &record.query,
            outcome: Name(record.outcome),
            route: record.route.as_ref().map(Route::from),
            answer: filled(&record.answer),
            answer_sha256: filled(&record.answer_sha256),
            validation_result: record.validation.as_ref().map(RecordedValidation::from),
            citations: each(&record.citations),
            attempts: each(&record.attempts),
            processing_time_ms: millis(record.processing_ms),
            validation_ms: millis(record.validation_ms),
            model_version: filled(&record.model_version),
            model_calls: record.model_calls,
            prompt_ids: each(&record.prompts),
            provider_trail: each(&record.provider_trail),
            index_manifest: filled(&record.index_manifest),
            parser_version: filled(&record.parser_version),
            mode: Name(record.mode),
            grounding: Name(record.grounding),
            temperature: record.temperature,
            seed: record.seed,
            context_relevant_first: record.context_relevant_first,
            context_relevant: record.context_relevant,
            retry_skipped: filled(&record.retry_skipped),
            platform_prefixes_sha256: filled(&record.platform_prefixes_sha256),
            errors: &record.errors,
            warnings: &record.warnings,
        }
    }
}

impl<'a> From<&'a audit::Receipt> for Receipt<'a> {
    fn from(receipt: &'a audit::Receipt) -> Self {
        Self {
            leaf_index: receipt.leaf_index,
            leaf_hash: &receipt.leaf_hash,
            stored: timestamp(receipt.stored_unix_ms),
        }
    }
}

impl<'a> From<&'a domain::RecordedValidation> for RecordedValidation<'a> {
    fn from(result: &'a domain::RecordedValidation) -> Self {
        Self {
            status: result.status.map(Name),
            citations_validated: result.citations_validated,
            citations_failed: result.citations_failed,
            hallucinations_detected: result.hallucinations_detected,
            confidence_score: result.confidence_score,
            checks: each(&result.checks),
            models: each(&result.models),
            policy: filled(&result.policy),
        }
    }
}

impl<'a> From<&'a domain::RecordedCitation> for RecordedCitation<'a> {
    fn from(citation: &'a domain::RecordedCitation) -> Self {
        Self {
            claim: &citation.claim,
            source: &citation.source,
            line_range: &citation.line_range,
            sha256: filled(&citation.sha256),
            validation_status: &citation.validation_status,
            semantic_score: citation.semantic_score,
        }
    }
}

impl<'a> From<&'a domain::RecordedAttempt> for RecordedAttempt<'a> {
    fn from(attempt: &'a domain::RecordedAttempt) -> Self {
        Self {
            number: attempt.number,
            verdict: attempt.verdict.map(Name),
            defects: &attempt.defects,
            text_sha256: &attempt.text_sha256,
            delivered: attempt.delivered,
        }
    }
}

impl<'a> From<&'a PromptId> for Prompt<'a> {
    fn from(prompt: &'a PromptId) -> Self {
        Self { id: &prompt.id, sha256: &prompt.sha256 }
    }
}

impl<'a> From<&'a Call> for ProviderCall<'a> {
    fn from(call: &'a Call) -> Self {
        Self { model: &call.model, outcome: &call.outcome, elapsed_ms: call.elapsed_ms }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timestamp_is_rfc_3339_in_utc() {
        assert_eq!(timestamp(1_790_000_000_123), "2026-09-21T14:13:20.123Z");
        assert_eq!(timestamp(u64::MAX), u64::MAX.to_string());
    }
}
