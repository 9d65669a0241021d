//! What a question asks for: its kind, and its terms with everything that may stand for them.

use std::collections::BTreeSet;

use super::terms::{Word, is_common_verb, is_stop, is_weak, stem, stems_of, synonyms, translate, words};
use assay_text::{Language, fold};

/// What sort of sentence answers the question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// "How do I …": instructions, steps, an example.
    HowTo,
    /// "What is X": a sentence that says what X is.
    Definition,
    /// "A or B", "difference between": sentences on both.
    Difference,
    /// "Why": a reason.
    Why,
    /// "How many, how long, which version": a figure.
    Figure,
    /// "Which …s, what are the …": an enumeration.
    Enumeration,
    /// "Who": a name.
    Who,
    /// "Can I, does it, is it".
    YesNo,
    /// Anything else.
    Other,
}

/// A content word of the question.
#[derive(Debug, Clone)]
pub(crate) struct Term {
    /// The word, folded.
    pub(crate) word: String,
    /// Stems that match it in English text, with what a match is worth (1 = the word itself).
    english: Vec<(String, f64)>,
    /// The same for Spanish text.
    spanish: Vec<(String, f64)>,
    /// How much it matters before rarity is known: 1; less for weak words, more for names of programs.
    pub(crate) importance: f64,
    /// Written as a name: capitalised inside the sentence, or an identifier.
    pub(crate) named: bool,
}

impl Term {
    fn new(word: &Word, language: Language, first: bool) -> Self {
        let mut english: Vec<(String, f64)> = Vec::new();
        let mut spanish: Vec<(String, f64)> = Vec::new();
        // The whole word counts fully, a part of an identifier in part.
        for (language, alternatives) in [(Language::English, &mut english), (Language::Spanish, &mut spanish)]
        {
            let whole = [stem(&word.text, language), fold(&word.text).into_owned()];
            for part in stems_of(word, language) {
                let worth = if whole.contains(&part) { 1.0 } else { 0.45 };
                alternatives.push((part, worth));
            }
        }
        if language == Language::Spanish {
            for counterpart in translate(&word.text) {
                english.push((stem(counterpart, Language::English), 0.95));
                english.extend(
                    synonyms(counterpart, Language::English)
                        .into_iter()
                        .map(|s| (stem(s, Language::English), 0.4)),
                );
            }
            spanish.extend(synonyms(&word.text, language).into_iter().map(|s| (stem(s, language), 0.5)));
        } else {
            english.extend(synonyms(&word.text, language).into_iter().map(|s| (stem(s, language), 0.5)));
        }
        let named = word.is_identifier() || (!first && word.is_capitalised());
        let importance = match (is_weak(&word.text), word.is_identifier()) {
            (true, _) => 0.3,
            (false, true) => 1.4,
            // A name is often the subject of the whole collection; one that the evidence does not know is a veto anyway.
            (false, false) if named || is_common_verb(&word.text) => 0.7,
            (false, false) => 1.0,
        };
        Self { word: fold(&word.text).into_owned(), english, spanish, importance, named }
    }

    /// How well a set of stems of that language matches this term: 1 the word itself, 0 not at all.
    pub(crate) fn match_in(&self, stems: &BTreeSet<String>, language: Language) -> f64 {
        self.match_with(language, |stem| stems.contains(stem))
    }

    /// The same for the stems of one word.
    pub(crate) fn match_word(&self, stems: &[String], language: Language) -> f64 {
        self.match_with(language, |stem| stems.iter().any(|own| own == stem))
    }

    fn match_with(&self, language: Language, holds: impl Fn(&str) -> bool) -> f64 {
        let alternatives = match language {
            Language::English => &self.english,
            Language::Spanish => &self.spanish,
        };
        alternatives.iter().filter(|(stem, _)| holds(stem)).map(|&(_, worth)| worth).fold(0.0, f64::max)
    }
}

/// A question, understood as far as word patterns go.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    /// Language of the question.
    pub(crate) language: Language,
    /// What sort of sentence answers it.
    pub(crate) kind: Kind,
    /// Content words, in order, each once.
    pub(crate) terms: Vec<Term>,
}

