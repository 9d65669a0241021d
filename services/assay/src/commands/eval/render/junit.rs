//! A report as JUnit: a test an answer, failed where its reader would be wronged.

use assay_domain::Failure;
use assay_scoring::{Recorded, Report};
use quick_junit::{NonSuccessKind, Report as Document, TestCase, TestCaseStatus, TestSuite};

/// The document.
///
/// # Errors
/// `INTERNAL` if it cannot be written.
pub(in super::super) fn junit(report: &Report, recorded: &[Recorded]) -> Result<String, Failure> {
    let mut suite = TestSuite::new(format!("answers, {}", report.standing));
    for (one, scored) in recorded.iter().zip(&report.items) {
        let wrong = wrong(one, scored.code_valid);
        let status = match &wrong {
            None => TestCaseStatus::success(),
            Some(why) => {
                let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
                status.set_message(why.clone()).set_description(one.question.clone());
                status
            }
        };
        let mut case = TestCase::new(format!("{} #{}", one.id, one.repetition), status);
        if let Some(answer) = &one.answer {
            case.set_time(std::time::Duration::from_secs_f64(answer.total_ms.max(0.0) / 1000.0));
        }
        suite.add_test_case(case);
    }
    let mut document = Document::new("assay eval");
    document.add_test_suite(suite);
    document.to_string().map_err(|error| Failure::internal(error.to_string()))
}

/// What is wrong with an answer for its reader.
fn wrong(one: &Recorded, code_valid: Option<bool>) -> Option<String> {
    let Some(answer) = &one.answer else { return Some(format!("the request failed: {}", one.failure)) };
    let outcome = answer.outcome.as_str();
    if code_valid == Some(false) {
        return Some("the parser rejects its code".into());
    }
    match (one.answerable, outcome) {
        (Some(true), "ANSWERED") | (Some(false), "ABSTAINED" | "REJECTED") | (None, _) => None,
        (Some(true), _) => Some(format!("it can be answered and was not: {outcome}")),
        (Some(false), _) => Some(format!("it cannot be answered and was not declined: {outcome}")),
    }
}
