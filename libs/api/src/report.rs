//! The report of `check` in the exact shape of its batch output.

use assay_domain::report::{Claim, ModelUse, Report};
use serde_json::{Value, json};

use super::answer::{blocks, finding};
use super::{millis, number, some_text, with};

/// `{verdict, support, checks, claims, citations, defects, code, errors, warnings, context_relevance, models}`, as `assay check` prints it.
#[must_use]
pub fn report_json(report: &Report) -> Value {
    let checks: Vec<Value> = report
        .checks
        .iter()
        .map(|check| json!({"name": check.name.as_str(), "status": check.status.as_str(), "reason": check.reason}))
        .collect();
    let citations: Vec<Value> = report
        .citations
        .iter()
        .map(|citation| {
            json!({
                "marker": citation.marker,
                "text": citation.text,
                "byte_start": citation.span.byte_start,
                "byte_end": citation.span.byte_end,
                "utf16_start": citation.span.utf16_start,
                "lines": citation.lines.map(|lines| [lines.first, lines.last]),
                "in_range": citation.in_range,
                "claim": citation.claim,
            })
        })
        .collect();
    let defects: Vec<Value> = report
        .defects
        .iter()
        .map(|defect| {
            json!({"kind": defect.kind.as_str(), "byte_start": defect.span.byte_start, "detail": defect.detail})
        })
        .collect();
    json!({
        "verdict": report.verdict.as_str(),
        "support": number(report.support),
        "checks": checks,
        "claims": report.claims.iter().map(claim_json).collect::<Vec<_>>(),
        "citations": citations,
        "defects": defects,
        "code": blocks(report),
        "errors": report.errors.iter().map(finding).collect::<Vec<_>>(),
        "warnings": report.warnings.iter().map(finding).collect::<Vec<_>>(),
        "context_relevance": number(report.context_relevance),
        "models": report.models.iter().map(model_json).collect::<Vec<_>>(),
    })
}

/// A model that was at hand for the claims, and of how many it said something.
pub(crate) fn model_json(used: &ModelUse) -> Value {
    json!({
        "kind": used.kind,
        "name": used.name,
        "sha256": some_text(&used.sha256),
        "fitted": used.fitted,
        "asked": used.asked,
        "answered": used.answered,
    })
}

/// One line of the batch: the id, the report, `timing_ms: {total}`.
#[must_use]
pub fn check_json(id: &Value, report: &Report, total_ms: f64) -> Value {
    let timing = json!({"timing_ms": {"total": millis(total_ms)}});
    with(with(json!({"id": id}), report_json(report)), timing)
}

/// A claim with its place in three units.
pub(crate) fn claim_json(claim: &Claim) -> Value {
    let evidence: Vec<Value> = claim
        .evidence
        .iter()
        .map(|evidence| {
            json!({
                "source": evidence.source,
                "first_line": evidence.lines.first,
                "last_line": evidence.lines.last,
                "text": evidence.text,
            })
        })
        .collect();
    json!({
        "text": claim.text,
        "byte_start": claim.span.byte_start,
        "byte_end": claim.span.byte_end,
        "utf16_start": claim.span.utf16_start,
        "utf16_end": claim.span.utf16_end,
        "char_start": claim.span.char_start,
        "char_end": claim.span.char_end,
        "kind": claim.kind.as_str(),
        "status": claim.status.as_str(),
        "support": number(claim.support),
        "citations": claim.citations,
        "evidence": evidence,
        "reason": claim.reason,
        "decided_by": some_text(&claim.decided_by),
    })
}
