//! Tells English from Spanish by function words; anything else is unknown.

mod words;

pub use self::words::{ENGLISH, SPANISH};

use self::words::{COMMON, ENGLISH_ASKING, KEYWORDS, RATHER_SPANISH, SHARED, SPANISH_ASKING};
use crate::fold;
use crate::hash::{self, Map};
use std::sync::LazyLock;

/// A language with a stemmer, function words and rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    /// English.
    English,
    /// Spanish.
    Spanish,
}

impl Language {
    /// ISO 639-1 code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Spanish => "es",
        }
    }

    /// Whether a folded word is a function word of this language.
    #[must_use]
    pub fn is_stop(self, word: &str) -> bool {
        let words = match self {
            Self::English => ENGLISH,
            Self::Spanish => SPANISH,
        };
        words.binary_search(&word).is_ok()
    }

    /// The language of a tag such as `en` or `es-MX`.
    #[must_use]
    pub fn of_tag(tag: &str) -> Option<Self> {
        match tag.split(['-', '_']).next() {
            Some("en") => Some(Self::English),
            Some("es") => Some(Self::Spanish),
            _ => None,
        }
    }
}

/// Longest listed word, in bytes, accents included.
const LONGEST: usize = 12;

/// Whether a folded word is a function word of either language.
#[must_use]
pub fn is_stop(word: &str) -> bool {
    STOPS.counts.contains_key(&hash::hash(word))
}

/// Whether a folded word is a function word that says nothing in a search.
#[must_use]
pub fn is_common(word: &str) -> bool {
    COMMON.binary_search(&word).is_ok()
}

/// Function words of both languages.
struct Stops {
    /// Counts for English and for Spanish, by hash.
    counts: Map<(u32, u32)>,
    /// A Bloom filter over the hashes: most words of a text fail it.
    bits: [u64; 64],
}

impl Stops {
    /// Index of a hash's word in the filter, and its bit.
    fn bit(hash: u64) -> (usize, u64) {
        (usize::try_from(hash >> 6 & 63).unwrap_or_default(), 1 << (hash & 63))
    }

    fn may_hold(&self, hash: u64) -> bool {
        let (place, bit) = Self::bit(hash);
        self.bits[place & 63] & bit != 0
    }
}

static STOPS: LazyLock<Stops> = LazyLock::new(|| {
    let mut table: Map<(u32, u32)> = Map::default();
    for word in ENGLISH {
        table.entry(hash::hash(word)).or_default().0 = 1;
    }
    for word in SPANISH {
        table.entry(hash::hash(word)).or_default().1 = 1;
    }
    for word in SHARED {
        if let Some(counts) = table.get_mut(&hash::hash(word)) {
            *counts = (0, u32::from(RATHER_SPANISH.contains(word)));
        }
    }
    let mut bits = [0; 64];
    for hash in table.keys() {
        let (place, bit) = Stops::bit(*hash);
        bits[place] |= bit;
    }
    Stops { counts: table, bits }
});

/// Most words of a text that are counted.
const WORDS: usize = 400;
/// Words between two tests whether counting may stop.
const ROUND: usize = 64;
/// When counting stops: at least this many words of one language, and this many times those of the other.
const CLEAR: (u32, u32) = (16, 8);

/// Whether the counts decide, so that counting may stop.
fn is_clear(english: u32, spanish: u32) -> bool {
    english.max(spanish) >= CLEAR.0.max(CLEAR.1 * english.min(spanish))
}

/// The byte that an ASCII letter, digit or apostrophe folds to; 0 for other ASCII, 255 beyond.
static FOLDED: [u8; 256] = folded();

const fn folded() -> [u8; 256] {
    let mut table = [255; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        let inside = byte.is_ascii_alphanumeric() || byte == b'\'';
        table[byte as usize] = if inside { byte.to_ascii_lowercase() } else { 0 };
        byte += 1;
    }
    table
}