impl Question {
    /// Reads a question. Total; a text without content words has no terms.
    pub(crate) fn of(text: &str) -> Self {
        let language = language(text);
        let mut terms: Vec<Term> = Vec::new();
        let all = words(text);
        for (index, word) in all.iter().enumerate() {
            let named = (word.is_identifier() && word.text.len() > 2) || is_keyword(&all, index);
            if is_stop(&word.text, language) && !named {
                continue;
            }
            let term = Term::new(word, language, index == 0);
            if terms.iter().all(|earlier| earlier.word != term.word && !same(earlier, &term)) {
                terms.push(term);
            }
        }
        let folded = fold(text);
        let asked = kind(&folded);
        // "Why A rather than B" asks for a reason, not for a comparison.
        let compares = asked != Kind::Why && sides(&folded, &terms).is_some();
        let kind = if compares { Kind::Difference } else { asked };
        Self { language, kind, terms }
    }
}

/// Whether two terms are forms of one word.
fn same(a: &Term, b: &Term) -> bool {
    stem(&a.word, Language::English) == stem(&b.word, Language::English)
}

/// Whether a stop word is meant as a word of a programming language: "an if", "else branch".
fn is_keyword(words: &[Word], at: usize) -> bool {
    const KEYWORDS: &[&str] = &["if", "else", "for", "while", "do", "try", "in", "not", "and", "or"];
    const BEFORE: &[&str] = &["a", "an", "un", "el", "have", "has", "or", "tiene", "existe"];
    const AFTER: &[&str] = &[
        "condition",
        "block",
        "statement",
        "branch",
        "loop",
        "clause",
        "keyword",
        "operator",
        "look",
        "bloque",
        "command",
    ];
    let is = |place: Option<usize>, list: &[&str]| {
        place.and_then(|place| words.get(place)).is_some_and(|word| list.contains(&&*fold(&word.text)))
    };
    is(Some(at), KEYWORDS) && (is(at.checked_sub(1), BEFORE) || is(Some(at + 1), AFTER))
}

/// The language to answer a text in: English where nothing tells.
pub(crate) fn language(text: &str) -> Language {
    assay_text::detect_question(text).unwrap_or(Language::English)
}

/// The kind of a folded question.
pub(crate) fn kind(folded: &str) -> Kind {
    let text = folded.trim_start_matches(|c: char| !c.is_alphanumeric());
    let begins = |cues: &[&str]| cues.iter().any(|cue| text.starts_with(cue));
    let has = |cues: &[&str]| cues.iter().any(|cue| format!(" {text} ").contains(cue));
    if begins(&[
        "how many",
        "how much",
        "how long",
        "how often",
        "how big",
        "how large",
        "cuant",
        "cada cuanto",
    ]) || has(&[
        " which port",
        " what port",
        " que puerto",
        " what version",
        " default value",
        " by default",
        " por defecto",
        " how many ",
        " how long ",
    ]) {
        Kind::Figure
    } else if begins(&["who ", "quien", "de quien", "by whom"]) {
        Kind::Who
    } else if begins(&["why ", "por que ", "what is the reason", "what are the reasons", "para que sirve"])
        && !begins(&["para que"])
    {
        Kind::Why
    } else if begins(&[
        "how ",
        "como ",
        "what is the best way",
        "what steps",
        "steps to",
        "show me",
        "write ",
    ]) || has(&[
        " how do ",
        " how can ",
        " how to ",
        " how should ",
        " como se ",
        " como puedo ",
        " como hago ",
    ]) {
        Kind::HowTo
    } else if (begins(&["what ", "que "])
        && has(&[" does ", " do ", " are there", " exist", " tiene ", " hay "])
        && !begins(&["what does", "what do ", "que hace", "que tiene"]))
        || begins(&[
            "what are the ",
            "which ",
            "what kinds",
            "what types",
            "list ",
            "cuales ",
            "que tipos",
            "what options",
            "what languages",
            "what metrics",
            "name the ",
            "que opciones",
            "que lenguajes",
            "que metricas",
            "what four",
        ])
    {
        Kind::Enumeration
    } else if begins(&[
        "what is",
        "what are",
        "what's",
        "whats ",
        "define ",
        "que es",
        "que son",
        "what does",
        "que hace",
        "que significa",
        "para que",
        "explain what",
        "definition of",
    ]) {
        Kind::Definition
    } else if begins(&[
        "can ",
        "does ",
        "do ",
        "is ",
        "are ",
        "should ",
        "must ",
        "may ",
        "will ",
        "has ",
        "puedo ",
        "puede ",
        "se puede",
        "es posible",
        "debo ",
        "tiene ",
        "hay ",
        "es ",
    ]) {
        Kind::YesNo
    } else {
        Kind::Other
    }
}

