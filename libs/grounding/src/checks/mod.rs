//! The checks of contract §4 over an assessed answer, and their findings.

mod citations;
mod claims;
mod code;
mod figures;
mod markup;
mod names;
mod outcome;
mod plain;
mod quotations;

use crate::assess::{Assessed, Broken};
use crate::judge::{Facts, Judge};
use crate::mentions;
use crate::mentions::Mention;
use crate::reading::Parsed;
use assay_domain::report::{Attempt, Check, CheckName, CheckStatus, ClaimStatus, DefectKind, Finding};
use assay_domain::verdict::{Weight, weight};
use citations::{broken, coverage, line_range, source_exists, syntax};
use claims::{claim_support, claims, context_relevance, said};
pub(crate) use code::told;
use code::{code_syntax, invalid};
use figures::numbers;
use markup::{active, markup};
use names::identifiers;
pub(crate) use outcome::clip;
use outcome::{Outcome, finding};
use quotations::content_match;
use std::cell::{Cell, OnceCell};

/// What the checks look at.
pub(crate) struct Case<'a> {
    pub(crate) judge: &'a Judge,
    pub(crate) parsed: &'a Parsed,
    pub(crate) assessed: &'a Assessed,
    pub(crate) facts: &'a Facts,
    /// Markers that were taken out of the text.
    pub(crate) removed: &'a [Broken],
    /// Names that nothing at hand holds, once a check asked.
    pub(crate) mentions: OnceCell<Vec<Mention>>,
    /// Names that the sources hold, once an unknown one was met.
    pub(crate) names: OnceCell<Vec<&'a str>>,
    /// Unknown names that were compared with them.
    pub(crate) compared: Cell<usize>,
}

/// Most unknown names of an answer that are compared with those of the sources.
const COMPARED: usize = 64;

impl<'a> Case<'a> {
    fn mentions(&self) -> &[Mention] {
        self.mentions.get_or_init(|| mentions::unknown(self.judge, self.parsed))
    }

    /// Names of the sources that an unknown one may have been meant for; none after so many were asked for.
    fn names(&self) -> &[&'a str] {
        self.compared.set(self.compared.get() + 1);
        match self.compared.get() {
            ..=COMPARED => self.names.get_or_init(|| mentions::in_sources(self.judge)),
            _ => &[],
        }
    }
}

/// What failed and what was flagged or not checked, each in text order.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// Each with the check that failed.
    pub(crate) errors: Vec<(CheckName, Finding)>,
    pub(crate) warnings: Vec<Finding>,
}

/// Every check, in the order of [`CheckName::ALL`], with the findings.
pub(crate) fn all(case: &Case<'_>, relevance: Option<f64>) -> (Vec<Check>, Findings) {
    let query_type = case.judge.terms().query_type;
    let mut findings = Findings::default();
    let mut checks = Vec::with_capacity(CheckName::ALL.len());
    for name in CheckName::ALL {
        let weight = weight(query_type, *name);
        let outcome = match (weight, name) {
            (Weight::Absent, _) => Outcome::absent(&format!("not part of a {query_type} answer")),
            (_, CheckName::CitationSyntax) => syntax(case),
            (_, CheckName::CitationCoverage) => coverage(case),
            (_, CheckName::SourceExists) => source_exists(case),
            (_, CheckName::LineRange) => line_range(case),
            (_, CheckName::ContentMatch) => content_match(case),
            (_, CheckName::ClaimSupport) => claim_support(case),
            (_, CheckName::Identifiers) => identifiers(case),
            (_, CheckName::CodeSyntax) => code_syntax(case),
            (_, CheckName::ContextRelevance) => context_relevance(case, relevance),
            (_, CheckName::Numbers) => numbers(case),
            (_, CheckName::Markup) => markup(case),
        };
        let required = weight.is_required() && !outcome.weightless;
        let status = match outcome.status {
            CheckStatus::Failed if weight != Weight::Required || outcome.weightless => CheckStatus::Flagged,
            status => status,
        };
        findings.warnings.extend(outcome.notes);
        match status {
            CheckStatus::Failed => {
                findings.errors.extend(outcome.findings.into_iter().map(|finding| (*name, finding)));
            }
            CheckStatus::Flagged => findings.warnings.extend(outcome.findings),
            CheckStatus::NotChecked if required => {
                findings.warnings.push(finding(
                    name.as_str(),
                    format!("not checked: {}", outcome.reason),
                    None,
                ));
                findings.warnings.extend(outcome.findings);
            }
            CheckStatus::NotChecked => findings.warnings.extend(outcome.findings),
            CheckStatus::Passed | CheckStatus::NotApplicable => {}
        }
        checks.push(Check { name: *name, status, reason: outcome.reason, required });
    }
    let place = |finding: &Finding| finding.span.map_or(usize::MAX, |span| span.byte_start);
    findings.errors.sort_by_key(|(_, finding)| place(finding));
    findings.warnings.sort_by_key(place);
    (checks, findings)
}

/// What fails where it stands, whatever the rest of the answer says; each with its place, in text order.
pub(crate) fn of_segments(case: &Case<'_>) -> Vec<Finding> {
    let terms = case.judge.terms();
    let required = |name| weight(terms.query_type, name) == Weight::Required;
    let mut found = Vec::new();
    if required(CheckName::CitationSyntax) && !terms.sources.is_empty() {
        let open = |kind| matches!(kind, DefectKind::UnclosedFence | DefectKind::UnclosedHtml);
        let defects = case.parsed.reading.defects.iter().filter(|defect| !open(defect.kind));
        found.extend(defects.map(|d| finding(d.kind.as_str(), d.detail.clone(), Some(d.span))));
    }
    if terms.attempt == Attempt::First {
        for name in [CheckName::SourceExists, CheckName::LineRange] {
            if required(name) {
                found.extend(broken(case, name));
            }
        }
        found.extend(invalid(case).0);
    }
    found.extend(active(case));
    if required(CheckName::ClaimSupport) {
        found.extend(
            claims(case)
                .filter(|(_, status)| *status == ClaimStatus::Contradicted)
                .map(|(at, _)| said(case, at)),
        );
    }
    found.sort_by_key(|finding| finding.span.map_or(usize::MAX, |span| span.byte_start));
    found
}
