//! A search query from a question without a model: stop words out, synonyms and translations in.

use super::question::Question;
use super::terms::{is_weak, synonyms, translate};
use assay_text::Language;

/// The question as keywords: its content words in order, then broader words for them. Never empty for a question
/// that is not empty.
pub(crate) fn reformulate(text: &str) -> String {
    let question = Question::of(text);
    let mut out: Vec<String> = question.terms.iter().map(|term| term.word.clone()).collect();
    for term in question.terms.iter().filter(|term| !is_weak(&term.word)) {
        let translated = if question.language == Language::Spanish { translate(&term.word) } else { &[] };
        out.extend(translated.iter().map(|word| (*word).to_owned()));
        out.extend(synonyms(&term.word, question.language).into_iter().take(3).map(str::to_owned));
    }
    let mut seen = std::collections::BTreeSet::new();
    out.retain(|word| seen.insert(word.clone()));
    if out.is_empty() { text.trim().to_owned() } else { out.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stop_words_go_and_synonyms_come() {
        let query = reformulate("How do I delete a label?");
        assert!(query.starts_with("delete label") && query.contains("remove"), "{query}");
    }

    #[test]
    fn spanish_gets_english_words() {
        let query = reformulate("¿Cómo cambio la contraseña?");
        assert!(query.contains("contrasena") && query.contains("password"), "{query}");
    }

    #[test]
    fn a_question_of_stop_words_stays_itself() {
        assert_eq!(reformulate("what is it?"), "what is it?");
    }
}
