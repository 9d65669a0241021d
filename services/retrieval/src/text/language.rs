//! The language of a text, told by its stop words.

use unicode_segmentation::UnicodeSegmentation;

/// Languages that have a stemmer here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// English.
    English,
    /// Spanish.
    Spanish,
    /// Neither can be told; documents are then stemmed as English.
    Unknown,
}

impl Language {
    /// `en`, `es`, or empty.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Spanish => "es",
            Self::Unknown => "",
        }
    }

    /// The language with this tag; anything else is unknown.
    #[must_use]
    pub fn from_tag(tag: &str) -> Self {
        match tag {
            "en" => Self::English,
            "es" => Self::Spanish,
            _ => Self::Unknown,
        }
    }
}

/// Words that only one of the two languages has, folded and sorted.
const ENGLISH: &[&str] = &[
    "about", "after", "also", "an", "and", "any", "are", "as", "at", "be", "been", "both", "but", "by",
    "can", "did", "do", "does", "each", "for", "from", "has", "have", "how", "i", "if", "in", "into", "is",
    "it", "its", "may", "more", "must", "my", "not", "of", "on", "only", "or", "our", "over", "should", "so",
    "than", "that", "the", "their", "them", "then", "there", "these", "they", "this", "to", "was", "we",
    "were", "what", "when", "where", "which", "while", "who", "why", "will", "with", "would", "you", "your",
];

/// See [`ENGLISH`].
const SPANISH: &[&str] = &[
    "al", "como", "con", "cual", "cuando", "de", "del", "desde", "donde", "el", "ella", "en", "entre", "es",
    "esta", "estan", "estas", "este", "esto", "estos", "hay", "la", "las", "lo", "los", "mas", "mi", "muy",
    "nos", "para", "pero", "por", "porque", "puede", "pueden", "que", "quien", "se", "segun", "ser", "si",
    "sin", "sobre", "su", "sus", "tambien", "tiene", "todo", "tu", "un", "una", "uno", "unos", "y", "ya",
];

/// Words that carry nothing in either language and could belong to both.
const SHARED: &[&str] = &["a", "e", "he", "me", "no", "o", "son"];

/// Longest part of a text that is looked at, in words.
const SAMPLE_WORDS: usize = 400;

/// Language of a document's text: the one with clearly more stop words, at least two of them.
#[must_use]
pub fn detect(text: &str) -> Language {
    count(text, 2)
}

/// Language of a query, where one stop word must do.
pub(super) fn detect_query(text: &str) -> Language {
    count(text, 1)
}

/// Whether a folded word carries no meaning for a search.
pub(super) fn is_stop_word(folded: &str) -> bool {
    [ENGLISH, SPANISH].iter().any(|list| list.binary_search(&folded).is_ok()) || SHARED.contains(&folded)
}

fn count(text: &str, least: usize) -> Language {
    let (mut english, mut spanish) = (0_usize, 0_usize);
    for word in text.unicode_words().take(SAMPLE_WORDS) {
        let folded = super::word::fold(word);
        english += usize::from(ENGLISH.binary_search(&folded.as_str()).is_ok());
        spanish += usize::from(SPANISH.binary_search(&folded.as_str()).is_ok());
    }
    if text.contains(['¿', '¡', 'ñ', 'Ñ']) {
        spanish += 2;
    }
    if spanish > english && spanish >= least {
        Language::Spanish
    } else if english >= least && english > spanish {
        Language::English
    } else {
        Language::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_tell_the_language() {
        let cases = [
            ("How do I read a request parameter and return it?", Language::English),
            ("¿Cómo leo un parámetro de la petición y lo devuelvo?", Language::Spanish),
            ("Esta página explica las variables y su alcance en el programa.", Language::Spanish),
            ("addVar(x, y)", Language::Unknown),
            ("", Language::Unknown),
        ];
        for (text, expect) in cases {
            assert_eq!(detect(text), expect, "{text}");
        }
    }

    #[test]
    fn the_lists_are_sorted_and_disjoint() {
        for list in [ENGLISH, SPANISH] {
            assert!(list.windows(2).all(|pair| pair[0] < pair[1]));
        }
        assert!(ENGLISH.iter().all(|word| !SPANISH.contains(word)));
    }
}
