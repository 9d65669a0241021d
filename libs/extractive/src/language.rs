//! English or Spanish: which of the two a text is in, by its function words; and the folding of letters.

/// A language that the composer speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    /// English; also the answer for text that shows neither language.
    English,
    /// Spanish.
    Spanish,
}

const ENGLISH: &[&str] = &[
    "the", "a", "an", "of", "to", "in", "is", "are", "and", "how", "what", "do", "does", "i", "my", "it",
    "that", "with", "for", "can", "when", "why", "which", "where", "who", "on", "this", "be", "by", "you",
    "should", "if", "from", "between", "hello", "hi", "thanks", "please", "show", "me", "write",
];

const SPANISH: &[&str] = &[
    "el", "la", "los", "las", "un", "una", "de", "del", "que", "qué", "como", "cómo", "en", "es", "son", "y",
    "para", "por", "con", "se", "mi", "cuál", "cual", "cuándo", "cuando", "dónde", "donde", "quién", "al",
    "lo", "su", "hola", "gracias", "puedo", "hago", "hacer", "hay", "entre", "sin", "cuántos", "cuantos",
    "esto", "eso", "más", "tu", "este", "esta", "ese", "esa", "haz", "hazlo", "dame", "explica", "resume",
    "buenos", "buenas", "tal",
];

impl Language {
    /// The language with more function words in `text`; letters and marks that only Spanish has count for three.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let (mut english, mut spanish) = (0usize, 0usize);
        for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            let word = word.to_lowercase();
            english += usize::from(ENGLISH.contains(&word.as_str()));
            spanish += usize::from(SPANISH.contains(&word.as_str()));
        }
        if text.chars().any(|c| matches!(c, '¿' | '¡' | 'ñ' | 'Ñ' | 'á' | 'é' | 'í' | 'ó' | 'ú')) {
            spanish += 3;
        }
        if spanish > english { Self::Spanish } else { Self::English }
    }

    /// The language declared for a source (`en`, `es`, …), or found in its text.
    #[must_use]
    pub fn of_source(declared: &str, text: &str) -> Self {
        match declared.get(..2) {
            Some("es") if !declared.starts_with("esp") || declared == "es" => Self::Spanish,
            Some("en") => Self::English,
            _ => Self::of(text),
        }
    }

    /// Two-letter code.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Spanish => "es",
        }
    }
}

/// Lower case without accents; `ñ` becomes `n`.
pub(crate) fn fold(text: &str) -> String {
    text.chars()
        .flat_map(char::to_lowercase)
        .map(|c| match c {
            'á' | 'à' | 'ä' | 'â' | 'ã' => 'a',
            'é' | 'è' | 'ë' | 'ê' => 'e',
            'í' | 'ì' | 'ï' | 'î' => 'i',
            'ó' | 'ò' | 'ö' | 'ô' | 'õ' => 'o',
            'ú' | 'ù' | 'ü' | 'û' => 'u',
            'ñ' => 'n',
            'ç' => 'c',
            other => other,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_told_apart() {
        assert_eq!(Language::of("How do I declare a loop?"), Language::English);
        assert_eq!(Language::of("¿Cómo declaro un bucle?"), Language::Spanish);
        assert_eq!(Language::of("como declaro un bucle en AVAP"), Language::Spanish);
        assert_eq!(Language::of("histogram_quantile"), Language::English);
    }

    #[test]
    fn a_declared_language_wins() {
        assert_eq!(Language::of_source("es", "the loop is the loop"), Language::Spanish);
        assert_eq!(Language::of_source("en-GB", "el bucle es el bucle"), Language::English);
    }

    #[test]
    fn folding_keeps_length_in_characters() {
        assert_eq!(fold("Añadió"), "anadio");
    }
}
