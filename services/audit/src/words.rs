//! Words by which records are found: those of question and answer, folded. Pure.
//!
//! What this returns is stored; a change of it needs a new version of the tables, which fills the search table anew.

use std::collections::BTreeSet;

use assay_domain::Record;
use assay_text::{normalize, words as split};

/// Most characters of a word that count.
const WORD_CHARS: usize = 64;

/// The words of a text, in lower case without accents. A name such as `add_param` gives its parts as well.
#[must_use]
pub fn words(text: &str) -> BTreeSet<String> {
    let normal = normalize(text);
    let words = split(&normal).into_iter().map(|word| word.text);
    words
        .flat_map(|word| std::iter::once(word).chain(word.split(['_', '\''])))
        .filter(|word| !word.is_empty())
        .map(|word| word.chars().take(WORD_CHARS).collect())
        .collect()
}

/// The words of a record of which the text of the answer is kept, or is not.
#[must_use]
pub(crate) fn of_kept(record: &Record, with_answer: bool) -> BTreeSet<String> {
    let mut all = words(&record.query);
    if with_answer {
        all.append(&mut words(&record.answer));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_folded_and_names_give_their_parts() {
        let found = words("¿Cuándo PARÓ add_param? Don’t; the ２nd… paró!");
        let found: Vec<&str> = found.iter().map(String::as_str).collect();
        assert_eq!(found, ["2nd", "add", "add_param", "cuando", "don", "don't", "param", "paro", "t", "the"]);
        assert!(words(" … ¿? ").is_empty());
        assert_eq!(words(&"x".repeat(99)).first().map(String::len), Some(WORD_CHARS));
    }
}
