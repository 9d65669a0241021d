//! What can go wrong with a model, each naming the file or value and, where there is one, the cure.

use std::path::PathBuf;

/// Why a model cannot be loaded or run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file that the model needs is not there.
    #[error("{path}: no {what} here; fetch the model again or point to a folder that holds it", path = .folder.display())]
    Missing {
        /// What lacks: `model.onnx`, `tokenizer.json` or `config.json`.
        what: &'static str,
        /// Folder that was searched.
        folder: PathBuf,
    },
    /// Several model files lie in one folder and none is called `model.onnx`.
    #[error("{path}: {count} .onnx files and none is model.onnx; rename the one to use", path = .folder.display())]
    Ambiguous {
        /// Folder that was searched.
        folder: PathBuf,
        /// Number of model files found.
        count: usize,
    },
    /// A file cannot be read.
    #[error("{path}: {source}", path = .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The model file is no ONNX graph that can run here.
    #[error("{path}: not a model that runs here: {why}", path = .path.display())]
    Graph {
        /// The file.
        path: PathBuf,
        /// What the engine said.
        why: String,
    },
    /// The graph asks for an input that a text does not give.
    #[error(
        "{path}: the graph has {problem} input `{name}`; it may have input_ids, attention_mask, token_type_ids",
        path = .path.display()
    )]
    Input {
        /// The model file.
        path: PathBuf,
        /// `an unknown`, `no` or `an unusable`.
        problem: &'static str,
        /// Name of the input.
        name: String,
    },
    /// The tokenizer file cannot be used.
    #[error("{path}: no tokenizer: {why}", path = .path.display())]
    Tokenizer {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// `config.json` lacks the names of the outputs, or has a value that cannot work.
    #[error("{path}: {why}", path = .path.display())]
    Labels {
        /// The file.
        path: PathBuf,
        /// What lacks, and which labels would do.
        why: String,
    },
    /// The graph answers in a shape that this use cannot read.
    #[error("the model's output has shape {found:?}; expected {expected}")]
    Output {
        /// Sizes of the dimensions.
        found: Vec<usize>,
        /// The shape that would do, in words.
        expected: String,
    },
    /// A limit that cannot work.
    #[error("{field}: {why}")]
    Limit {
        /// Field of [`crate::Limits`].
        field: &'static str,
        /// What would do.
        why: &'static str,
    },
    /// A text cannot be cut into tokens.
    #[error("text {place}: {why}")]
    Text {
        /// Place among the texts of the call, from 0.
        place: usize,
        /// What the tokenizer said.
        why: String,
    },
    /// The engine failed while it ran.
    #[error("the model failed: {0}")]
    Run(String),
    /// The caller asked to stop.
    #[error("stopped by the caller between two batches")]
    Stopped,
}
