//! Drift of what is counted.
#![allow(clippy::unwrap_used)]

use assay_heads::drift::{Counts, shifts};

fn counts(messages: u64, spanish: u64) -> Counts {
    let mut counts = Counts::default();
    for at in 0..messages {
        counts.add((at < spanish).then(|| "language es".to_owned()));
    }
    counts
}

#[test]
fn a_clear_change_is_told_from_chance() {
    let found = shifts(&counts(1_000, 100), &counts(200, 80));
    assert_eq!(found.len(), 1);
    assert!(found[0].changed && found[0].change.0 > 0.15, "{found:?}");
    assert!((found[0].before - 0.1).abs() < 1e-12 && (found[0].late - 0.4).abs() < 1e-12);
    assert!(!shifts(&counts(1_000, 100), &counts(200, 24))[0].changed);
}

#[test]
fn without_messages_there_is_nothing_to_compare() {
    assert!(shifts(&counts(10, 1), &Counts::default()).is_empty());
}
