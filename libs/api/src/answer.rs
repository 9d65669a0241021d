//! The answer, whole, rejected, and inside the replies of other protocols.

use assay_domain::answer::{Grounding, Layer};
use assay_domain::code::CodeStatus;
use assay_domain::{AuditState, Code, Generator, Outcome, QueryType, ValidationStatus, Verdict};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

use crate::report::{Check, Citation, Claim, Defect, Finding};
use crate::{CodeBlock, Name, Source, each, filled, millis};

/// A settled answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer<'a> {
    /// Audit id, UUID of version 7.
    pub id: String,
    /// `ANSWERED`, `ABSTAINED` or `REJECTED`.
    pub outcome: Name<Outcome>,
    /// Markdown with markers `[^N]`.
    pub text: &'a str,
    /// What is known of it.
    #[serde(flatten)]
    pub facts: Facts<'a>,
    /// In text order; named `code_blocks` in a 422, whose `code` is the error code.
    pub code: Vec<CodeBlock<'a>>,
    /// Set for `REJECTED`; absent from a 422, whose fields it became.
    pub rejection: Option<Rejection<'a>>,
    /// Null in a delivered answer.
    pub failure: Option<Failure<'a>>,
}

/// What is known of an answer, in whatever form it leaves.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Facts<'a> {
    /// The type of the route.
    pub query_type: Name<QueryType>,
    /// How the question was routed.
    pub route: Route<'a>,
    /// In the order of the markers.
    pub sources: Vec<Source<'a>>,
    /// In text order.
    pub citations: Vec<Citation<'a>>,
    /// `PASS`, `REVIEW` or `REJECT`; null for an abstention.
    pub verdict: Option<Name<Verdict>>,
    /// For clients of brunix: empty, `INVALID_UNRESOLVED` or `PARSER_UNAVAILABLE`.
    pub validation_status: Name<ValidationStatus>,
    /// `NOT_APPLICABLE`, `VALID`, `INVALID`, `INVALID_UNVERIFIED_RETRY`, `UNAVAILABLE` or `DISABLED`.
    #[schemars(schema_with = "code_status")]
    pub code_status: &'static str,
    /// Reason of `UNAVAILABLE`.
    pub code_status_reason: Option<&'a str>,
    /// Whether the sources can answer the question; null where nobody judged.
    pub context_relevant: Option<bool>,
    /// Drafts made.
    pub attempts: u32,
    /// The record.
    pub audit: Audit,
    /// Where the time went.
    pub timing_ms: Timing,
    /// Tokens of all drafts; null where a model did not say.
    pub usage: Option<Usage>,
    /// `provider:model`, or the composer's name; may be empty.
    pub model: &'a str,
    /// `EXTRACTIVE`, `MODEL` or `FIXED`.
    pub generator: Option<Name<Generator>>,
    /// `DOCUMENTATION`, `CALLER_CONTEXT`, `SESSION` or `NONE`.
    pub grounding: Name<Grounding>,
    /// Manifest of the searched index.
    pub index_manifest: Option<&'a str>,
    /// Notes for the reader.
    pub warnings: Vec<&'a str>,
    /// Probability that every claim is supported, 0 to 1.
    pub support: Option<f64>,
    /// Probability that the sources can answer the question, 0 to 1.
    pub context_relevance: Option<f64>,
    /// Every check.
    pub checks: Vec<Check<'a>>,
    /// In text order.
    pub claims: Vec<Claim<'a>>,
    /// Defects of form, in text order.
    pub defects: Vec<Defect<'a>>,
}

/// The body of a rejected answer (contract §4): the rejection first, then the rest of the answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Rejected<'a> {
    /// Why it was rejected.
    #[serde(flatten)]
    pub rejection: Rejection<'a>,
    /// Audit id, UUID of version 7.
    pub id: String,
    /// `REJECTED`.
    pub outcome: Name<Outcome>,
    /// Empty.
    pub text: &'a str,
    /// What is known of the answer.
    #[serde(flatten)]
    pub facts: Facts<'a>,
    /// Null.
    pub failure: Option<Failure<'a>>,
    /// Code of the withheld text, in text order.
    pub code_blocks: Vec<CodeBlock<'a>>,
    /// `answer_rejected`.
    pub code: Name<Code>,
    /// `X-Request-Id` of the response.
    pub request_id: &'a str,
}

