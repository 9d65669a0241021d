//! One file or folder per technology; the embedded default first.

pub(crate) mod cached;
pub mod elastic;
pub mod embedded;
pub mod hashing;
pub mod minilm;
pub mod onnx;
pub(crate) mod prefixed;
pub mod remote;
pub(crate) mod traced;
