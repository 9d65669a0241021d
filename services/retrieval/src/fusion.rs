//! Reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009): `score(d) = Σ w / (k + rank(d))`.

use crate::ports::Scored;
use assay_domain::evidence::LegRank;
use std::collections::BTreeMap;

/// The constant `k`.
pub const K: f64 = 60.0;

/// A ranking with its weight.
#[derive(Debug, Clone, Copy)]
pub struct Ranking<'a> {
    /// Best first; ranks count from 1.
    pub hits: &'a [Scored],
    /// Weight of the ranking.
    pub weight: f64,
}

/// A fused passage.
#[derive(Debug, Clone, PartialEq)]
pub struct Fused {
    /// Id of the passage.
    pub id: String,
    /// Fused score.
    pub score: f64,
    /// Its place in each ranking, in the order given.
    pub ranks: Vec<Option<LegRank>>,
}

/// Fuses rankings; best first, equal scores by id. Of a repeated id in one ranking the first place counts.
#[must_use]
pub fn fuse(rankings: &[Ranking<'_>]) -> Vec<Fused> {
    let mut by_id: BTreeMap<&str, Fused> = BTreeMap::new();
    for (leg, ranking) in rankings.iter().enumerate() {
        for (place, hit) in ranking.hits.iter().enumerate() {
            let fused = by_id.entry(&hit.id).or_insert_with(|| Fused {
                id: hit.id.clone(),
                score: 0.0,
                ranks: vec![None; rankings.len()],
            });
            let Some(slot) = fused.ranks.get_mut(leg) else { continue };
            if slot.is_none() {
                let rank = u32::try_from(place + 1).unwrap_or(u32::MAX);
                *slot = Some(LegRank { rank, score: hit.score });
                fused.score += ranking.weight / (K + f64::from(rank));
            }
        }
    }
    let mut out: Vec<Fused> = by_id.into_values().collect();
    // Stable, and the map is ordered by id: equal scores stay in the order of their ids.
    out.sort_by(|a, b| b.score.total_cmp(&a.score));
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use proptest::prelude::*;

    fn list(ids: &[&str]) -> Vec<Scored> {
        ids.iter().map(|id| Scored { id: (*id).to_owned(), score: 1.0 }).collect()
    }

    #[test]
    fn ranks_count_from_one_and_add_up() {
        let (a, b) = (list(&["x", "y"]), list(&["y", "z"]));
        let fused = fuse(&[Ranking { hits: &a, weight: 1.0 }, Ranking { hits: &b, weight: 1.0 }]);
        let ids: Vec<&str> = fused.iter().map(|hit| hit.id.as_str()).collect();
        assert_eq!(ids, ["y", "x", "z"]);
        assert!((fused[0].score - (1.0 / 62.0 + 1.0 / 61.0)).abs() < 1e-12);
        assert_eq!(fused[0].ranks[0].unwrap().rank, 2);
        assert_eq!(fused[1].ranks[1], None);
    }

    #[test]
    fn ties_are_broken_by_id() {
        let (a, b) = (list(&["q"]), list(&["b"]));
        let fused = fuse(&[Ranking { hits: &a, weight: 1.0 }, Ranking { hits: &b, weight: 1.0 }]);
        assert_eq!(fused[0].id, "b");
    }

    #[test]
    fn weights_decide_between_legs() {
        let (a, b) = (list(&["x"]), list(&["y"]));
        let fused = fuse(&[Ranking { hits: &a, weight: 0.5 }, Ranking { hits: &b, weight: 1.0 }]);
        assert_eq!(fused[0].id, "y");
    }

    proptest! {
        #[test]
        fn fusion_does_not_depend_on_the_order_of_legs_and_keeps_every_id(
            a in proptest::collection::vec(0_u8..40, 0..30),
            b in proptest::collection::vec(0_u8..40, 0..30),
        ) {
            let named = |ids: &[u8]| ids.iter().map(|id| Scored { id: format!("{id:03}"), score: 0.0 }).collect::<Vec<_>>();
            let (a, b) = (named(&a), named(&b));
            let one = fuse(&[Ranking { hits: &a, weight: 1.0 }, Ranking { hits: &b, weight: 1.0 }]);
            let two = fuse(&[Ranking { hits: &b, weight: 1.0 }, Ranking { hits: &a, weight: 1.0 }]);
            let ids = |fused: &[Fused]| fused.iter().map(|hit| hit.id.clone()).collect::<Vec<_>>();
            prop_assert_eq!(ids(&one), ids(&two));
            let mut all: Vec<String> = a.iter().chain(&b).map(|hit| hit.id.clone()).collect();
            all.sort();
            all.dedup();
            let mut seen = ids(&one);
            seen.sort();
            prop_assert_eq!(seen, all);
            prop_assert!(one.windows(2).all(|pair| pair[0].score >= pair[1].score));
        }
    }
}