/// The terms on either side of a comparison, if the question is one.
fn sides(folded: &str, terms: &[Term]) -> Option<(Vec<usize>, Vec<usize>)> {
    let text = folded.trim_end_matches(['?', '.', '!', ' ']);
    let (left, right) = [
        ("between ", " and "),
        ("entre ", " y "),
        ("", " versus "),
        ("", " vs. "),
        ("", " vs "),
        ("", " compare to "),
        ("", " compare with "),
        ("", " compare against "),
        ("compare ", " with "),
        ("compare ", " to "),
        ("compare ", " and "),
        ("", " differ from "),
        ("", " different from "),
        ("", " instead of "),
        ("", " rather than "),
        ("", " en lugar de "),
        ("", " en vez de "),
        ("", " compared to "),
    ]
    .iter()
    .find_map(|(before, between)| {
        let (_, rest) = text.split_once(before)?;
        rest.split_once(between)
    })
    .or_else(|| {
        let cues = [
            "difference",
            "differ",
            "should i use",
            "when to use",
            "when should",
            "better",
            "diferencia",
            "cuando usar",
            "debo usar",
        ];
        let (a, b) = text.split_once(" or ").or_else(|| text.split_once(" o "))?;
        cues.iter().any(|cue| text.contains(cue)).then_some((a, b))
    })?;
    let comparing = [
        "between", "entre", "vs", "versus", "compare", "differ", " or ", " o ", "instead", "rather", "lugar",
        "en vez",
    ];
    if !comparing.iter().any(|cue| text.contains(cue)) {
        return None;
    }
    let of = |side: &str| -> Vec<usize> {
        let stems: BTreeSet<String> = words(side).iter().map(|word| fold(&word.text).into_owned()).collect();
        (0..terms.len()).filter(|&i| stems.contains(&terms[i].word) && terms[i].importance > 0.5).collect()
    };
    let (left, right) = (of(left), of(right));
    let only_left: Vec<usize> = left.iter().copied().filter(|i| !right.contains(i)).collect();
    let only_right: Vec<usize> = right.iter().copied().filter(|i| !left.contains(i)).collect();
    (!only_left.is_empty() && !only_right.is_empty()).then_some((only_left, only_right))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn kinds_in_both_languages() {
        for (text, kind) in [
            ("How do I reload the configuration?", Kind::HowTo),
            ("¿Cómo declaro un bucle?", Kind::HowTo),
            ("What is a gauge?", Kind::Definition),
            ("¿Qué es una métrica?", Kind::Definition),
            ("Why does Prometheus pull?", Kind::Why),
            ("How many labels are too many?", Kind::Figure),
            ("Which languages have client libraries?", Kind::Enumeration),
            ("Who wrote Prometheus?", Kind::Who),
            ("Can I send alerts?", Kind::YesNo),
            ("histograms vs summaries", Kind::Difference),
            ("What is the difference between a counter and a gauge?", Kind::Difference),
            ("¿Qué diferencia hay entre un contador y un medidor?", Kind::Difference),
        ] {
            assert_eq!(Question::of(text).kind, kind, "{text}");
        }
    }

    #[test]
    fn scaffolding_is_no_term() {
        let words: Vec<String> = Question::of("What is the difference between a counter and a gauge?")
            .terms
            .into_iter()
            .map(|t| t.word)
            .collect();
        assert_eq!(words, ["counter", "gauge"]);
    }

    #[test]
    fn a_spanish_term_meets_english_text() {
        let question = Question::of("¿Cómo protejo con contraseña el servidor?");
        let english = crate::terms::stem_set("Set a password for the server.", Language::English);
        let matched =
            question.terms.iter().filter(|term| term.match_in(&english, Language::English) > 0.9).count();
        assert_eq!(matched, 2);
    }

    #[test]
    fn the_sides_of_a_comparison_are_its_own_terms() {
        let text = "histograms vs summaries";
        let question = Question::of(text);
        let (left, right) = sides(text, &question.terms).unwrap();
        assert_eq!(
            (question.terms[left[0]].word.as_str(), question.terms[right[0]].word.as_str()),
            ("histograms", "summaries")
        );
    }
}
