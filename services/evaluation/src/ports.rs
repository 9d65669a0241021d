//! What a run needs: somebody who answers and somebody who parses.

use assay_domain::code::ParsedBlock;
use assay_domain::{Answer, Failure, Question};
use assay_rpc::Context;
use async_trait::async_trait;

/// Answers questions.
#[async_trait]
pub(crate) trait Asker: Send + Sync {
    /// The settled answer.
    async fn ask(&self, context: &Context, question: &Question) -> Result<Answer, Failure>;
}

/// Which parser spoke.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ParserVersion {
    /// Version of the parser.
    pub(crate) version: String,
    /// SHA-256 of its grammar.
    pub(crate) grammar_hash: String,
}

impl std::fmt::Display for ParserVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}+{}", self.version, self.grammar_hash)
    }
}

/// Parses code.
#[async_trait]
pub(crate) trait Parser: Send + Sync {
    /// Which parser it is.
    async fn describe(&self, context: &Context) -> Result<ParserVersion, Failure>;
    /// Every code block of a Markdown text, and which parser it was.
    async fn parse(
        &self,
        context: &Context,
        text: &str,
        default_language: &str,
    ) -> Result<(Vec<ParsedBlock>, ParserVersion), Failure>;
}
