//! One file or folder per technology; only `compose.rs` names them.

pub mod keyfile;
pub mod sqlite;
