//! What a model's `config.json` says of its sizes.

use crate::Error;
use serde::Deserialize;
use std::path::Path;

/// The part of `config.json` that running needs.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Config {
    /// Kind of network, such as `bert`.
    #[serde(default)]
    model_type: String,
    /// Positions that the network knows.
    max_position_embeddings: Option<usize>,
    /// Token that fills short rows.
    pub(crate) pad_token_id: Option<u32>,
}

impl Config {
    /// Reads the file; no path is an empty configuration.
    pub(crate) fn read(path: Option<&Path>) -> Result<Self, Error> {
        let Some(path) = path else { return Ok(Self::default()) };
        let wrong = |why: String| Error::Labels { path: path.to_owned(), why };
        serde_json::from_slice(&crate::files::read(path)?).map_err(|error| wrong(error.to_string()))
    }

    /// Longest input in tokens; none if the file does not say. RoBERTa counts positions from two.
    pub(crate) fn positions(&self) -> Option<usize> {
        let offset = if self.model_type.contains("roberta") { 2 } else { 0 };
        self.max_position_embeddings.map(|positions| positions.saturating_sub(offset))
    }
}
