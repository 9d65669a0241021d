//! What must come from outside for a judgement, and what came.

use crate::scores::Scores;
use assay_domain::code::{Block, ParsedBlock};

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
    /// What the reader said of the claims that [`crate::Judge::asks`] names; empty where there are none.
    pub scores: Scores,
}

impl Default for Facts {
    fn default() -> Self {
        Self { blocks: Vec::new(), known: Err("not_looked_up".to_owned()), scores: Scores::default() }
    }
}
