//! One ranking out of several: by ranks, or by scores where these can be compared.
//!
//! - By ranks: reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009): `score(d) = Σ w / (k + rank(d))`.
//! - By scores: convex combination (Bruch, Gai and Ingber, TOIS 2023): `score(d) = Σ w · s(d) / Σ w`, with `s(d) = 0` for
//!   what a ranking does not hold.

use std::collections::BTreeMap;

/// The constant `k` of reciprocal rank fusion.
pub const K: f64 = 60.0;

/// A ranking with its weight.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking<'a> {
    /// Ids, best first; ranks count from 1.
    pub ids: Vec<&'a str>,
    /// Weight of the ranking.
    pub weight: f64,
}

/// A ranking with the score of each id, from 0 to 1, and its weight.
#[derive(Debug, Clone, PartialEq)]
pub struct Scored<'a> {
    /// Ids with their scores, best first.
    pub hits: Vec<(&'a str, f64)>,
    /// Weight of the ranking.
    pub weight: f64,
}

impl<'a> Scored<'a> {
    /// BM25 scores, which have no bound: each becomes its share of the best.
    #[must_use]
    pub fn bm25(mut hits: Vec<(&'a str, f64)>, weight: f64) -> Self {
        let best = hits.iter().map(|(_, score)| *score).fold(0.0, f64::max);
        for (_, score) in &mut hits {
            *score = if best > 0.0 { score.max(0.0) / best } else { 0.0 };
        }
        Self { hits, weight }
    }

    /// Cosine similarities as they are; a negative one says no more than 0.
    #[must_use]
    pub fn cosine(mut hits: Vec<(&'a str, f64)>, weight: f64) -> Self {
        for (_, score) in &mut hits {
            *score = score.clamp(0.0, 1.0);
        }
        Self { hits, weight }
    }
}

/// A fused id.
#[derive(Debug, Clone, PartialEq)]
pub struct Fused<'a> {
    /// The id.
    pub id: &'a str,
    /// Fused score.
    pub score: f64,
    /// Its rank in each ranking, in the order given.
    pub ranks: Vec<Option<u32>>,
}

/// Fuses rankings by reciprocal rank; best first, equal scores by id. Of a repeated id in one ranking the first place
/// counts.
#[must_use]
pub fn fuse<'a>(rankings: &[Ranking<'a>]) -> Vec<Fused<'a>> {
    let share = |weight: f64| move |(id, rank): (&&'a str, u32)| (*id, weight / (K + f64::from(rank)));
    add_up(rankings.iter().map(|ranking| ranking.ids.iter().zip(1_u32..).map(share(ranking.weight))))
}

/// Fuses rankings by their scores; best first, equal scores by id. Of a repeated id in one ranking the first place
/// counts.
#[must_use]
pub fn combine<'a>(rankings: &[Scored<'a>]) -> Vec<Fused<'a>> {
    let whole: f64 = rankings.iter().map(|ranking| ranking.weight).sum();
    let share = |weight: f64| if whole > 0.0 { weight / whole } else { 0.0 };
    add_up(rankings.iter().map(|ranking| {
        let share = share(ranking.weight);
        ranking.hits.iter().map(move |(id, score)| (*id, share * score))
    }))
}

