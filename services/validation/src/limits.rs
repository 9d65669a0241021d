//! Limits of what a check is told, and what of it can be trusted.

use assay_domain::question::limits;
use assay_domain::{Failure, Source, Terms};

use crate::error::Error;
use crate::options::Options;

/// Longest question, in characters; texts from elsewhere may ask at length.
const QUESTION_CHARS: usize = 4 * limits::QUERY_CHARS;

/// Whether terms keep the limits.
pub(crate) fn check(terms: &Terms, options: &Options) -> Result<(), Failure> {
    check_sources(options, &terms.question, &terms.sources)?;
    if terms.assess_relevance {
        asks(&terms.question)?;
    }
    let (size, limit) = (terms.extra_context.len(), limits::EXTRA_CONTEXT_BYTES);
    if size > limit {
        let (what, setting) = ("bytes of extra_context", "extra_context");
        return Err(Error::TooLarge { what, size, limit, setting }.into());
    }
    if terms.context_relevance.is_some_and(|relevance| !(0.0..=1.0).contains(&relevance)) {
        let message = "context_relevance is a probability, from 0 to 1".to_owned();
        return Err(Error::Invalid { field: "context_relevance", message }.into());
    }
    Ok(())
}

/// Bytes of text that the check holds from its opening on.
pub(crate) fn bytes(terms: &Terms) -> usize {
    terms.question.len() + terms.extra_context.len() + text_bytes(&terms.sources)
}

/// Sources, from 0, whose bytes are not what their hash says: they are not what the index holds.
pub(crate) fn damaged(sources: &[Source]) -> Vec<usize> {
    let whole = |source: &Source| source.sha256.is_empty() || source.sha256 == sha256(&source.text);
    sources.iter().enumerate().filter(|(_, source)| !whole(source)).map(|(at, _)| at).collect()
}

/// Whether there is a question that relevance can be judged against.
pub(crate) fn asks(question: &str) -> Result<(), Failure> {
    if question.trim().is_empty() {
        let message = "the question is empty; relevance is judged against a question".to_owned();
        return Err(Error::Invalid { field: "question", message }.into());
    }
    Ok(())
}

/// Whether a question and its sources keep the limits.
fn check_sources(options: &Options, question: &str, sources: &[Source]) -> Result<(), Failure> {
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
fn text_bytes(sources: &[Source]) -> usize {
    sources.iter().map(|source| source.text.len()).sum()
}

/// SHA-256 of a text, lower-case hex.
fn sha256(text: &str) -> String {
    use sha2::Digest as _;
    hex::encode(sha2::Sha256::digest(text.as_bytes()))
}
