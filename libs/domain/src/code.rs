//! Code inside an answer: its blocks, what a parser said of them, and the status a client sees.

use std::borrow::Cow;

use crate::names::named;

named! {
    /// How serious a diagnostic is; only errors make a block invalid.
    pub enum Severity {
        /// The program is not valid.
        Error = "error",
        /// Valid, but probably not what was meant.
        Warning = "warning",
        /// A matter of style.
        Hint = "hint",
    }
}

named! {
    /// Failure category of a diagnostic; where several fit, the first of this order wins.
    pub enum Category {
        /// A reserved word or form of another language.
        ForeignKeyword = "foreign_keyword",
        /// A name or symbol the language does not have.
        UnknownToken = "unknown_token",
        /// Known pieces where or how the grammar does not allow them.
        UnexpectedConstruct = "unexpected_construct",
        /// Text that cannot be tokenised or balanced.
        SyntaxError = "syntax_error",
    }
}

/// One finding of a parser. Lines and columns count from 1, columns in Unicode scalar values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Line in the program.
    pub line: u32,
    /// First column.
    pub column: u32,
    /// Column after the last character.
    pub end_column: u32,
    /// How serious it is.
    pub severity: Severity,
    /// Which kind of mistake.
    pub category: Category,
    /// Stable code, e.g. `AVAP012`.
    pub code: String,
    /// What is wrong, in a sentence.
    pub message: String,
    /// Text that would be right in its place.
    pub suggestion: Option<String>,
    /// More to know.
    pub help: Option<String>,
}

/// A code block of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Place among the blocks of the answer, from 0.
    pub index: u32,
    /// Language as declared, detected or given by the collection; empty when unknown.
    pub language: String,
    /// Whether the fence declared it.
    pub declared: bool,
    /// The program text.
    pub code: String,
    /// First byte of the block in the answer.
    pub byte_start: usize,
    /// Byte after the block in the answer.
    pub byte_end: usize,
    /// Line of the answer that holds the first line of code, from 1.
    pub first_line: u32,
}

/// What is known of a block's syntax.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BlockStatus {
    /// Its parser accepted it.
    Valid,
    /// Its parser rejected it.
    Invalid,
    /// It is in another language than the one asked for; the found language.
    WrongLanguage(String),
    /// There is no grammar for its language.
    NoGrammar,
    /// Plain output, not read as code.
    Plain,
    /// The parser could not be asked; the reason.
    Unavailable(String),
}

/// A block with what its parser said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedBlock {
    /// The block.
    pub block: Block,
    /// Accepted or not, or not checked.
    pub status: BlockStatus,
    /// Findings, in text order.
    pub diagnostics: Vec<Diagnostic>,
}

/// Worst block of one attempt, in the order in which worse comes first (contract §5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Worst {
    /// No code.
    None,
    /// All blocks valid.
    Valid,
    /// Some block could not be checked, none was invalid.
    Unavailable,
    /// Some block was rejected.
    Invalid,
}

/// Status of the code in the delivered answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CodeStatus {
    /// There is no code.
    NotApplicable,
    /// Every block was accepted.
    Valid,
    /// A block is invalid and stayed so.
    Invalid,
    /// An earlier attempt was invalid and the delivered one could not be checked.
    InvalidUnverifiedRetry,
    /// The parser could not be asked; the reason.
    Unavailable(String),
    /// Code checks are switched off.
    Disabled,
}

impl CodeStatus {
    /// Stable name without the reason.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::NotApplicable => "NOT_APPLICABLE",
            Self::Valid => "VALID",
            Self::Invalid => "INVALID",
            Self::InvalidUnverifiedRetry => "INVALID_UNVERIFIED_RETRY",
            Self::Unavailable(_) => "UNAVAILABLE",
            Self::Disabled => "DISABLED",
        }
    }
}

