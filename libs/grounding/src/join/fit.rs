//! Fits the join of a model on labelled claims: a logistic by Newton's method, its bars by quantiles.

use super::{Ask, Contradiction, FittedOn, Join, Measure, Said, Term};
use crate::model::Bars;

/// A labelled claim with what words and model say of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// Probability that words give, 0 to 1.
    pub own: f64,
    /// What the model said of the claim and its best sentence.
    pub said: Said,
    /// Whether the sources support the claim.
    pub supported: bool,
    /// What the row counts.
    pub weight: f64,
}

/// Fewest supported and fewest other claims that a join is fitted on.
const FEWEST: usize = 40;
/// Pull of the weights towards 0, in rows.
const PULL: f64 = 1.0;
/// Steps after which the fit has long settled.
const STEPS: usize = 50;
/// Least precision of a contradiction, where one claim in five is false.
const PRECISE: f64 = 0.95;
/// Share of false claims that precision is reckoned with.
const FALSE: f64 = 0.2;
/// False claims that a contradiction must have caught.
const CAUGHT: usize = 20;

/// Fits the join of a model by its name and the SHA-256 of its file; `sha256` of `fitted_on` is the caller's to set.
///
/// # Errors
/// What the rows lack.
pub fn fit(name: &str, model: &str, rows: &[Row]) -> Result<Join, String> {
    let supported = rows.iter().filter(|row| row.supported).count();
    if supported < FEWEST || rows.len() - supported < FEWEST {
        let others = rows.len() - supported;
        return Err(format!(
            "{supported} supported and {others} other claims; a join needs at least {FEWEST} of each"
        ));
    }
    let mut terms = terms(rows)?;
    let vectors: Option<Vec<Vec<f64>>> = rows.iter().map(|row| vector(&terms, row)).collect();
    let vectors = vectors.ok_or("the rows are of different models, or hold scores that are no numbers")?;
    let (weights, bias) = logistic(&vectors, rows);
    for (term, weight) in terms.iter_mut().zip(&weights) {
        term.weight = *weight;
    }
    let fitted_on = FittedOn { pairs: rows.len(), supported, sha256: String::new() };
    let mut join = Join {
        model: model.to_owned(),
        name: name.to_owned(),
        languages: Vec::new(),
        terms,
        bias,
        ask: Ask { from: 0.0, to: 1.0 },
        bars: Bars { fr_1: 0.0, fr_3: 0.0, fr_5: 0.0 },
        contradiction: None,
        fitted_on,
    };
    let of = |supported: bool, value: &dyn Fn(&Row) -> f64| -> Vec<(f64, f64)> {
        let wanted = rows.iter().filter(|row| row.supported == supported);
        sorted(wanted.map(|row| (value(row), row.weight)).collect())
    };
    let joined = of(true, &|row| join.probability(row.own, row.said).unwrap_or(0.0));
    join.bars = bars(&joined, &of(true, &|row| row.own));
    // Nearly all that words put lower is false whatever a model says, and nearly nothing that they put higher.
    let from = quantile(&of(true, &|row| row.own), 0.01);
    let to = quantile(&of(false, &|row| row.own), 0.98);
    join.ask = Ask { from: from.min(to), to: to.max(from) };
    join.contradiction = contradiction(rows);
    join.check()?;
    Ok(join)
}

/// Each bar lets as many honest pairs fall by the joined probability as the bar of words does, and never fewer than 1, 3 or 5 % of
/// them. Bars at 1, 3 and 5 % alone made a model catch less than words, which flag a tenth of such pairs.
fn bars(joined: &[(f64, f64)], own: &[(f64, f64)]) -> Bars {
    let all: f64 = own.iter().map(|(_, weight)| weight).sum();
    let below = |bar: f64| own.iter().filter(|(p, _)| *p < bar).map(|(_, weight)| weight).sum::<f64>() / all;
    let words = crate::model::support().map(|model| model.bars);
    let at = |least: f64, bar: fn(&Bars) -> f64| {
        quantile(joined, words.map_or(least, |words| below(bar(&words)).max(least)))
    };
    Bars {
        fr_1: at(0.01, |bars| bars.fr_1),
        fr_3: at(0.03, |bars| bars.fr_3),
        fr_5: at(0.05, |bars| bars.fr_5),
    }
}

