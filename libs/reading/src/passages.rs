//! Finds sources named by number in prose: "(Passage 2)", "source [2] says", "la segunda fuente".
//!
//! The numbers are positions in the answer's source list, from 1. They are not markers, but naming the wrong source is a
//! wrong citation all the same. The caller's editor has no number: `editor:L14` or `editor:L14-18` cites it.

use std::sync::LazyLock;

use assay_domain::evidence::LineRange;
use regex::Regex;

use assay_text::patterns::pattern;

/// A word for a source, then its numbers.
static NUMBERED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\b(?:passages?|sources?|documents?|docs?|excerpts?|references?|pasajes?|fuentes?|documentos?|fragmentos?|referencias?)",
        r"\s*(?:no\.?|nº|n\.º|n[uú]mero|number|#)?\s*[\[(#]?\s*(\d{1,3})\b[\])]?((?:\s*(?:,|and|&|or|y|e|o)\s*[\[(#]?\d{1,3}\b[\])]?)*)",
    ))
});

/// An ordinal before such a word, in a sentence that relies on it.
static ORDINAL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\b(?:according\s+to|as\s+per|per|from|in|by|seg[uú]n|en|de\s+acuerdo\s+con)\s+(?:the|la|el)\s+",
        r"(first|second|third|fourth|fifth|sixth|seventh|eighth|primer[ao]?|segund[ao]|tercer[ao]?|cuart[ao]|quint[ao]|sext[ao]|s[eé]ptim[ao]|octav[ao])\s+",
        r"(?:passage|source|pasaje|fuente)\b",
    ))
});

/// A noun after the number, which makes it a count: "source 2 files", "documents 30 pages".
const COUNTED: &[&str] = &[
    "files", "pages", "lines", "bytes", "rows", "times", "per", "percent", "ficheros", "páginas", "líneas",
    "filas", "veces", "por",
];

/// The numbers of the sources that a sentence names, each once, in text order.
pub(crate) fn named(sentence: &str) -> Vec<u32> {
    let mut found: Vec<u32> = Vec::new();
    let mut add = |number: Option<u32>| {
        if let Some(number) = number.filter(|number| *number > 0)
            && !found.contains(&number)
        {
            found.push(number);
        }
    };
    if !speaks_of_sources(sentence) {
        return found;
    }
    let figure = sentence.bytes().any(|byte| byte.is_ascii_digit());
    if let Some(pattern) = NUMBERED.as_ref().filter(|_| figure) {
        for captures in pattern.captures_iter(sentence) {
            let Some(whole) = captures.get(0) else { continue };
            let next = sentence[whole.end()..].trim_start();
            let next = next.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
            let decimal = sentence[whole.end()..].starts_with(['.', ',', ':'])
                && sentence[whole.end() + 1..].starts_with(|c: char| c.is_ascii_digit());
            if decimal || sentence[whole.end()..].starts_with('%') || COUNTED.contains(&next.as_str()) {
                continue;
            }
            add(captures.get(1).and_then(|number| number.as_str().parse().ok()));
            let more = captures.get(2).map_or("", |more| more.as_str());
            more.split(|c: char| !c.is_ascii_digit()).for_each(|number| add(number.parse().ok()));
        }
    }
    if let Some(pattern) = ORDINAL.as_ref() {
        pattern
            .captures_iter(sentence)
            .for_each(|captures| add(captures.get(1).and_then(|word| ordinal(word.as_str()))));
    }
    found
}

/// Prefixes of the words for sources in both patterns, in lower case.
const BEGINNINGS: &[&[u8]] = &[
    b"passage",
    b"source",
    b"doc",
    b"excerpt",
    b"reference",
    b"pasaje",
    b"fuente",
    b"fragmento",
    b"referencia",
];

