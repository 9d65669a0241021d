//! Plain text of English and Spanish: folding, words, sentences, stems, stop words, edit distance, language.
//!
//! For all who fold, split or stem; whoever needs another behaviour adds it here. Pure and total: no I/O, no clock, no
//! failure. Absent: figures (`assay-quantities`), Markdown and claims (`assay-reading`), meanings of words
//! (`assay-evidence`).

mod find;
mod fold;
pub mod hash;
pub mod language;
pub mod offsets;
pub mod patterns;
pub mod readable;
pub mod runs;
pub mod sentences;
pub mod shape;
pub mod social;
pub mod spelling;
pub mod stem;
mod words;

pub use find::places;
pub use fold::{fold, normalize};
pub use language::{Language, detect, detect_question, detect_short, is_common, is_stop};
pub use offsets::Offsets;
pub use readable::readable;
pub use spelling::nearest;
pub use stem::Stemmer;
pub use words::{Word, listed, words};
