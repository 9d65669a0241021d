//! The report of a draft that nobody could check: every check is not checked, so a person should look.

use assay_domain::QueryType;
use assay_domain::report::{Check, CheckName, CheckStatus, Report, Verdict};
use assay_domain::verdict::weight;

/// Why nothing was checked.
pub(crate) const REASON: &str = "validation_unavailable";

/// What the reader of such a draft is told.
pub(crate) const WARNING: &str = "validation was not available: nothing in this answer was checked";

/// The report of a text without checks.
pub(crate) fn report(query_type: Option<QueryType>, text: &str) -> Report {
    let check = |name: &CheckName| Check {
        name: *name,
        status: CheckStatus::NotChecked,
        reason: REASON.into(),
        required: query_type.is_none_or(|query_type| weight(query_type, *name).is_required()),
    };
    let mut report = Report {
        verdict: Verdict::Review,
        support: None,
        checks: CheckName::ALL.iter().map(check).collect(),
        claims: Vec::new(),
        citations: Vec::new(),
        defects: Vec::new(),
        blocks: Vec::new(),
        context_relevance: None,
        errors: Vec::new(),
        warnings: Vec::new(),
        text: text.to_owned(),
        partial_response: String::new(),
        retry_prompt: String::new(),
        suggestion: String::new(),
        models: Vec::new(),
    };
    report.lower();
    report
}

#[cfg(test)]
mod tests {
    use assay_domain::verdict::UNVERIFIED;

    use super::*;

    #[test]
    fn nothing_is_a_pass_and_the_text_is_kept() {
        let report = report(Some(QueryType::Retrieval), "Text.");
        assert!(report.checks.iter().all(|check| check.status == CheckStatus::NotChecked));
        assert_eq!(report.checks.len(), CheckName::ALL.len());
        assert_eq!((report.verdict, report.text.as_str()), (Verdict::Review, "Text."));
        assert_eq!(
            report.warnings.iter().map(|warning| warning.kind.as_str()).collect::<Vec<_>>(),
            [UNVERIFIED]
        );
    }
}
