//! The answer object, its sources, the rejection body and the events of a stream.

use assay_domain::answer::{EventBody, Rejection, Timing};
use assay_domain::report::{Citation, Claim, Defect, Finding, Report, Span};
use assay_domain::{Answer, AnswerEvent, CodeStatus, Failure, Hit, Outcome, Route};
use serde_json::{Value, json};

use super::{diagnostic_json, fields, hit_json, millis, number, problem_json, some_text, with};

/// The answer object: `{id, outcome, text, query_type, route, sources, citations, verdict, …}`. `id` is the audit id;
/// a batch puts its own in its place.
#[must_use]
pub fn answer_json(answer: &Answer) -> Value {
    let report = answer.report.as_ref();
    json!({
        "id": answer.audit_id.to_string(),
        "outcome": answer.outcome.as_str(),
        "text": answer.text,
        "query_type": answer.route.query_type.as_str(),
        "route": route_json(&answer.route),
        "sources": sources(&answer.sources),
        "citations": report.map(|report| list(&report.citations, citation)).unwrap_or_default(),
        "verdict": answer.verdict.map(|verdict| verdict.as_str()),
        "validation_status": answer.validation_status.as_str(),
        "code_status": answer.code_status.as_str(),
        "code_status_reason": match &answer.code_status {
            CodeStatus::Unavailable(reason) => some_text(reason),
            _ => Value::Null,
        },
        "context_relevant": answer.context_relevant,
        "attempts": answer.attempts,
        "audit": {"id": answer.audit_id.to_string(), "state": answer.audit.as_str()},
        "timing_ms": timing(answer.timing),
        "usage": answer.usage.map(|usage| json!({
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
        })),
        "model": answer.model,
        "generator": answer.generator.map(|generator| generator.as_str()),
        "grounding": answer.grounding.as_str(),
        "index_manifest": some_text(&answer.index_manifest),
        "warnings": answer.warnings,
        "support": number(report.and_then(|report| report.support)),
        "context_relevance": number(report.and_then(|report| report.context_relevance)),
        "checks": report.map(checks).unwrap_or_default(),
        "claims": report.map(|report| list(&report.claims, claim)).unwrap_or_default(),
        "defects": report.map(|report| list(&report.defects, defect)).unwrap_or_default(),
        "code": report.map(blocks).unwrap_or_default(),
        "rejection": answer.rejection.as_ref().map(|rejection| body(answer, rejection)),
        "failure": answer.failure.as_ref().map(failure),
    })
}

/// The body of a rejected answer (contract §4): the rejection first, then the rest of the answer object. `None` if
/// the answer was not rejected.
#[must_use]
pub fn rejection_json(answer: &Answer) -> Option<Value> {
    if answer.outcome != Outcome::Rejected {
        return None;
    }
    let rejection = answer.rejection.clone().unwrap_or_else(|| Rejection {
        reason: "the answer did not pass its checks".into(),
        suggestion: String::new(),
        partial_response: String::new(),
        searched: Vec::new(),
        errors: Vec::new(),
        warnings: Vec::new(),
    });
    let mut rest = fields(answer_json(answer));
    rest.shift_remove("rejection");
    Some(with(body(answer, &rejection), Value::Object(rest)))
}

fn body(answer: &Answer, rejection: &Rejection) -> Value {
    json!({
        "status": "rejected",
        "reason": rejection.reason,
        "suggestion": rejection.suggestion,
        "partial_response": rejection.partial_response,
        "searched": rejection.searched,
        "audit_id": answer.audit_id.to_string(),
        "validation": {
            "ok": false,
            "errors": list(&rejection.errors, |error| json!({"kind": error.kind, "detail": error.detail})),
            "warnings": list(&rejection.warnings, finding),
        },
    })
}

/// How a request was routed.
#[must_use]
pub fn route_json(route: &Route) -> Value {
    json!({
        "query_type": route.query_type.as_str(),
        "layer": route.layer.as_str(),
        "probability": number(Some(route.probability)),
        "accepted": route.accepted,
        "reason": route.reason,
    })
}

/// A source under its number: identity, lines, hashes, its text, and why it was found.
#[must_use]
pub fn source_json(position: u32, hit: &Hit) -> Value {
    let source = &hit.source;
    let mut object = fields(json!({
        "number": position,
        "id": source.id,
        "kind": source.kind.as_str(),
        "path": source.path,
        "lines": [source.lines.first, source.lines.last],
        "title": source.title,
        "headings": source.headings,
        "sha256": source.sha256,
        "file_sha256": some_text(&source.file_sha256),
        "commit": some_text(&source.commit),
        "language": some_text(&source.language),
        "text": source.text,
        "score": number(Some(hit.score)),
    }));
    let mut found = fields(hit_json(hit));
    for key in ["ranks", "scores"] {
        if let Some(value) = found.remove(key) {
            object.insert(key.to_owned(), value);
        }
    }
    Value::Object(object)
}

