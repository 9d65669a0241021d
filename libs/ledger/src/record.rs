//! A record as two canonical texts: a public one that stays in the log and a payload that can be erased.
//!
//! Both are JSON objects in UTF-8 without white space, with every key present in the order of the structs below,
//! `null` for an absent value, enum values by their stable names, and numbers in the shortest form that reads back
//! as the same value (a number that is not finite is written as absent, or as 0 where it cannot be). The same record
//! always gives the same bytes.
//!
//! Public: identity of the record, tenant, times, outcome, route, scores, counts, versions, error codes.
//! Payload: query, answer, claims, citations, principal, roles, session, request and response id, digests of texts, and every
//! free sentence (reasons, warnings, provider messages), since a sentence may quote the question or the answer.

use assay_domain::answer::{Grounding, Layer, Route};
use assay_domain::draft::{PromptId, ProviderCall};
use assay_domain::identity::Identity;
use assay_domain::record::{RecordedAttempt, RecordedCitation, RecordedValidation};
use assay_domain::report::{Check, CheckName, CheckStatus, ModelUse, Verdict};
use assay_domain::{AuditId, Mode, Outcome, QueryType, Record, Role};
use serde::{Deserialize, Serialize};

/// How digests of texts stand in a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Digests {
    /// SHA-256 of the text.
    Plain,
    /// SHA-256(salt ‖ SHA-256 of the text), with the record's own salt; the text itself was not kept.
    Salted,
}

/// The two texts of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parts {
    /// Stays in the log.
    pub public: String,
    /// Lives with its salt and can be erased.
    pub payload: String,
}

/// A record read back from its texts.
#[derive(Debug, Clone, PartialEq)]
pub struct Joined {
    /// The record; payload fields are empty where the payload was erased.
    pub record: Record,
    /// How its digests stand; none where the payload was erased.
    pub digests: Option<Digests>,
}

