//! Reads an answer in Markdown: its claims with their kinds, its citation markers, code blocks and defects of form.
//!
//! Also cuts a growing draft into segments, and says from where it must be read again. Pure, total and linear: a text is
//! read as it is, with its defects. Absent: sources, and every judgement of what is claimed (`assay-grounding`).

pub mod citations;
pub mod claims;
mod clauses;
pub mod document;
mod kinds;
mod parsed;
mod passages;
mod resume;
pub mod segmenter;

pub use parsed::{Parsed, Reading, read};
pub use resume::{Place, ResumePoint};
pub use segmenter::{Segment, Segmenter};
