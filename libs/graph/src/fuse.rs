//! Reciprocal rank fusion of the two searches of a request (Cormack, Clarke, Buettcher 2009; k = 60, ranks from 1).

use std::collections::BTreeMap;

use assay_domain::evidence::Hit;

/// The constant of the formula.
pub const K: f64 = 60.0;

/// Fuses two ranked lists into the best `top`, ties by source id. A hit keeps the leg ranks of the list that placed
/// it better; its score is the fused one.
#[must_use]
pub fn fuse(first: &[Hit], second: &[Hit], top: usize) -> Vec<Hit> {
    if second.is_empty() {
        return first.iter().take(top).cloned().collect();
    }
    let mut best: BTreeMap<&str, (f64, usize, &Hit)> = BTreeMap::new();
    for list in [first, second] {
        for (index, hit) in list.iter().enumerate() {
            let share = 1.0 / (K + index as f64 + 1.0);
            best.entry(&hit.source.id)
                .and_modify(|(score, rank, kept)| {
                    *score += share;
                    if index < *rank {
                        (*rank, *kept) = (index, hit);
                    }
                })
                .or_insert((share, index, hit));
        }
    }
    let mut fused: Vec<_> = best.into_iter().collect();
    fused.sort_by(|(left_id, left), (right_id, right)| {
        right.0.total_cmp(&left.0).then_with(|| left_id.cmp(right_id))
    });
    fused.into_iter().take(top).map(|(_, (score, _, hit))| Hit { score, ..hit.clone() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_domain::evidence::{Source, SourceKind};

    fn hits(ids: &[&str]) -> Vec<Hit> {
        ids.iter()
            .map(|id| Hit {
                source: Source::given(*id, SourceKind::Doc, *id, 1),
                score: 1.0,
                bm25: None,
                knn: None,
            })
            .collect()
    }

    fn order(first: &[&str], second: &[&str], top: usize) -> Vec<String> {
        fuse(&hits(first), &hits(second), top).into_iter().map(|hit| hit.source.id).collect()
    }

    #[test]
    fn a_source_of_both_lists_comes_before_those_of_one() {
        assert_eq!(order(&["a", "b"], &["c", "b"], 3), ["b", "a", "c"]);
    }

    #[test]
    fn ties_are_broken_by_id_and_the_depth_is_kept() {
        assert_eq!(order(&["z"], &["y"], 8), ["y", "z"]);
        assert_eq!(order(&["a", "b", "c"], &["d"], 2).len(), 2);
    }

    #[test]
    fn one_list_alone_keeps_its_order() {
        assert_eq!(order(&["b", "a"], &[], 8), ["b", "a"]);
        assert_eq!(order(&[], &["b", "a"], 8), ["b", "a"]);
    }
}