/// The summands that a model of this kind is joined by, without weights.
fn terms(rows: &[Row]) -> Result<Vec<Term>, String> {
    let term = |of: Measure, above: Option<f64>, below: Option<f64>| Term { of, above, below, weight: 0.0 };
    let plain = |of: Measure| term(of, None, None);
    let said = rows.first().map(|row| row.said);
    Ok(match said {
        Some(Said::Two { .. }) => {
            // What agreement looks like: for some models, more than that is a contradiction.
            let differences = rows
                .iter()
                .filter(|row| row.supported)
                .filter_map(|row| Some((Measure::Difference.value(row.own, row.said)?, row.weight)));
            let middle = Some(quantile(&sorted(differences.collect()), 0.5));
            vec![
                plain(Measure::Own),
                term(Measure::Difference, middle, None),
                term(Measure::Difference, None, middle),
            ]
        }
        // The three sum up to 0: two of them say it all.
        Some(Said::Three { .. }) => {
            [Measure::Own, Measure::Entailment, Measure::Contradiction].map(plain).to_vec()
        }
        Some(Said::Flagged { .. }) => [Measure::Own, Measure::Flagged].map(plain).to_vec(),
        Some(Said::Answer(_)) | None => return Err("a language model's answers are not fitted".to_owned()),
    })
}

fn vector(terms: &[Term], row: &Row) -> Option<Vec<f64>> {
    let value = |term: &Term| Some(super::beyond(term.of.value(row.own, row.said)?, term.above, term.below));
    terms.iter().map(value).collect()
}

fn sorted(mut values: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    values.sort_by(|one, two| one.0.total_cmp(&two.0));
    values
}

/// The value below which a share of the weight lies.
fn quantile(sorted: &[(f64, f64)], share: f64) -> f64 {
    let all: f64 = sorted.iter().map(|(_, weight)| weight).sum();
    let mut sum = 0.0;
    let found = sorted.iter().find(|(_, weight)| {
        sum += weight;
        sum >= share * all
    });
    found.or(sorted.last()).map_or(0.0, |(value, _)| *value)
}

fn dot(one: &[f64], two: &[f64]) -> f64 {
    one.iter().zip(two).map(|(one, two)| one * two).sum()
}

