//! Folding and splitting of messages, so that every rule sees one spelling.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// Lower case, accents removed, typographic quotes and invisible characters unified, white space folded to one space.
#[must_use]
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut gap = false;
    for c in text.nfkd().filter(|c| !is_combining_mark(*c)) {
        let c = match c {
            '\u{2018}' | '\u{2019}' | '\u{02bc}' => '\'',
            '\u{201c}' | '\u{201d}' | '\u{ab}' | '\u{bb}' => '"',
            '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}' => continue,
            c => c,
        };
        if c.is_whitespace() || c.is_control() {
            gap = true;
            continue;
        }
        if gap && !folded.is_empty() {
            folded.push(' ');
        }
        gap = false;
        folded.extend(c.to_lowercase());
    }
    folded
}

/// Words of a folded text with what follows each: letters, digits, `_` and inner apostrophes make a word.
#[must_use]
pub fn words(folded: &str) -> Vec<Word<'_>> {
    let mut words: Vec<Word<'_>> = Vec::new();
    let mut start = None;
    let inside = |c: char| c.is_alphanumeric() || c == '_' || c == '\'';
    for (at, c) in folded.char_indices() {
        match (start, inside(c)) {
            (None, true) if c != '\'' => start = Some(at),
            (Some(from), false) => {
                push(&mut words, &folded[from..at]);
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
        push(&mut words, &folded[from..]);
    }
    words
}

fn push<'a>(words: &mut Vec<Word<'a>>, text: &'a str) {
    words.push(Word { text: text.trim_end_matches('\''), stop: false });
}

/// Whether a word stands in a list of words separated by spaces.
#[must_use]
pub fn listed(list: &str, word: &str) -> bool {
    list.split(' ').any(|known| known == word)
}

/// A word of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word<'a> {
    /// Its letters.
    pub text: &'a str,
    /// Whether punctuation stands between it and the next word.
    pub stop: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_unifies_case_accents_quotes_and_white_space() {
        assert_eq!(fold("  ¿Cuánto   “GASTÉ”\u{200b}\n hoy?"), "¿cuanto \"gaste\" hoy?");
    }

    #[test]
    fn words_keep_identifiers_and_know_their_stops() {
        let folded = fold("What's add_param(x)? Tell me.");
        let texts: Vec<_> = words(&folded).iter().map(|word| (word.text, word.stop)).collect();
        assert_eq!(
            texts,
            [("what's", false), ("add_param", true), ("x", true), ("tell", false), ("me", true)]
        );
    }
}
