//! The trained head: determinism, its file, its refusal of foreign vectors, and the seed messages.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;

use assay_domain::QueryType;
use assay_domain::error::Code;
use assay_heads::seed::{digest, seeds, shipped_head};
use assay_heads::{Example, Settings, train};
use assay_routing::Head;
use assay_routing::features::lexical;
use assay_routing::weights::weights;

/// Three classes at the corners of a triangle, with a spread that is the same every time.
fn corners(count: usize) -> Vec<Example> {
    let mut state = 7_u64;
    let mut noise = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) as f32 / (1_u64 << 31) as f32 - 0.5) * 0.8
    };
    (0..count)
        .map(|index| {
            let class = index % 3;
            let mut vector = vec![noise(), noise(), noise(), 0.1];
            vector[class] += 1.0;
            Example { text: format!("text {index}"), label: ["a", "b", "c"][class].into(), vector }
        })
        .collect()
}

#[test]
fn training_gives_equal_bytes_with_any_number_of_threads() {
    let examples = corners(1_300);
    let make = |threads| {
        train(&examples, &[], &[], "model@1", Settings { threads, ..Settings::default() }).unwrap().to_json()
    };
    let once = make(1);
    assert_eq!(once, make(1));
    assert_eq!(once, make(3));
}

#[test]
fn a_head_separates_what_can_be_separated_and_is_calibrated() {
    let (training, validation) = (corners(300), corners(90));
    let head = train(&training, &validation, &[], "model@1", Settings::default()).unwrap();
    assert!(head.report.calibration_accuracy > 0.97, "{:?}", head.report);
    let sure = head.predict("", &[1.0, 0.0, 0.0, 0.1]);
    assert_eq!(head.labels[sure.best], "a");
    assert!(sure.probability() > 0.9 && sure.in_scope.is_none());
    assert!((sure.probabilities.iter().sum::<f64>() - 1.0).abs() < 1e-9);
}

#[test]
fn outside_texts_teach_it_to_reject() {
    let outside: Vec<_> = (0..40)
        .map(|index| Example {
            text: String::new(),
            label: "none".into(),
            vector: vec![0.3, 0.3 + index as f32 * 0.001, 0.3, 0.1],
        })
        .collect();
    let head = train(&corners(300), &corners(90), &outside, "model@1", Settings::default()).unwrap();
    assert_eq!(head.predict("", &[0.31, 0.31, 0.3, 0.1]).in_scope, Some(false));
    assert_eq!(head.predict("", &[1.1, 0.0, 0.0, 0.1]).in_scope, Some(true));
}

#[test]
fn a_file_survives_reading_and_a_changed_one_is_refused() {
    let head = train(&corners(60), &[], &[], "model@1", Settings::default()).unwrap();
    let json = head.to_json();
    let read = Head::from_json(&json).unwrap();
    assert_eq!(read.to_json(), json);
    assert_eq!(read.predict("x", &[0.2, 0.9, 0.1, 0.1]), head.predict("x", &[0.2, 0.9, 0.1, 0.1]));
    let changed = json.replacen("\"a\"", "\"z\"", 1);
    assert_eq!(Head::from_json(&changed).unwrap_err().code, Code::StorageCorrupt);
    assert_eq!(Head::from_json("{}").unwrap_err().code, Code::StorageCorrupt);
}

#[test]
fn a_head_of_another_embedding_model_is_refused() {
    let head = train(&corners(60), &[], &[], "minilm@abc", Settings::default()).unwrap();
    assert!(head.check_embedding("minilm@abc").is_ok());
    assert_eq!(head.check_embedding("bge@def").unwrap_err().code, Code::Configuration);
}

#[test]
fn bad_training_sets_are_refused_with_the_reason() {
    let one = vec![Example { text: "x".into(), label: "a".into(), vector: vec![] }];
    assert_eq!(train(&one, &[], &[], "", Settings::default()).unwrap_err().field, "data");
    let mut uneven = corners(6);
    uneven[3].vector.pop();
    assert_eq!(train(&uneven, &[], &[], "", Settings::default()).unwrap_err().code, Code::InvalidArgument);
}

#[test]
fn there_are_seeds_enough_in_both_languages_and_none_twice() {
    let seeds = seeds().unwrap();
    let mut texts: Vec<_> = seeds.iter().map(|seed| seed.text.to_lowercase()).collect();
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), seeds.len(), "a seed stands twice");
    let mut counts: BTreeMap<QueryType, usize> = BTreeMap::new();
    for seed in &seeds {
        *counts.entry(seed.query_type).or_default() += 1;
        assert!(seed.language == "en" || seed.language == "es");
    }
    assert!(seeds.len() >= 1500, "{}", seeds.len());
    assert!(counts.len() == 4 && counts.values().all(|count| *count >= 300), "{counts:?}");
}

#[test]
fn shipped_heads_were_trained_on_the_present_seed() {
    for (file, json, bar) in [
        ("head-words.json", include_str!("../data/head-words.json"), 0.85),
        ("head-minilm.json", include_str!("../data/head-minilm.json"), 0.88),
    ] {
        let head = Head::from_json(json.trim_end()).unwrap();
        assert_eq!(
            head.report.data_sha256,
            digest().unwrap(),
            "the seed messages changed: write libs/heads/data/{file} again, as libs/heads/data/README.md says"
        );
        assert!(head.report.calibration_accuracy > bar, "{:?}", head.report);
        assert_eq!(shipped_head(&head.embedding).unwrap(), Some(head));
    }
    assert!(shipped_head("another model").unwrap().is_none());
}

#[test]
fn the_parts_of_a_decision_sum_up_to_the_difference_of_its_logits() {
    let settings = Settings { buckets: 512, ..Settings::default() };
    let head = train(&corners(60), &[], &[], "model@1", settings).unwrap();
    let (text, vector) = ("corner of a triangle", [0.2, 0.9, 0.1, 0.1]);
    let logits = head.logits(&vector, &lexical(text, 512));
    let parts = weights(&head, text, &vector, 1, 0);
    let sum: f64 = parts.iter().map(|part| f64::from(part.value)).sum();
    assert!((sum - (logits[1] - logits[0])).abs() < 1e-4, "{sum} {logits:?}");
    assert!(
        parts.iter().any(|part| part.part == "embedding") && parts.iter().all(|part| !part.part.is_empty())
    );
}

#[test]
fn balanced_training_lets_a_rare_class_weigh_the_same() {
    let mut examples = corners(300);
    let mut kept = 0;
    examples.retain(|example| {
        kept += usize::from(example.label == "a");
        example.label != "a" || kept <= 3
    });
    let mean = |balanced| {
        let settings = Settings { balanced, ..Settings::default() };
        let head = train(&examples, &[], &[], "model@1", settings).unwrap();
        let a = head.labels.iter().position(|label| label == "a").unwrap();
        head.predict("", &[0.31, 0.31, 0.3, 0.1]).probabilities[a]
    };
    assert!(mean(true) > mean(false), "{} {}", mean(true), mean(false));
}