/// Weights and bias of a logistic regression that is pulled towards 0.
fn logistic(vectors: &[Vec<f64>], rows: &[Row]) -> (Vec<f64>, f64) {
    let size = vectors.first().map_or(0, Vec::len) + 1;
    let all: f64 = rows.iter().map(|row| row.weight).sum();
    let mean = |of: &dyn Fn(&[f64]) -> f64| {
        vectors.iter().zip(rows).map(|(vector, row)| of(vector) * row.weight).sum::<f64>() / all
    };
    let means: Vec<f64> = (0..size - 1).map(|at| mean(&|vector| vector[at])).collect();
    let scale = |at: usize| mean(&|vector| (vector[at] - means[at]).powi(2)).sqrt() + 1e-6;
    let scales: Vec<f64> = (0..size - 1).map(scale).collect();
    let standard = |vector: &[f64]| -> Vec<f64> {
        let scaled =
            vector.iter().zip(&means).zip(&scales).map(|((value, mean), scale)| (value - mean) / scale);
        scaled.chain([1.0]).collect()
    };
    let vectors: Vec<Vec<f64>> = vectors.iter().map(|vector| standard(vector)).collect();
    let mut weights = vec![0.0; size];
    let cost = |weights: &[f64]| {
        let miss = |(vector, row): (&Vec<f64>, &Row)| {
            let p = super::sigmoid(dot(vector, weights)).clamp(1e-12, 1.0 - 1e-12);
            -row.weight * if row.supported { p } else { 1.0 - p }.ln()
        };
        let pull: f64 = weights[..size - 1].iter().map(|weight| PULL * weight * weight / 2.0).sum();
        vectors.iter().zip(rows).map(miss).sum::<f64>() + pull
    };
    let mut best = cost(&weights);
    for _ in 0..STEPS {
        let mut gradient: Vec<f64> = weights.iter().map(|weight| -PULL * weight).collect();
        gradient[size - 1] = 0.0;
        let mut curve = vec![vec![0.0; size]; size];
        for (vector, row) in vectors.iter().zip(rows) {
            let p = super::sigmoid(dot(vector, &weights));
            let miss = f64::from(u8::from(row.supported)) - p;
            for (at, value) in vector.iter().enumerate() {
                gradient[at] += row.weight * miss * value;
                for (other, second) in vector.iter().enumerate() {
                    curve[at][other] += row.weight * p * (1.0 - p) * value * second;
                }
            }
        }
        for (at, row) in curve.iter_mut().enumerate() {
            row[at] += if at + 1 < size { PULL } else { 1e-9 };
        }
        let step = solved(curve, gradient);
        // A whole step may go too far: half of it, and half of that.
        let stepped = (0..20).map(|halved| 0.5_f64.powi(halved)).find_map(|part| {
            let next: Vec<f64> =
                weights.iter().zip(&step).map(|(weight, step)| weight + part * step).collect();
            let less = cost(&next);
            (less < best).then_some((less, next))
        });
        let Some((less, next)) = stepped else { break };
        weights = next;
        if best - less < 1e-9 {
            break;
        }
        best = less;
    }
    let bias = weights.pop().unwrap_or_default();
    let weights: Vec<f64> = weights.iter().zip(&scales).map(|(weight, scale)| weight / scale).collect();
    let shift: f64 = weights.iter().zip(&means).map(|(weight, mean)| weight * mean).sum();
    (weights, bias - shift)
}

/// Solves a few linear equations; the matrix is positive definite.
fn solved(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    for at in 0..right.len() {
        let pivot = matrix[at].clone();
        right[at] /= pivot[at];
        let value = right[at];
        for (other, row) in matrix.iter_mut().enumerate().filter(|(other, _)| *other != at) {
            let factor = row[at];
            row.iter_mut().zip(&pivot).for_each(|(cell, above)| *cell -= factor * above / pivot[at]);
            right[other] -= factor * value;
        }
        matrix[at].iter_mut().for_each(|cell| *cell /= pivot[at]);
    }
    right
}

/// The bar from which the model catches false claims with hardly any other; none where it catches too few.
fn contradiction(rows: &[Row]) -> Option<Contradiction> {
    let said = rows.first()?.said;
    let sides: &[(Measure, bool)] = match said {
        Said::Two { .. } => &[(Measure::Difference, true), (Measure::Difference, false)],
        Said::Three { .. } => &[(Measure::Contradiction, true)],
        Said::Flagged { .. } | Said::Answer(_) => &[],
    };
    sides.iter().filter_map(|(of, above)| side(rows, *of, *above)).max_by_key(|found| found.fired)
}