/// Whether any word has one of [`BEGINNINGS`]: a cheap test before the slow patterns.
fn speaks_of_sources(sentence: &str) -> bool {
    let bytes = sentence.as_bytes();
    let begins = |at: usize| {
        BEGINNINGS.iter().any(|beginning| {
            bytes.get(at..at + beginning.len()).is_some_and(|found| found.eq_ignore_ascii_case(beginning))
        })
    };
    let mut inside = false;
    for (at, byte) in bytes.iter().enumerate() {
        let first = matches!(byte | 32, b'p' | b's' | b'd' | b'e' | b'r' | b'f');
        if first && !inside && begins(at) {
            return true;
        }
        inside = byte.is_ascii_alphanumeric();
    }
    // The long s is one too where case does not matter.
    sentence.contains('ſ')
}

/// Lines of the caller's editor, with brackets around them.
static EDITOR: LazyLock<Option<Regex>> =
    LazyLock::new(|| pattern(r"[\[(]?\beditor:L(\d{1,9})(?:\s*[-–]\s*L?(\d{1,9}))?\b[\])]?"));

/// Takes citations of editor lines out of a sentence: the lines in text order, and the sentence without them.
pub(crate) fn editor(sentence: &str) -> Option<(Vec<LineRange>, String)> {
    let pattern = EDITOR.as_ref().filter(|_| sentence.contains("editor:L"))?;
    let mut lines = Vec::new();
    for captures in pattern.captures_iter(sentence) {
        let number = |at: usize| captures.get(at).and_then(|number| number.as_str().parse().ok());
        let first: u32 = number(1)?;
        lines.push(LineRange::new(first, number(2).unwrap_or(first)));
    }
    let bare = pattern.replace_all(sentence, "");
    let bare = bare.split_whitespace().collect::<Vec<_>>().join(" ").replace(" .", ".").replace(" ,", ",");
    (!lines.is_empty()).then_some((lines, bare))
}

/// Source number of an ordinal.
fn ordinal(word: &str) -> Option<u32> {
    let word = word.to_lowercase();
    let stems: [&[&str]; 8] = [
        &["first", "primer"],
        &["second", "segund"],
        &["third", "tercer"],
        &["fourth", "cuart"],
        &["fifth", "quint"],
        &["sixth", "sext"],
        &["seventh", "sépt", "sept"],
        &["eighth", "octav"],
    ];
    let place = stems.iter().position(|stems| stems.iter().any(|stem| word.starts_with(stem)))?;
    u32::try_from(place + 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_editor_are_found_and_taken_out() {
        let one = |first, last| vec![LineRange::new(first, last)];
        assert_eq!(
            editor("The loop ends (editor:L14-18)."),
            Some((one(14, 18), "The loop ends.".to_owned()))
        );
        assert_eq!(editor("The loop ends [editor:L14]."), Some((one(14, 14), "The loop ends.".to_owned())));
        assert_eq!(editor("At editor:L3-L5, it ends."), Some((one(3, 5), "At, it ends.".to_owned())));
        assert_eq!(editor("The editor:Loop ends in the editor."), None);
    }

    #[test]
    fn numbers_behind_words_for_sources_are_found() {
        let cases: &[(&str, &[u32])] = &[
            ("The limit is 5 (Passage 2).", &[2]),
            ("According to document 3, the limit is 5.", &[3]),
            ("Source [2] says that the limit is 5.", &[2]),
            ("The limit is 5 (Passages 1 and 3).", &[1, 3]),
            ("The limit is 5 (sources 1, 2 & 4).", &[1, 2, 4]),
            ("As passage #2 and passage 1 say, the limit is 5.", &[2, 1]),
            ("Según la fuente 2, el límite es 5.", &[2]),
            ("Según el documento n.º 3, el límite es 5.", &[3]),
            ("El límite es 5 (pasajes 1 y 2).", &[1, 2]),
            ("According to the second passage, the limit is 5.", &[2]),
            ("Según la tercera fuente, el límite es 5.", &[3]),
            ("The limit of the source is 5.", &[]),
            ("It reads source 2 files a day.", &[]),
            ("The document 1.5 is old.", &[]),
            ("The first document in the queue is read.", &[]),
            ("Documents are read 3 times.", &[]),
            ("Passage", &[]),
            ("", &[]),
        ];
        for (sentence, expected) in cases {
            assert_eq!(named(sentence), *expected, "{sentence}");
        }
    }
}
