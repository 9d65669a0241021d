//! Words that mean the same: irregular forms with their base form, words that a paraphrase puts for one another, and
//! phrases that read as one word.

mod apart;
mod forms;
mod phrases;
mod synonyms;
#[cfg(test)]
mod tests;

use crate::language::{self, Language};
pub(crate) use apart::{of_a_kind, opposites, rivals};
pub(crate) use forms::{base, infinitive, regular};
pub(crate) use phrases::{Phrase, phrases};
pub(crate) use synonyms::{synonymous, synonyms};

/// Lines of a table, without its remarks.
pub(crate) fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The part of a table that is in a language; English where it is unknown.
fn of(tables: &[(Language, &'static str); 2], language: Option<Language>) -> &'static str {
    tables[place(language)].1
}

/// Place of a language in the tables.
fn place(language: Option<Language>) -> usize {
    usize::from(language == Some(Language::Spanish))
}

/// Common words of a language, English where it is unknown: function words, words with others that may stand for them,
/// and the words of English prose that are their own stems.
pub(crate) fn common(language: Option<Language>, mut found: impl FnMut(&str)) {
    let spanish = language == Some(Language::Spanish);
    for word in if spanish { language::SPANISH } else { language::ENGLISH } {
        found(word);
        let mut capital = word.to_string();
        if let Some(first) = capital.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        found(&capital);
    }
    for line in lines(of(&synonyms::SYNONYMS, language)) {
        line.split_whitespace().filter(|word| *word != "=").for_each(&mut found);
    }
    if !spanish {
        crate::idf::stems().filter(|stem| stem.bytes().all(|byte| byte.is_ascii_lowercase())).for_each(found);
    }
}
