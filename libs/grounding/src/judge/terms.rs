//! What an answer is judged by, what must come from outside for it, and what came.

use crate::scores::Scores;
use assay_domain::code::{Block, ParsedBlock};
use assay_domain::report::Attempt;
use assay_domain::{QueryType, Source};

/// What an answer is judged by.
#[derive(Debug, Clone, PartialEq)]
pub struct Terms {
    /// The question; empty means that relevance is not judged.
    pub question: String,
    /// Decides which checks are required.
    pub query_type: QueryType,
    /// First draft, or the retry: then markers that lead nowhere are taken out instead of failing the answer.
    pub attempt: Attempt,
    /// Sources in marker order.
    pub sources: Vec<Source>,
    /// Sources, from 0, whose bytes are not what their hash says.
    pub damaged: Vec<usize>,
    /// Facts given with the question.
    pub extra_context: String,
    /// Whether the given sources are all there is: names outside them do not exist.
    pub sources_only: bool,
    /// Citations are not demanded; claims are held against all sources.
    pub citations_optional: bool,
    /// Attach citations to claims that one source clearly supports.
    pub attach: bool,
    /// Relevance that was judged before, 0 to 1.
    pub context_relevance: Option<f64>,
}

impl Terms {
    /// A first documentation answer that must cite these sources.
    #[must_use]
    pub fn new(question: impl Into<String>, sources: Vec<Source>) -> Self {
        Self {
            question: question.into(),
            query_type: QueryType::Retrieval,
            attempt: Attempt::First,
            sources,
            damaged: Vec::new(),
            extra_context: String::new(),
            sources_only: false,
            citations_optional: false,
            attach: false,
            context_relevance: None,
        }
    }
}

/// What must come from outside.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Needs {
    /// Code blocks to parse.
    pub blocks: Vec<Block>,
    /// Paths that no source holds.
    pub paths: Vec<String>,
    /// Symbols and commands that no source holds.
    pub names: Vec<String>,
}

/// What is known of a path or name that was looked up.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fact {
    /// As asked.
    pub name: String,
    /// Whether the index holds it.
    pub exists: bool,
    /// Nearest known ones if it does not.
    pub near: Vec<String>,
}

/// What came from outside.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// What the parser said of the blocks; blocks it could not be asked about are `Unavailable`.
    pub blocks: Vec<ParsedBlock>,
    /// What the index said, or the stable word why it was not asked or did not answer.
    pub known: Result<Vec<Fact>, String>,
    /// What models said of the claims that [`crate::Judge::asks`] names; empty where there are none.
    pub scores: Scores,
}

impl Default for Facts {
    fn default() -> Self {
        Self { blocks: Vec::new(), known: Err("not_looked_up".to_owned()), scores: Scores::default() }
    }
}
