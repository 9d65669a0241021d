//! A token classifier flags parts of an answer: which bytes, over which passages, by which class.

use crate::made::{Model, Output};
use assay_models::{Error, Files, Flagged, Limits, SpanClassifier};

/// "moon" and "queso" are foreign in any answer; a passage that says "proof" clears everything.
const OWN: &[(&str, [f32; 2])] = &[("moon", [0.0, 3.0]), ("queso", [0.0, 4.0]), ("cheese", [1.0, 0.0])];
const ALL: &[(&str, [f32; 2])] = &[("proof", [20.0, 0.0])];

fn model(config: &str, max_tokens: usize) -> Result<(tempfile::TempDir, SpanClassifier), Error> {
    let folder = tempfile::tempdir().unwrap();
    Model { output: Output::Tokens, own: OWN, all: ALL, config }.write(folder.path());
    let files = Files::in_folder(folder.path())?;
    let loaded = SpanClassifier::load(&files, Limits { cores: 1, max_tokens, ..Limits::default() })?;
    Ok((folder, loaded))
}

fn parts<'a>(answer: &'a str, flagged: &[Flagged]) -> Vec<&'a str> {
    flagged.iter().map(|part| &answer[part.bytes.clone()]).collect()
}

#[test]
fn neighbouring_foreign_words_become_one_part_of_the_answer() {
    let (_folder, model) = model("{}", 128).unwrap();
    let answer = "Más cheese, moon queso y cheese; moon.";
    let flagged = model.flag(Some("¿Qué?"), &["a passage"], answer, &|| false).unwrap();
    // Words that no table knows are worth 0 against 0, which is the bar.
    assert_eq!(parts(answer, &flagged), ["Más", ", moon queso y", "; moon."]);
    assert!((flagged[1].probability - 1.0 / (1.0 + (-4.0_f32).exp())).abs() < 1e-6);
}

#[test]
fn the_words_of_question_and_passages_are_never_flagged() {
    let (_folder, model) = model("{}", 128).unwrap();
    assert_eq!(model.flag(Some("moon"), &["moon", "queso"], "cheese", &|| false).unwrap(), []);
    assert_eq!(model.flag(None, &["moon"], " ", &|| false).unwrap(), []);
}

#[test]
fn one_supporting_passage_is_enough_at_any_position() {
    let (_folder, model) = model("{}", 96).unwrap();
    let long = "word ".repeat(40);
    let answer = "cheese moon";
    let flag = |passages: &[&str]| model.flag(Some("which"), passages, answer, &|| false).unwrap();
    assert_eq!(parts(answer, &flag(&[&long, &long, &long])), ["moon"]);
    for place in 0..3 {
        let mut passages = [long.as_str(); 3];
        passages[place] = "proof";
        assert_eq!(flag(&passages), [], "proof in passage {place}");
    }
}

#[test]
fn long_passage_is_cut_and_the_answer_stays_whole() {
    let (_folder, model) = model("{}", 96).unwrap();
    let passage = "word ".repeat(200) + "proof";
    let answer = "cheese moon cheese queso";
    let flagged = model.flag(None, &[&passage], answer, &|| false).unwrap();
    assert_eq!(parts(answer, &flagged), ["moon", "queso"]);
}

#[test]
fn answer_that_leaves_no_room_is_an_error() {
    let (_folder, model) = model("{}", 64).unwrap();
    let error = model.flag(None, &["a"], &"cheese ".repeat(60), &|| false).unwrap_err();
    assert!(error.to_string().contains("raise max_tokens"), "{error}");
}

#[test]
fn class_named_hallucinated_in_the_config_flags() {
    let (_folder, model) = model(r#"{"id2label": {"0": "Hallucinated", "1": "supported"}}"#, 128).unwrap();
    let answer = "cheese moon";
    assert_eq!(parts(answer, &model.flag(None, &["a"], answer, &|| false).unwrap()), ["cheese"]);
}

#[test]
fn model_of_three_classes_is_refused_at_load() {
    let labels = r#"{"id2label": {"0": "a", "1": "b", "2": "c"}}"#;
    assert!(matches!(model(labels, 128).unwrap_err(), Error::Labels { .. }));
}

#[test]
fn a_caller_who_asks_to_stop_is_heard() {
    let (_folder, model) = model("{}", 128).unwrap();
    assert!(matches!(model.flag(None, &["a"], "moon", &|| true), Err(Error::Stopped)));
}
