//! The words of a sentence, and those by which a clause with a subject and a verb is told: English and Spanish.

use std::borrow::Cow;

/// Words that a subject begins with, or that are one.
pub(crate) const SUBJECTS: &[&str] = &[
    "the", "a", "an", "it", "they", "this", "these", "that", "those", "you", "we", "he", "she", "i", "each",
    "every", "all", "no", "its", "their", "there", "any", "both", "only", "one", "el", "la", "los", "las",
    "un", "una", "este", "esta", "estos", "estas", "cada", "ello", "ellos", "ellas", "su", "sus", "se",
    "todo", "todos", "todas", "ningún", "ninguna", "solo", "no", "hay",
];
/// Finite verbs without which few sentences are.
pub(crate) const VERBS: &[&str] = &[
    "is", "are", "was", "were", "has", "have", "had", "does", "do", "did", "can", "cannot", "could", "may",
    "might", "must", "will", "would", "shall", "should", "isn't", "aren't", "doesn't", "don't", "can't",
    "won't", "wasn't", "hasn't", "es", "son", "está", "están", "fue", "fueron", "era", "eran", "ha", "han",
    "tiene", "tienen", "puede", "pueden", "debe", "deben", "hay", "hace", "hacen", "va", "van", "será",
    "serán", "existe", "existen", "requiere", "usa", "usan", "permite", "permiten",
];
/// Words behind which no finite verb stands.
pub(crate) const NO_VERB_BEHIND: &[&str] = &[
    "the", "a", "an", "of", "in", "on", "at", "for", "with", "from", "by", "to", "into", "and", "or", "its",
    "their", "this", "these", "those", "every", "each", "all", "no", "any", "per", "el", "la", "los", "las",
    "un", "una", "de", "del", "en", "con", "por", "para", "al", "y", "o", "sus", "su",
];
/// A word with its place.
pub(crate) struct Word<'a> {
    pub(crate) at: usize,
    pub(crate) text: &'a str,
    /// Lower case, without punctuation around it.
    pub(crate) norm: Cow<'a, str>,
    /// Whether it stands outside quotations, parentheses and inline code.
    pub(crate) free: bool,
}

/// The words of a sentence.
pub(crate) fn words<'s>(sentence: &'s str) -> Vec<Word<'s>> {
    let (mut code, mut quoted, mut depth) = (false, false, 0_usize);
    let mut found: Vec<Word<'_>> = Vec::with_capacity(sentence.len() / 5);
    let mut start: Option<(usize, bool)> = None;
    let push = |found: &mut Vec<Word<'s>>, start: &mut Option<(usize, bool)>, end: usize| {
        if let Some((at, free)) = start.take() {
            let text = sentence.get(at..end).unwrap_or_default();
            let norm = text.trim_matches(|c: char| !c.is_alphanumeric());
            let lower = norm.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
            let norm = if lower { Cow::Borrowed(norm) } else { Cow::Owned(norm.to_lowercase()) };
            found.push(Word { at, text, norm, free });
        }
    };
    for (at, c) in sentence.char_indices() {
        // Letters within a word.
        if start.is_some() && c.is_ascii_alphanumeric() {
            continue;
        }
        if c.is_whitespace() {
            push(&mut found, &mut start, at);
            continue;
        }
        if start.is_none() {
            start = Some((at, !code && !quoted && depth == 0));
        }
        match c {
            '`' => code = !code,
            '"' if !code => quoted = !quoted,
            '“' | '«' if !code => quoted = true,
            '”' | '»' if !code => quoted = false,
            '(' | '[' if !code => depth += 1,
            ')' | ']' if !code => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    push(&mut found, &mut start, sentence.len());
    found
}
