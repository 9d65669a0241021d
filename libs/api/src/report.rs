//! What the checks said, in an answer and in the lines of `assay check`.

use assay_domain::report::{CitationOrigin, ClaimKind, ClaimStatus, DefectKind, Resolution};
use assay_domain::{CheckName, CheckStatus, LineRange, Verdict};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::{CodeBlock, Name, each, filled, millis};

/// A stretch of the text in three units; ends are exclusive.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub struct Span {
    /// First UTF-8 byte, from 0.
    pub byte_start: usize,
    /// Byte after the last.
    pub byte_end: usize,
    /// First UTF-16 unit, from 0.
    pub utf16_start: usize,
    /// Unit after the last.
    pub utf16_end: usize,
    /// First Unicode scalar value, from 0.
    pub char_start: usize,
    /// Scalar value after the last.
    pub char_end: usize,
}

/// A marker of the text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Citation<'a> {
    /// Number as written.
    pub marker: u32,
    /// The marker with its brackets.
    pub text: &'a str,
    /// Place of the marker.
    #[serde(flatten)]
    pub span: Span,
    /// Lines of `[^N:first-last]`, as written.
    pub lines: Option<[u32; 2]>,
    /// Whether the source list has this number.
    pub in_range: bool,
    /// Index into `claims`, from 0.
    pub claim: Option<u32>,
    /// `WRITTEN` in the draft, or `ATTACHED` by a check.
    pub origin: Name<CitationOrigin>,
    /// `EXACT`, `MOVED`, `DANGLING` or `NOT_CHECKED`.
    pub resolution: Name<Resolution>,
}

/// A check with its result.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Check<'a> {
    /// `citation_syntax`, `citation_coverage`, `source_exists`, `line_range`, `content_match`, `claim_support`,
    /// `identifiers`, `code_syntax`, `context_relevance`, `numbers` or `markup`.
    pub name: Name<CheckName>,
    /// `PASSED`, `FAILED`, `FLAGGED`, `NOT_APPLICABLE` or `NOT_CHECKED`.
    pub status: Name<CheckStatus>,
    /// Why; empty when passed.
    pub reason: &'a str,
    /// Whether the query type requires it; otherwise it only flags.
    pub required: bool,
}

/// A claim of the text.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Claim<'a> {
    /// Words of the claim, without markers.
    pub text: &'a str,
    /// Place of the claim.
    #[serde(flatten)]
    pub span: Span,
    /// `factual`, `meta`, `question`, `refusal` or `code`.
    pub kind: Name<ClaimKind>,
    /// `SUPPORTED`, `SUPPORTED_ELSEWHERE`, `UNSUPPORTED`, `CONTRADICTED`, `NOT_CHECKED` or `NOT_APPLICABLE`.
    pub status: Name<ClaimStatus>,
    /// Probability that the sources say it, 0 to 1.
    pub support: Option<f64>,
    /// Indices into `citations`, from 0.
    pub citations: &'a [u32],
    /// Best first.
    pub evidence: Vec<Evidence<'a>>,
    /// Why the status is what it is.
    pub reason: &'a str,
    /// `copy`, `rule REASON`, `trees` or `reader NAME`.
    pub decided_by: Option<&'a str>,
}

/// Lines of a source that bear on a claim.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Evidence<'a> {
    /// Number of the source, from 1.
    pub source: u32,
    /// First line of the file.
    pub first_line: u32,
    /// Last line of the file.
    pub last_line: u32,
    /// The sentences.
    pub text: &'a str,
}

/// A defect of form.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Defect<'a> {
    /// `malformed`, `out_of_range`, `unclosed_fence` or `unclosed_html`.
    pub kind: Name<DefectKind>,
    /// Place of the defect.
    #[serde(flatten)]
    pub span: Span,
    /// What is wrong, in a sentence.
    pub detail: &'a str,
}

/// An error or warning for the reader.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Finding<'a> {
    /// Kind of a defect, name of a check, or `unverified`.
    pub kind: &'a str,
    /// What is wrong, in a sentence.
    pub detail: &'a str,
    /// Where.
    pub span: Option<Span>,
}

/// The reader that was at hand for the claims, and of how many pairs it said something.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ModelUse<'a> {
    /// `reader`.
    pub kind: &'a str,
    /// Its name, with its version where one is known.
    pub name: &'a str,
    /// SHA-256 of the model file; null for a served one.
    pub sha256: Option<&'a str>,
    /// Whether its bars were measured.
    pub fitted: bool,
    /// Pairs of a claim and a window that it was asked about.
    pub asked: u32,
    /// Pairs that it said something of.
    pub answered: u32,
}

/// The report of `assay check`; its rows are shorter than those of an answer.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Report<'a> {
    verdict: Name<Verdict>,
    support: Option<f64>,
    checks: Vec<ShortCheck<'a>>,
    claims: Vec<Claim<'a>>,
    citations: Vec<ShortCitation<'a>>,
    defects: Vec<ShortDefect<'a>>,
    code: Vec<CodeBlock<'a>>,
    errors: Vec<Finding<'a>>,
    warnings: Vec<Finding<'a>>,
    context_relevance: Option<f64>,
    models: Vec<ModelUse<'a>>,
}

