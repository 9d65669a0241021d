//! From checks to a verdict (contract §4): what a query type requires, what follows from the results, what a person sees.

use crate::code::DISABLED;
use crate::question::QueryType;
use crate::report::{Check, CheckName, CheckStatus, Finding, Report, Verdict};

/// What a query type makes of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// It has to be checked, and can fail the answer.
    Required,
    /// It has to be checked, and only flags.
    Flagging,
    /// It only flags.
    Advisory,
    /// It does not run.
    Absent,
}

impl Weight {
    /// Whether the check has to be checked.
    #[must_use]
    pub const fn is_required(self) -> bool {
        matches!(self, Self::Required | Self::Flagging)
    }
}

/// The table of contract §4. The claims of a conversation have nothing else that judges them: they have to be checked.
#[must_use]
pub const fn weight(query_type: QueryType, check: CheckName) -> Weight {
    use CheckName::{
        CitationCoverage, CitationSyntax, ClaimSupport, CodeSyntax, ContentMatch, ContextRelevance,
        Identifiers, LineRange, Markup, Numbers, SourceExists,
    };
    use QueryType::{CodeGeneration, Conversational, Platform, Retrieval};
    match (query_type, check) {
        (_, CodeSyntax | Markup)
        | (Retrieval | CodeGeneration | Conversational, CitationSyntax | SourceExists | LineRange)
        | (Retrieval, CitationCoverage | ContentMatch | ClaimSupport | ContextRelevance)
        | (Platform, Numbers) => Weight::Required,
        (Conversational, ClaimSupport) => Weight::Flagging,
        (Retrieval | CodeGeneration, Identifiers) | (CodeGeneration, CitationCoverage | ClaimSupport) => {
            Weight::Advisory
        }
        _ => Weight::Absent,
    }
}

/// Reason code of an answer whose content no required check judged: kind of its warning.
pub const UNVERIFIED: &str = "unverified";

// === impl CheckName ===

impl CheckName {
    /// Whether it judges what the answer says, and not its form.
    #[must_use]
    pub const fn judges_content(self) -> bool {
        matches!(self, Self::ClaimSupport | Self::CodeSyntax | Self::Numbers)
    }
}

// === impl Verdict ===

impl Verdict {
    /// The verdict over checks: a failed required one rejects; a flag, a required one that was not checked, or content
    /// that none verified wants a review.
    #[must_use]
    pub fn of(checks: &[Check]) -> Self {
        match Self::of_results(checks) {
            Self::Pass if unverified(checks) => Self::Review,
            verdict => verdict,
        }
    }

    /// The same without asking whether anything was verified: for fixed texts of ours.
    #[must_use]
    pub fn of_results(checks: &[Check]) -> Self {
        if checks.iter().any(|check| check.required && check.status == CheckStatus::Failed) {
            Self::Reject
        } else if checks.iter().any(is_doubtful) {
            Self::Review
        } else {
            Self::Pass
        }
    }
}

/// Whether no required check of content came to a result: none passed, and none found anything.
#[must_use]
pub fn unverified(checks: &[Check]) -> bool {
    let judged =
        |check: &Check| !matches!(check.status, CheckStatus::NotApplicable | CheckStatus::NotChecked);
    !checks.iter().any(|check| check.required && check.name.judges_content() && judged(check))
}

/// Whether a check by itself wants a review.
fn is_doubtful(check: &Check) -> bool {
    match check.status {
        CheckStatus::Failed | CheckStatus::Flagged => true,
        CheckStatus::NotChecked => check.required,
        CheckStatus::Passed | CheckStatus::NotApplicable => false,
    }
}

