//! Checks an answer against its sources: markers, claims, support, code, figures; and says what follows from it.
//!
//! Pure and total: no I/O, no clock, no chance, no failure. What must come from outside is asked for as data and a
//! fact that is missing leaves its check `NOT_CHECKED`.

pub mod citations;
mod claims;
mod document;
mod kinds;
pub mod offsets;
pub mod reading;
mod sentences;
