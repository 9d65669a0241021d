//! Evaluation, the exact test, and the history of promotions.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use assay_heads::eval::{FEWEST, Judged, compare, evaluate};
use assay_heads::promotions::{Entry, current, holdout};

fn judged(label: &str, found: &str, probability: f64) -> Judged {
    Judged { label: label.into(), found: found.into(), probability, language: "en".into() }
}

#[test]
fn shares_coverage_and_calibration_are_counted() {
    let all = [judged("a", "a", 0.9), judged("a", "b", 0.6), judged("b", "b", 1.0), judged("b", "b", 0.9)];
    let found = evaluate(&all, 0.85);
    assert_eq!((found.all.messages, found.all.right), (4, 3));
    assert_eq!((found.sure.messages, found.sure.right, found.coverage), (3, 3, 0.75));
    assert_eq!((found.labels["a"].accuracy, found.labels["b"].accuracy), (0.5, 1.0));
    assert_eq!(found.languages["en"].messages, 4);
    // Two of 0.9 right, one of 0.6 wrong, one of 1.0 right: (0.2 + 0.6 + 0) / 4.
    assert!((found.calibration_error - 0.2).abs() < 1e-9, "{}", found.calibration_error);
}

/// A holdout of `FEWEST` messages of two labels of which the first `wrong` are wrong.
fn holdout_with(wrong: std::ops::Range<usize>) -> Vec<Judged> {
    (0..FEWEST)
        .map(|n| {
            let label = if n % 2 == 0 { "a" } else { "b" };
            judged(label, if wrong.contains(&n) { "c" } else { label }, 0.9)
        })
        .collect()
}

#[test]
fn a_clearly_better_challenger_may_take_the_place() {
    let found = compare(&holdout_with(0..30), &holdout_with(0..5));
    assert_eq!((found.champion_only, found.challenger_only), (0, 25));
    assert_eq!(found.against, Vec::<String>::new());
}

#[test]
fn the_champion_stays_without_significance_messages_or_recall() {
    assert!(compare(&holdout_with(0..3), &holdout_with(0..0)).against[0].contains("p = 0.250"));
    assert!(
        compare(&holdout_with(0..0), &holdout_with(0..30)).against[0].contains("right where the champion")
    );
    let few = |all: Vec<Judged>| all[..100].to_vec();
    assert!(compare(&few(holdout_with(0..30)), &few(holdout_with(0..0))).against[0].contains("it takes 300"));
    // Far better on `a`, 4 of 150 worse on `b`.
    let (mut old, mut new) = (holdout_with(0..0), holdout_with(0..0));
    old.iter_mut().filter(|one| one.label == "a").take(60).for_each(|one| one.found = "c".into());
    new.iter_mut().filter(|one| one.label == "b").take(4).for_each(|one| one.found = "c".into());
    assert_eq!(compare(&old, &new).against, ["the recall of b falls by 2.7 points"]);
}

fn promote(file: &str) -> Entry {
    Entry::Promote {
        at_unix_ms: 1,
        file: file.into(),
        holdout_sha256: format!("of {file}"),
        accuracy: [0.9, 0.95],
        p_value: 0.01,
        forced: false,
    }
}

#[test]
fn a_rollback_goes_back_one_promotion() {
    let back = Entry::Rollback { at_unix_ms: 2 };
    assert_eq!(current(&[]), None);
    assert_eq!(current(&[promote("1"), promote("2")]), Some("2"));
    assert_eq!(current(&[promote("1"), promote("2"), back.clone()]), Some("1"));
    assert_eq!(current(&[promote("1"), back.clone(), back.clone(), promote("3")]), Some("3"));
    assert_eq!(holdout(&[promote("1"), back]), Some("of 1"));
}
