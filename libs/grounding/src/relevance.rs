//! Whether sources can answer a question: how much of its words the best passage holds, in its text and in one sentence.

use crate::features::Features;
use crate::index::{Analysed, Passage, SourceIndex};
use crate::language;
use crate::model;
use std::ops::Range;

/// Names of the measures, in order. They are taken of the passage that covers most of the question.
pub const NAMES: &[&str] = &[
    // Share of the question's weight that the text of the passage holds, without its title.
    "covered",
    // Share of what the title leaves open that one sentence holds.
    "covered_by_one",
    // Share that a sentence holds on the average.
    "covered_by_each",
    // Weight that the passage holds nowhere.
    "uncovered",
    "log_words",
];

/// Measures of a question against the sources, in the order of [`NAMES`]; `None` for an empty question or no sources.
#[must_use]
pub fn measures(question: &str, index: &SourceIndex) -> Option<Features> {
    measures_of(question, index, |_| true)
}

fn measures_of(question: &str, index: &SourceIndex, counts: impl Fn(usize) -> bool) -> Option<Features> {
    let asked = index.analyse(question, language::detect(question));
    if asked.tokens.is_empty() {
        return None;
    }
    let counted = index.passages.iter().enumerate().filter(|(source, _)| counts(*source));
    let of_passages = counted.map(|(_, passage)| of(&asked, index, passage));
    of_passages.max_by(|one, two| one[0].total_cmp(&two[0]))
}

/// Measures of one passage.
#[allow(clippy::cast_precision_loss)]
fn of(asked: &Analysed, index: &SourceIndex, passage: &Passage) -> Features {
    let sentences = index.sentences.get(passage.sentences.clone()).unwrap_or_default();
    let title =
        sentences.first().filter(|first| sentences.len() > 1 && is_title(&passage.text, &first.range));
    let text = passage.sentences.start + usize::from(title.is_some())..passage.sentences.end;
    let (mut covered, mut uncovered, mut open, mut each) = (0.0, 0.0, 0.0, 0.0);
    let mut by_one = vec![0.0; text.len()];
    for (token, weight) in asked.tokens.iter().zip(&asked.weights).filter(|(_, weight)| **weight > 0.0) {
        let places = index.places_between(token.stem, &text);
        let in_title = title.is_some_and(|title| title.words.holds(token.stem));
        if !places.is_empty() {
            covered += weight;
        } else if !in_title {
            uncovered += weight;
        }
        each += weight * places.len() as f64;
        if in_title {
            continue;
        }
        open += weight;
        for place in places {
            if let Some(sum) = by_one.get_mut(*place as usize - text.start) {
                *sum += weight;
            }
        }
    }
    let mass = asked.mass.max(1e-9);
    let best = by_one.into_iter().fold(0.0, f64::max);
    let words: usize = sentences.iter().map(|s| s.words.tokens.len()).sum();
    vec![
        covered / mass,
        if open > 0.0 { best / open } else { 1.0 },
        each / mass / text.len().max(1) as f64,
        uncovered,
        (1.0 + words as f64).ln(),
    ]
}

/// Whether the first sentence of a text stands in a line of its own and ends with no full stop or colon.
fn is_title(text: &str, sentence: &Range<usize>) -> bool {
    let said = text.get(sentence.clone()).unwrap_or_default();
    let behind = text.get(sentence.end..).unwrap_or_default();
    !said.ends_with(['.', ':', ';']) && behind.trim_start_matches([' ', '\t', '\r']).starts_with('\n')
}

/// Calibrated probability that the sources that count, numbered from 0, can answer; `None` without a question, 0 without
/// sources.
#[must_use]
pub fn probability(question: &str, index: &SourceIndex, counts: impl Fn(usize) -> bool) -> Option<f64> {
    if question.trim().is_empty() {
        return None;
    }
    let Some(measures) = measures_of(question, index, counts) else { return Some(0.0) };
    model::relevance().map(|model| model.relevance.probability(NAMES, &measures))
}