/// Whether a person should look (contract §10): a rejection or a review, unless all that was found is that checking code
/// is switched off, or that an answer without a claim is unverified.
#[must_use]
pub fn waits_for_review(verdict: Option<Verdict>, checks: &[Check]) -> bool {
    let switched_off = |check: &Check| {
        check.name == CheckName::CodeSyntax
            && check.status == CheckStatus::NotChecked
            && check.reason.contains(DISABLED)
    };
    match verdict {
        None | Some(Verdict::Pass) => false,
        Some(Verdict::Reject) => true,
        Some(Verdict::Review) => {
            let others = |check: &&Check| !switched_off(check);
            if checks.iter().filter(others).any(is_doubtful) {
                return true;
            }
            // Nothing is wrong: what is left is whether the answer says anything that nobody verified.
            let says =
                |check: &Check| check.name.judges_content() && check.status != CheckStatus::NotApplicable;
            let silent = !checks.is_empty() && unverified(checks) && !checks.iter().any(says);
            !silent && !checks.iter().any(switched_off)
        }
    }
}

// === impl Report ===

impl Report {
    /// Lowers a verdict that the checks do not bear out, as that of another version; never raises one.
    pub fn lower(&mut self) {
        if self.verdict == Verdict::Pass && Verdict::of(&self.checks) != Verdict::Pass {
            self.verdict = Verdict::Review;
        }
        self.note_unverified();
    }

    /// Takes the report as that of a fixed text of ours, which needs nobody to verify it.
    pub fn lower_fixed(&mut self) {
        let noted = self.warnings.len();
        self.warnings.retain(|warning| warning.kind != UNVERIFIED);
        if self.warnings.len() < noted {
            self.verdict = Verdict::of_results(&self.checks);
        }
    }