/// Counts the English and the Spanish function words among the first [`WORDS`] words.
fn counted(text: &str) -> (u32, u32) {
    let bytes = text.as_bytes();
    // Whether a word goes on at a byte that is no ASCII, and how long its character is.
    let beyond = |at: usize| {
        let c = text.get(at..).and_then(|rest| rest.chars().next());
        c.map_or((false, 1), |c| (c.is_alphanumeric(), c.len_utf8()))
    };
    let stops = &*STOPS;
    let (mut english, mut spanish, mut seen, mut at) = (0, 0, 0, 0);
    while let Some(byte) = bytes.get(at) {
        match FOLDED[usize::from(*byte)] {
            0 => {
                at += 1;
                continue;
            }
            255 => {
                if let (false, length) = beyond(at) {
                    at += length;
                    continue;
                }
            }
            _ => {}
        }
        let (start, mut plain) = (at, true);
        while let Some(byte) = bytes.get(at) {
            match FOLDED[usize::from(*byte)] {
                0 => break,
                255 => match beyond(at) {
                    (true, length) => (plain, at) = (false, at + length),
                    (false, _) => break,
                },
                _ => at += 1,
            }
        }
        seen += 1;
        // Longer words are in neither list.
        if at - start <= LONGEST {
            let hash = if plain {
                let mut hash = hash::Fnv::default();
                bytes[start..at].iter().for_each(|byte| hash.push(FOLDED[usize::from(*byte)]));
                hash.finish()
            } else {
                hash::hash(&fold(&text[start..at]))
            };
            if stops.may_hold(hash)
                && let Some((in_english, in_spanish)) = stops.counts.get(&hash)
            {
                english += in_english;
                spanish += in_spanish;
            }
        }
        if seen == WORDS || seen % ROUND == 0 && is_clear(english, spanish) {
            break;
        }
    }
    (english, spanish)
}

/// Detects the language by function words: at least two of one language, and three times those of the other.
#[must_use]
pub fn detect(text: &str) -> Option<Language> {
    let (english, mut spanish) = counted(text);
    if !text.is_ascii() && text.contains(['¿', '¡']) {
        spanish += 2;
    }
    if english >= 2 && english >= spanish * 3 {
        Some(Language::English)
    } else if spanish >= 2 && spanish >= english * 3 {
        Some(Language::Spanish)
    } else {
        None
    }
}

/// Detects the language of a question: by its words, as [`detect_short`], else by an accent.
#[must_use]
pub fn detect_question(text: &str) -> Option<Language> {
    // An accent may belong to a name, so it tells only where no word does.
    let accented = || text.to_lowercase().contains(['á', 'é', 'í', 'ñ', 'ó', 'ú']);
    detect_short(text).or_else(|| accented().then_some(Language::Spanish))
}

/// Detects the language of a short text, where one word must do: the one with more function words and words of asking.
///
/// A keyword of programming languages counts half for English, and text in back-ticks not at all.
#[must_use]
pub fn detect_short(text: &str) -> Option<Language> {
    let (mut english, mut spanish) = (0, 0);
    for word in text.split('`').step_by(2).flat_map(|prose| prose.split(|c: char| !c.is_alphanumeric())) {
        let word = fold(word);
        let listed = |list: &[&str]| u32::from(list.binary_search(&&*word).is_ok());
        let (in_english, in_spanish) = STOPS.counts.get(&hash::hash(&word)).copied().unwrap_or_default();
        english += 2 * (in_english + listed(ENGLISH_ASKING)) - listed(KEYWORDS);
        spanish += 2 * (in_spanish + listed(SPANISH_ASKING));
    }
    if text.contains(['¿', '¡']) {
        spanish += 4;
    }
    match (english, spanish) {
        (0, 0) => None,
        _ if spanish > english => Some(Language::Spanish),
        _ => Some(Language::English),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_sorted_for_look_up() {
        for list in [ENGLISH, SPANISH, ENGLISH_ASKING, SPANISH_ASKING, KEYWORDS, COMMON] {
            assert!(list.is_sorted());
        }
        assert!(COMMON.iter().all(|word| is_stop(word)));
        assert!(KEYWORDS.iter().all(|word| ENGLISH.contains(word) && !SHARED.contains(word)));
        assert!(ENGLISH.iter().chain(SPANISH).all(|word| word.len() < LONGEST));
    }

    #[test]
    fn function_words_tell_the_language() {
        assert_eq!(detect("The importer skips the rows that are empty."), Some(Language::English));
        assert_eq!(detect("El importador omite las filas que están vacías."), Some(Language::Spanish));
        assert_eq!(detect("addVar(x, 1)"), None);
        assert_eq!(detect("Prometheus Grafana"), None);
    }

    #[test]
    fn tags_name_languages_with_and_without_a_region() {
        assert_eq!(Language::of_tag("en-GB"), Some(Language::English));
        assert_eq!(Language::of_tag("es"), Some(Language::Spanish));
        for tag in ["", "eo", "elixir", "esperanto", "avap"] {
            assert_eq!(Language::of_tag(tag), None, "{tag}");
        }
    }
}