named! {
    /// The status that clients of the older protocol know.
    pub enum ValidationStatus {
        /// Nothing to say.
        None = "",
        /// The code failed the parser and was delivered all the same.
        InvalidUnresolved = "INVALID_UNRESOLVED",
        /// The code was not checked.
        ParserUnavailable = "PARSER_UNAVAILABLE",
    }
}

/// Code of the warning about a placeholder in a block that is valid but for it.
pub const PLACEHOLDER: &str = "placeholder";

/// Why the parser could not be asked.
pub const DISABLED: &str = "disabled";
/// Why a block has no verdict: it exceeds a bound of its reader.
pub const TOO_COMPLEX: &str = "too_complex";
/// Why a block or an answer has no verdict: parsing it took too long.
pub const TIMEOUT: &str = "timeout";

/// The table of contract §5: the worst block of the delivered attempt and of the other one give both statuses.
/// `reason` says why the parser could not be asked and matters only for `Unavailable`.
#[must_use]
pub fn code_status(delivered: Worst, other: Worst, reason: &str) -> (ValidationStatus, CodeStatus) {
    match (delivered, other) {
        (Worst::None, _) => (ValidationStatus::None, CodeStatus::NotApplicable),
        (Worst::Valid, _) => (ValidationStatus::None, CodeStatus::Valid),
        (Worst::Invalid, _) => (ValidationStatus::InvalidUnresolved, CodeStatus::Invalid),
        (Worst::Unavailable, Worst::Invalid) => {
            (ValidationStatus::InvalidUnresolved, CodeStatus::InvalidUnverifiedRetry)
        }
        (Worst::Unavailable, _) if reason == DISABLED => {
            (ValidationStatus::ParserUnavailable, CodeStatus::Disabled)
        }
        (Worst::Unavailable, _) => {
            (ValidationStatus::ParserUnavailable, CodeStatus::Unavailable(reason.to_owned()))
        }
    }
}

/// The text with a line feed for every carriage return that none follows; it keeps its length, and so every place.
/// Markdown and nearly every language end a line at such a one; whoever reads an answer or a program reads it through
/// this, so that all see the same lines.
#[must_use]
pub fn with_line_feeds(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let alone = |at: usize| bytes.get(at) == Some(&b'\r') && bytes.get(at + 1) != Some(&b'\n');
    if !bytes.contains(&b'\r') || !(0..bytes.len()).any(alone) {
        return Cow::Borrowed(text);
    }
    let letters = text.char_indices().map(|(at, c)| if c == '\r' && alone(at) { '\n' } else { c });
    Cow::Owned(letters.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_of_worst_blocks_has_the_contracted_statuses() {
        use Worst::{Invalid, None, Unavailable, Valid};
        let all = [None, Valid, Unavailable, Invalid];
        for delivered in all {
            for other in all {
                let (old, new) = code_status(delivered, other, "timeout");
                let expected = match (delivered, other) {
                    (None, _) => ("", "NOT_APPLICABLE"),
                    (Valid, _) => ("", "VALID"),
                    (Invalid, _) => ("INVALID_UNRESOLVED", "INVALID"),
                    (Unavailable, Invalid) => ("INVALID_UNRESOLVED", "INVALID_UNVERIFIED_RETRY"),
                    (Unavailable, _) => ("PARSER_UNAVAILABLE", "UNAVAILABLE"),
                };
                assert_eq!((old.as_str(), new.as_str()), expected, "{delivered:?} {other:?}");
            }
        }
        assert_eq!(code_status(Unavailable, None, DISABLED).1, CodeStatus::Disabled);
    }
    #[test]
    fn carriage_return_alone_becomes_line_feed_and_keeps_offsets() {
        for (text, read) in
            [("a\rb\r\nc\r", "a\nb\r\nc\n"), ("\r\ré\r\n", "\n\né\r\n"), ("a\r\nb\n", "a\r\nb\n"), ("", "")]
        {
            assert_eq!(with_line_feeds(text), read);
            assert_eq!(with_line_feeds(text).len(), text.len());
        }
    }
}