    /// Says so where nothing verified a text that is not rejected, once.
    fn note_unverified(&mut self) {
        let noted = self.warnings.iter().any(|warning| warning.kind == UNVERIFIED);
        if noted || self.verdict == Verdict::Reject || !unverified(&self.checks) {
            return;
        }
        self.warnings.push(Finding {
            kind: UNVERIFIED.to_owned(),
            detail: "no check judged the content: nothing verifies what the answer says".to_owned(),
            span: None,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: CheckName, status: CheckStatus, required: bool) -> Check {
        Check { name, status, reason: String::new(), required }
    }

    /// Every check of a type: not applicable, but for those given.
    fn checks(query_type: QueryType, given: &[(CheckName, CheckStatus)]) -> Vec<Check> {
        let status =
            |name: CheckName| given.iter().find(|(given, _)| *given == name).map(|(_, status)| *status);
        let one = |name: &CheckName| {
            let required = weight(query_type, *name).is_required();
            check(*name, status(*name).unwrap_or(CheckStatus::NotApplicable), required)
        };
        CheckName::ALL.iter().map(one).collect()
    }

    #[test]
    fn every_check_runs_for_some_query_type() {
        for check in CheckName::ALL {
            let runs = |query_type: &QueryType| weight(*query_type, *check) != Weight::Absent;
            assert!(QueryType::ALL.iter().any(runs), "no query type runs {check}");
        }
    }

    #[test]
    fn content_decides_whether_an_answer_may_pass() {
        use CheckName::{ClaimSupport, CodeSyntax, Identifiers, Markup, Numbers};
        use CheckStatus::{Failed, Flagged, NotChecked, Passed};
        use QueryType::{CodeGeneration, Conversational, Platform, Retrieval};
        use Verdict::{Pass, Reject, Review};
        // Type, results, verdict, whether it is queued.
        type Row<'a> = (QueryType, &'a [(CheckName, CheckStatus)], Verdict, bool);
        let rows: &[Row<'_>] = &[
            (Retrieval, &[(ClaimSupport, Passed)], Pass, false),
            (Retrieval, &[(CodeSyntax, Passed)], Pass, false),
            (Retrieval, &[], Review, false),
            (Retrieval, &[(Markup, Passed)], Review, false),
            (Retrieval, &[(ClaimSupport, NotChecked)], Review, true),
            (Retrieval, &[(ClaimSupport, Passed), (CodeSyntax, NotChecked)], Review, true),
            (Retrieval, &[(ClaimSupport, Passed), (Identifiers, NotChecked)], Pass, false),
            (Retrieval, &[(ClaimSupport, Passed), (Identifiers, Flagged)], Review, true),
            (Retrieval, &[(ClaimSupport, Passed), (Markup, Failed)], Reject, true),
            (CodeGeneration, &[(CodeSyntax, Passed)], Pass, false),
            (CodeGeneration, &[(ClaimSupport, Passed)], Review, true),
            (CodeGeneration, &[(CodeSyntax, Passed), (ClaimSupport, NotChecked)], Pass, false),
            (Conversational, &[(ClaimSupport, Passed)], Pass, false),
            (Conversational, &[(ClaimSupport, NotChecked)], Review, true),
            (Conversational, &[], Review, false),
            (Platform, &[(Numbers, Passed)], Pass, false),
            (Platform, &[(Numbers, NotChecked)], Review, true),
            (Platform, &[], Review, false),
        ];
        for (query_type, given, verdict, queued) in rows {
            let checks = checks(*query_type, given);
            assert_eq!(Verdict::of(&checks), *verdict, "{query_type} {given:?}");
            assert_eq!(waits_for_review(Some(*verdict), &checks), *queued, "{query_type} {given:?}");
        }
    }

    #[test]
    fn code_checks_that_are_switched_off_are_not_queued() {
        let mut given = checks(
            QueryType::Retrieval,
            &[
                (CheckName::ClaimSupport, CheckStatus::Passed),
                (CheckName::CodeSyntax, CheckStatus::NotChecked),
            ],
        );
        for check in given.iter_mut().filter(|check| check.name == CheckName::CodeSyntax) {
            check.reason = DISABLED.to_owned();
        }
        let queued = |checks: &[Check]| waits_for_review(Some(Verdict::Review), checks);
        assert!(!queued(&given));
        given.extend([check(CheckName::Identifiers, CheckStatus::Flagged, false)]);
        assert!(queued(&given));
        assert!(queued(&[]), "a review without a reason is looked at");
    }

    #[test]
    fn a_verdict_is_lowered_and_never_raised() {
        let passed = checks(QueryType::Retrieval, &[(CheckName::ClaimSupport, CheckStatus::Passed)]);
        let silent = checks(QueryType::Conversational, &[]);
        let unknown = checks(
            QueryType::Retrieval,
            &[(CheckName::ClaimSupport, CheckStatus::Passed), (CheckName::Markup, CheckStatus::NotChecked)],
        );
        let cases = [
            (Verdict::Pass, &passed, Verdict::Pass, false),
            (Verdict::Review, &passed, Verdict::Review, false),
            (Verdict::Pass, &unknown, Verdict::Review, false),
            (Verdict::Pass, &silent, Verdict::Review, true),
            (Verdict::Reject, &silent, Verdict::Reject, false),
        ];
        for (sent, checks, verdict, noted) in cases {
            let mut report = Report { verdict: sent, checks: checks.clone(), ..empty() };
            report.lower();
            assert_eq!((report.verdict, report.warnings.len()), (verdict, usize::from(noted)), "{sent}");
            report.lower();
            assert_eq!(report.warnings.len(), usize::from(noted), "it is said once");
        }
    }

    #[test]
    fn a_fixed_text_needs_nobody_to_verify_it() {
        let mut greeting = Report { checks: checks(QueryType::Conversational, &[]), ..empty() };
        greeting.lower();
        assert_eq!(greeting.verdict, Verdict::Review);
        greeting.lower_fixed();
        assert_eq!((greeting.verdict, greeting.warnings.len()), (Verdict::Pass, 0));
        let flagged = checks(QueryType::Conversational, &[(CheckName::Markup, CheckStatus::Flagged)]);
        let mut flagged = Report { checks: flagged, ..empty() };
        flagged.lower();
        flagged.lower_fixed();
        assert_eq!(flagged.verdict, Verdict::Review);
    }

    fn empty() -> Report {
        Report {
            verdict: Verdict::Pass,
            support: None,
            checks: Vec::new(),
            claims: Vec::new(),
            citations: Vec::new(),
            defects: Vec::new(),
            blocks: Vec::new(),
            context_relevance: None,
            errors: Vec::new(),
            warnings: Vec::new(),
            text: String::new(),
            partial_response: String::new(),
            retry_prompt: String::new(),
            suggestion: String::new(),
            models: Vec::new(),
        }
    }
}
