//! Splits a normalized message into words.

/// Splits a text of [`crate::normalize`] into words; letters, digits, `_` and inner apostrophes make one.
#[must_use]
pub fn words(normalized: &str) -> Vec<Word<'_>> {
    let mut words: Vec<Word<'_>> = Vec::new();
    let mut start = None;
    let inside = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
    for (at, c) in normalized.char_indices() {
        match (start, inside(c)) {
            (None, true) if c != '\'' => start = Some(at),
            (Some(from), false) => {
                push(&mut words, &normalized[from..at]);
                start = None;
            }
            _ => {}
        }
        if !inside(c)
            && !c.is_whitespace()
            && let Some(last) = words.last_mut()
        {
            last.stop |= matches!(c, '.' | ',' | ';' | ':' | '?' | '!' | '(' | ')' | '"');
        }
    }
    if let Some(from) = start {
        push(&mut words, &normalized[from..]);
    }
    words
}

fn push<'a>(words: &mut Vec<Word<'a>>, text: &'a str) {
    words.push(Word { text: text.trim_end_matches('\''), stop: false });
}

/// Whether a list of words, separated by single spaces, holds a word.
#[must_use]
pub fn listed(list: &str, word: &str) -> bool {
    list.split(' ').any(|known| known == word)
}

/// A word of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word<'a> {
    /// Its letters.
    pub text: &'a str,
    /// Whether punctuation separates it from the next word.
    pub stop: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalize;

    #[test]
    fn words_keep_identifiers_and_know_their_stops() {
        let normalized = normalize("What's add_param(x)? Tell me.");
        let texts: Vec<_> = words(&normalized).iter().map(|word| (word.text, word.stop)).collect();
        assert_eq!(
            texts,
            [("what's", false), ("add_param", true), ("x", true), ("tell", false), ("me", true)]
        );
    }
}
