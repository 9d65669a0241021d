//! Searches of several indices for the same questions, ranked: which embedding finds the reference lines.

use std::collections::BTreeSet;

use assay_statistics::bootstrap_mean;
use serde::{Deserialize, Serialize};

use crate::compare::{Difference, difference};
use crate::figure::ROUNDS;
use crate::recorded::Place;

/// Hits that count.
pub const DEPTH: usize = 10;

/// What an index found for every question with reference lines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Searched {
    /// Version of this format.
    pub format: u32,
    /// SHA-256 of the golden set.
    pub golden_sha256: String,
    /// What the ranking calls it: the collection, or the collection and its model where two have the same name.
    pub name: String,
    /// Manifest of the index.
    pub index: String,
    /// Embedding model and digest.
    pub embedding: String,
    /// The leg that was searched: `knn_only`.
    pub mode: String,
    /// Questions in the order of the golden set.
    pub questions: Vec<Found>,
}

impl Searched {
    /// The format that this version writes and reads.
    pub const FORMAT: u32 = 1;
}

/// What was found for a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Found {
    /// Its id.
    pub id: String,
    /// Lines that its reference rests on.
    pub reference: Vec<Place>,
    /// Hits, best first, at most [`DEPTH`].
    pub hits: Vec<Place>,
}

/// A mean over questions with its interval at 95 % (bootstrap).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Mean {
    /// The mean.
    pub value: f64,
    /// The interval.
    pub interval: Option<(f64, f64)>,
}

/// An index in the ranking.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ranked {
    /// Its name.
    pub name: String,
    /// Manifest of the index.
    pub index: String,
    /// Embedding model and digest.
    pub embedding: String,
    /// Questions.
    pub questions: usize,
    /// nDCG@10 (Järvelin and Kekäläinen 2002); each place of the reference gains once, at its first hit.
    pub ndcg: Mean,
    /// Places of the reference among the hits, over its places.
    pub recall: Mean,
    /// One over the rank of the first hit that meets the reference; 0 without one (MRR@10).
    pub reciprocal_rank: Mean,
    /// nDCG@10 of the best index less its own, paired by question; none for the best.
    pub to_best: Option<Difference>,
}

/// Ranks indices by nDCG@10.
///
/// # Errors
/// In a sentence: searches that cannot be compared.
pub fn rank(searched: &[Searched]) -> Result<Vec<Ranked>, String> {
    let Some(first) = searched.first() else { return Err("there is no search to rank".into()) };
    let ids = |one: &Searched| one.questions.iter().map(|found| found.id.clone()).collect::<Vec<_>>();
    for one in searched {
        if one.mode != "knn_only" {
            return Err(format!(
                "{} was searched in {}; embeddings are compared in knn_only",
                one.name, one.mode
            ));
        }
        if one.golden_sha256 != first.golden_sha256 || ids(one) != ids(first) {
            return Err(format!("{} and {} were asked different questions", first.name, one.name));
        }
        if one.questions.is_empty() {
            return Err("no question names reference lines".into());
        }
    }
    let scored = |one: &Searched| one.questions.iter().map(ndcg).collect::<Vec<f64>>();
    let mut ranked: Vec<(Vec<f64>, &Searched)> = searched.iter().map(|one| (scored(one), one)).collect();
    let sum = |values: &[f64]| values.iter().sum::<f64>();
    ranked.sort_by(|a, b| sum(&b.0).total_cmp(&sum(&a.0)).then_with(|| a.1.name.cmp(&b.1.name)));
    let best = ranked.first().map(|(scores, _)| scores.clone()).unwrap_or_default();
    let of = |(place, (scores, one)): (usize, &(Vec<f64>, &Searched))| Ranked {
        name: one.name.clone(),
        index: one.index.clone(),
        embedding: one.embedding.clone(),
        questions: one.questions.len(),
        ndcg: mean(scores),
        recall: mean(&one.questions.iter().map(recall).collect::<Vec<_>>()),
        reciprocal_rank: mean(&one.questions.iter().map(reciprocal_rank).collect::<Vec<_>>()),
        to_best: (place > 0)
            .then(|| {
                let pairs: Vec<(f64, f64)> = scores.iter().copied().zip(best.iter().copied()).collect();
                difference(&pairs, 0)
            })
            .flatten(),
    };
    Ok(ranked.iter().enumerate().map(of).collect())
}

fn mean(values: &[f64]) -> Mean {
    Mean {
        value: values.iter().sum::<f64>() / values.len().max(1) as f64,
        interval: bootstrap_mean(values, ROUNDS, 0),
    }
}

