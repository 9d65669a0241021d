//! Runs small ONNX models in process: embeds texts, reads what a window says of a statement. Knows no network and no
//! service.
//!
//! A model is a folder with `model.onnx`, `tokenizer.json` and, where it says more, `config.json` ([`Files`]), or bytes of
//! the program ([`Embedded`]).
//! Every call takes a `stop` function: it is asked before each batch, and [`Error::Stopped`] ends the call.

mod batch;
mod config;
mod embed;
mod engine;
mod error;
mod files;
mod integer;
mod limits;
pub mod minilm;
mod pools;
pub mod reader;
pub mod store;
mod tokens;

pub use embed::{Embedder, Pooling};
pub use error::Error;
pub use files::{Embedded, Files, Weights};
pub use limits::Limits;
pub use reader::{Reader, Reading, Window};

/// Asked before each batch; `true` ends the call with [`Error::Stopped`].
pub type Stop<'a> = &'a (dyn Fn() -> bool + Sync);
