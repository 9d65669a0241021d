//! What a retry is worth: the same questions with no retry, a blind one and a guided one.

use std::collections::{BTreeMap, BTreeSet};

use assay_statistics::{mcnemar, wilson};
use serde::Serialize;

use crate::recorded::Recorded;

/// Name of the category of answers whose code holds but that were rejected.
const PROSE: &str = "prose";

/// What two retries repair of the answers that are rejected without one.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Repairs {
    /// Answers by what was wrong with the first draft: the category of its first parse error, or `prose`; and `all`.
    pub categories: BTreeMap<String, Repaired>,
    /// Answers that are not in all three runs.
    pub unpaired: usize,
}

/// Repaired answers of a category.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Repaired {
    /// Answers that are rejected without a retry.
    pub rejected: u64,
    /// Those that the blind retry repairs.
    pub blind: u64,
    /// Interval of their share at 95 % (Wilson).
    pub blind_interval: Option<(f64, f64)>,
    /// Those that the guided retry repairs.
    pub guided: u64,
    /// Interval of their share.
    pub guided_interval: Option<(f64, f64)>,
    /// Those that the guided retry alone repairs, and that the blind one alone does.
    pub alone: [u64; 2],
    /// Probability under chance that one repairs so many more alone (exact McNemar test).
    pub p_value: f64,
}

/// Counts the repairs of two runs on the rejected answers of a third. An answer counts in its first repetition: asking
/// again is no new evidence.
#[must_use]
pub fn repairs(none: &[Recorded], blind: &[Recorded], guided: &[Recorded]) -> Repairs {
    let (none, blind, guided) = (first(none), first(blind), first(guided));
    let ids: BTreeSet<&str> = none.keys().chain(blind.keys()).chain(guided.keys()).copied().collect();
    let (mut categories, mut unpaired) = (BTreeMap::<String, Repaired>::new(), 0);
    for id in ids {
        let (Some(none), Some(blind), Some(guided)) = (none.get(id), blind.get(id), guided.get(id)) else {
            unpaired += 1;
            continue;
        };
        let Some(category) = defect(none) else { continue };
        for name in [category, "all".to_owned()] {
            let of = categories.entry(name).or_default();
            let (blind, guided) = (stands(blind), stands(guided));
            of.rejected += 1;
            of.blind += u64::from(blind);
            of.guided += u64::from(guided);
            of.alone[0] += u64::from(guided && !blind);
            of.alone[1] += u64::from(blind && !guided);
        }
    }
    for of in categories.values_mut() {
        of.blind_interval = wilson(of.blind, of.rejected);
        of.guided_interval = wilson(of.guided, of.rejected);
        of.p_value = mcnemar(of.alone[0] as usize, of.alone[1] as usize);
    }
    Repairs { categories, unpaired }
}

fn first(recorded: &[Recorded]) -> BTreeMap<&str, &Recorded> {
    recorded.iter().filter(|one| one.repetition == 1).map(|one| (one.id.as_str(), one)).collect()
}

/// What is wrong with an answer; none if it stands.
fn defect(one: &Recorded) -> Option<String> {
    let answer = one.answer.as_ref()?;
    if let Some(category) = &answer.defect {
        return Some(category.clone());
    }
    (answer.verdict == "REJECT").then(|| PROSE.to_owned())
}

fn stands(one: &Recorded) -> bool {
    one.answer.as_ref().is_some_and(|answer| answer.outcome == "ANSWERED") && defect(one).is_none()
}
