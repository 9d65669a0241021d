//! Words, stems, stop words, synonyms and the small Spanish–English glossary: how a question meets a sentence.

use std::collections::BTreeSet;

use rust_stemmers::{Algorithm, Stemmer};

use super::language::{Language, fold};

/// Words without content, English; folded.
const STOP_ENGLISH: &str = include_str!("data/stop.en.txt");
/// Words without content, Spanish; folded.
const STOP_SPANISH: &str = include_str!("data/stop.es.txt");
/// Words that rarely carry what is asked; they count little.
const WEAK: &str = include_str!("data/weak.txt");
/// Verbs that many questions share; they count less than what they are about.
const VERBS: &str = include_str!("data/verbs.txt");
/// Groups of words that may stand for one another in a question about software, one group a line.
const SYNONYMS_ENGLISH: &str = include_str!("data/synonyms.en.txt");
/// The same in Spanish.
const SYNONYMS_SPANISH: &str = include_str!("data/synonyms.es.txt");
/// Common Spanish words of technical questions with English counterparts, `forms = counterparts`; the forms of one
/// line are those that do not share a stem.
const GLOSSARY: &str = include_str!("data/glossary.es-en.txt");
/// Irregular English verb forms, `form = base`.
const IRREGULAR: &str = include_str!("data/irregular.en.txt");

/// Lines `left = right` of a data file.
fn pairs(data: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    data.lines().filter_map(|line| line.split_once(" = "))
}

/// A word of a text with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    /// The word as written.
    pub(crate) text: String,
    /// Byte range in the text.
    pub(crate) range: std::ops::Range<usize>,
}

impl Word {
    /// Whether it looks like a name of a program: an underscore, an inner capital, or letters with digits.
    pub(crate) fn is_identifier(&self) -> bool {
        let inner_capital =
            self.text.chars().skip(1).any(char::is_uppercase) && self.text.chars().any(char::is_lowercase);
        let mixed =
            self.text.chars().any(|c| c.is_ascii_digit()) && self.text.chars().any(char::is_alphabetic);
        let file = self.text.contains('.') && self.text.chars().any(char::is_alphabetic);
        self.text.contains('_') || file || inner_capital || mixed
    }

    /// Whether it begins with a capital letter.
    pub(crate) fn is_capitalised(&self) -> bool {
        self.text.chars().next().is_some_and(char::is_uppercase)
    }
}

/// Words of a text: runs of letters, digits and inner underscores; a full stop between letters or digits belongs to
/// the word (`web.yml`, `3.0`). Underscores at the ends are emphasis or decoration and go.
pub(crate) fn words(text: &str) -> Vec<Word> {
    let mut out = Vec::new();
    let mut start = None;
    let mut rest = text.char_indices().peekable();
    let mut push = |range: std::ops::Range<usize>| {
        let slice = &text[range.clone()];
        let bare = slice.trim_matches('_');
        if !bare.is_empty() {
            let from = range.start + (slice.len() - slice.trim_start_matches('_').len());
            out.push(Word { text: bare.to_owned(), range: from..from + bare.len() });
        }
    };
    while let Some((at, c)) = rest.next() {
        let next = rest.peek().map(|&(_, next)| next);
        let inner_stop = c == '.' && start.is_some() && next.is_some_and(char::is_alphanumeric);
        if c.is_alphanumeric() || c == '_' || inner_stop {
            start.get_or_insert(at);
        } else if let Some(from) = start.take() {
            push(from..at);
        }
    }
    if let Some(from) = start {
        push(from..text.len());
    }
    out
}

/// Parts of an identifier: `scrape_configs` and `scrapeConfigs` both give `scrape`, `configs`.
fn parts(word: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut part = String::new();
    let mut previous_lower = false;
    for c in word.chars() {
        if c == '_' || c == '.' || (c.is_uppercase() && previous_lower) {
            if !part.is_empty() {
                out.push(std::mem::take(&mut part));
            }
            previous_lower = false;
        }
        if c != '_' && c != '.' {
            part.push(c);
            previous_lower = c.is_lowercase() || c.is_ascii_digit();
        }
    }
    if !part.is_empty() {
        out.push(part);
    }
    out
}

