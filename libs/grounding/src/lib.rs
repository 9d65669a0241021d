//! Checks an answer against its sources: markers, claims, support, code, figures; and says what follows from it.
//!
//! Pure and total: no I/O, no clock, no chance, no failure. What must come from outside is asked for as data and a
//! fact that is missing leaves its check `NOT_CHECKED`.

mod align;
pub mod citations;
mod claims;
mod document;
pub mod features;
mod idf;
mod index;
mod kinds;
pub mod language;
mod lists;
pub mod model;
mod numbers;
pub mod offsets;
pub mod reading;
pub mod relevance;
mod rules;
mod select;
mod sentences;
pub mod support;
mod tokens;
pub mod training;

pub use index::SourceIndex;