/// What the replies of other protocols say of an answer: all but its text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Assay<'a> {
    /// Audit id, UUID of version 7.
    pub id: String,
    /// `ANSWERED`, `ABSTAINED` or `REJECTED`.
    pub outcome: Name<Outcome>,
    /// What is known of the answer.
    #[serde(flatten)]
    pub facts: Facts<'a>,
    /// In text order.
    pub code: Vec<CodeBlock<'a>>,
    /// Set for `REJECTED`.
    pub rejection: Option<Rejection<'a>>,
    /// Null in a delivered answer.
    pub failure: Option<Failure<'a>>,
    /// Parameters of the request that made no difference.
    pub ignored: &'a [String],
    /// `X-Request-Id` of the response.
    pub request_id: &'a str,
}

/// How a request was routed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Route<'a> {
    /// `RETRIEVAL`, `CODE_GENERATION`, `CONVERSATIONAL` or `PLATFORM`.
    pub query_type: Name<QueryType>,
    /// Who decided: `DECLARED`, `RULES`, `CLASSIFIER`, `MODEL` or `FALLBACK`.
    pub layer: Name<Layer>,
    /// Probability of the type, 0 to 1; 1 where a rule decided.
    pub probability: f64,
    /// Whether the deciding layer was sure enough.
    pub accepted: bool,
    /// Why, in a phrase.
    pub reason: &'a str,
}

/// The record of an answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Audit {
    /// Audit id, the same as `id` of the answer.
    pub id: String,
    /// `STORED` in the log, or `QUEUED` in the outbox.
    pub state: Name<AuditState>,
}

/// Where the time of a request went: milliseconds, three digits behind the point.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Timing {
    /// The whole request.
    pub total: f64,
    /// Classification.
    pub route: f64,
    /// Search, both legs and fusion.
    pub search: f64,
    /// Drafts, all attempts.
    pub draft: f64,
    /// Checks, all attempts.
    pub check: f64,
}

/// Tokens of all drafts.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Usage {
    /// Tokens of the prompts; 0 where no model wrote.
    pub prompt_tokens: u64,
    /// Tokens of the completions; 0 where no model wrote.
    pub completion_tokens: u64,
}

/// Why an answer was rejected, and what stands of it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Rejection<'a> {
    /// Always `rejected`.
    pub status: &'static str,
    /// Why, in a sentence.
    pub reason: &'a str,
    /// What the reader can do.
    pub suggestion: &'a str,
    /// Markdown of the sentences whose own checks passed.
    pub partial_response: &'a str,
    /// Paths that were found.
    pub searched: &'a [String],
    /// Audit id.
    pub audit_id: String,
    /// What failed.
    pub validation: Validation<'a>,
}

/// What failed in a rejected answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Validation<'a> {
    /// Always `false`.
    pub ok: bool,
    /// What failed, in text order.
    pub errors: Vec<Failing<'a>>,
    /// What was flagged or not checked, in text order.
    pub warnings: Vec<Finding<'a>>,
}

/// A finding for which an answer was rejected; its text is withheld, so there is no place in it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Failing<'a> {
    /// Kind of a defect, or name of a check.
    pub kind: &'a str,
    /// What is wrong, in a sentence.
    pub detail: &'a str,
}

/// Why a request ended without an answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Failure<'a> {
    /// Error code.
    pub code: Name<Code>,
    /// What went wrong.
    pub detail: &'a str,
    /// Field or setting to blame.
    pub field: Option<&'a str>,
}

fn code_status(_: &mut SchemaGenerator) -> Schema {
    let all = [
        CodeStatus::NotApplicable,
        CodeStatus::Valid,
        CodeStatus::Invalid,
        CodeStatus::InvalidUnverifiedRetry,
        CodeStatus::Unavailable(String::new()),
        CodeStatus::Disabled,
    ];
    json_schema!({"type": "string", "enum": all.each_ref().map(CodeStatus::as_str)})
}

impl<'a> From<&'a assay_domain::Answer> for Answer<'a> {
    fn from(answer: &'a assay_domain::Answer) -> Self {
        Self {
            id: answer.audit_id.to_string(),
            outcome: Name(answer.outcome),
            text: &answer.text,
            facts: Facts::from(answer),
            code: blocks(answer),
            rejection: answer.rejection.as_ref().map(|rejection| Rejection::new(answer, rejection)),
            failure: answer.failure.as_ref().map(Failure::from),
        }
    }
}

