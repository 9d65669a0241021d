//! Items and reports as JSON, their maps in alphabetical order so that equal runs print equal bytes.

use std::collections::{BTreeMap, HashMap};

use assay_proto::evaluation::{EvaluationReport, ItemResult};
use serde::Serialize;

/// One item.
#[derive(Debug, Serialize)]
pub struct Item<'a> {
    id: &'a str,
    /// From 1.
    repetition: u32,
    /// Outcome by name.
    outcome: &'a str,
    /// Verdict by name; null if there is none.
    verdict: Option<&'a str>,
    /// Record of the answer; null if there is none.
    audit_id: Option<&'a str>,
    has_code: bool,
    /// Whether every block was accepted; null without code.
    code_valid: Option<bool>,
    /// Code of the failure; null if there is none.
    failure: Option<&'a str>,
}

/// The report of a run.
#[derive(Debug, Serialize)]
pub struct Report<'a> {
    /// `BINDING` or `NON_BINDING`.
    standing: &'a str,
    /// What is missing for a binding run.
    missing_for_binding: &'a [String],
    /// Items times repetitions.
    items: u64,
    /// Counts by name.
    outcomes: BTreeMap<&'a str, &'a u64>,
    /// Counts by name.
    verdicts: BTreeMap<&'a str, &'a u64>,
    /// Counts by name: answered or abstained against answerable or not.
    answerability: BTreeMap<&'a str, &'a u64>,
    syntactic_validity: Validity,
    /// Version and grammar hash of the parser.
    parser_version: &'a str,
    /// Metrics that are not there, with the reason.
    not_computed: BTreeMap<&'a str, &'a String>,
}

/// How much of the code is valid.
#[derive(Debug, Serialize)]
struct Validity {
    /// Answers with valid code over answers with code, 0 to 1; null if no answer has code.
    value: Option<f64>,
    answers_with_code: u64,
    answers_with_valid_code: u64,
    /// Bounds of the Wilson interval at 95 %; null with `value`.
    wilson_95: Option<(f64, f64)>,
}

impl<'a> From<&'a ItemResult> for Item<'a> {
    fn from(item: &'a ItemResult) -> Self {
        let filled = |text: &'a str| (!text.is_empty()).then_some(text);
        Self {
            id: &item.id,
            repetition: item.repetition,
            outcome: &item.outcome,
            verdict: filled(&item.verdict),
            audit_id: filled(&item.audit_id),
            has_code: item.has_code,
            code_valid: item.has_code.then_some(item.code_valid),
            failure: filled(&item.failure),
        }
    }
}

impl<'a> From<&'a EvaluationReport> for Report<'a> {
    fn from(report: &'a EvaluationReport) -> Self {
        Self {
            standing: &report.standing,
            missing_for_binding: &report.missing_for_binding,
            items: report.items,
            outcomes: sorted(&report.outcomes),
            verdicts: sorted(&report.verdicts),
            answerability: sorted(&report.answerability),
            syntactic_validity: Validity {
                value: report.syntactic_validity,
                answers_with_code: report.answers_with_code,
                answers_with_valid_code: report.answers_with_valid_code,
                wilson_95: report.syntactic_validity_low.zip(report.syntactic_validity_high),
            },
            parser_version: &report.parser_version,
            not_computed: sorted(&report.not_computed),
        }
    }
}

/// A map in alphabetical order.
#[must_use]
pub fn sorted<V>(map: &HashMap<String, V>) -> BTreeMap<&str, &V> {
    map.iter().map(|(key, value)| (key.as_str(), value)).collect()
}
