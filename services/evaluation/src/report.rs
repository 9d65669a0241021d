//! Items and reports as JSON, their maps in alphabetical order so that equal runs print equal bytes.

use std::collections::{BTreeMap, HashMap};

use assay_proto::evaluation::{EvaluationReport, ItemResult};
use serde_json::{Value, json};

/// One item: `{id, repetition, outcome, verdict, audit_id, has_code, code_valid, failure}`; what is not there is null.
#[must_use]
pub fn item_json(item: &ItemResult) -> Value {
    let text = |value: &str| if value.is_empty() { Value::Null } else { json!(value) };
    json!({
        "id": item.id,
        "repetition": item.repetition,
        "outcome": item.outcome,
        "verdict": text(&item.verdict),
        "audit_id": text(&item.audit_id),
        "has_code": item.has_code,
        "code_valid": if item.has_code { json!(item.code_valid) } else { Value::Null },
        "failure": text(&item.failure),
    })
}

/// The report of a run.
#[must_use]
pub fn report_json(report: &EvaluationReport) -> Value {
    let interval = report.syntactic_validity_low.zip(report.syntactic_validity_high);
    json!({
        "standing": report.standing,
        "missing_for_binding": report.missing_for_binding,
        "items": report.items,
        "outcomes": sorted(&report.outcomes),
        "verdicts": sorted(&report.verdicts),
        "answerability": sorted(&report.answerability),
        "syntactic_validity": {
            "value": report.syntactic_validity,
            "answers_with_code": report.answers_with_code,
            "answers_with_valid_code": report.answers_with_valid_code,
            "wilson_95": interval.map(|(low, high)| json!([low, high])),
        },
        "parser_version": report.parser_version,
        "not_computed": sorted(&report.not_computed),
    })
}

fn sorted<V>(map: &HashMap<String, V>) -> BTreeMap<&str, &V> {
    map.iter().map(|(key, value)| (key.as_str(), value)).collect()
}
