//! The judgement of a claim, what decided it, and the probabilities that need no model.

use assay_domain::report::{ClaimStatus, Evidence};

/// Probability of a claim that stands verbatim in its scope.
pub const VERBATIM: f64 = 0.98;
/// Least probability of a claim that is aligned word by word with a sentence and mismatches it nowhere.
pub(super) const NEAR_VERBATIM: f64 = 0.93;

/// Judgement of a claim.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// Supported, elsewhere, unsupported, contradicted or not checked.
    pub status: ClaimStatus,
    /// Probability that it is supported; none if not checked.
    pub support: Option<f64>,
    /// Why.
    pub reason: String,
    /// What was held against it, best first.
    pub evidence: Vec<Evidence>,
    /// The source that supports it best, from 0, if it is supported.
    pub source: Option<usize>,
    /// What decided it.
    pub by: By,
}

/// What decided a judgement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum By {
    /// Nothing: there is nothing that can be judged.
    Nothing,
    /// Nothing: claim and source are in different languages.
    Language,
    /// A source says it word by word.
    Copy,
    /// A rule, which the reason names.
    Rule,
    /// The probability of the fitted trees.
    Trees,
    /// What the reader said, joined with that probability.
    Reader,
}

/// How much of a judgement the caller needs; the rest is skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Wanted {
    /// All of it.
    All,
    /// Whether the cited places give it a probability, by its bits; other places are asked only where they do.
    Support(u64),
}