fn side(rows: &[Row], of: Measure, above: bool) -> Option<Contradiction> {
    let weight = |supported: bool| -> f64 {
        rows.iter().filter(|row| row.supported == supported).map(|row| row.weight).sum()
    };
    let (good, bad) = (weight(true), weight(false));
    let value = |row: &Row| of.value(row.own, row.said).map(|value| (value, row.supported, row.weight));
    let mut values: Vec<(f64, bool, f64)> = rows.iter().filter_map(value).collect();
    values.sort_by(|one, two| one.0.total_cmp(&two.0));
    if above {
        values.reverse();
    }
    // One more good claim than it met: what was not met need not be impossible.
    let (mut caught, mut wrong, mut fired) = (0.0, (1.0 - FALSE) / rows.len() as f64, 0);
    let mut found = None;
    for (at, (value, supported, weight)) in values.iter().enumerate() {
        match supported {
            true => wrong += (1.0 - FALSE) * weight / good,
            false => (caught, fired) = (caught + FALSE * weight / bad, fired + 1),
        }
        let precision = caught / (caught + wrong);
        let next = values.get(at + 1).map_or(*value, |(next, ..)| *next);
        if precision >= PRECISE && fired >= CAUGHT && next != *value {
            let bar = Some(f64::midpoint(*value, next));
            let (above, below) = if above { (bar, None) } else { (None, bar) };
            found = Some(Contradiction { of, above, below, precision, fired });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    /// Numbers that look like chance and are always the same.
    fn noise(at: usize) -> f64 {
        let mixed = (at as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        ((mixed ^ (mixed >> 31)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn rows(said: impl Fn(bool, f64) -> Said) -> Vec<Row> {
        let row = |at: usize| {
            let supported = at.is_multiple_of(2);
            let own = (if supported { 0.35 } else { 0.15 }) + 0.5 * noise(2 * at);
            Row { own, said: said(supported, noise(2 * at + 1)), supported, weight: 1.0 }
        };
        (0..400).map(row).collect()
    }

    fn ordered(join: &Join, rows: &[Row]) -> f64 {
        let p = |row: &Row| join.probability(row.own, row.said).unwrap();
        let pairs = rows
            .iter()
            .filter(|row| row.supported)
            .flat_map(|good| rows.iter().filter(|row| !row.supported).map(move |bad| (good, bad)));
        let (all, right) =
            pairs.fold((0, 0), |(all, right), (good, bad)| (all + 1, right + usize::from(p(good) > p(bad))));
        f64::from(right as u32) / f64::from(all)
    }

    #[test]
    fn a_joined_probability_tells_more_than_words_alone() {
        let plain = rows(|_, _| Said::Two { difference: 0.0 });
        let words = ordered(&fit("m", "ab", &plain).unwrap(), &plain);
        // Agreement lies in the middle, contradiction above it, no relation below.
        let two = rows(|supported, noise| Said::Two {
            difference: if supported {
                noise
            } else if noise < 0.5 {
                3.0 + noise
            } else {
                -2.0 - noise
            },
        });
        let three = rows(|supported, noise| Said::Three {
            entailment: if supported { 1.0 + noise } else { noise },
            neutral: 0.0,
            contradiction: if supported { -1.0 } else { noise - 0.5 },
        });
        for rows in [two, three] {
            let join = fit("m", "ab", &rows).unwrap();
            assert!(ordered(&join, &rows) > words + 0.05);
            let good = || rows.iter().filter(|row| row.supported);
            let below = good().filter(|row| join.probability(row.own, row.said).unwrap() < join.bars.fr_5);
            let words = crate::model::support().unwrap().bars.fr_5;
            let own = good().filter(|row| row.own < words).count();
            assert!(below.count() <= own.max(good().count() / 20), "no more good claims than by words");
            assert!(join.contradiction.is_some_and(|bar| bar.precision >= PRECISE));
            let text = serde_json::to_string(&join).unwrap();
            assert_eq!(Join::parse(&text), Ok(join));
        }
    }

    #[test]
    fn too_few_rows_and_rows_of_two_models_are_refused() {
        let mut rows = rows(|_, noise| Said::Flagged { probability: noise });
        assert!(fit("m", "ab", &rows[..60]).unwrap_err().contains("at least 40"));
        rows[7].said = Said::Two { difference: 0.0 };
        assert!(fit("m", "ab", &rows).unwrap_err().contains("different models"));
    }

    #[test]
    fn a_model_that_says_the_same_of_all_contradicts_nothing() {
        let rows = rows(|_, _| Said::Three { entailment: 0.0, neutral: 0.0, contradiction: 3.0 });
        assert_eq!(fit("m", "ab", &rows).unwrap().contradiction, None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn every_fit_can_work(seed in 0_usize..1000, spread in 0.0_f64..20.0) {
            let rows = rows(|_, chance| Said::Two { difference: (noise(seed) + chance) * spread });
            let join = fit("m", "ab", &rows).unwrap();
            prop_assert_eq!(join.check(), Ok(()));
        }
    }
}
