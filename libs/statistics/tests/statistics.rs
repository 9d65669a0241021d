//! Statistics against published values and what they must keep for any data.
#![allow(clippy::unwrap_used)]

use assay_statistics::{
    Summary, Z95, auroc, bootstrap_mean, calibration_error, detectable_difference, kappa, mcnemar,
    share_difference, sign_flip, wilson,
};
use proptest::prelude::*;

fn near(found: f64, expected: f64, within: f64) {
    assert!((found - expected).abs() <= within, "{found} is not {expected}");
}

#[test]
fn wilson_intervals_are_the_published_ones() {
    // Newcombe 1998, two-sided intervals for one proportion, table I.
    for ((successes, trials), (low, high)) in [
        ((81, 263), (0.2553, 0.3662)),
        ((15, 148), (0.0624, 0.1605)),
        ((0, 20), (0.0, 0.1611)),
        ((1, 29), (0.0061, 0.1718)),
    ] {
        let found = wilson(successes, trials).unwrap();
        near(found.0, low, 5e-5);
        near(found.1, high, 5e-5);
    }
    assert_eq!(wilson(0, 0), None);
}

#[test]
fn intervals_of_differences_are_the_published_ones() {
    // Newcombe 1998, interval estimation for the difference, table II, method 10: 56/70 - 48/80, 9/10 - 3/10, 10/10 - 0/10.
    for ((a, b), (low, high)) in [
        (((56, 70), (48, 80)), (0.0524, 0.3339)),
        (((9, 10), (3, 10)), (0.1705, 0.8090)),
        (((10, 10), (0, 10)), (0.6075, 1.0)),
    ] {
        let found = share_difference(Z95, b, a).unwrap();
        near(found.0, low, 5e-5);
        near(found.1, high, 5e-5);
    }
    assert_eq!(share_difference(Z95, (0, 0), (1, 2)), None);
}

#[test]
fn small_paired_tests_are_exact() {
    near(mcnemar(1, 9), 0.021_484_375, 1e-12);
    near(mcnemar(5, 0), 0.0625, 1e-12);
    near(mcnemar(0, 0), 1.0, 1e-12);
    // Three equal differences: two of eight assignments of signs are as far from zero.
    near(sign_flip(&[0.1, 0.1, 0.1], 100, 1), 0.25, 1e-12);
    near(sign_flip(&[1.0, 2.0, 3.0, 4.0, -1.0], 100, 1), 6.0 / 32.0, 1e-12);
    near(sign_flip(&[0.0; 40], 100, 1), 1.0, 0.0);
}

#[test]
fn drawn_signs_come_near_the_exact_binomial() {
    // Equal differences: the paired permutation test is the sign test, which McNemar's exact test computes.
    let differences: Vec<f64> = (0..40).map(|at| if at < 12 { -1.0 } else { 1.0 }).collect();
    near(sign_flip(&differences, 20_000, 7), mcnemar(12, 28), 0.004);
}

#[test]
fn a_bootstrap_interval_comes_near_the_normal_one() {
    let values: Vec<f64> = (0..400).map(|at| f64::from(at % 20)).collect();
    let summary = Summary::of(&values).unwrap();
    let half = Z95 * summary.deviation / 20.0;
    let (low, high) = bootstrap_mean(&values, 4_000, 3).unwrap();
    near(low, summary.mean - half, 0.05);
    near(high, summary.mean + half, 0.05);
    assert_eq!(bootstrap_mean(&[], 100, 1), None);
}

#[test]
fn what_a_set_can_tell_is_the_textbook_size() {
    // Cohen 1988: 32 pairs find half a deviation.
    near(detectable_difference(32, 1.0).unwrap(), 0.495, 1e-3);
    assert_eq!(detectable_difference(0, 1.0), None);
}

#[test]
fn ranks_and_calibration_of_worked_examples() {
    near(auroc(&[(0.1, false), (0.4, false), (0.35, true), (0.8, true)]).unwrap(), 0.75, 1e-12);
    near(auroc(&[(0.5, false), (0.5, true)]).unwrap(), 0.5, 1e-12);
    assert_eq!(auroc(&[(0.5, true)]), None);
    near(calibration_error(&[(0.9, true), (0.9, false)], 10), 0.4, 1e-12);
    near(calibration_error(&[], 10), 0.0, 0.0);
}

proptest! {
    #[test]
    fn the_exact_test_is_symmetric_and_a_probability(one in 0..400_usize, other in 0..400_usize) {
        let p = mcnemar(one, other);
        prop_assert!((0.0..=1.0).contains(&p) && p.is_finite());
        prop_assert!((p - mcnemar(other, one)).abs() < 1e-9);
    }

    #[test]
    fn an_interval_holds_its_share(trials in 1_u64..5_000, part in 0.0..=1.0_f64) {
        let successes = (part * trials as f64) as u64;
        let (low, high) = wilson(successes, trials).unwrap();
        let share = successes as f64 / trials as f64;
        prop_assert!(0.0 <= low && low <= share + 1e-12 && share <= high + 1e-12 && high <= 1.0);
    }

    #[test]
    fn p_values_are_symmetric_probabilities(differences in prop::collection::vec(-1.0..1.0_f64, 0..40)) {
        let p = sign_flip(&differences, 200, 5);
        let mirrored: Vec<f64> = differences.iter().map(|one| -one).collect();
        prop_assert!(0.0 < p && p <= 1.0);
        prop_assert_eq!(p, sign_flip(&mirrored, 200, 5));
        prop_assert_eq!(p, sign_flip(&differences, 200, 5));
    }

    #[test]
    fn auroc_is_what_counting_pairs_gives(scored in prop::collection::vec((0_u8..8, any::<bool>()), 0..40)) {
        let scored: Vec<(f64, bool)> = scored.into_iter().map(|(score, kind)| (f64::from(score), kind)).collect();
        let pairs: Vec<f64> = scored.iter().filter(|one| one.1).flat_map(|up| {
            scored.iter().filter(|one| !one.1).map(move |down| match up.0.total_cmp(&down.0) {
                std::cmp::Ordering::Greater => 1.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 0.0,
            })
        }).collect();
        let expected = (!pairs.is_empty()).then(|| pairs.iter().sum::<f64>() / pairs.len() as f64);
        let equal = match (auroc(&scored), expected) {
            (Some(a), Some(b)) => (a - b).abs() < 1e-12,
            (a, b) => a == b,
        };
        prop_assert!(equal);
    }
}

#[test]
fn kappa_is_agreement_beyond_chance() {
    // Two readers of 50 proposals: both yes 20, both no 15, first alone yes 5, second alone yes 10; kappa is 0.4.
    let pairs = |count, pair| std::iter::repeat_n(pair, count);
    let all: Vec<(bool, bool)> = pairs(20, (true, true))
        .chain(pairs(15, (false, false)))
        .chain(pairs(5, (true, false)))
        .chain(pairs(10, (false, true)))
        .collect();
    assert!((kappa(&all).unwrap() - 0.4).abs() < 1e-12);
    assert_eq!(kappa(&[]), None);
    assert_eq!(kappa(&[(true, true); 3]), None, "chance alone agrees fully");
    assert_eq!(kappa(&[(true, false), (false, true)]), Some(-1.0));
}
