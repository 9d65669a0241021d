//! How well each unit of the sources answers the question: idf-weighted coverage of the question's terms, the headings
//! above it, its form against the form the question asks for, and its place.

use std::collections::BTreeSet;

use super::form::{dangles, form, is_pointer};
use super::passage::{Passages, Shape, Unit};
use super::question::{Kind, Question};
use super::terms::{content_stems, stem_set, stems_of, words};
use assay_text::{Language, fold};

/// What is known of one unit.
#[derive(Debug, Clone)]
pub(crate) struct Scored {
    /// What the rules of thumb say all in all; about 0 to 1.6. One measure among others.
    pub(crate) score: f64,
    /// Matches of each term in the unit's own words, 0 to 1.
    pub(crate) own: Vec<f64>,
    /// Matches of each term, headings counted in part.
    pub(crate) seen: Vec<f64>,
    /// Agreement of the nearest heading with the question, 0 to 1.
    pub(crate) heading: f64,
    /// Whether the nearest heading is a question much like the one that is asked.
    pub(crate) asked: bool,
    /// Agreement of its form with the question's kind.
    pub(crate) form: f64,
    /// Share of its content words that the question asks about, doubled, at most 1.
    pub(crate) focus: f64,
    /// Content stems of the unit.
    pub(crate) stems: BTreeSet<String>,
    /// Whether it cannot stand without the sentence before it.
    pub(crate) dangling: bool,
    /// Weighted share of the question in the document's title.
    pub(crate) title: f64,
    /// Share of neighbouring terms that stand near one another.
    pub(crate) pairs: f64,
}

/// All units, scored, with the weights of the terms.
#[derive(Debug, Clone)]
pub(crate) struct Ranking {
    /// One for each unit, in the units' order.
    pub(crate) scored: Vec<Scored>,
    /// Weight of each term; they sum to 1 unless there are none.
    pub(crate) weights: Vec<f64>,
}

impl Ranking {
    /// Weighted share of the question that a vector of matches covers.
    pub(crate) fn coverage(&self, matches: &[f64]) -> f64 {
        self.weights.iter().zip(matches).map(|(weight, matched)| weight * matched).sum()
    }

    /// Scores every unit.
    pub(crate) fn of(question: &Question, passages: &Passages) -> Self {
        let sections: Vec<Context> =
            (0..passages.sections.len()).map(|index| Context::of(index, question, passages)).collect();
        let bodies: Vec<(BTreeSet<String>, Vec<f64>)> = passages
            .units
            .iter()
            .map(|unit| {
                let language = passages.languages[unit.source];
                let stems = stem_set(&unit.text, language);
                let own = question.terms.iter().map(|term| term.match_in(&stems, language)).collect();
                (stems, own)
            })
            .collect();
        let weights = weights(question, passages, &bodies, &sections);
        let mut ranking = Self { scored: Vec::with_capacity(bodies.len()), weights };
        for (index, (unit, (_, own))) in passages.units.iter().zip(bodies).enumerate() {
            let context = &sections[unit.section];
            let scored = ranking.score(index, unit, own, context, question, passages);
            ranking.scored.push(scored);
        }
        ranking
    }

    #[allow(clippy::too_many_arguments)]
    fn score(
        &self,
        index: usize,
        unit: &Unit,
        own: Vec<f64>,
        context: &Context,
        question: &Question,
        passages: &Passages,
    ) -> Scored {
        let language = passages.languages[unit.source];
        let lower = fold(&unit.text);
        let seen: Vec<f64> =
            own.iter().zip(&context.matches).map(|(own, above)| own.max(above * 0.6)).collect();
        let heading = context.agreement(self, question);
        let near = 1.0 / (1.0 + 0.35 * unit.in_section as f64);
        let count = words(&unit.text).len();
        let content = content_stems(&unit.text, language);
        let focus = focus(question, &own, &content, language);
        let form = form(question, unit, &lower, index, passages, heading);
        let dangling = dangles(&lower) && !(heading > 0.6 && unit.in_section == 0);
        let pairs = pairs(question, &own, &unit.text, language);
        let mut score = 0.5 * self.coverage(&seen) + 0.3 * self.coverage(&own);
        score += 0.12 * pairs;
        let touched = own.iter().any(|own| *own >= 0.5)
            || context.asks
            || matches!(question.kind, Kind::YesNo | Kind::Why | Kind::Who);
        let focused = if matches!(question.kind, Kind::Difference | Kind::Definition) { 0.32 } else { 0.2 };
        score += if touched { 0.4 } else { 0.24 } * heading * near + focused * focus;
        score += 0.2 * self.coverage(&context.title);
        if context.asks && heading > 0.7 {
            // The page asks this very question; what follows is its answer.
            score += 0.3 * near;
        }
        if matches!(question.kind, Kind::Figure | Kind::Definition | Kind::YesNo)
            && question.terms.iter().zip(&seen).any(|(term, seen)| term.named && *seen < 0.3)
        {
            score -= 0.12;
        }
        score += form;
        score += 0.1 / (1.0 + unit.source as f64);
        score += if unit.in_section == 0 { 0.04 } else { 0.0 };
        if is_pointer(unit) {
            score -= 0.8;
        }
        if lower.ends_with('?') {
            score -= 0.6;
        }
        if unit.text.starts_with('(') {
            score -= 0.15;
        }
        if dangling {
            score -= 0.06;
        }
        if question.kind == Kind::Definition && count < 8 {
            score -= 0.08;
        }
        if count < 4 && !matches!(unit.shape, Shape::Item { .. } | Shape::Row { .. }) && heading < 0.6 {
            score -= 0.2;
        }
        if count > 30 {
            score -= (0.004 * (count - 30) as f64).min(0.14);
        }
        Scored {
            score,
            own,
            seen,
            heading,
            asked: context.asks && heading >= 0.6,
            form,
            focus,
            stems: content,
            dangling,
            title: self.coverage(&context.title),
            pairs,
        }
    }
}

