//! Ranks passages by how well they answer a query: a cross-encoder with one output.

use crate::engine::{Answer, Engine};
use crate::{Error, Files, Limits, Stop};

/// A loaded reranker.
#[derive(Debug)]
pub struct Reranker {
    engine: Engine,
}

impl Reranker {
    /// Loads the model and runs it once, so that what cannot work shows now.
    ///
    /// # Errors
    /// Names the file that lacks or is wrong; [`Error::Output`] if the model has more than one output a pair.
    pub fn load(files: &Files, limits: Limits) -> Result<Self, Error> {
        let loaded = Self { engine: Engine::load(files, limits)? };
        loaded.score("a", &["a"], &|| false)?;
        Ok(loaded)
    }

    /// SHA-256 of the model file, lower-case hex.
    #[must_use]
    pub fn digest(&self) -> &str {
        self.engine.digest()
    }

    /// One score a passage, in order: the model's logit, greater is better. It compares passages under one query.
    ///
    /// # Errors
    /// [`Error::Stopped`] when `stop` says so before a batch; else what the tokenizer or the model said.
    pub fn score(&self, query: &str, passages: &[&str], stop: Stop<'_>) -> Result<Vec<f32>, Error> {
        let inputs = passages.iter().map(|passage| (query, *passage).into());
        let inputs = self.engine.encode(inputs, stop)?;
        self.engine.run(&inputs, stop, logit)
    }
}

fn logit(answer: Answer<'_>) -> Result<f32, Error> {
    match (answer.shape, answer.values) {
        ([] | [1], [value]) => Ok(*value),
        _ => Err(Error::Output {
            found: answer.shape.to_vec(),
            expected: "[batch, 1], one value a pair".into(),
        }),
    }
}
