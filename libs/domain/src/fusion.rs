//! Reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009): `score(d) = Σ w / (k + rank(d))`.

use std::collections::BTreeMap;

/// The constant `k`.
pub const K: f64 = 60.0;

/// A ranking with its weight.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking<'a> {
    /// Ids, best first; ranks count from 1.
    pub ids: Vec<&'a str>,
    /// Weight of the ranking.
    pub weight: f64,
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

/// Fuses rankings; best first, equal scores by id. Of a repeated id in one ranking the first place counts.
#[must_use]
pub fn fuse<'a>(rankings: &[Ranking<'a>]) -> Vec<Fused<'a>> {
    let mut by_id: BTreeMap<&str, Fused<'a>> = BTreeMap::new();
    for (number, ranking) in rankings.iter().enumerate() {
        for (id, rank) in ranking.ids.iter().zip(1_u32..) {
            let new = || Fused { id, score: 0.0, ranks: vec![None; rankings.len()] };
            let fused = by_id.entry(id).or_insert_with(new);
            let Some(slot) = fused.ranks.get_mut(number) else { continue };
            if slot.is_none() {
                *slot = Some(rank);
                fused.score += ranking.weight / (K + f64::from(rank));
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

    proptest! {
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
