//! Words, stems, stop words, synonyms and the small Spanish–English glossary: how a question meets a sentence.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

use assay_text::{Language, Stemmer, fold};

/// The word lists of `data/`, read once.
struct Lexicon {
    /// Words without content beside the function words, English and Spanish; folded.
    stop: [HashSet<&'static str>; 2],
    /// Function words that say what is asked, such as "many" and "never". With these left out, too, open.jsonl of
    /// `tools/train/questions` has two right answers less and five wrong ones more.
    kept: HashSet<&'static str>,
    /// Words that rarely carry what is asked; they count little.
    weak: HashSet<&'static str>,
    /// Verbs that many questions share; they count less than what they are about.
    verbs: HashSet<&'static str>,
    /// Irregular English verb forms and their base.
    irregular: HashMap<&'static str, &'static str>,
    /// Words that may stand for one another, by stem; English and Spanish.
    synonyms: [HashMap<String, BTreeSet<&'static str>>; 2],
    /// English counterparts of Spanish words, by Spanish stem and by folded form.
    glossary: HashMap<String, Vec<&'static str>>,
}

static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    let set = |data: &'static str| data.split_whitespace().collect();
    let pairs = |data: &'static str| data.lines().filter_map(|line| line.split_once(" = "));
    let synonyms = |data: &'static str, language: Language| {
        let mut map: HashMap<String, BTreeSet<&'static str>> = HashMap::new();
        for group in data.lines() {
            for word in group.split_whitespace() {
                map.entry(regular_stem(word, language)).or_default().extend(group.split_whitespace());
            }
        }
        map
    };
    let mut glossary: HashMap<String, Vec<&'static str>> = HashMap::new();
    for (forms, counterparts) in pairs(include_str!("data/glossary.es-en.txt")) {
        let keys: BTreeSet<String> = forms
            .split(' ')
            .flat_map(|form| [regular_stem(form, Language::Spanish), fold(form).into_owned()])
            .collect();
        for key in keys {
            glossary.entry(key).or_default().extend(counterparts.split_whitespace());
        }
    }
    Lexicon {
        stop: [set(include_str!("data/stop.en.txt")), set(include_str!("data/stop.es.txt"))],
        kept: set(include_str!("data/kept.txt")),
        weak: set(include_str!("data/weak.txt")),
        verbs: set(include_str!("data/verbs.txt")),
        irregular: pairs(include_str!("data/irregular.en.txt")).collect(),
        synonyms: [
            synonyms(include_str!("data/synonyms.en.txt"), Language::English),
            synonyms(include_str!("data/synonyms.es.txt"), Language::Spanish),
        ],
        glossary,
    }
});

const fn place(language: Language) -> usize {
    match language {
        Language::English => 0,
        Language::Spanish => 1,
    }
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
    let lower = word.to_lowercase();
    match (language, LEXICON.irregular.get(lower.as_str())) {
        (Language::English, Some(base)) => regular_stem(base, language),
        _ => regular_stem(&lower, language),
    }
}

fn regular_stem(word: &str, language: Language) -> String {
    let lower = word.to_lowercase();
    if lower.chars().count() <= 3 || lower.chars().any(|c| c.is_ascii_digit()) {
        let folded = fold(&lower);
        return match folded.strip_suffix('s') {
            Some(singular) if folded.len() == 4 => singular.to_owned(),
            _ => folded.into_owned(),
        };
    }
    fold(&Stemmer::new(language).snowball(&lower)).into_owned()
}

/// Stems of a word: its own and those of its parts.
pub(crate) fn stems_of(word: &Word, language: Language) -> Vec<String> {
    let mut out = vec![stem(&word.text, language)];
    if word.is_identifier() {
        out.push(fold(&word.text).into_owned());
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

/// Whether a word carries no content in this language.
pub(crate) fn is_stop(word: &str, language: Language) -> bool {
    let word = fold(word);
    LEXICON.stop[place(language)].contains(&*word)
        || language.is_stop(&word) && !LEXICON.kept.contains(&*word)
}

/// Whether a word counts little.
pub(crate) fn is_weak(word: &str) -> bool {
    LEXICON.weak.contains(&*fold(word))
}

/// Whether a word is a verb that many questions share.
pub(crate) fn is_common_verb(word: &str) -> bool {
    LEXICON.verbs.contains(&*fold(word))
}

/// English words for a Spanish one; empty when the glossary does not have it.
pub(crate) fn translate(word: &str) -> &'static [&'static str] {
    let found =
        LEXICON.glossary.get(&stem(word, Language::Spanish)).or_else(|| LEXICON.glossary.get(&*fold(word)));
    found.map_or(&[], Vec::as_slice)
}

/// Words that may stand for `word`, without the word itself, in alphabetical order.
pub(crate) fn synonyms(word: &str, language: Language) -> Vec<&'static str> {
    let wanted = stem(word, language);
    let group = LEXICON.synonyms[place(language)].get(&wanted);
    group.into_iter().flatten().copied().filter(|entry| stem(entry, language) != wanted).collect()
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
    fn lists_say_only_how_function_words_differ() {
        let known =
            |word: &str| [Language::English, Language::Spanish].map(|language| language.is_stop(word));
        for (at, stop) in LEXICON.stop.iter().enumerate() {
            assert!(stop.iter().all(|word| !known(word)[at]), "a function word stands twice");
        }
        assert!(LEXICON.kept.iter().all(|word| known(word).contains(&true)), "no function word is kept");
        for (word, stops) in [("the", true), ("difference", true), ("many", false), ("pool", false)] {
            assert_eq!(is_stop(word, Language::English), stops, "{word}");
        }
        assert!(is_stop("Cuál", Language::Spanish) && !is_stop("nunca", Language::Spanish));
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
