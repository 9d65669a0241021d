//! Reads: whether a window of a source says, leaves open or denies a statement, and whether it answers a question.
//!
//! One small encoder with two heads. A pair is one run of the graph, so a reading is the same beside any other pair.

use crate::engine::{Answer, Engine, Form};
use crate::integer::Products;
use crate::{Embedded, Error, Limits, Stop, Weights};
use tokenizers::TruncationStrategy;

/// Name of the reader that ships.
pub const NAME: &str = "assay-reader";
/// Version of the reader that ships.
pub const VERSION: &str = "1";
/// SHA-256 of the `model.onnx` that ships, lower-case hex.
pub const SHA256: &str = "09fa1f41b710347c22846f905e9bbd88fce888ed7043907cfb87f6def51f1f0d";

/// Most pieces of window and statement together, special ones included: what the reader was trained with.
pub const PIECES: usize = 224;
/// Most pieces of a statement or a question.
pub const STATEMENT: usize = 90;
/// Most pieces of a window that is two windows joined.
pub const JOINED: usize = 180;

/// Outputs of the graph: three logits of a statement, one of a question.
const OUTPUTS: [&str; 2] = ["logits", "answers"];

/// A piece of a source, as it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window<'a> {
    /// Its text.
    pub text: &'a str,
    /// Whether it is two windows one behind the other; then it is cut to [`JOINED`] pieces.
    pub joined: bool,
}

impl<'a> Window<'a> {
    /// One window.
    #[must_use]
    pub fn of(text: &'a str) -> Self {
        Self { text, joined: false }
    }
}

/// What a window says of a statement: three probabilities, together 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// The window says it.
    pub says: f32,
    /// The window leaves it open.
    pub open: f32,
    /// The window says otherwise.
    pub denies: f32,
}

/// A loaded reader.
#[derive(Debug)]
pub struct Reader {
    engine: Engine,
}

/// What the graph said of a pair.
#[derive(Debug, Clone, Copy)]
struct Said {
    reading: Reading,
    answers: f32,
}

// === impl Reader ===

impl Reader {
    /// Loads the model and runs it once, so that what cannot work shows now. Inputs are cut at [`PIECES`], or earlier
    /// where `limits` say so.
    ///
    /// # Errors
    /// Names the file that lacks or is wrong, or the output that the graph does not have.
    pub fn load(weights: &Weights, limits: Limits) -> Result<Self, Error> {
        Self::multiplying(weights, limits, Products::Same)
    }

    /// Loads a reader whose bytes are part of the program.
    ///
    /// # Errors
    /// As [`Reader::load`].
    pub fn embedded(embedded: Embedded, limits: Limits) -> Result<Self, Error> {
        Self::load(&Weights::Embedded(embedded), limits)
    }

    fn multiplying(weights: &Weights, limits: Limits, products: Products) -> Result<Self, Error> {
        let limits = Limits { max_tokens: limits.max_tokens.min(PIECES), ..limits };
        // The window gives way: a statement that is cut is another statement.
        let form = Form { cut: TruncationStrategy::OnlyFirst, outputs: &OUTPUTS, products };
        let loaded = Self { engine: Engine::open(weights, limits, form)? };
        loaded.run(&[(Window::of("a"), "a")], &|| false)?;
        Ok(loaded)
    }

    /// SHA-256 of the model file, lower-case hex.
    #[must_use]
    pub fn digest(&self) -> &str {
        self.engine.digest()
    }

    /// What each window says of the statement beside it, in the order of the pairs, spread over the free cores.
    ///
    /// # Errors
    /// [`Error::Stopped`] when `stop` says so before a pair; else what the tokenizer or the model said.
    pub fn read(&self, pairs: &[(Window<'_>, &str)], stop: Stop<'_>) -> Result<Vec<Reading>, Error> {
        Ok(self.run(pairs, stop)?.into_iter().map(|said| said.reading).collect())
    }

    /// How probable it is that each window answers the question beside it, 0 to 1, in the order of the pairs.
    ///
    /// # Errors
    /// As [`Reader::read`].
    pub fn answers(&self, pairs: &[(Window<'_>, &str)], stop: Stop<'_>) -> Result<Vec<f32>, Error> {
        Ok(self.run(pairs, stop)?.into_iter().map(|said| said.answers).collect())
    }

    fn run(&self, pairs: &[(Window<'_>, &str)], stop: Stop<'_>) -> Result<Vec<Said>, Error> {
        let tokens = self.engine.tokens();
        let mut cut = Vec::with_capacity(pairs.len());
        // Room for one piece of the window and the special ones.
        let most = STATEMENT.min(tokens.longest().saturating_sub(4));
        for (place, (window, statement)) in pairs.iter().enumerate() {
            let told = |error| match error {
                Error::Text { why, .. } => Error::Text { place, why },
                other => other,
            };
            let text =
                if window.joined { tokens.cut(window.text, JOINED).map_err(told)? } else { window.text };
            cut.push((text, tokens.cut(statement, most).map_err(told)?));
        }
        let inputs = self.engine.encode(cut.into_iter().map(Into::into), stop)?;
        self.engine.run(&inputs, stop, said)
    }
}

fn said(answer: Answer<'_>) -> Result<Said, Error> {
    let (&[says, open, denies], &[answers]) = (answer.values, answer.second) else {
        let expected = "[batch, 3] and [batch]: three logits of a statement, one of a question".to_owned();
        return Err(Error::Output { found: answer.shape.to_vec(), expected });
    };
    let most = says.max(open).max(denies);
    let [says, open, denies] = [says, open, denies].map(|logit| (logit - most).exp());
    let sum = says + open + denies;
    let reading = Reading { says: says / sum, open: open / sum, denies: denies / sum };
    Ok(Said { reading, answers: 1.0 / (1.0 + (-answers).exp()) })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::Files;
    use std::path::Path;

    #[test]
    fn reading_is_the_same_with_and_without_integer_products() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("reader");
        let weights = Weights::Files(Files::in_folder(&folder).unwrap());
        let window = "`--retries N` sets how often a failed upload is tried again. The default is 3.";
        let pairs = [
            (Window::of(window), "A failed upload is tried again three times unless you say otherwise."),
            (Window::of(window), "A failed upload is never tried again."),
            (Window::of(window), "Uploads are encrypted on the client."),
        ];
        let read = |products| {
            let reader = Reader::multiplying(&weights, Limits::default(), products).unwrap();
            reader.read(&pairs, &|| false).unwrap()
        };
        for (one, other) in read(Products::Same).iter().zip(read(Products::Floats)) {
            let apart = [one.says - other.says, one.open - other.open, one.denies - other.denies];
            assert!(apart.iter().all(|own| own.abs() <= 0.02), "{one:?} {other:?}");
        }
    }
}
