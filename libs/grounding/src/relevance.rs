//! Whether sources can answer a question: coverage of its words by the best passages, and whether what it asks for
//! (a person, a date, a number) stands beside them.

use crate::features::Features;
use crate::index::{Analysed, SourceIndex};
use crate::language;
use crate::model;
use crate::select::{self, Scope};
use crate::tokens::TokenKind;

/// Names of the measures, in order.
pub const NAMES: &[&str] = &[
    "covered_all",
    "covered_passage",
    "covered_sentence",
    "covered_window",
    "covered_by_two",
    "rarest_uncovered",
    "bigram_recall",
    "names_uncovered",
    "asked_kind_found",
    "log_words",
    "log_question",
    "covered_start",
];

/// What a question asks for, by its words.
fn wants(question: &Analysed) -> Option<fn(&Analysed, &Analysed) -> bool> {
    let has = |word: &str| question.tokens.iter().any(|token| token.norm == word);
    let first_two =
        |a: &str, b: &str| question.tokens.windows(2).any(|two| two[0].norm == a && two[1].norm == b);
    if has("when")
        || has("cuando")
        || first_two("what", "year")
        || first_two("how", "many")
        || first_two("how", "much")
        || first_two("how", "old")
        || first_two("how", "long")
        || has("cuantos")
        || has("cuantas")
    {
        return Some(new_figure);
    }
    if has("who") || has("where") || has("quien") || has("donde") || has("whose") {
        return Some(new_name);
    }
    None
}

/// Whether a sentence holds a figure that the question does not.
fn new_figure(sentence: &Analysed, question: &Analysed) -> bool {
    sentence.quantities.iter().any(|figure| !question.quantities.iter().any(|other| other.equals(figure)))
}

/// Whether a sentence holds a proper name that the question does not.
fn new_name(sentence: &Analysed, question: &Analysed) -> bool {
    sentence.tokens.iter().enumerate().any(|(at, token)| {
        at > 0
            && token.capital
            && token.kind == TokenKind::Word
            && token.content()
            && !question.holds(token.stem)
    })
}

/// Measures of a question against the sources, in the order of [`NAMES`]; `None` for an empty question or no sources.
#[must_use]
#[allow(clippy::cast_precision_loss)]
pub fn measures(question: &str, index: &SourceIndex) -> Option<Features> {
    let asked = index.analyse(question, language::detect(question));
    if asked.tokens.is_empty() || index.is_empty() {
        return None;
    }
    let scope = Scope::all(index);
    let mass = asked.mass.max(1e-9);
    let covered = |held: &dyn Fn(u64) -> bool| -> f64 {
        asked
            .tokens
            .iter()
            .zip(&asked.weights)
            .filter(|(token, _)| held(token.stem))
            .map(|(_, weight)| weight)
            .sum::<f64>()
            / mass
    };
    let all = covered(&|stem| scope.has(index, stem));
    let within = |source: usize| covered(&|stem| !index.places_in(source, stem).is_empty());
    let passage = (0..index.len()).map(within).fold(0.0, f64::max);
    let selected = select::select(&asked, index, &scope);
    let sentence = selected
        .ranked
        .iter()
        .map(|place| covered(&|stem| index.sentences[*place].words.holds(stem)))
        .fold(0.0, f64::max);
    let run = &index.sentences[selected.window.clone()];
    let window = covered(&|stem| run.iter().any(|s| s.words.holds(stem)));
    let rarest = asked
        .tokens
        .iter()
        .zip(&asked.weights)
        .filter(|(token, _)| !scope.has(index, token.stem))
        .map(|(_, weight)| *weight)
        .fold(0.0, f64::max);
    let bigrams: Vec<u64> = asked.bigrams().collect();
    let held = bigrams.iter().filter(|hash| index.passages.iter().any(|p| p.bigrams.contains(hash))).count();
    let names: Vec<u64> = asked.tokens.iter().filter(|t| t.capital && t.content()).map(|t| t.stem).collect();
    let open_names = names.iter().filter(|stem| !scope.has(index, **stem)).count();
    let kind = match wants(&asked) {
        None => 0.5,
        Some(found) => {
            let near = run.iter().any(|s| found(&s.words, &asked))
                || selected.ranked.iter().any(|place| found(&index.sentences[*place].words, &asked));
            f64::from(u8::from(near))
        }
    };
    let start = index
        .passages
        .iter()
        .filter_map(|p| index.sentences.get(p.sentences.clone())?.first())
        .map(|first| covered(&|stem| first.words.holds(stem)))
        .fold(0.0, f64::max);
    let words: usize = index.sentences.iter().map(|s| s.words.tokens.len()).sum();
    Some(vec![
        all,
        passage,
        sentence,
        window,
        selected.covered[0],
        rarest / crate::idf::RAREST,
        if bigrams.is_empty() { 0.0 } else { held as f64 / bigrams.len() as f64 },
        if names.is_empty() { 0.0 } else { open_names as f64 / names.len() as f64 },
        kind,
        (1.0 + words as f64).ln(),
        (1.0 + asked.tokens.len() as f64).ln(),
        start,
    ])
}

/// Calibrated probability that the sources can answer; `None` without a question, 0 without sources.
#[must_use]
pub fn probability(question: &str, index: &SourceIndex) -> Option<f64> {
    if question.trim().is_empty() {
        return None;
    }
    let Some(measures) = measures(question, index) else { return Some(0.0) };
    model::relevance().map(|model| model.relevance.probability(NAMES, &measures))
}