/// Adds up what each ranking says of an id.
fn add_up<'a, R: IntoIterator<Item = (&'a str, f64)>>(
    rankings: impl ExactSizeIterator<Item = R>,
) -> Vec<Fused<'a>> {
    let count = rankings.len();
    let mut by_id: BTreeMap<&str, Fused<'a>> = BTreeMap::new();
    for (number, ranking) in rankings.enumerate() {
        for ((id, score), rank) in ranking.into_iter().zip(1_u32..) {
            let new = || Fused { id, score: 0.0, ranks: vec![None; count] };
            let fused = by_id.entry(id).or_insert_with(new);
            let Some(slot) = fused.ranks.get_mut(number) else { continue };
            if slot.is_none() {
                *slot = Some(rank);
                fused.score += score;
            }
        }
    }
    let mut out: Vec<Fused<'a>> = by_id.into_values().collect();
    // Stable, and the map is ordered by id: equal scores stay in the order of their ids.
    out.sort_by(|a, b| b.score.total_cmp(&a.score));
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use proptest::prelude::*;

    fn ranking<'a>(ids: &[&'a str], weight: f64) -> Ranking<'a> {
        Ranking { ids: ids.to_vec(), weight }
    }

    fn all(ids: &[String]) -> Ranking<'_> {
        Ranking { ids: ids.iter().map(String::as_str).collect(), weight: 1.0 }
    }

    #[test]
    fn ranks_count_from_one_and_add_up() {
        let fused = fuse(&[ranking(&["x", "y"], 1.0), ranking(&["y", "z"], 1.0)]);
        let ids: Vec<&str> = fused.iter().map(|hit| hit.id).collect();
        assert_eq!(ids, ["y", "x", "z"]);
        assert!((fused[0].score - (1.0 / 62.0 + 1.0 / 61.0)).abs() < 1e-12);
        assert_eq!(fused[0].ranks[0], Some(2));
        assert_eq!(fused[1].ranks[1], None);
    }

    #[test]
    fn ties_are_broken_by_id() {
        let fused = fuse(&[ranking(&["q"], 1.0), ranking(&["b"], 1.0)]);
        assert_eq!(fused[0].id, "b");
    }

    #[test]
    fn weights_decide_between_legs() {
        let fused = fuse(&[ranking(&["x"], 0.5), ranking(&["y"], 1.0)]);
        assert_eq!(fused[0].id, "y");
    }

    #[test]
    fn scores_are_weighted_and_a_leg_without_the_id_gives_nothing() {
        let bm25 = Scored::bm25(vec![("x", 12.0), ("y", 9.0)], 0.6);
        let cosine = Scored::cosine(vec![("y", 0.8), ("z", 0.5), ("x", -0.1)], 0.4);
        let fused = combine(&[bm25, cosine]);
        let ids: Vec<&str> = fused.iter().map(|hit| hit.id).collect();
        assert_eq!(ids, ["y", "x", "z"]);
        assert!((fused[0].score - (0.6 * 0.75 + 0.4 * 0.8)).abs() < 1e-12);
        assert!((fused[1].score - 0.6).abs() < 1e-12);
        assert_eq!(fused[1].ranks, [Some(1), Some(3)]);
        assert_eq!(combine(&[Scored::bm25(vec![("x", 0.0)], 0.0)])[0].score, 0.0);
    }

    proptest! {
        #[test]
        fn combined_scores_lie_between_zero_and_one(
            a in proptest::collection::vec((0_u8..40, 0.0_f64..50.0), 0..30),
            b in proptest::collection::vec((0_u8..40, -1.0_f64..1.0), 0..30),
            weights in (0.0_f64..5.0, 0.0_f64..5.0),
        ) {
            let names: Vec<String> = (0..40).map(|id| format!("{id:03}")).collect();
            let named = |hits: &[(u8, f64)]| {
                hits.iter().map(|(id, score)| (names[usize::from(*id)].as_str(), *score)).collect::<Vec<_>>()
            };
            let fused = combine(&[Scored::bm25(named(&a), weights.0), Scored::cosine(named(&b), weights.1)]);
            prop_assert!(fused.windows(2).all(|pair| pair[0].score >= pair[1].score));
            prop_assert!(fused.iter().all(|hit| (0.0..=1.0 + 1e-9).contains(&hit.score)));
        }

        #[test]
        fn fusion_ignores_the_order_of_legs_and_keeps_ids(
            a in proptest::collection::vec(0_u8..40, 0..30),
            b in proptest::collection::vec(0_u8..40, 0..30),
        ) {
            let named = |ids: &[u8]| ids.iter().map(|id| format!("{id:03}")).collect::<Vec<_>>();
            let (a, b) = (named(&a), named(&b));
            let (one, two) = (fuse(&[all(&a), all(&b)]), fuse(&[all(&b), all(&a)]));
            let ids = |fused: &[Fused<'_>]| fused.iter().map(|hit| hit.id.to_owned()).collect::<Vec<_>>();
            prop_assert_eq!(ids(&one), ids(&two));
            let mut given: Vec<String> = a.iter().chain(&b).cloned().collect();
            given.sort();
            given.dedup();
            let mut seen = ids(&one);
            seen.sort();
            prop_assert_eq!(seen, given);
            prop_assert!(one.windows(2).all(|pair| pair[0].score >= pair[1].score));
        }
    }
}
