//! What a check is told before the text, its limits, and what it answers.

use assay_domain::draft::{PromptId, ProviderCall};
use assay_domain::question::limits;
use assay_domain::report::{Attempt, Finding};
use assay_domain::{Failure, Mode, QueryType, Report, Source};
use assay_grounding::Terms;

use crate::error::Error;
use crate::options::Options;

/// Longest question, in characters; texts from elsewhere may ask at length.
const QUESTION_CHARS: usize = 4 * limits::QUERY_CHARS;

/// What a check is told before the text.
#[derive(Debug, Clone, PartialEq)]
pub struct Order {
    /// The question; empty means that relevance is not judged.
    pub question: String,
    /// The type that decides which checks are required.
    pub query_type: QueryType,
    /// Strict or lenient.
    pub mode: Mode,
    /// First draft or retry.
    pub attempt: Attempt,
    /// Sources in marker order.
    pub sources: Vec<Source>,
    /// Facts given with the question.
    pub extra_context: String,
    /// Collection for look-ups; empty means the default.
    pub collection: String,
    /// Hold the answer against the given sources alone.
    pub sources_only: bool,
    /// Do not demand citations.
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
    /// Relevance that was judged before; none means judge now.
    pub context_relevance: Option<f64>,
}

/// A closed stretch of the answer with its own checks.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedSegment {
    /// The text, separators included; after attaching.
    pub text: String,
    /// Whether it may be sent.
    pub passed: bool,
    /// What failed.
    pub errors: Vec<Finding>,
}

/// What the checks said of an attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct Done {
    /// The report.
    pub report: Report,
    /// Milliseconds that the checks worked, waiting for text left out.
    pub check_ms: f64,
    /// Version and grammar hash of the parser; empty if it was not asked.
    pub parser: String,
    /// Policy that was used, by name.
    pub policy: String,
    /// Calls of a language model spent on claims.
    pub model_calls: u32,
    /// Prompts used for them.
    pub prompts: Vec<PromptId>,
    /// Providers tried for them.
    pub provider_calls: Vec<ProviderCall>,
}

// === impl Order ===

impl Order {
    /// Whether it keeps the limits.
    pub(crate) fn check(&self, options: &Options) -> Result<(), Failure> {
        check_sources(options, &self.question, &self.sources)?;
        let (size, limit) = (self.extra_context.len(), limits::EXTRA_CONTEXT_BYTES);
        if size > limit {
            let (what, setting) = ("bytes of extra_context", "extra_context");
            return Err(Error::TooLarge { what, size, limit, setting }.into());
        }
        if self.context_relevance.is_some_and(|relevance| !(0.0..=1.0).contains(&relevance)) {
            let message = "context_relevance is a probability, from 0 to 1".to_owned();
            return Err(Error::Invalid { field: "context_relevance", message }.into());
        }
        Ok(())
    }

    /// Bytes of text that the check holds from its opening on.
    pub(crate) fn bytes(&self) -> usize {
        self.question.len() + self.extra_context.len() + text_bytes(&self.sources)
    }

    /// What the pure checks judge by. Bytes that are not what their hash says are not what the index holds.
    pub(crate) fn into_terms(self) -> Terms {
        let whole = |source: &Source| source.sha256.is_empty() || source.sha256 == sha256(&source.text);
        let damaged =
            self.sources.iter().enumerate().filter(|(_, source)| !whole(source)).map(|(at, _)| at).collect();
        Terms {
            question: self.question,
            query_type: self.query_type,
            attempt: self.attempt,
            sources: self.sources,
            damaged,
            extra_context: self.extra_context,
            sources_only: self.sources_only,
            citations_optional: self.citations_optional,
            attach: self.attach,
            context_relevance: self.context_relevance,
        }
    }
}

/// Whether a question and its sources keep the limits.
pub(crate) fn check_sources(options: &Options, question: &str, sources: &[Source]) -> Result<(), Failure> {
    let length = question.chars().count();
    if length > QUESTION_CHARS {
        let message = format!("the question has {length} characters; at most {QUESTION_CHARS} are accepted");
        return Err(Error::Invalid { field: "question", message }.into());
    }
    let (size, limit) = (sources.len(), options.sources);
    if size > limit {
        return Err(Error::TooLarge { what: "sources", size, limit, setting: "validation.sources" }.into());
    }
    let (size, limit) = (text_bytes(sources), options.source_bytes);
    if size > limit {
        let (what, setting) = ("bytes of text in all sources", "validation.source_bytes");
        return Err(Error::TooLarge { what, size, limit, setting }.into());
    }
    Ok(())
}

/// Bytes of text of all sources.
pub(crate) fn text_bytes(sources: &[Source]) -> usize {
    sources.iter().map(|source| source.text.len()).sum()
}

/// SHA-256 of a text, lower-case hex.
fn sha256(text: &str) -> String {
    use sha2::Digest as _;
    hex::encode(sha2::Sha256::digest(text.as_bytes()))
}
