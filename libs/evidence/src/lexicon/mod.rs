//! Words that mean the same: irregular forms with their base form, words that a paraphrase puts for one another, and
//! phrases that read as one word.

mod apart;
mod forms;
mod irregular;
mod phrases;
mod synonyms;
#[cfg(test)]
mod tests;

use crate::language::Language;
pub use apart::{opposites, rivals};
pub use forms::{base, infinitive, regular};
pub use phrases::{Beginning, Phrase, phrases};
pub use synonyms::{synonymous, synonyms};

/// Lines of a table, without its remarks.
pub fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// Place of a language in the tables.
fn place(language: Option<Language>) -> usize {
    usize::from(language == Some(Language::Spanish))
}
