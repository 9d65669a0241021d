//! What a check is told before the text, and what it says of segments and of the whole.

use crate::draft::Spent;
use crate::evidence::Source;
use crate::question::{Mode, QueryType};
use crate::report::{Attempt, Finding, Report};

/// What a check is told before the text.
#[derive(Debug, Clone, PartialEq)]
pub struct Terms {
    /// The question; empty means that relevance is not judged.
    pub question: String,
    /// Decides which checks are required.
    pub query_type: QueryType,
    /// Strict or lenient.
    pub mode: Mode,
    /// First draft, or the retry: then markers that lead nowhere are taken out instead of failing the answer.
    pub attempt: Attempt,
    /// Sources in marker order.
    pub sources: Vec<Source>,
    /// Facts given with the question.
    pub extra_context: String,
    /// Collection for look-ups; empty means the default.
    pub collection: String,
    /// Whether the given sources are all there is: names outside them do not exist, and nothing is looked up (RC-04).
    pub sources_only: bool,
    /// Citations are not demanded; claims are held against all sources.
    pub citations_optional: bool,
    /// Attach citations to claims that one source clearly supports.
    pub attach: bool,
    /// Pass segments on as they close.
    pub segments: bool,
    /// Programming language of undeclared blocks; empty means detect.
    pub default_language: String,
    /// Programming language that was asked for; empty if none.
    pub wanted_language: String,
    /// Policy by name; empty means the configured one.
    pub policy: String,
    /// A policy of the caller's own, TOML; empty for none.
    pub policy_toml: String,
    /// Relevance that was judged before, 0 to 1; none means judge now.
    pub context_relevance: Option<f64>,
    /// Say first whether the sources that were found can answer; the caller's editor is not among them.
    pub assess_relevance: bool,
}

impl Terms {
    /// A first documentation answer that must cite these sources.
    #[must_use]
    pub fn new(question: impl Into<String>, sources: Vec<Source>) -> Self {
        Self {
            question: question.into(),
            query_type: QueryType::Retrieval,
            mode: Mode::Strict,
            attempt: Attempt::First,
            sources,
            extra_context: String::new(),
            collection: String::new(),
            sources_only: false,
            citations_optional: false,
            attach: false,
            segments: false,
            default_language: String::new(),
            wanted_language: String::new(),
            policy: String::new(),
            policy_toml: String::new(),
            context_relevance: None,
            assess_relevance: false,
        }
    }
}

/// Whether sources can answer a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Relevance {
    /// Calibrated probability, 0 to 1.
    pub probability: f64,
    /// Whether it is above the bar of the configured policy.
    pub relevant: bool,
}

/// A closed stretch of the answer with its own checks.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedSegment {
    /// The text, separators included; after attaching and removing markers.
    pub text: String,
    /// Whether nothing in it fails by itself, so that it may be sent.
    pub passed: bool,
    /// What fails.
    pub errors: Vec<Finding>,
}

/// What the checks said of an attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckResult {
    /// The report.
    pub report: Report,
    /// Milliseconds that the checks worked, waiting for text left out.
    pub check_ms: f64,
    /// Version and grammar hash of the parser; empty if it was not asked.
    pub parser_version: String,
    /// Policy that was used, by name.
    pub policy: String,
    /// What models were asked about claims.
    pub spent: Spent,
}
