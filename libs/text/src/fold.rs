//! Folds texts, so that capitals, accents and compatibility forms make no difference.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::readable::shows_nothing;

/// Folds a text to lower case without accents, in compatibility form (NFKD).
///
/// White space, punctuation and invisible characters stay; [`normalize`] sees to these too.
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

/// Folds a message for rules that look for words in it: [`fold`], one kind of quote, no invisible characters, single
/// spaces and none at the ends.
#[must_use]
pub fn normalize(text: &str) -> String {
    let mut normal = String::with_capacity(text.len());
    let mut gap = false;
    for c in text.nfkd().filter(|c| !is_combining_mark(*c) && !shows_nothing(*c)) {
        let c = match c {
            '\u{2018}' | '\u{2019}' | '\u{02bc}' => '\'',
            '\u{201c}' | '\u{201d}' | '\u{ab}' | '\u{bb}' => '"',
            c => c,
        };
        if c.is_whitespace() || c.is_control() {
            gap = true;
            continue;
        }
        if gap && !normal.is_empty() {
            normal.push(' ');
        }
        gap = false;
        normal.extend(c.to_lowercase());
    }
    normal
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

    #[test]
    fn messages_lose_odd_quotes_and_white_space() {
        assert_eq!(normalize("  ¿Cuánto   “GASTÉ”\u{200b}\n hoy?"), "¿cuanto \"gaste\" hoy?");
    }
}