/// Stem of one word, folded. Numbers and words of up to three letters are their own stem.
pub(crate) fn stem(word: &str, language: Language) -> String {
    let mut lower = word.to_lowercase();
    if language == Language::English
        && let Some((_, base)) = pairs(IRREGULAR).find(|(form, _)| *form == lower)
    {
        lower = base.to_owned();
    }
    if lower.chars().count() <= 3 || lower.chars().any(|c| c.is_ascii_digit()) {
        let folded = fold(&lower);
        return match folded.strip_suffix('s') {
            Some(singular) if folded.len() == 4 => singular.to_owned(),
            _ => folded,
        };
    }
    let algorithm = match language {
        Language::English => Algorithm::English,
        Language::Spanish => Algorithm::Spanish,
    };
    fold(&Stemmer::create(algorithm).stem(&lower))
}

/// Stems of a word: its own and those of its parts.
pub(crate) fn stems_of(word: &Word, language: Language) -> Vec<String> {
    let mut out = vec![stem(&word.text, language)];
    if word.is_identifier() {
        out.push(fold(&word.text));
        out.extend(parts(&word.text).iter().map(|part| stem(part, language)));
    }
    out.sort();
    out.dedup();
    out
}

/// All stems of a text.
pub(crate) fn stem_set(text: &str, language: Language) -> BTreeSet<String> {
    words(text).iter().flat_map(|word| stems_of(word, language)).collect()
}

/// All stems of a text that are not stop words.
pub(crate) fn content_stems(text: &str, language: Language) -> BTreeSet<String> {
    words(text)
        .iter()
        .filter(|word| !is_stop(&word.text, language))
        .flat_map(|word| stems_of(word, language))
        .collect()
}

/// Whether a word carries no content in this language. English function words are stop words in Spanish text too.
pub(crate) fn is_stop(word: &str, language: Language) -> bool {
    let folded = fold(word);
    listed(
        match language {
            Language::English => STOP_ENGLISH,
            Language::Spanish => STOP_SPANISH,
        },
        &folded,
    )
}

/// Whether a word counts little.
pub(crate) fn is_weak(word: &str) -> bool {
    listed(WEAK, &fold(word))
}

/// Whether a word is a verb that many questions share.
pub(crate) fn is_common_verb(word: &str) -> bool {
    listed(VERBS, &fold(word))
}

fn listed(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|entry| entry == word)
}

/// English words for a Spanish one; empty when the glossary does not have it.
pub(crate) fn translate(word: &str) -> Vec<&'static str> {
    let wanted = stem(word, Language::Spanish);
    pairs(GLOSSARY)
        .filter(|(spanish, _)| {
            spanish.split(' ').any(|form| stem(form, Language::Spanish) == wanted || fold(form) == fold(word))
        })
        .flat_map(|(_, english)| english.split_whitespace())
        .collect()
}

/// Words that may stand for `word`, without the word itself.
pub(crate) fn synonyms(word: &str, language: Language) -> Vec<&'static str> {
    let wanted = stem(word, language);
    let groups = match language {
        Language::English => SYNONYMS_ENGLISH,
        Language::Spanish => SYNONYMS_SPANISH,
    };
    let mut out: Vec<&'static str> = groups
        .lines()
        .filter(|group| group.split_whitespace().any(|entry| stem(entry, language) == wanted))
        .flat_map(|group| group.split_whitespace())
        .filter(|entry| stem(entry, language) != wanted)
        .collect();
    out.sort_unstable();
    out.dedup();
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_match_by_name_and_by_part() {
        let set = stem_set("Set `scrape_configs` or scrapeInterval.", Language::English);
        for wanted in ["scrape_configs", "scrape", "config", "interv", "scrapeinterval"] {
            assert!(
                set.contains(&stem(wanted, Language::English)) || set.contains(wanted),
                "{wanted} in {set:?}"
            );
        }
    }

    #[test]
    fn plural_and_singular_share_a_stem() {
        assert_eq!(stem("histograms", Language::English), stem("histogram", Language::English));
        assert_eq!(stem("bucles", Language::Spanish), stem("bucle", Language::Spanish));
    }

    #[test]
    fn the_glossary_is_found_by_plural_too() {
        assert!(translate("etiquetas").contains(&"label"));
        assert!(translate("contraseñas").contains(&"password"));
    }

    #[test]
    fn synonyms_do_not_contain_the_word_itself() {
        let found = synonyms("configure", Language::English);
        assert!(found.contains(&"setting") && !found.contains(&"configure"), "{found:?}");
    }
}
