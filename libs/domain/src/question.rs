//! What a caller asks, and the limits that hold before any work is done.

use crate::error::{Code, Failure};
use crate::ids::{RequestId, SessionId};
use crate::names::named;

named! {
    /// The kinds of request; each takes its own road through the answer graph.
    pub enum QueryType {
        /// Answer from documentation and code.
        Retrieval = "RETRIEVAL",
        /// Produce working code.
        CodeGeneration = "CODE_GENERATION",
        /// Rephrase or continue the previous answer, or greet.
        Conversational = "CONVERSATIONAL",
        /// Account, usage, quota and billing, from facts in `extra_context`.
        Platform = "PLATFORM",
    }
}

impl QueryType {
    /// Whether this type may search, fetch examples or look sources up (contract rule RC-04).
    #[must_use]
    pub const fn searches(self) -> bool {
        matches!(self, Self::Retrieval | Self::CodeGeneration)
    }
}

named! {
    /// What happens to an answer that is still rejected after its retry.
    pub enum Mode {
        /// It is replaced by a rejection body.
        Strict = "STRICT",
        /// It is delivered with warnings.
        Lenient = "LENIENT",
    }
}

named! {
    /// How a stream releases text.
    pub enum Delivery {
        /// Each segment once its own checks passed or were flagged.
        Verified = "VERIFIED",
        /// Everything after the verdict.
        Held = "HELD",
        /// Raw text at once; the operator must have enabled it.
        Draft = "DRAFT",
    }
}

/// A question as it enters the system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The words of the caller; 1 to [`limits::QUERY_CHARS`] characters.
    pub text: String,
    /// Type declared by the caller; bypasses classification (RC-00).
    pub declared_type: Option<QueryType>,
    /// Conversation this belongs to; none means no memory.
    pub session: Option<SessionId>,
    /// Makes the request idempotent per principal.
    pub request_id: Option<RequestId>,
    /// Collection to search; empty means the default collection.
    pub collection: String,
    /// Strict unless asked otherwise.
    pub mode: Mode,
    /// Content of the caller's editor; a source of kind editor, never indexed.
    pub editor_content: String,
    /// Selected part of the editor's content.
    pub selected_text: String,
    /// Facts given with the question; the evidence of a platform answer.
    pub extra_context: String,
    /// Earlier turns as a client without a session tells them, oldest first. Context, never evidence.
    pub prior: Vec<PriorTurn>,
}

/// An earlier turn as a client tells it: nobody checked that it was so.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PriorTurn {
    /// What was asked.
    pub question: String,
    /// What was answered.
    pub answer: String,
}

impl Question {
    /// A plain question: strict, no session, default collection.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            declared_type: None,
            session: None,
            request_id: None,
            collection: String::new(),
            mode: Mode::Strict,
            editor_content: String::new(),
            selected_text: String::new(),
            extra_context: String::new(),
            prior: Vec::new(),
        }
    }

    /// Refuses what is empty or too large, naming the field.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` for an empty or over-long query, `PAYLOAD_TOO_LARGE` for the attachments.
    pub fn check_limits(&self) -> Result<(), Failure> {
        if self.text.trim().is_empty() {
            return Err(
                Failure::new(Code::InvalidArgument, "the query is empty; ask a question").field("query")
            );
        }
        let length = self.text.chars().count();
        if length > limits::QUERY_CHARS {
            let text =
                format!("the query has {length} characters; at most {} are accepted", limits::QUERY_CHARS);
            return Err(Failure::new(Code::InvalidArgument, text).field("query"));
        }
        for (field, value, limit) in [
            ("editor_content", &self.editor_content, limits::EDITOR_BYTES),
            ("selected_text", &self.selected_text, limits::EDITOR_BYTES),
            ("extra_context", &self.extra_context, limits::EXTRA_CONTEXT_BYTES),
        ] {
            if value.len() > limit {
                let text = format!("{field} has {} bytes; at most {limit} are accepted", value.len());
                return Err(Failure::new(Code::PayloadTooLarge, text).field(field));
            }
        }
        let bytes: usize = self.prior.iter().map(|turn| turn.question.len() + turn.answer.len()).sum();
        if self.prior.len() > limits::PRIOR_TURNS || bytes > limits::PRIOR_BYTES {
            let (turns, most) = (limits::PRIOR_TURNS, limits::PRIOR_BYTES);
            let text = format!(
                "prior holds {} turns of {bytes} bytes; at most {turns} of {most} are accepted",
                self.prior.len()
            );
            return Err(Failure::new(Code::PayloadTooLarge, text).field("prior"));
        }
        Ok(())
    }
}

/// Sizes that are refused before any work (contract §12).
pub mod limits {
    /// Longest query, in Unicode scalar values.
    pub const QUERY_CHARS: usize = 4096;
    /// Largest editor content, in bytes after decoding.
    pub const EDITOR_BYTES: usize = 256 * 1024;
    /// Most earlier turns that a client tells.
    pub const PRIOR_TURNS: usize = 6;
    /// Most bytes of them together.
    pub const PRIOR_BYTES: usize = 64 * 1024;
    /// Largest extra context, in bytes after decoding.
    pub const EXTRA_CONTEXT_BYTES: usize = 64 * 1024;
}

/// One past request of a session as the classifier may see it: class and topic, never more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryEntry {
    /// How the earlier request was classified.
    pub query_type: QueryType,
    /// First 60 characters of the earlier message, redacted.
    pub topic: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_query_names_its_field() {
        let failure = Question::new(" \n").check_limits();
        assert!(matches!(failure, Err(f) if f.code == Code::InvalidArgument && f.field == "query"));
    }

    #[test]
    fn the_limit_itself_is_allowed_and_one_more_is_not() {
        assert!(Question::new("ñ".repeat(limits::QUERY_CHARS)).check_limits().is_ok());
        assert!(Question::new("ñ".repeat(limits::QUERY_CHARS + 1)).check_limits().is_err());
    }

    #[test]
    fn oversized_context_is_payload_too_large() {
        let mut question = Question::new("hello");
        question.extra_context = "x".repeat(limits::EXTRA_CONTEXT_BYTES + 1);
        assert!(matches!(question.check_limits(), Err(f) if f.code == Code::PayloadTooLarge));
    }
}
