//! Words: boundaries, folding, and the parts of an identifier.

use assay_text::Stemmer;
use unicode_segmentation::UnicodeSegmentation;

/// Longer words are no words (encoded data, hashes of hashes) and are left out.
const MAX_WORD_BYTES: usize = 100;

/// Calls `each` with every word of the text, as written.
pub(super) fn for_each(text: &str, mut each: impl FnMut(&str)) {
    for word in text.unicode_words() {
        if word.len() <= MAX_WORD_BYTES {
            each(word);
        }
    }
}

/// A folded word; the compatibility forms of a few signs hold white space, which no token may.
pub(super) fn fold(word: &str) -> String {
    let mut folded = assay_text::fold(word).into_owned();
    folded.retain(|c| !c.is_whitespace());
    folded
}

/// Appends the tokens of one word: its stem, or an identifier's whole form and the stems of its parts.
pub(super) fn expand(word: &str, stemmer: &Stemmer, out: &mut Vec<String>) {
    if word.starts_with(|c: char| c.is_ascii_digit()) && word.contains(',') {
        out.push(word.replace(',', ""));
        return;
    }
    let word = word.strip_suffix("'s").or_else(|| word.strip_suffix("’s")).unwrap_or(word);
    let parts = parts(word);
    let folded = fold(word);
    if folded.is_empty() {
        return;
    }
    if parts.len() < 2 {
        out.push(stemmer.snowball(&folded).into_owned());
        return;
    }
    out.push(folded);
    let stems = parts.iter().map(|part| stemmer.snowball(&fold(part)).into_owned());
    out.extend(stems.filter(|part| !part.is_empty()));
}

/// Parts of an identifier of at least two characters each; fewer than two parts mean that it is a plain word.
pub(super) fn parts(word: &str) -> Vec<&str> {
    let mut out = Vec::new();
    for piece in word.split(|c: char| !c.is_alphanumeric()) {
        let mut start = 0;
        let mut chars = piece.char_indices().peekable();
        let mut before: Option<char> = None;
        while let Some((at, c)) = chars.next() {
            let hump = before.is_some_and(char::is_lowercase) && c.is_uppercase();
            let acronym_end = before.is_some_and(char::is_uppercase)
                && c.is_uppercase()
                && chars.peek().is_some_and(|(_, next)| next.is_lowercase());
            if hump || acronym_end {
                out.push(&piece[start..at]);
                start = at;
            }
            before = Some(c);
        }
        out.push(&piece[start..]);
    }
    let camel_or_joined = out.len();
    out.retain(|part| part.chars().nth(1).is_some());
    if camel_or_joined < 2 { Vec::new() } else { out }
}