/// Places of the reference that each hit is the first to meet.
fn gains(found: &Found) -> Vec<usize> {
    let mut open: BTreeSet<usize> = (0..found.reference.len()).collect();
    let hits = found.hits.iter().take(DEPTH);
    hits.map(|hit| {
        let met: Vec<usize> =
            open.iter().copied().filter(|place| hit.meets(&found.reference[*place])).collect();
        open.retain(|place| !met.contains(place));
        met.len()
    })
    .collect()
}

/// Gain by rank beside the best order, in which places that one hit holds together need one rank.
fn ndcg(found: &Found) -> f64 {
    let discount = |rank: usize| 1.0 / (rank as f64 + 2.0).log2();
    let gains = gains(found);
    let gained: f64 = (0..gains.len()).filter(|rank| gains[*rank] > 0).map(discount).sum();
    let together: usize = gains.iter().map(|met| met.saturating_sub(1)).sum();
    let best: f64 = (0..(found.reference.len() - together).min(DEPTH)).map(discount).sum();
    if best > 0.0 { gained / best } else { 0.0 }
}

fn recall(found: &Found) -> f64 {
    gains(found).into_iter().sum::<usize>() as f64 / found.reference.len().max(1) as f64
}

fn reciprocal_rank(found: &Found) -> f64 {
    let first = gains(found).into_iter().position(|met| met > 0);
    first.map_or(0.0, |rank| 1.0 / (rank as f64 + 1.0))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn place(path: &str, first: u32, last: u32) -> Place {
        Place { path: path.into(), lines: (first, last) }
    }

    fn found(reference: &[Place], hits: &[Place]) -> Found {
        Found { id: "q".into(), reference: reference.to_vec(), hits: hits.to_vec() }
    }

    #[test]
    fn a_place_gains_once_and_places_of_one_hit_need_one_rank() {
        let (a, b, other) = (place("a.md", 3, 5), place("a.md", 9, 9), place("b.md", 1, 9));
        let both = place("docs/a.md", 1, 20);
        for (reference, hits, expected) in [
            (vec![a.clone()], vec![a.clone()], [1.0, 1.0, 1.0]),
            (vec![a.clone()], vec![other.clone(), a.clone()], [0.6309, 1.0, 0.5]),
            (vec![a.clone()], vec![a.clone(), a.clone()], [1.0, 1.0, 1.0]),
            (vec![a.clone(), b.clone()], vec![both.clone()], [1.0, 1.0, 1.0]),
            (vec![a.clone(), b.clone()], vec![a.clone()], [0.6131, 0.5, 1.0]),
            (vec![a.clone()], vec![other.clone()], [0.0, 0.0, 0.0]),
            (vec![a.clone()], vec![], [0.0, 0.0, 0.0]),
        ] {
            let one = found(&reference, &hits);
            let figures = [ndcg(&one), recall(&one), reciprocal_rank(&one)];
            for (figure, expected) in figures.into_iter().zip(expected) {
                assert!((figure - expected).abs() < 1e-4, "{one:?}: {figures:?}");
            }
        }
    }

    #[test]
    fn the_better_index_is_first_and_other_questions_are_refused() {
        let a = place("a.md", 1, 3);
        let searched = |name: &str, right: usize| Searched {
            format: Searched::FORMAT,
            golden_sha256: "g".into(),
            name: name.into(),
            index: String::new(),
            embedding: String::new(),
            mode: "knn_only".into(),
            questions: (0..40)
                .map(|n| {
                    let hits = if n < right { vec![a.clone()] } else { vec![] };
                    Found { id: format!("q{n}"), ..found(std::slice::from_ref(&a), &hits) }
                })
                .collect(),
        };
        let ranked = rank(&[searched("weak", 20), searched("strong", 30)]).unwrap();
        let names: Vec<(&str, f64)> = ranked.iter().map(|one| (one.name.as_str(), one.ndcg.value)).collect();
        assert_eq!(names, [("strong", 0.75), ("weak", 0.5)]);
        assert!(ranked[0].to_best.is_none());
        let difference = ranked[1].to_best.as_ref().unwrap();
        assert!((difference.difference - 0.25).abs() < 1e-12 && difference.p_value < 0.05, "{difference:?}");
        let other = Searched { golden_sha256: "h".into(), ..searched("other", 1) };
        assert!(rank(&[searched("one", 1), other]).unwrap_err().contains("different questions"));
        let hybrid = Searched { mode: "hybrid".into(), ..searched("mixed", 1) };
        assert!(rank(&[hybrid]).unwrap_err().contains("knn_only"));
    }
}
