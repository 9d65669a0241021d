//! Splits running text into sentences, English and Spanish.
//!
//! Abbreviations, decimals, versions, file names, addresses, initials, enumerators, quotations and parentheses end none.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use crate::hash::{Map, hash};
use crate::{fold, language};

/// Abbreviations that never end a sentence.
const NEVER: &[&str] = &[
    "e.g", "i.e", "vs", "cf", "approx", "mr", "mrs", "ms", "dr", "prof", "st", "sr", "sra", "srta", "dra",
    "ud", "uds", "ej", "aprox", "viz", "ca", "dept", "resp", "incl", "min", "max", "avda", "gral", "gen",
    "col", "sgt", "rev", "hon", "al", "p.ej", "n.b", "ph.d", "d.h", "dcha", "izda", "tfno", "atte", "ing",
    "lic",
];
/// Abbreviations that end none before a digit.
const BEFORE_NUMBER: &[&str] = &[
    "no", "nos", "fig", "figs", "eq", "sec", "vol", "p", "pp", "ch", "art", "núm", "num", "pág", "págs",
    "pag", "cap", "ver", "v", "line", "lines", "nº", "tel", "jan", "feb", "mar", "apr", "jun", "jul", "aug",
    "sep", "sept", "oct", "nov", "dec",
];
/// Abbreviations that end one only before a capital.
const BEFORE_CAPITAL: &[&str] =
    &["etc", "a.m", "p.m", "inc", "ltd", "co", "corp", "u.s", "u.k", "e.u", "ee.uu", "jr"];

/// In which of the three lists a word is.
#[derive(Debug, Clone, Copy, Default)]
struct Abbreviation {
    never: bool,
    before_number: bool,
    before_capital: bool,
}

impl Abbreviation {
    fn of(word: &str) -> Self {
        ABBREVIATIONS.get(&hash(word)).copied().unwrap_or_default()
    }
}

/// All listed words, by hash.
static ABBREVIATIONS: LazyLock<Map<Abbreviation>> = LazyLock::new(|| {
    let mut table: Map<Abbreviation> = Map::default();
    for word in NEVER {
        table.entry(hash(word)).or_default().never = true;
    }
    for word in BEFORE_NUMBER {
        table.entry(hash(word)).or_default().before_number = true;
    }
    for word in BEFORE_CAPITAL {
        table.entry(hash(word)).or_default().before_capital = true;
    }
    table
});

/// Longest word that is looked up, in bytes: the longest abbreviation and a few more.
const LONGEST: usize = 8;

/// Longest quotation or parenthesis that is kept whole, in bytes.
const HELD_MAX: usize = 400;

/// Splits `text` into ranges that cover it without gaps; white space belongs to the sentence before it.
///
/// Nothing is split inside the `opaque` ranges (inline code). A sentence always ends at the offsets `breaks`. Both are sorted.
#[must_use]
pub fn split(text: &str, opaque: &[Range<usize>], breaks: &[usize]) -> Vec<Range<usize>> {
    let marks = marks(text);
    let held = held(&marks, opaque);
    let mut cuts: Vec<usize> = breaks.to_vec();
    let mut start = 0;
    let mut skip_to = 0;
    for &(at, c) in &marks {
        if at < skip_to || !matches!(c, '.' | '!' | '?' | '…' | '。') || inside(opaque, at) {
            continue;
        }
        let run =
            text[at..].find(|c| !matches!(c, '.' | '!' | '?' | '…' | '。')).map_or(text.len(), |n| at + n);
        let closed = text[run..]
            .find(|c| !matches!(c, ')' | '"' | '\'' | '”' | '’' | '»' | ']' | '*' | '_'))
            .map_or(text.len(), |n| run + n);
        skip_to = run;
        let Some(next) = text[closed..].find(|c: char| !c.is_whitespace()).map(|n| closed + n) else { break };
        if strictly_inside(&held, closed) {
            continue;
        }
        if next == closed {
            if closed == at + 1 && runs_on(text, at, next) {
                cuts.push(next);
                start = next;
            }
            continue;
        }
        // `"Why?" he asked`: what a quotation ends is not the sentence around it.
        if closed > run && text[next..].starts_with(char::is_lowercase) && !inside(opaque, next) {
            continue;
        }
        if ends_sentence(text, start, at, run, next, inside(opaque, next)) {
            cuts.push(next);
            start = next;
        }
    }
    cuts.sort_unstable();
    cuts.dedup();
    let mut ranges = Vec::with_capacity(cuts.len() + 1);
    let mut from = 0;
    for cut in cuts {
        if cut > from && cut < text.len() {
            ranges.push(from..cut);
            from = cut;
        }
    }
    if from < text.len() {
        ranges.push(from..text.len());
    }
    ranges
}

