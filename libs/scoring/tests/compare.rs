//! A report as a run writes it is compared like the report itself.
#![allow(clippy::unwrap_used)]

use assay_scoring::{Manifest, Measured, Recorded, compare, report};

#[test]
fn written_report_compares_like_the_report() {
    let manifest = Manifest { format: Manifest::FORMAT, questions: 3, ..Manifest::default() };
    let answers = |answerable: &[bool]| -> Vec<Recorded> {
        let one = |(number, answerable): (usize, &bool)| Recorded {
            id: number.to_string(),
            repetition: 1,
            answerable: Some(*answerable),
            ..Recorded::default()
        };
        answerable.iter().enumerate().map(one).collect()
    };
    let [first, second] =
        [[true, true, false], [true, false, false]].map(|kinds| report(&manifest, &answers(&kinds)));
    let written = [&first, &second].map(|report| serde_json::to_string(report).unwrap());
    let [one, other] = written.map(|text| Measured::read(&text).unwrap());
    let found = compare(&one, &other);
    assert_eq!(found.scores["answered_of_answerable"].questions, 1);
    assert_eq!(found, compare(&first.into(), &second.into()));
}

#[test]
fn report_of_another_format_or_without_answers_is_refused() {
    let manifest = Manifest { format: Manifest::FORMAT, ..Manifest::default() };
    let empty = serde_json::to_string(&report(&manifest, &[])).unwrap();
    assert_eq!(Measured::read(&empty).unwrap_err(), "it has no answers");
    let old = serde_json::to_string(&report(&Manifest::default(), &[])).unwrap();
    assert!(Measured::read(&old).unwrap_err().starts_with("it has format 0"));
}
