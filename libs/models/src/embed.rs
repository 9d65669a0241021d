//! Texts as vectors: token states averaged over the attention mask, scaled to unit length.

use crate::engine::{Answer, Engine};
use crate::{Error, Files, Limits, Stop};

/// How the states of the tokens become one vector, for a graph that does not pool by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pooling {
    /// Their mean.
    #[default]
    Mean,
    /// The state of the first token, `[CLS]`.
    First,
}

/// A loaded embedding model.
#[derive(Debug)]
pub struct Embedder {
    engine: Engine,
    dimensions: usize,
    pooling: Pooling,
}

impl Embedder {
    /// Loads the model and runs it once, so that what cannot work shows now.
    ///
    /// # Errors
    /// Names the file that lacks or is wrong; [`Error::Output`] if the model is none that embeds.
    pub fn load(files: &Files, limits: Limits, pooling: Pooling) -> Result<Self, Error> {
        let mut loaded = Self { engine: Engine::load(files, limits)?, dimensions: 0, pooling };
        loaded.dimensions = loaded.embed(&["a"], &|| false)?.first().map_or(0, Vec::len);
        Ok(loaded)
    }

    /// Components of a vector.
    #[must_use]
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// SHA-256 of the model file, lower-case hex.
    #[must_use]
    pub fn digest(&self) -> &str {
        self.engine.digest()
    }

    /// One vector of unit length a text, in order. A text is cut at the model's own length.
    ///
    /// # Errors
    /// [`Error::Stopped`] when `stop` says so before a batch; else what the tokenizer or the model said.
    pub fn embed(&self, texts: &[&str], stop: Stop<'_>) -> Result<Vec<Vec<f32>>, Error> {
        let inputs = self.engine.encode(texts.iter().map(|text| (*text).into()), stop)?;
        let pooling = self.pooling;
        self.engine.run(&inputs, stop, move |answer| pooled(answer, pooling))
    }
}

/// The pooled token states, or the vector of a graph that pools by itself; of unit length.
fn pooled(answer: Answer<'_>, pooling: Pooling) -> Result<Vec<f32>, Error> {
    let mut vector = match *answer.shape {
        [_] => answer.values.to_vec(),
        [length, size] if length >= answer.tokens && answer.tokens > 0 => {
            let mut sum = vec![0_f32; size];
            let count = if pooling == Pooling::First { 1 } else { answer.tokens };
            for state in answer.values.chunks(size).take(count) {
                sum.iter_mut().zip(state).for_each(|(sum, value)| *sum += value);
            }
            sum
        }
        _ => {
            let expected = "[batch, tokens, size] or [batch, size]".to_owned();
            return Err(Error::Output { found: answer.shape.to_vec(), expected });
        }
    };
    // The sum and the mean differ by a factor, which unit length takes away.
    let norm = vector.iter().map(|value| value * value).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
    vector.iter_mut().for_each(|value| *value /= norm);
    Ok(vector)
}