/// A line of a batch of `assay check`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Checked<'a> {
    id: &'a Value,
    #[serde(flatten)]
    report: Report<'a>,
    timing_ms: CheckTiming,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ShortCheck<'a> {
    name: Name<CheckName>,
    status: Name<CheckStatus>,
    reason: &'a str,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ShortCitation<'a> {
    marker: u32,
    text: &'a str,
    byte_start: usize,
    byte_end: usize,
    utf16_start: usize,
    lines: Option<[u32; 2]>,
    in_range: bool,
    claim: Option<u32>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ShortDefect<'a> {
    kind: Name<DefectKind>,
    byte_start: usize,
    detail: &'a str,
}

/// Milliseconds, three digits behind the point.
#[derive(Debug, Serialize, JsonSchema)]
struct CheckTiming {
    total: f64,
}

fn pair(lines: LineRange) -> [u32; 2] {
    [lines.first, lines.last]
}

impl From<assay_domain::report::Span> for Span {
    fn from(span: assay_domain::report::Span) -> Self {
        Self {
            byte_start: span.byte_start,
            byte_end: span.byte_end,
            utf16_start: span.utf16_start,
            utf16_end: span.utf16_end,
            char_start: span.char_start,
            char_end: span.char_end,
        }
    }
}

impl<'a> From<&'a assay_domain::report::Citation> for Citation<'a> {
    fn from(citation: &'a assay_domain::report::Citation) -> Self {
        Self {
            marker: citation.marker,
            text: &citation.text,
            span: citation.span.into(),
            lines: citation.lines.map(pair),
            in_range: citation.in_range,
            claim: citation.claim,
            origin: Name(citation.origin),
            resolution: Name(citation.resolution),
        }
    }
}

impl<'a> From<&'a assay_domain::Check> for Check<'a> {
    fn from(check: &'a assay_domain::Check) -> Self {
        Self {
            name: Name(check.name),
            status: Name(check.status),
            reason: &check.reason,
            required: check.required,
        }
    }
}

impl<'a> From<&'a assay_domain::report::Claim> for Claim<'a> {
    fn from(claim: &'a assay_domain::report::Claim) -> Self {
        Self {
            text: &claim.text,
            span: claim.span.into(),
            kind: Name(claim.kind),
            status: Name(claim.status),
            support: claim.support,
            citations: &claim.citations,
            evidence: each(&claim.evidence),
            reason: &claim.reason,
            decided_by: filled(&claim.decided_by),
        }
    }
}

impl<'a> From<&'a assay_domain::report::Evidence> for Evidence<'a> {
    fn from(evidence: &'a assay_domain::report::Evidence) -> Self {
        Self {
            source: evidence.source,
            first_line: evidence.lines.first,
            last_line: evidence.lines.last,
            text: &evidence.text,
        }
    }
}

impl<'a> From<&'a assay_domain::report::Defect> for Defect<'a> {
    fn from(defect: &'a assay_domain::report::Defect) -> Self {
        Self { kind: Name(defect.kind), span: defect.span.into(), detail: &defect.detail }
    }
}

impl<'a> From<&'a assay_domain::report::Finding> for Finding<'a> {
    fn from(finding: &'a assay_domain::report::Finding) -> Self {
        Self { kind: &finding.kind, detail: &finding.detail, span: finding.span.map(Span::from) }
    }
}

impl<'a> From<&'a assay_domain::report::ModelUse> for ModelUse<'a> {
    fn from(used: &'a assay_domain::report::ModelUse) -> Self {
        Self {
            kind: &used.kind,
            name: &used.name,
            sha256: filled(&used.sha256),
            fitted: used.fitted,
            asked: used.asked,
            answered: used.answered,
        }
    }
}

impl<'a> From<&'a assay_domain::Report> for Report<'a> {
    fn from(report: &'a assay_domain::Report) -> Self {
        let checks = report.checks.iter();
        let citations = report.citations.iter().map(|citation| ShortCitation {
            marker: citation.marker,
            text: &citation.text,
            byte_start: citation.span.byte_start,
            byte_end: citation.span.byte_end,
            utf16_start: citation.span.utf16_start,
            lines: citation.lines.map(pair),
            in_range: citation.in_range,
            claim: citation.claim,
        });
        let defects = report.defects.iter().map(|defect| ShortDefect {
            kind: Name(defect.kind),
            byte_start: defect.span.byte_start,
            detail: &defect.detail,
        });
        Self {
            verdict: Name(report.verdict),
            support: report.support,
            checks: checks
                .map(|check| ShortCheck {
                    name: Name(check.name),
                    status: Name(check.status),
                    reason: &check.reason,
                })
                .collect(),
            claims: each(&report.claims),
            citations: citations.collect(),
            defects: defects.collect(),
            code: each(&report.blocks),
            errors: each(&report.errors),
            warnings: each(&report.warnings),
            context_relevance: report.context_relevance,
            models: each(&report.models),
        }
    }
}

impl<'a> Checked<'a> {
    /// A line with its times in milliseconds.
    #[must_use]
    pub fn new(id: &'a Value, report: &'a assay_domain::Report, total_ms: f64) -> Self {
        let timing_ms = CheckTiming { total: millis(total_ms) };
        Self { id, report: report.into(), timing_ms }
    }
}
