//! Checks an answer against its sources: markers, claims, support, code, figures; and says what follows from it.
//!
//! Pure and total: no I/O, no clock, no chance, no failure. What must come from outside is asked for as data and a
//! fact that is missing leaves its check `NOT_CHECKED`.
//!
//! Over 10,000 lines in one crate: rules are measures of the fitted models, models give the checks their probabilities, and the policy
//! weighs checks. Texts, figures, claims and evidence have crates of their own below it.

pub mod ablation;
mod assess;
mod checks;
pub mod features;
mod frames;
pub mod join;
pub mod judge;
mod mentions;
pub mod model;
mod partial;
pub mod policy;
pub mod relevance;
pub mod retry;
mod rules;
pub mod scores;
mod suggest;
pub mod support;
pub mod training;

use assay_evidence::{
    align, flags, forms, idf, index, lexicon, lists, negators, quantifiers, select, share, tags, tokens,
};
use assay_quantities as numbers;
pub use assay_reading::{self as reading, ResumePoint, Segment, Segmenter, citations};
use assay_reading::{claims, document, segmenter};
use assay_text::{self as text, patterns, readable};
pub use assay_text::{language, spelling};

pub use assay_evidence::SourceIndex;
pub use judge::{Facts, Judge, Needs, Terms, warm};
pub use policy::Policy;
pub use scores::{Ask, Scorer, Scores};

/// The stable words with which the reasons of rules begin.
pub fn reason_words() -> impl Iterator<Item = &'static str> {
    rules::Kind::ALL.into_iter().map(rules::Kind::as_str)
}
