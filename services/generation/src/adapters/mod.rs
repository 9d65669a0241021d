//! One file per technology; the embedded default first.

pub mod extractive;

pub mod chat;
pub mod ollama;
