//! Texts made ready for comparison: tokens with what word lists know of them, figures, weights, an index of the sources, and the
//! sentences that bear on a claim beside it.
//!
//! Pure and total. Absent: what a claim is (`assay-reading`), and what follows from how it stands beside its sentence
//! (`assay-grounding`).

pub mod ablation;
pub mod align;
mod cues;
pub mod flags;
pub mod forms;
pub mod idf;
pub mod index;
pub mod lexicon;
pub mod lists;
pub mod negators;
pub mod quantifiers;
mod rates;
pub mod scope;
pub mod select;
pub mod share;
pub mod tags;
pub mod tokens;
mod word_flags;

use assay_quantities as numbers;
use assay_text::{self as text, language, readable, sentences};

pub use index::SourceIndex;
