//! What one check gave, and how a finding is written.

use assay_domain::report::{CheckStatus, Finding, Span};

/// Result of one check before the query type weighs it.
pub(super) struct Outcome {
    pub(super) status: CheckStatus,
    pub(super) reason: String,
    /// What makes it fail or flag.
    pub(super) findings: Vec<Finding>,
    /// What is worth telling whatever the result.
    pub(super) notes: Vec<Finding>,
    /// Whether a result short of a pass has no weight for this answer.
    pub(super) weightless: bool,
}

impl Outcome {
    pub(super) fn new(status: CheckStatus, reason: impl Into<String>) -> Self {
        Self { status, reason: reason.into(), findings: Vec::new(), notes: Vec::new(), weightless: false }
    }

    pub(super) fn passed() -> Self {
        Self::new(CheckStatus::Passed, "")
    }

    pub(super) fn absent(reason: &str) -> Self {
        Self::new(CheckStatus::NotApplicable, reason)
    }

    pub(super) fn with(status: CheckStatus, reason: impl Into<String>, findings: Vec<Finding>) -> Self {
        Self { findings, ..Self::new(status, reason) }
    }
}

/// Longest piece of the answer that a finding quotes, in characters.
const QUOTE: usize = 160;

pub(super) fn finding(kind: &str, detail: impl Into<String>, span: Option<Span>) -> Finding {
    Finding { kind: kind.to_owned(), detail: detail.into(), span }
}

pub(crate) fn clip(text: &str) -> String {
    match text.char_indices().nth(QUOTE) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

pub(super) fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
