//! Folds words, so that capitals, accents and compatibility forms make no difference.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Folds a text to lower case without accents, in compatibility form (NFKD).
///
/// White space and punctuation stay. Spelling of quotes and invisible characters is the work of [`crate::readable`].
#[must_use]
pub fn fold(text: &str) -> Cow<'_, str> {
    if !text.is_ascii() {
        return text.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase).collect();
    }
    if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Cow::Owned(text.to_ascii_lowercase());
    }
    Cow::Borrowed(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capitals_accents_and_forms_make_no_difference() {
        for (text, folded) in
            [("Plain", "plain"), ("AÑADIÓ", "anadio"), ("ﬁle ５", "file 5"), ("don’t", "don’t")]
        {
            assert_eq!(fold(text), folded);
        }
    }
}