/// Whether terminators at `at..run`, in the sentence that began at `start`, end it before `next`.
fn ends_sentence(text: &str, start: usize, at: usize, run: usize, next: usize, next_is_code: bool) -> bool {
    let after = text[next..].chars().next().unwrap_or(' ');
    if text[at..run].contains(['!', '?', '。']) {
        return !after.is_lowercase() || next_is_code;
    }
    if run - at > 1 || text[at..].starts_with('…') {
        return !after.is_lowercase();
    }
    let before = &text[start..at];
    let word_start = before
        .rfind(|c: char| c.is_whitespace() || matches!(c, '(' | '"' | '“' | '«' | '[' | '¿' | '¡'))
        .map_or(0, |n| n + before[n..].chars().next().map_or(1, char::len_utf8));
    let word = &before[word_start..];
    if word.is_empty() {
        return before.ends_with(char::is_whitespace);
    }
    // No abbreviation is so long; what follows holds of any word.
    let short = word.len() <= LONGEST || word.contains('.') || !word.starts_with(char::is_alphanumeric);
    let is_lower = word.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
    let lower = match short {
        true if is_lower => Cow::Borrowed(word),
        true => Cow::Owned(word.to_lowercase()),
        false => Cow::Borrowed(""),
    };
    let lower = lower.trim_start_matches(['*', '_', '`']);
    let known = Abbreviation::of(lower);
    if known.never || parted(lower, before[..word_start].trim_end(), &text[next..]) {
        return false;
    }
    if known.before_number && after.is_ascii_digit() {
        return false;
    }
    let earlier = before[..word_start].trim_end();
    let end_of_parted =
        (lower == "uu" && earlier.ends_with("EE.")) || (lower == "m" && ends_in_word(earlier, &["a.", "p."]));
    if known.before_capital || end_of_parted || dotted(lower) {
        return after.is_uppercase() || matches!(after, '¿' | '¡');
    }
    // "1. Take shorter showers", "the steps are: 1. Take…": a mark before the sentence, not its end.
    if word.chars().all(|c| c.is_ascii_digit())
        && (earlier.is_empty() || (word.len() <= 2 && earlier.ends_with([':', ';', ','])))
    {
        return false;
    }
    let mut letters = word.chars();
    if let (Some(letter), None) = (letters.next(), letters.next()) {
        let capitalised = earlier
            .rsplit(char::is_whitespace)
            .next()
            .and_then(|word| word.chars().next())
            .is_some_and(char::is_uppercase);
        if letter.is_uppercase()
            && after.is_uppercase()
            && (earlier.is_empty() || capitalised)
            && !opens_sentence(&text[next..])
        {
            return false;
        }
    }
    true
}

/// Whether a spaced abbreviation continues after this dot: "p. ej.", "EE. UU.", "a. m.", "i. e.".
fn parted(word: &str, earlier: &str, next: &str) -> bool {
    let part = next.split('.').next().unwrap_or_default();
    if word == "ee" {
        return part == "UU";
    }
    let short = |text: &str| {
        let mut letters = text.chars();
        (1..=2).contains(&text.chars().count()) && letters.all(char::is_lowercase)
    };
    let letter = word.chars().count() == 1 && word.chars().all(char::is_lowercase);
    let goes_on = letter && part.len() < next.len() && short(part);
    // The last part of "e. g." and "i. e." never ends one.
    goes_on || (matches!(word, "g" | "e") && ends_in_word(earlier, &["e.", "i."]))
}

/// Whether a text ends in one of these words.
fn ends_in_word(text: &str, words: &[&str]) -> bool {
    text.rsplit([' ', '(', '\t', '\n'])
        .next()
        .is_some_and(|last| words.contains(&last.to_lowercase().as_str()))
}

/// "d.c", "u.s.a": letters with dots between them.
fn dotted(word: &str) -> bool {
    word.contains('.')
        && word.split('.').all(|part| {
            let mut letters = part.chars();
            letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none()
        })
}

/// Whether a text begins with a word that only begins sentences: "It", "The", "El".
fn opens_sentence(text: &str) -> bool {
    let word = text.split(|c: char| !c.is_alphanumeric() && c != '\'').next().unwrap_or_default();
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_uppercase)
        && letters.next().is_some_and(char::is_lowercase)
        && language::is_stop(&fold(word))
}

/// Whether the dot at `at` ends a sentence whose next one follows without a space: "It restarts.The client waits."
fn runs_on(text: &str, at: usize, next: usize) -> bool {
    // No further back than the letters reach: a text without white space has many dots.
    let before = text[..at].trim_end_matches(char::is_alphabetic);
    let word = &text[before.len()..at];
    let plain = (before.is_empty() || before.ends_with(char::is_whitespace))
        && word.chars().count() >= 3
        && !word.contains(char::is_uppercase);
    let follows = text[next..].find(|c: char| !c.is_alphabetic()).map_or(text.len(), |n| next + n);
    let then_space = text[follows..].starts_with(char::is_whitespace);
    plain && then_space && opens_sentence(&text[next..])
}

/// First bytes of the characters that may end a sentence, or that enclose one.
static MARKS: [bool; 256] = {
    let mut table = [false; 256];
    // The last three begin `«` and `»`, `“`, `”` and `…`, and `。`.
    let bytes = [b'.', b'!', b'?', b'"', b'(', b')', 0xc2, 0xe2, 0xe3];
    let mut at = 0;
    while at < bytes.len() {
        table[bytes[at] as usize] = true;
        at += 1;
    }
    table
};

