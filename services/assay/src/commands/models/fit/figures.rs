//! How well a join does on pairs that it was not fitted on.

use std::collections::BTreeMap;

use assay_grounding::join::{self, Join, Row};
use serde::Serialize;

/// Parts of a cross-validation.
const FOLDS: usize = 5;
/// Share of supported claims that may be flagged where figures are compared.
const FLAGGED: f64 = 0.05;
/// Folds in which a join must tell more than words alone: by chance that happens once in five times.
const BETTER: usize = 4;
/// Share of false claims that precision is reckoned with.
const FALSE: f64 = 0.2;

/// What a join does on pairs of groups that it did not see, beside what words do alone.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Figures {
    /// Chance that a supported claim has a higher probability than another one: words alone.
    pub(crate) words: f64,
    /// The same, joined.
    pub(crate) joined: f64,
    /// Share of other claims below a bar under which one supported claim in twenty is: words alone.
    pub(crate) words_caught: f64,
    /// The same, joined.
    pub(crate) joined_caught: f64,
    /// For the bars of 1, 3 and 5 %: share of supported claims that are flagged, and of others that are caught.
    pub(crate) bars: [(f64, f64); 3],
    /// Claims that the model contradicts, and their precision where one claim in five is false.
    pub(crate) contradicted: (usize, f64),
    /// Whether the join tells more than words alone in most folds.
    pub(crate) better: bool,
}

/// The figures as an object of the output.
#[derive(Serialize)]
pub(crate) struct Told {
    /// Area under the ROC curve, 0 to 1.
    auroc: Both,
    /// Share of other claims caught where 5 % of the supported ones are flagged, 0 to 1.
    caught_at_5_percent: Both,
    bars: Bars,
    contradicted: Contradicted,
}

/// A figure of words alone, and of the join.
#[derive(Serialize)]
struct Both {
    words: f64,
    joined: f64,
}

/// The bars of 1, 3 and 5 %.
#[derive(Serialize)]
struct Bars {
    fr_1: Bar,
    fr_3: Bar,
    fr_5: Bar,
}

#[derive(Serialize)]
struct Bar {
    /// Share of supported claims below the bar, 0 to 1.
    falsely_flagged: f64,
    /// Share of other claims below it, 0 to 1.
    caught: f64,
}

/// Claims that the model contradicts.
#[derive(Serialize)]
struct Contradicted {
    claims: usize,
    /// Share of them that is false where one claim in five is, 0 to 1.
    precision: f64,
}

/// Figures by five folds over groups; each row with its group.
///
/// # Errors
/// What the rows lack.
pub(crate) fn figures(name: &str, digest: &str, rows: &[(Row, String)]) -> Result<Figures, String> {
    let folds = &folds(rows);
    let mut judged: Vec<(f64, f64, bool)> = Vec::with_capacity(rows.len());
    let (mut bars, mut contradicted, mut better) = ([(0, 0); 3], (0, 0), 0);
    for fold in 0..FOLDS {
        let of = |held: bool| {
            rows.iter().filter(move |(_, group)| (folds.get(group.as_str()) == Some(&fold)) == held)
        };
        let others: Vec<Row> = of(false).map(|(row, _)| *row).collect();
        let join = join::fit(name, digest, &others)
            .map_err(|why| format!("without a fifth of the groups there are too few pairs to fit: {why}"))?;
        let begin = judged.len();
        for (row, _) in of(true) {
            let p = join.probability(row.own, row.said).ok_or("a score is no number")?;
            judged.push((row.own, p, row.supported));
            let Join { bars: at, .. } = &join;
            for (count, bar) in bars.iter_mut().zip([at.fr_1, at.fr_3, at.fr_5]) {
                let below = usize::from(p < bar);
                if row.supported { count.0 += below } else { count.1 += below }
            }
            if join.contradicts(row.said) {
                if row.supported { contradicted.0 += 1 } else { contradicted.1 += 1 }
            }
        }
        let own = judged.iter().skip(begin).map(|(own, _, supported)| (*own, *supported)).collect::<Vec<_>>();
        let both = judged.iter().skip(begin).map(|(_, p, supported)| (*p, *supported)).collect::<Vec<_>>();
        better += usize::from(auroc(&both) > auroc(&own));
    }
    let good = judged.iter().filter(|(.., supported)| *supported).count() as f64;
    let bad = judged.len() as f64 - good;
    let words: Vec<(f64, bool)> = judged.iter().map(|(own, _, supported)| (*own, *supported)).collect();
    let joined: Vec<(f64, bool)> = judged.iter().map(|(_, p, supported)| (*p, *supported)).collect();
    let (wrong, right) = (contradicted.0 as f64 / good * (1.0 - FALSE), contradicted.1 as f64 / bad * FALSE);
    Ok(Figures {
        words: auroc(&words),
        joined: auroc(&joined),
        words_caught: caught(&words),
        joined_caught: caught(&joined),
        bars: bars.map(|(flagged, caught)| (flagged as f64 / good, caught as f64 / bad)),
        better: better >= BETTER,
        contradicted: (
            contradicted.0 + contradicted.1,
            if wrong + right > 0.0 { right / (wrong + right) } else { 0.0 },
        ),
    })
}