/// Why a text is not a record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the {part} text of the record cannot be read: {reason}")]
pub struct RecordError {
    /// `public` or `payload`.
    pub part: &'static str,
    /// What is wrong.
    pub reason: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Public {
    audit_id: String,
    unix_ms: u64,
    tenant: String,
    outcome: String,
    route: Option<PublicRoute>,
    validation: Option<PublicValidation>,
    attempts: Vec<PublicAttempt>,
    processing_ms: f64,
    validation_ms: f64,
    model_version: String,
    model_calls: u32,
    prompts: Vec<Prompt>,
    provider_trail: Vec<PublicCall>,
    index_manifest: String,
    parser_version: String,
    mode: String,
    grounding: String,
    temperature: Option<f64>,
    seed: Option<u64>,
    context_relevant_first: Option<bool>,
    context_relevant: Option<bool>,
    retry_skipped: String,
    platform_prefixes_sha256: String,
    errors: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PublicRoute {
    query_type: String,
    layer: String,
    probability: f64,
    accepted: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PublicValidation {
    status: Option<String>,
    citations_validated: u32,
    citations_failed: u32,
    hallucinations_detected: u32,
    confidence_score: Option<f64>,
    checks: Vec<PublicCheck>,
    /// Left out where there is none, as in texts that are older than the field.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    models: Vec<PublicModel>,
    /// Left out where there is none, as in texts that are older than the field.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    policy: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PublicModel {
    kind: String,
    name: String,
    sha256: String,
    fitted: bool,
    asked: u32,
    answered: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PublicCheck {
    name: String,
    status: String,
    required: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PublicAttempt {
    number: u32,
    verdict: Option<String>,
    defects: Vec<String>,
    delivered: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PublicCall {
    model: String,
    elapsed_ms: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Prompt {
    id: String,
    sha256: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Payload {
    principal: String,
    roles: Vec<String>,
    session_id: String,
    request_id: String,
    /// Left out where there is none, as in texts that are older than the field.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    response_id: String,
    query: String,
    answer: String,
    answer_sha256: String,
    digests: Digests,
    route_reason: String,
    check_reasons: Vec<String>,
    citations: Vec<PayloadCitation>,
    attempt_sha256: Vec<String>,
    provider_outcomes: Vec<String>,
    warnings: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PayloadCitation {
    claim: String,
    source: String,
    line_range: String,
    sha256: String,
    validation_status: String,
    semantic_score: Option<f64>,
}

/// A number that JSON can hold: not finite becomes 0, and so does negative zero.
fn finite(number: f64) -> f64 {
    if number.is_finite() && number != 0.0 { number } else { 0.0 }
}

fn some_finite(number: Option<f64>) -> Option<f64> {
    number.filter(|n| n.is_finite()).map(finite)
}

/// Splits a record into its two texts.
#[must_use]
pub fn split(record: &Record, digests: Digests) -> Parts {
    let checks = record.validation.as_ref().map_or(&[][..], |v| &v.checks);
    let public = Public {
        audit_id: record.audit_id.to_string(),
        unix_ms: record.unix_ms,
        tenant: record.identity.tenant.clone(),
        outcome: record.outcome.to_string(),
        route: record.route.as_ref().map(|route| PublicRoute {
            query_type: route.query_type.to_string(),
            layer: route.layer.to_string(),
            probability: finite(route.probability),
            accepted: route.accepted,
        }),
        validation: record.validation.as_ref().map(|validation| PublicValidation {
            status: validation.status.map(|v| v.to_string()),
            citations_validated: validation.citations_validated,
            citations_failed: validation.citations_failed,
            hallucinations_detected: validation.hallucinations_detected,
            confidence_score: some_finite(validation.confidence_score),
            checks: checks
                .iter()
                .map(|check| PublicCheck {
                    name: check.name.to_string(),
                    status: check.status.to_string(),
                    required: check.required,
                })
                .collect(),
            models: validation.models.iter().cloned().map(PublicModel::from).collect(),
            policy: validation.policy.clone(),
        }),
        attempts: record
            .attempts
            .iter()
            .map(|attempt| PublicAttempt {
                number: attempt.number,
                verdict: attempt.verdict.map(|v| v.to_string()),
                defects: attempt.defects.clone(),
                delivered: attempt.delivered,
            })
            .collect(),
        processing_ms: finite(record.processing_ms),
        validation_ms: finite(record.validation_ms),
        model_version: record.model_version.clone(),
        model_calls: record.model_calls,
        prompts: record
            .prompts
            .iter()
            .map(|prompt| Prompt { id: prompt.id.clone(), sha256: prompt.sha256.clone() })
            .collect(),
        provider_trail: record
            .provider_trail
            .iter()
            .map(|call| PublicCall { model: call.model.clone(), elapsed_ms: call.elapsed_ms })
            .collect(),
        index_manifest: record.index_manifest.clone(),
        parser_version: record.parser_version.clone(),
        mode: record.mode.to_string(),
        grounding: record.grounding.to_string(),
        temperature: some_finite(record.temperature),
        seed: record.seed,
        context_relevant_first: record.context_relevant_first,
        context_relevant: record.context_relevant,
        retry_skipped: record.retry_skipped.clone(),
        platform_prefixes_sha256: record.platform_prefixes_sha256.clone(),
        errors: record.errors.clone(),
    };
    let payload = Payload {
        principal: record.identity.principal.clone(),
        roles: record.identity.roles.iter().map(|role| role.to_string()).collect(),
        session_id: record.session_id.clone(),
        request_id: record.request_id.clone(),
        response_id: record.response_id.clone(),
        query: record.query.clone(),
        answer: record.answer.clone(),
        answer_sha256: record.answer_sha256.clone(),
        digests,
        route_reason: record.route.as_ref().map(|route| route.reason.clone()).unwrap_or_default(),
        check_reasons: checks.iter().map(|check| check.reason.clone()).collect(),
        citations: record
            .citations
            .iter()
            .map(|citation| PayloadCitation {
                claim: citation.claim.clone(),
                source: citation.source.clone(),
                line_range: citation.line_range.clone(),
                sha256: citation.sha256.clone(),
                validation_status: citation.validation_status.clone(),
                semantic_score: some_finite(citation.semantic_score),
            })
            .collect(),
        attempt_sha256: record.attempts.iter().map(|attempt| attempt.text_sha256.clone()).collect(),
        provider_outcomes: record.provider_trail.iter().map(|call| call.outcome.clone()).collect(),
        warnings: record.warnings.clone(),
    };
    Parts { public: text(&public), payload: text(&payload) }
}

/// JSON of a value that consists of texts, numbers, lists and objects with text keys only; such a value has no way
/// to fail.
fn text<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// Id of the record that a public text describes.
///
/// # Errors
/// [`RecordError`] where the text is not a public text.
pub fn audit_id(public: &str) -> Result<AuditId, RecordError> {
    let public: Public = read("public", public)?;
    id(&public.audit_id)
}

/// Joins the texts to a record; without a payload its fields are empty.
///
/// # Errors
/// [`RecordError`] naming the text and what is wrong with it.
pub fn join(public: &str, payload: Option<&str>) -> Result<Joined, RecordError> {
    let public: Public = read("public", public)?;
    let payload: Option<Payload> = payload.map(|text| read("payload", text)).transpose()?;
    let digests = payload.as_ref().map(|p| p.digests);
    let payload = payload.unwrap_or_else(Payload::erased);
    let mut check_reasons = payload.check_reasons.into_iter();
    let mut attempt_sha256 = payload.attempt_sha256.into_iter();
    let mut provider_outcomes = payload.provider_outcomes.into_iter();
    let record = Record {
        audit_id: id(&public.audit_id)?,
        unix_ms: public.unix_ms,
        identity: Identity {
            principal: payload.principal,
            tenant: public.tenant,
            roles: payload
                .roles
                .iter()
                .map(|role| named("payload", role, Role::from_name))
                .collect::<Result<_, _>>()?,
        },
        session_id: payload.session_id,
        request_id: payload.request_id,
        response_id: payload.response_id,
        query: payload.query,
        answer_sha256: payload.answer_sha256,
        answer: payload.answer,
        outcome: named("public", &public.outcome, Outcome::from_name)?,
        route: public
            .route
            .map(|route| {
                Ok(Route {
                    query_type: named("public", &route.query_type, QueryType::from_name)?,
                    layer: named("public", &route.layer, Layer::from_name)?,
                    probability: route.probability,
                    accepted: route.accepted,
                    reason: payload.route_reason,
                })
            })
            .transpose()?,
        validation: public
            .validation
            .map(|validation| {
                Ok(RecordedValidation {
                    status: verdict(validation.status.as_deref())?,
                    citations_validated: validation.citations_validated,
                    citations_failed: validation.citations_failed,
                    hallucinations_detected: validation.hallucinations_detected,
                    confidence_score: validation.confidence_score,
                    checks: validation
                        .checks
                        .into_iter()
                        .map(|check| {
                            Ok(Check {
                                name: named("public", &check.name, CheckName::from_name)?,
                                status: named("public", &check.status, CheckStatus::from_name)?,
                                reason: check_reasons.next().unwrap_or_default(),
                                required: check.required,
                            })
                        })
                        .collect::<Result<_, RecordError>>()?,
                    models: validation.models.into_iter().map(ModelUse::from).collect(),
                    policy: validation.policy,
                })
            })
            .transpose()?,
        citations: payload
            .citations
            .into_iter()
            .map(|citation| RecordedCitation {
                claim: citation.claim,
                source: citation.source,
                line_range: citation.line_range,
                sha256: citation.sha256,
                validation_status: citation.validation_status,
                semantic_score: citation.semantic_score,
            })
            .collect(),
        attempts: public
            .attempts
            .into_iter()
            .map(|attempt| {
                Ok(RecordedAttempt {
                    number: attempt.number,
                    verdict: verdict(attempt.verdict.as_deref())?,
                    defects: attempt.defects,
                    text_sha256: attempt_sha256.next().unwrap_or_default(),
                    delivered: attempt.delivered,
                })
            })
            .collect::<Result<_, RecordError>>()?,
        processing_ms: public.processing_ms,
        validation_ms: public.validation_ms,
        model_version: public.model_version,
        model_calls: public.model_calls,
        prompts: public.prompts.into_iter().map(|p| PromptId { id: p.id, sha256: p.sha256 }).collect(),
        provider_trail: public
            .provider_trail
            .into_iter()
            .map(|call| ProviderCall {
                model: call.model,
                outcome: provider_outcomes.next().unwrap_or_default(),
                elapsed_ms: call.elapsed_ms,
            })
            .collect(),
        index_manifest: public.index_manifest,
        parser_version: public.parser_version,
        mode: named("public", &public.mode, Mode::from_name)?,
        grounding: named("public", &public.grounding, Grounding::from_name)?,
        temperature: public.temperature,
        seed: public.seed,
        context_relevant_first: public.context_relevant_first,
        context_relevant: public.context_relevant,
        retry_skipped: public.retry_skipped,
        platform_prefixes_sha256: public.platform_prefixes_sha256,
        errors: public.errors,
        warnings: payload.warnings,
    };
    Ok(Joined { record, digests })
}

impl From<ModelUse> for PublicModel {
    fn from(used: ModelUse) -> Self {
        let ModelUse { kind, name, sha256, fitted, asked, answered } = used;
        Self { kind, name, sha256, fitted, asked, answered }
    }
}

impl From<PublicModel> for ModelUse {
    fn from(used: PublicModel) -> Self {
        let PublicModel { kind, name, sha256, fitted, asked, answered } = used;
        Self { kind, name, sha256, fitted, asked, answered }
    }
}

impl Payload {
    fn erased() -> Self {
        Self {
            principal: String::new(),
            roles: Vec::new(),
            session_id: String::new(),
            request_id: String::new(),
            response_id: String::new(),
            query: String::new(),
            answer: String::new(),
            answer_sha256: String::new(),
            digests: Digests::Plain,
            route_reason: String::new(),
            check_reasons: Vec::new(),
            citations: Vec::new(),
            attempt_sha256: Vec::new(),
            provider_outcomes: Vec::new(),
            warnings: Vec::new(),
        }
    }
}

fn read<'a, T: Deserialize<'a>>(part: &'static str, text: &'a str) -> Result<T, RecordError> {
    serde_json::from_str(text).map_err(|error| RecordError { part, reason: error.to_string() })
}

fn named<T>(part: &'static str, name: &str, parse: impl Fn(&str) -> Option<T>) -> Result<T, RecordError> {
    parse(name).ok_or_else(|| RecordError { part, reason: format!("unknown name {name:?}") })
}

fn verdict(name: Option<&str>) -> Result<Option<Verdict>, RecordError> {
    name.map(|name| named("public", name, Verdict::from_name)).transpose()
}

fn id(text: &str) -> Result<AuditId, RecordError> {
    AuditId::parse(text).ok_or_else(|| RecordError {
        part: "public",
        reason: format!("audit_id {text:?} is no version 7 UUID"),
    })
}
