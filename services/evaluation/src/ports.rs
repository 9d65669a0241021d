//! What a run needs: somebody who answers, one who parses, one who judges, and what the system is made of.

use std::collections::BTreeMap;

use assay_domain::code::ParsedBlock;
use assay_domain::{Answer, Failure, Question};
use assay_rpc::Context;
use assay_scoring::Verdicts;
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

/// Judges answers.
#[async_trait]
pub(crate) trait Judge: Send + Sync {
    /// Who it is: `checks`, or provider and model.
    fn name(&self) -> String;
    /// Whether it is pinned to a version.
    fn pinned(&self) -> bool;
    /// Verdicts on an answer, or why there are none; `reference` is empty where the golden set has none.
    async fn judge(
        &self,
        context: &Context,
        question: &Question,
        answer: &Answer,
        reference: &str,
    ) -> Verdicts;
}

/// What answers are made with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Parts {
    /// Manifest of the collection's index; empty if it has none.
    pub(crate) index: String,
    /// Models by use.
    pub(crate) models: BTreeMap<String, String>,
    /// Prompts by name, with their digests.
    pub(crate) prompts: BTreeMap<String, String>,
    /// Settings that decide answers.
    pub(crate) settings: BTreeMap<String, String>,
}

/// Says what answers are made with.
#[async_trait]
pub(crate) trait Pipeline: Send + Sync {
    /// The parts for a collection.
    async fn parts(&self, context: &Context, collection: &str) -> Result<Parts, Failure>;
}
