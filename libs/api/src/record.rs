//! The audit record and its receipt, with the names of contract §10.

use assay_domain::Record;
use assay_domain::draft::{PromptId, ProviderCall};
use assay_domain::record::{RecordedAttempt, RecordedCitation, RecordedValidation};
use assay_proto::audit::Receipt;
use serde_json::{Value, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::report::model_json;
use super::{millis, number, route_json, some_text};

/// An instant in RFC 3339, UTC, with milliseconds; the number itself where there is no such date.
#[must_use]
pub fn timestamp(unix_ms: u64) -> String {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(unix_ms) * 1_000_000)
        .ok()
        .and_then(|instant| instant.format(&Rfc3339).ok())
        .unwrap_or_else(|| unix_ms.to_string())
}

/// A record.
#[must_use]
pub fn record_json(record: &Record) -> Value {
    json!({
        "audit_id": record.audit_id.to_string(),
        "timestamp": timestamp(record.unix_ms),
        "principal": record.identity.principal,
        "tenant": record.identity.tenant,
        "session_id": some_text(&record.session_id),
        "request_id": some_text(&record.request_id),
        "response_id": some_text(&record.response_id),
        "query": record.query,
        "outcome": record.outcome.as_str(),
        "route": record.route.as_ref().map(route_json),
        "answer": some_text(&record.answer),
        "answer_sha256": some_text(&record.answer_sha256),
        "validation_result": record.validation.as_ref().map(validation),
        "citations": record.citations.iter().map(citation).collect::<Vec<_>>(),
        "attempts": record.attempts.iter().map(attempt).collect::<Vec<_>>(),
        "processing_time_ms": millis(record.processing_ms),
        "validation_ms": millis(record.validation_ms),
        "model_version": some_text(&record.model_version),
        "model_calls": record.model_calls,
        "prompt_ids": record.prompts.iter().map(prompt).collect::<Vec<_>>(),
        "provider_trail": record.provider_trail.iter().map(call).collect::<Vec<_>>(),
        "index_manifest": some_text(&record.index_manifest),
        "parser_version": some_text(&record.parser_version),
        "mode": record.mode.as_str(),
        "grounding": record.grounding.as_str(),
        "temperature": number(record.temperature),
        "seed": record.seed,
        "context_relevant_first": record.context_relevant_first,
        "context_relevant": record.context_relevant,
        "retry_skipped": some_text(&record.retry_skipped),
        "platform_prefixes_sha256": some_text(&record.platform_prefixes_sha256),
        "errors": record.errors,
        "warnings": record.warnings,
    })
}

/// The receipt of a record.
#[must_use]
pub fn receipt_json(receipt: &Receipt) -> Value {
    json!({
        "leaf_index": receipt.leaf_index,
        "leaf_hash": receipt.leaf_hash,
        "stored": timestamp(receipt.stored_unix_ms),
    })
}

fn validation(result: &RecordedValidation) -> Value {
    let checks: Vec<Value> = result
        .checks
        .iter()
        .map(|check| {
            json!({
                "name": check.name.as_str(),
                "status": check.status.as_str(),
                "reason": check.reason,
                "required": check.required,
            })
        })
        .collect();
    json!({
        "status": result.status.map(|verdict| verdict.as_str()),
        "citations_validated": result.citations_validated,
        "citations_failed": result.citations_failed,
        "hallucinations_detected": result.hallucinations_detected,
        "confidence_score": number(result.confidence_score),
        "checks": checks,
        "models": result.models.iter().map(model_json).collect::<Vec<_>>(),
    })
}

fn citation(citation: &RecordedCitation) -> Value {
    json!({
        "claim": citation.claim,
        "source": citation.source,
        "line_range": citation.line_range,
        "sha256": some_text(&citation.sha256),
        "validation_status": citation.validation_status,
        "semantic_score": number(citation.semantic_score),
    })
}

fn attempt(attempt: &RecordedAttempt) -> Value {
    json!({
        "number": attempt.number,
        "verdict": attempt.verdict.map(|verdict| verdict.as_str()),
        "defects": attempt.defects,
        "text_sha256": attempt.text_sha256,
        "delivered": attempt.delivered,
    })
}

fn prompt(prompt: &PromptId) -> Value {
    json!({"id": prompt.id, "sha256": prompt.sha256})
}

fn call(call: &ProviderCall) -> Value {
    json!({"model": call.model, "outcome": call.outcome, "elapsed_ms": call.elapsed_ms})
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