/// Share of the unit's content words that the question asks about.
fn focus(question: &Question, own: &[f64], content: &BTreeSet<String>, language: Language) -> f64 {
    if content.is_empty() {
        return 0.0;
    }
    let hits = content
        .iter()
        .filter(|stem| {
            let alone = std::slice::from_ref(*stem);
            question
                .terms
                .iter()
                .zip(own)
                .any(|(term, own)| *own >= 0.5 && term.match_word(alone, language) >= 0.5)
        })
        .count();
    (2.0 * hits as f64 / content.len() as f64).min(1.0)
}

/// What stands above a section, matched with the question.
struct Context {
    /// Match of each term in any heading above.
    matches: Vec<f64>,
    /// Match of each term in the title of the document.
    title: Vec<f64>,
    /// Match of each term in the nearest heading alone.
    nearest: Vec<f64>,
    /// Content words of the nearest heading.
    nearest_size: usize,
    /// Whether the nearest heading is a question.
    asks: bool,
}

impl Context {
    fn of(index: usize, question: &Question, passages: &Passages) -> Self {
        let section = &passages.sections[index];
        let language = passages
            .units
            .iter()
            .find(|unit| unit.section == index)
            .map_or(Language::English, |unit| passages.languages[unit.source]);
        let above = stem_set(&section.headings.join(" \n "), language);
        let nearest = stem_set(section.nearest(), language);
        let of = |stems: &BTreeSet<String>| {
            question.terms.iter().map(|term| term.match_in(stems, language)).collect()
        };
        Self {
            title: of(&stem_set(section.headings.first().map_or("", String::as_str), language)),
            matches: of(&above),
            nearest: of(&nearest),
            asks: section.nearest().trim_end().ends_with('?'),
            nearest_size: content_stems(section.nearest(), language).len(),
        }
    }

    /// Harmonic mean of how much of the question the heading covers and how much of the heading the question covers.
    fn agreement(&self, ranking: &Ranking, question: &Question) -> f64 {
        let recall = ranking.coverage(&self.nearest);
        if recall <= 0.0 || self.nearest_size == 0 {
            return 0.0;
        }
        let matched = self.nearest.iter().zip(&question.terms).filter(|(m, _)| **m >= 0.4).count();
        let precision = (matched as f64 / self.nearest_size as f64).min(1.0);
        2.0 * recall * precision / (recall + precision)
    }
}

/// Weight of each term: its importance times its rarity among the units, scaled to sum 1. A term that occurs nowhere
/// is as rare as can be, so that evidence which misses it covers little.
fn weights(
    question: &Question,
    passages: &Passages,
    bodies: &[(BTreeSet<String>, Vec<f64>)],
    sections: &[Context],
) -> Vec<f64> {
    let count = bodies.len() as f64;
    let raw: Vec<f64> = question
        .terms
        .iter()
        .enumerate()
        .map(|(t, term)| {
            let holding = bodies
                .iter()
                .zip(&passages.units)
                .filter(|((_, own), unit)| own[t] >= 0.9 || sections[unit.section].nearest[t] >= 0.9)
                .count() as f64;
            // The search has already favoured what is rare in the collection, so that rarity among its hits tilts
            // only; a name that most hits hold is their common subject. A term that no hit holds is what they fail
            // to answer.
            let spread: BTreeSet<usize> = bodies
                .iter()
                .zip(&passages.units)
                .filter(|((_, own), unit)| own[t] >= 0.9 || sections[unit.section].matches[t] >= 0.9)
                .map(|(_, unit)| unit.source)
                .collect();
            let sources = passages.languages.len() as f64;
            let among_units = ((count + 1.0) / (holding + 0.5)).ln();
            let among_sources = ((sources + 1.0) / (spread.len() as f64 + 0.5)).ln();
            let rarity = match term.importance {
                weak if weak < 0.5 => 0.7,
                verb if verb < 1.0 && holding == 0.0 => 1.4,
                _ if holding == 0.0 => 2.0,
                _ => (0.5 + 0.25 * among_units + 0.25 * among_sources).clamp(0.5, 1.8),
            };
            term.importance * rarity
        })
        .collect();
    let sum: f64 = raw.iter().sum();
    if sum > 0.0 { raw.into_iter().map(|weight| weight / sum).collect() } else { raw }
}

/// Share of neighbouring terms of the question that also stand near one another in the unit.
fn pairs(question: &Question, own: &[f64], text: &str, language: Language) -> f64 {
    if question.terms.len() < 2 {
        return 0.0;
    }
    let places: Vec<Vec<usize>> = {
        let words: Vec<Vec<String>> = words(text).iter().map(|word| stems_of(word, language)).collect();
        question
            .terms
            .iter()
            .map(|term| (0..words.len()).filter(|&i| term.match_word(&words[i], language) >= 0.9).collect())
            .collect()
    };
    let near = (1..question.terms.len())
        .filter(|&t| {
            own[t - 1] > 0.0
                && own[t] > 0.0
                && places[t - 1].iter().any(|&a| places[t].iter().any(|&b| a.abs_diff(b) <= 2))
        })
        .count();
    near as f64 / (question.terms.len() - 1) as f64
}
