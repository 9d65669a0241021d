//! Checks an answer against its sources: markers, claims, support, code, figures; and says what follows from it.
//!
//! Pure and total: no I/O, no clock, no chance, no failure. What must come from outside is asked for as data and a
//! fact that is missing leaves its check `NOT_CHECKED`.

mod align;
mod assess;
mod checks;
pub mod features;
mod flags;
mod frames;
mod idf;
mod index;
pub mod join;
pub mod judge;
mod lexicon;
mod lists;
mod mentions;
pub mod model;
mod novelty;
mod partial;
pub mod policy;
mod quantifiers;
pub mod relevance;
pub mod retry;
mod rules;
mod scope;
pub mod scores;
mod select;
mod settle;
mod suggest;
pub mod support;
mod tokens;
pub mod training;
pub mod without;

use assay_quantities as numbers;
pub use assay_reading::{self as reading, Segment, SegmentGate, Trail, citations};
use assay_reading::{claims, document, gate};
use assay_text::{self as text, patterns, readable, sentences};
pub use assay_text::{language, spelling};

pub use index::SourceIndex;
pub use judge::{Facts, Judge, Needs, Terms, warm};
pub use policy::Policy;
pub use scores::{Ask, Asks, Scorer, Scores};