fn sources(hits: &[Hit]) -> Vec<Value> {
    (1..).zip(hits).map(|(position, hit)| source_json(position, hit)).collect()
}

/// The name and the data of one event of a stream.
#[must_use]
pub fn event_json(event: &AnswerEvent, request_id: &str) -> (&'static str, Value) {
    let attempt = event.attempt;
    match &event.body {
        EventBody::Routed { route, audit_id } => (
            "routed",
            json!({"attempt": attempt, "audit_id": audit_id.to_string(), "route": route_json(route)}),
        ),
        EventBody::Sources(hits) => ("sources", json!({"attempt": attempt, "sources": sources(hits)})),
        EventBody::Segment(text) => ("segment", json!({"attempt": attempt, "text": text})),
        EventBody::Retracted => ("retracted", json!({"attempt": attempt})),
        EventBody::Settled(answer) => ("settled", answer_json(answer)),
        EventBody::Failed(failure) => {
            let problem = problem_json(failure, assay_wire::http_status(failure.code), None, request_id);
            ("failed", with(json!({"attempt": attempt}), problem))
        }
    }
}

fn list<T>(items: &[T], shape: impl Fn(&T) -> Value) -> Vec<Value> {
    items.iter().map(shape).collect()
}

fn timing(timing: Timing) -> Value {
    json!({
        "total": millis(timing.total_ms),
        "route": millis(timing.route_ms),
        "search": millis(timing.search_ms),
        "draft": millis(timing.draft_ms),
        "check": millis(timing.check_ms),
    })
}

fn failure(failure: &Failure) -> Value {
    json!({"code": failure.code.as_str(), "detail": failure.message, "field": some_text(&failure.field)})
}

fn place(span: Span) -> Value {
    json!({
        "byte_start": span.byte_start,
        "byte_end": span.byte_end,
        "utf16_start": span.utf16_start,
        "utf16_end": span.utf16_end,
        "char_start": span.char_start,
        "char_end": span.char_end,
    })
}

pub(super) fn finding(finding: &Finding) -> Value {
    json!({"kind": finding.kind, "detail": finding.detail, "span": finding.span.map(place)})
}

fn citation(citation: &Citation) -> Value {
    let head = json!({"marker": citation.marker, "text": citation.text});
    with(
        with(head, place(citation.span)),
        json!({
            "lines": citation.lines.map(|lines| [lines.first, lines.last]),
            "in_range": citation.in_range,
            "claim": citation.claim,
            "origin": citation.origin.as_str(),
            "resolution": citation.resolution.as_str(),
        }),
    )
}

fn claim(claim: &Claim) -> Value {
    super::report::claim_json(claim)
}

fn defect(defect: &Defect) -> Value {
    with(with(json!({"kind": defect.kind.as_str()}), place(defect.span)), json!({"detail": defect.detail}))
}

fn checks(report: &Report) -> Vec<Value> {
    list(&report.checks, |check| {
        json!({
            "name": check.name.as_str(),
            "status": check.status.as_str(),
            "reason": check.reason,
            "required": check.required,
        })
    })
}

/// Programs with what their parser said.
pub(super) fn blocks(report: &Report) -> Vec<Value> {
    use assay_domain::BlockStatus;
    list(&report.blocks, |parsed| {
        let (status, detail) = match &parsed.status {
            BlockStatus::Valid => ("VALID", Value::Null),
            BlockStatus::Invalid => ("INVALID", Value::Null),
            BlockStatus::WrongLanguage(language) => ("WRONG_LANGUAGE", json!(language)),
            BlockStatus::NoGrammar => ("NO_GRAMMAR", Value::Null),
            BlockStatus::Plain => ("PLAIN", Value::Null),
            BlockStatus::Unavailable(reason) => ("UNAVAILABLE", json!(reason)),
        };
        json!({
            "index": parsed.block.index,
            "language": some_text(&parsed.block.language),
            "declared": parsed.block.declared,
            "byte_start": parsed.block.byte_start,
            "byte_end": parsed.block.byte_end,
            "first_line": parsed.block.first_line,
            "status": status,
            "detail": detail,
            "diagnostics": list(&parsed.diagnostics, diagnostic_json),
        })
    })
}
