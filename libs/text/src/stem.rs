//! Reduces folded words to their stems, English and Spanish (Snowball).

use std::borrow::Cow;

use rust_stemmers::Algorithm;

use crate::Language;

/// The stemmer of one language.
pub struct Stemmer {
    snowball: rust_stemmers::Stemmer,
    language: Language,
}

impl std::fmt::Debug for Stemmer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stemmer").field("language", &self.language).finish_non_exhaustive()
    }
}

impl Stemmer {
    /// The stemmer of a language.
    #[must_use]
    pub fn new(language: Language) -> Self {
        let algorithm = match language {
            Language::English => Algorithm::English,
            Language::Spanish => Algorithm::Spanish,
        };
        Self { snowball: rust_stemmers::Stemmer::create(algorithm), language }
    }

    /// Its language.
    #[must_use]
    pub fn language(&self) -> Language {
        self.language
    }

    /// The stem of a folded word. Words of up to three letters, and words with other characters than letters, are
    /// their own stem.
    #[must_use]
    pub fn stem<'w>(&self, word: &'w str) -> Cow<'w, str> {
        if word.chars().count() <= 3 || !word.chars().all(char::is_alphabetic) {
            return Cow::Borrowed(word);
        }
        self.snowball(word)
    }

    /// The Snowball stem of a lower-case word, whatever its length and characters.
    #[must_use]
    pub fn snowball<'w>(&self, word: &'w str) -> Cow<'w, str> {
        // Folding took the accent that the stemmer looks for: "eliminacion" goes with "eliminar".
        if self.language == Language::Spanish
            && let Some(head) = word.strip_suffix("cion")
        {
            return Cow::Owned(self.snowball.stem(&format!("{head}ción")).into_owned());
        }
        self.snowball.stem(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_share_a_stem() {
        let english = Stemmer::new(Language::English);
        assert_eq!(english.stem("connections"), english.stem("connected"));
        let spanish = Stemmer::new(Language::Spanish);
        assert_eq!(spanish.stem("eliminacion"), spanish.stem("eliminar"));
    }

    #[test]
    fn short_words_and_names_stay() {
        let english = Stemmer::new(Language::English);
        for word in ["its", "v2beta", "max_rows"] {
            assert_eq!(english.stem(word), word);
        }
    }
}
