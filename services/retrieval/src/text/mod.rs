//! The one text analysis: every backend indexes and searches the tokens that are made here, so that all match the
//! same terms.
//!
//! A text becomes words (Unicode word boundaries), lower case, accents folded, stemmed in the language of the
//! text. A word that is an identifier (`snake_case`, `camelCase`, `dotted.path`) is kept whole, unstemmed, and
//! followed by its stemmed parts. Symbols of inline code are terms of their own. Tokens hold no white space, so a
//! backend stores them joined by spaces.

mod identifier;
mod symbol;
mod word;

pub use assay_text::Language;
pub use identifier::{identifiers, names};

use assay_text::{Stemmer, detect_question, is_common};
use std::collections::{BTreeMap, BTreeSet};

/// Name and version of the analysis; an index made by another one is analysed again when it is next written.
pub const ANALYSIS: &str = "assay-words/3";

/// Tokens of one passage, ready made: each field is a list of tokens joined by single spaces.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Terms {
    /// Stemmed words of title, headings and text.
    pub content: String,
    /// Stemmed words of the title.
    pub title: String,
    /// Stemmed words of the headings.
    pub headings: String,
    /// Identifiers of the text, folded and unstemmed, and the symbols of its inline code.
    pub identifiers: String,
    /// Every name of the text exactly as written, for look-ups.
    pub names: String,
}

impl Terms {
    /// Token of a field without any. Elasticsearch takes the mean length of a field over the passages that have it,
    /// tantivy over all: with one token in each both are the same.
    const EMPTY: &str = "\u{2205}";

    /// The tokens of a field as a backend indexes them.
    pub(crate) fn of(&self, field: Field) -> &str {
        let tokens = match field {
            Field::Content => &self.content,
            Field::Title => &self.title,
            Field::Headings => &self.headings,
            Field::Identifiers => &self.identifiers,
        };
        if tokens.is_empty() { Self::EMPTY } else { tokens }
    }
}

/// A field that is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// Words of title, headings and text.
    Content,
    /// Words of the title.
    Title,
    /// Words of the headings.
    Headings,
    /// Identifiers and symbols.
    Identifiers,
}

/// Weight of each field beside the content's 1; chosen on development data.
const TITLE_BOOST: f32 = 0.2;
const HEADINGS_BOOST: f32 = 0.3;
const IDENTIFIERS_BOOST: f32 = 0.3;
/// Weight of a symbol: as much as a word of the content. No other was tried (`tools/train/questions/README.md`).
const SYMBOLS_BOOST: f32 = 1.0;
/// Most different words of a query; a backend bounds the clauses that it takes, Elasticsearch at 1,024.
const MOST_WORDS: usize = 200;

/// A query as the lexical leg sees it: weighted terms for the stemmed fields and for the identifier field.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct QueryTerms {
    /// Stems with the number of times the query holds them.
    pub stems: BTreeMap<String, u32>,
    /// Folded, unstemmed words without stop words.
    pub identifiers: BTreeMap<String, u32>,
    /// Symbols, with a folded word or without.
    pub symbols: BTreeSet<String>,
}

impl QueryTerms {
    /// Whether there is nothing to search for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.stems.is_empty() && self.identifiers.is_empty() && self.symbols.is_empty()
    }

    /// What is searched: field, token and weight; every clause adds to the score of a passage that holds it.
    pub fn clauses(&self) -> impl Iterator<Item = (Field, &str, f32)> {
        let stems = self.stems.iter().flat_map(|(stem, count)| {
            #[allow(clippy::cast_precision_loss, reason = "a count of words in a query")]
            let times = *count as f32;
            let fields =
                [(Field::Content, 1.0), (Field::Title, TITLE_BOOST), (Field::Headings, HEADINGS_BOOST)];
            fields.map(|(field, boost)| (field, stem.as_str(), times * boost))
        });
        let words =
            self.identifiers.keys().map(|word| (Field::Identifiers, word.as_str(), IDENTIFIERS_BOOST));
        let symbols = self.symbols.iter().map(|symbol| (Field::Identifiers, symbol.as_str(), SYMBOLS_BOOST));
        stems.chain(words).chain(symbols)
    }
}

/// Stemmed tokens of a text in text order.
#[must_use]
pub fn tokens(text: &str, language: Language) -> Vec<String> {
    let mut out = Vec::new();
    let stemmer = Stemmer::new(language);
    word::for_each(text, |word| word::expand(word, &stemmer, &mut out));
    out
}