impl<'a> Rejected<'a> {
    /// The body of a rejected answer; none if the answer was not rejected.
    #[must_use]
    pub fn new(answer: &'a assay_domain::Answer, request_id: &'a str) -> Option<Self> {
        if answer.outcome != Outcome::Rejected {
            return None;
        }
        let Answer { id, outcome, text, facts, code, rejection, failure } = Answer::from(answer);
        let unexplained = || Rejection {
            status: "rejected",
            reason: "the answer did not pass its checks",
            suggestion: "",
            partial_response: "",
            searched: &[],
            audit_id: id.clone(),
            validation: Validation { ok: false, errors: Vec::new(), warnings: Vec::new() },
        };
        Some(Self {
            rejection: rejection.unwrap_or_else(unexplained),
            id,
            outcome,
            text,
            facts,
            failure,
            code_blocks: code,
            code: Name(Code::AnswerRejected),
            request_id,
        })
    }
}

impl<'a> Assay<'a> {
    /// What is said of an answer beside its text. `notes` are of its request, and `ignored` are parameters of it.
    #[must_use]
    pub fn new(
        answer: &'a assay_domain::Answer,
        notes: &'a [String],
        ignored: &'a [String],
        request_id: &'a str,
    ) -> Self {
        let Answer { id, outcome, mut facts, code, rejection, failure, .. } = Answer::from(answer);
        facts.warnings.extend(notes.iter().map(String::as_str));
        Self { id, outcome, facts, code, rejection, failure, ignored, request_id }
    }
}

impl<'a> From<&'a assay_domain::Answer> for Facts<'a> {
    fn from(answer: &'a assay_domain::Answer) -> Self {
        let report = answer.report.as_ref();
        Self {
            query_type: Name(answer.route.query_type),
            route: Route::from(&answer.route),
            sources: Source::all(&answer.sources),
            citations: report.map(|report| each(&report.citations)).unwrap_or_default(),
            verdict: answer.verdict.map(Name),
            validation_status: Name(answer.validation_status),
            code_status: answer.code_status.as_str(),
            code_status_reason: match &answer.code_status {
                CodeStatus::Unavailable(reason) => filled(reason),
                _ => None,
            },
            context_relevant: answer.context_relevant,
            attempts: answer.attempts,
            audit: Audit { id: answer.audit_id.to_string(), state: Name(answer.audit) },
            timing_ms: Timing {
                total: millis(answer.timing.total_ms),
                route: millis(answer.timing.route_ms),
                search: millis(answer.timing.search_ms),
                draft: millis(answer.timing.draft_ms),
                check: millis(answer.timing.check_ms),
            },
            usage: answer.usage.map(|usage| Usage {
                prompt_tokens: usage.prompt_tokens,
                completion_tokens: usage.completion_tokens,
            }),
            model: &answer.model,
            generator: answer.generator.map(Name),
            grounding: Name(answer.grounding),
            index_manifest: filled(&answer.index_manifest),
            warnings: answer.warnings.iter().map(String::as_str).collect(),
            support: report.and_then(|report| report.support),
            context_relevance: report.and_then(|report| report.context_relevance),
            checks: report.map(|report| each(&report.checks)).unwrap_or_default(),
            claims: report.map(|report| each(&report.claims)).unwrap_or_default(),
            defects: report.map(|report| each(&report.defects)).unwrap_or_default(),
        }
    }
}

fn blocks(answer: &assay_domain::Answer) -> Vec<CodeBlock<'_>> {
    answer.report.as_ref().map(|report| each(&report.blocks)).unwrap_or_default()
}

impl<'a> From<&'a assay_domain::Route> for Route<'a> {
    fn from(route: &'a assay_domain::Route) -> Self {
        Self {
            query_type: Name(route.query_type),
            layer: Name(route.layer),
            probability: route.probability,
            accepted: route.accepted,
            reason: &route.reason,
        }
    }
}

impl<'a> Rejection<'a> {
    fn new(answer: &assay_domain::Answer, rejection: &'a assay_domain::answer::Rejection) -> Self {
        let errors = rejection.errors.iter();
        Self {
            status: "rejected",
            reason: &rejection.reason,
            suggestion: &rejection.suggestion,
            partial_response: &rejection.partial_response,
            searched: &rejection.searched,
            audit_id: answer.audit_id.to_string(),
            validation: Validation {
                ok: false,
                errors: errors.map(|error| Failing { kind: &error.kind, detail: &error.detail }).collect(),
                warnings: each(&rejection.warnings),
            },
        }
    }
}

impl<'a> From<&'a assay_domain::Failure> for Failure<'a> {
    fn from(failure: &'a assay_domain::Failure) -> Self {
        Self { code: Name(failure.code), detail: &failure.message, field: filled(&failure.field) }
    }
}
