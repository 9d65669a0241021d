//! What a run needs: somebody who answers, one who parses, one who judges, and what the system is made of.

use std::collections::BTreeMap;
use std::sync::Arc;

use assay_domain::code::ParsedBlock;
use assay_domain::{Answer, Failure, Question};
use assay_rpc::Context;
use assay_scoring::{Recorded, Verdicts};
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

/// An answer to judge.
#[derive(Clone, Copy)]
pub(crate) struct Case<'a> {
    pub(crate) question: &'a Question,
    pub(crate) answer: &'a Answer,
    /// The reference answer; empty where the golden set has none.
    pub(crate) reference: &'a str,
    /// The same as the run records it, without verdicts.
    pub(crate) recorded: &'a Recorded,
}

/// Judges answers.
#[async_trait]
pub(crate) trait Judge: Send + Sync {
    /// Who it is: `checks`, or provider, model and version.
    fn name(&self) -> &str;
    /// Verdicts on an answer, or why there are none.
    async fn judge(&self, context: &Context, case: Case<'_>) -> Verdicts;
}

/// Finds judges.
#[async_trait]
pub(crate) trait Judges: Send + Sync {
    /// The judges of these names, each pinned to a version.
    async fn open(&self, context: &Context, names: &[String]) -> Result<Vec<Arc<dyn Judge>>, Failure>;
}

/// What answers are made with.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Parts {
    /// Manifest of the collection's index; empty if it has none.
    pub(crate) index: String,
    /// Models by use.
    pub(crate) models: BTreeMap<String, String>,
    /// Prompts by name, with their digests.
    pub(crate) prompts: BTreeMap<String, String>,
    /// Settings that decide answers.
    pub(crate) settings: BTreeMap<String, String>,
    /// Temperature of the models that answer; none without one.
    pub(crate) temperature: Option<f64>,
}

/// Says what answers are made with.
#[async_trait]
pub(crate) trait Pipeline: Send + Sync {
    /// The parts for a collection.
    async fn parts(&self, context: &Context, collection: &str) -> Result<Parts, Failure>;
}
