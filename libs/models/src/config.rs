//! What a model's `config.json` says: the names of its classes, and sizes.

use crate::Error;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The part of `config.json` that running needs.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Config {
    /// Names of the classes by index, the index as text.
    #[serde(default)]
    pub(crate) id2label: BTreeMap<String, String>,
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

    /// Names of the classes in the order of the outputs.
    ///
    /// # Errors
    /// [`Error::Labels`] unless the indexes are 0, 1, 2 … without a gap.
    pub(crate) fn labels(&self, path: Option<&Path>) -> Result<Vec<String>, Error> {
        let path = path.map_or_else(|| PathBuf::from("config.json"), Path::to_owned);
        if self.id2label.is_empty() {
            return Err(Error::Labels {
                path,
                why: "no `id2label`: what the outputs mean is unknown".into(),
            });
        }
        let at = |index: usize| self.id2label.get(&index.to_string()).cloned();
        let found: Option<Vec<String>> = (0..self.id2label.len()).map(at).collect();
        found.ok_or(Error::Labels { path, why: "`id2label` must count from 0 without a gap".into() })
    }
}