/// The fold of each group: the largest groups first, each into the smallest fold.
fn folds(rows: &[(Row, String)]) -> BTreeMap<&str, usize> {
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, group) in rows {
        *sizes.entry(group.as_str()).or_default() += 1;
    }
    let mut groups: Vec<(&str, usize)> = sizes.into_iter().collect();
    groups.sort_by(|one, two| two.1.cmp(&one.1).then(one.0.cmp(two.0)));
    let mut filled = [0; FOLDS];
    let mut put = |(group, size)| {
        let (fold, room) = filled.iter_mut().enumerate().min_by_key(|(_, size)| **size)?;
        *room += size;
        Some((group, fold))
    };
    groups.into_iter().filter_map(&mut put).collect()
}

/// Area under the ROC curve; ties count half.
fn auroc(values: &[(f64, bool)]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(|one, two| one.0.total_cmp(&two.0));
    let (mut below, mut sum) = (0.0, 0.0);
    for tied in sorted.chunk_by(|one, two| one.0 == two.0) {
        let good = tied.iter().filter(|(_, supported)| *supported).count() as f64;
        let bad = tied.len() as f64 - good;
        sum += good * (below + bad / 2.0);
        below += bad;
    }
    let good = values.iter().filter(|(_, supported)| *supported).count() as f64;
    sum / (good * (values.len() as f64 - good))
}

/// Share of other claims below the bar under which so many supported ones are.
fn caught(values: &[(f64, bool)]) -> f64 {
    let of = |wanted: bool| {
        values.iter().filter(move |(_, supported)| *supported == wanted).map(|(value, _)| *value)
    };
    let mut good: Vec<f64> = of(true).collect();
    good.sort_by(f64::total_cmp);
    let Some(bar) = good.get((good.len() as f64 * FLAGGED) as usize) else { return 0.0 };
    of(false).filter(|value| value < bar).count() as f64 / of(false).count() as f64
}

// === impl Figures ===

impl Figures {
    /// For programs.
    #[must_use]
    pub(crate) fn told(&self) -> Told {
        let bar = |(falsely_flagged, caught)| Bar { falsely_flagged, caught };
        let [fr_1, fr_3, fr_5] = self.bars.map(bar);
        let (claims, precision) = self.contradicted;
        Told {
            auroc: Both { words: self.words, joined: self.joined },
            caught_at_5_percent: Both { words: self.words_caught, joined: self.joined_caught },
            bars: Bars { fr_1, fr_3, fr_5 },
            contradicted: Contradicted { claims, precision },
        }
    }

    /// For people.
    pub(crate) fn print(&self) {
        println!("on groups that the join did not see ({FOLDS} folds), words alone → joined:");
        println!("  AUROC {:.3} → {:.3}", self.words, self.joined);
        println!("  caught at 5 % falsely flagged {:.3} → {:.3}", self.words_caught, self.joined_caught);
        for (name, (flagged, caught)) in ["fr_1", "fr_3", "fr_5"].iter().zip(self.bars) {
            println!("  bar {name}: {flagged:.3} falsely flagged, {caught:.3} caught");
        }
        let (claims, precision) = self.contradicted;
        println!(
            "  contradicted: {claims} claims, precision {precision:.3} where one claim in five is false"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_and_shares_are_those_of_hand_counted_lists() {
        let values = [(0.1, false), (0.2, true), (0.3, false), (0.3, true), (0.9, true)];
        assert!((auroc(&values) - 4.5 / 6.0).abs() < 1e-12);
        assert!((caught(&values) - 0.5).abs() < 1e-12);
    }
}
