//! One file or folder per technology; the embedded default first.

pub mod elastic;
pub mod embedded;
pub mod hashing;
pub mod minilm;
pub(crate) mod traced;