/// Characters that may end or enclose a sentence, with their byte offsets; and others with the same first byte.
fn marks(text: &str) -> Vec<(usize, char)> {
    let mut found = Vec::with_capacity(text.len() / 64);
    for (number, block) in text.as_bytes().chunks(BLOCK).enumerate() {
        // Most blocks hold none: all their bytes are asked at once.
        if let Ok(block) = <&[u8; BLOCK]>::try_from(block)
            && !block.iter().fold(false, |any, byte| any | may_mark(*byte))
        {
            continue;
        }
        let places = block.iter().enumerate().filter(|(_, byte)| MARKS[usize::from(**byte)]);
        found.extend(places.filter_map(|(at, _)| {
            let at = number * BLOCK + at;
            Some((at, text.get(at..)?.chars().next()?))
        }));
    }
    found
}

/// Bytes that are tested at once.
const BLOCK: usize = 32;

/// Whether a byte may be one of [`MARKS`]; false positives only.
fn may_mark(byte: u8) -> bool {
    (byte | 1 == b')') | (byte == b'.') | (byte == b'!') | (byte == b'?') | (byte == b'"') | (byte >= 0xc2)
}

/// Outermost quotations and parentheses of at most [`HELD_MAX`] bytes, as ranges.
fn held(marks: &[(usize, char)], opaque: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Vec<(char, usize)> = Vec::new();
    let mut straight: Option<usize> = None;
    for &(at, c) in marks {
        if !matches!(c, '"' | '“' | '”' | '«' | '»' | '(' | ')') || inside(opaque, at) {
            continue;
        }
        let mut close = |from: usize| {
            if at - from <= HELD_MAX {
                found.push(from..at + c.len_utf8());
            }
        };
        match c {
            '"' => match straight.take() {
                Some(from) => close(from),
                None => straight = Some(at),
            },
            '“' | '«' | '(' => open.push((c, at)),
            _ => {
                let mate = match c {
                    '”' => '“',
                    '»' => '«',
                    _ => '(',
                };
                if let Some((_, from)) = open.pop_if(|(opening, _)| *opening == mate) {
                    close(from);
                }
            }
        }
    }
    found.sort_by_key(|range| range.start);
    let mut outer: Vec<Range<usize>> = Vec::new();
    for range in found {
        match outer.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => outer.push(range),
        }
    }
    outer
}

/// Whether one of the ordered ranges holds the offset between its ends.
fn strictly_inside(ranges: &[Range<usize>], at: usize) -> bool {
    let after = ranges.partition_point(|range| range.start < at);
    after > 0 && ranges[after - 1].end > at
}

/// Whether one of the ordered ranges holds the byte.
fn inside(ranges: &[Range<usize>], byte: usize) -> bool {
    let after = ranges.partition_point(|range| range.start <= byte);
    after > 0 && ranges[after - 1].end > byte
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<&str> = split(text, &[], &[]).into_iter().map(|range| text[range].trim()).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn sentences_end_at_terminators_before_white_space() {
        check(
            "It starts. It stops! Why? Nobody knows.",
            &["It starts.", "It stops!", "Why?", "Nobody knows."],
        );
    }

    #[test]
    fn abbreviations_decimals_versions_and_names_do_not_end_one() {
        check(
            "Use a tool, e.g. Redis, at 2.5 GB. See Fig. 3 in docs/a.md. Version 1.2.3 is new.",
            &["Use a tool, e.g. Redis, at 2.5 GB.", "See Fig. 3 in docs/a.md.", "Version 1.2.3 is new."],
        );
        check("Dr. J. K. Smith wrote it. It works.", &["Dr. J. K. Smith wrote it.", "It works."]);
        check(
            "It takes rows, columns, etc. The rest is lost.",
            &["It takes rows, columns, etc.", "The rest is lost."],
        );
    }

    #[test]
    fn leading_number_is_a_mark_and_no_sentence() {
        check("1. Take it. 2 more.", &["1. Take it.", "2 more."]);
    }

    #[test]
    fn quotations_and_parentheses_stay_whole() {
        check("He said \"Stop. Now.\" to me. Fine.", &["He said \"Stop. Now.\" to me.", "Fine."]);
        check("She wrote “It works.” Then she left.", &["She wrote “It works.”", "Then she left."]);
        check(
            "It runs (see below. It is short) twice. Yes.",
            &["It runs (see below. It is short) twice.", "Yes."],
        );
    }

    #[test]
    fn spanish_marks_begin_a_sentence() {
        check(
            "Para en 100. ¿Por qué? ¡Cuidado! Véase la pág. 4.",
            &["Para en 100.", "¿Por qué?", "¡Cuidado!", "Véase la pág. 4."],
        );
    }

    #[test]
    fn lower_case_prose_is_split_too() {
        check("it is old . i think so. it works", &["it is old .", "i think so.", "it works"]);
    }
}