/// Tokens of all fields of a passage. `unseen` are names of its author that the page does not show: they are searched as
/// its content is.
#[must_use]
pub fn terms(title: &str, headings: &[String], text: &str, unseen: &str, language: Language) -> Terms {
    let title_terms = tokens(title, language).join(" ");
    let heading_terms = tokens(&headings.join("\n"), language).join(" ");
    let mut content = tokens(text, language);
    if !heading_terms.is_empty() {
        content.push(heading_terms.clone());
    }
    if !title_terms.is_empty() && !headings.iter().any(|heading| heading == title) {
        content.push(title_terms.clone());
    }
    if !unseen.trim().is_empty() {
        let mut seen = BTreeSet::new();
        let names = tokens(unseen, language).into_iter().filter(|token| seen.insert(token.clone()));
        content.extend(names);
    }
    let mut identifiers = identifiers(text);
    identifiers.extend(symbol::of_passage(&format!("{}\n{text}", headings.join("\n"))));
    Terms {
        content: content.join(" "),
        title: title_terms,
        headings: heading_terms,
        identifiers: identifiers.join(" "),
        names: names(text).join(" "),
    }
}

/// Terms of a query. Stop words are dropped unless nothing else is there; a query whose language cannot be told
/// is stemmed as English and as Spanish.
#[must_use]
pub fn query_terms(query: &str) -> QueryTerms {
    let languages = detect_question(query)
        .map_or_else(|| vec![Language::English, Language::Spanish], |known| vec![known]);
    let stemmers: Vec<Stemmer> = languages.into_iter().map(Stemmer::new).collect();
    let mut words = Vec::new();
    word::for_each(query, |word| words.push(word.to_owned()));
    let content: Vec<&String> = words.iter().filter(|word| !is_common(&word::fold(word))).collect();
    let kept = if content.is_empty() { words.iter().collect() } else { content };
    let symbols = symbol::of_query(query).into_iter().take(MOST_WORDS).collect();
    let mut out = QueryTerms { symbols, ..QueryTerms::default() };
    for word in kept {
        if out.identifiers.len() >= MOST_WORDS || out.stems.len() >= MOST_WORDS {
            break;
        }
        *out.identifiers.entry(word::fold(word)).or_default() += 1;
        let mut forms: Vec<String> = Vec::new();
        for stemmer in &stemmers {
            let mut expanded = Vec::new();
            word::expand(word, stemmer, &mut expanded);
            for form in expanded {
                if !forms.contains(&form) {
                    forms.push(form);
                }
            }
        }
        for form in forms {
            *out.stems.entry(form).or_default() += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn check(text: &str, language: Language, expect: &[&str]) {
        assert_eq!(tokens(text, language), expect, "{text}");
    }

    #[test]
    fn words_are_folded_and_stemmed_in_their_language() {
        check("Running the Tests", Language::English, &["run", "the", "test"]);
        check("café naïve", Language::English, &["cafe", "naiv"]);
        check("1,200 rows", Language::English, &["1200", "row"]);
    }

    #[test]
    fn spanish_forms_meet_with_and_without_accents() {
        let stems = |text| tokens(text, Language::Spanish);
        assert_eq!(stems("validación"), stems("validaciones"));
        assert_eq!(stems("validacion"), stems("validación"));
        assert_eq!(stems("función"), stems("FUNCION"));
        assert_eq!(stems("extensión"), stems("extension"));
    }

    #[test]
    fn identifiers_keep_the_original_and_add_their_parts() {
        check("addVar", Language::English, &["addvar", "add", "var"]);
        check("read_request_body", Language::English, &["read_request_body", "read", "request", "bodi"]);
        check("HTTPServer", Language::English, &["httpserver", "http", "server"]);
        check("PrP sha256", Language::English, &["prp", "sha256"]);
    }

    #[test]
    fn a_query_without_a_known_language_is_stemmed_both_ways() {
        let terms = query_terms("variables");
        assert!(terms.stems.contains_key("variabl"), "{terms:?}");
        let only_stop_words = query_terms("what is this");
        assert!(!only_stop_words.is_empty());
        assert!(!query_terms("how do I read the parameter").stems.contains_key("the"));
    }

    #[test]
    fn tokens_never_hold_white_space_or_upper_case() {
        for text in ["a\u{a0}b\u{3000}C", "ÀÉÎ\tÕÜ", "x\u{2028}Y", "日本語 テスト", "İstanbul"] {
            for token in tokens(text, Language::English) {
                assert!(!token.chars().any(char::is_whitespace), "{token:?}");
                assert_eq!(token, token.to_lowercase());
            }
        }
    }
}
