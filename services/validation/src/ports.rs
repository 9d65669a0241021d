//! What validation needs from outside, in domain types.

use assay_domain::Failure;
use assay_domain::code::ParsedBlock;
use assay_rpc::Context;
use async_trait::async_trait;

/// An answer whose code is to be parsed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CodeQuery {
    /// The answer, Markdown.
    pub answer: String,
    /// Language of blocks that declare none; empty means detect.
    pub default_language: String,
    /// Language that was asked for; empty means any.
    pub wanted_language: String,
}

/// What the parser said of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParsedAnswer {
    /// Its code blocks, in text order.
    pub blocks: Vec<ParsedBlock>,
    /// Version and grammar hash of the parser.
    pub parser: String,
}

/// Why an answer was not parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the parser could not be asked: {reason}")]
pub struct NotParsed {
    /// A stable word: `disabled`, `circuit_open`, `timeout`, `unreachable`, or the code that the parser answered with.
    pub reason: String,
    /// Whether the parser answered at all; only silence and breakage count against it.
    pub reachable: bool,
}

impl NotParsed {
    /// The parser did not answer, or broke.
    #[must_use]
    pub fn down(reason: &str) -> Self {
        Self { reason: reason.to_owned(), reachable: false }
    }
}

/// Parses the code of answers.
#[async_trait]
pub trait ParserPort: Send + Sync {
    /// Finds and parses every code block of an answer, in one call.
    ///
    /// # Errors
    /// [`NotParsed`] with its reason.
    async fn parse_answer(&self, context: &Context, query: CodeQuery) -> Result<ParsedAnswer, NotParsed>;
}

/// Names that the evidence does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LookupQuery {
    /// Collection; empty means the default.
    pub collection: String,
    /// File paths.
    pub paths: Vec<String>,
    /// Identifiers, symbols, commands.
    pub names: Vec<String>,
}

/// What the index knows of a path.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KnownPath {
    /// The path as asked.
    pub path: String,
    /// Whether the index holds it.
    pub exists: bool,
    /// Lines of the file; 0 if there is none.
    pub line_count: u32,
    /// Nearest known paths if it does not exist.
    pub near: Vec<String>,
}

/// What the index knows of a name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KnownName {
    /// The name as asked.
    pub name: String,
    /// Whether the index holds it.
    pub exists: bool,
    /// Nearest known names if it does not exist.
    pub near: Vec<String>,
}

/// What the index knows, in the order of the query.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Known {
    /// Of each path.
    pub paths: Vec<KnownPath>,
    /// Of each name.
    pub names: Vec<KnownName>,
}

/// Resolves names against the index.
#[async_trait]
pub trait LookupPort: Send + Sync {
    /// Looks all of them up in one call.
    ///
    /// # Errors
    /// What the index says, `UNAVAILABLE` if nobody answers, `DEADLINE_EXCEEDED` if it takes too long.
    async fn look_up(&self, context: &Context, query: LookupQuery) -> Result<Known, Failure>;
}
