//! A reranker gives one score a passage, in the order of the passages.

use crate::made::{Model, Output};
use assay_models::{Error, Files, Limits, Reranker};

#[test]
fn passages_are_scored_in_their_order_whatever_their_length() {
    let folder = tempfile::tempdir().unwrap();
    let all = &[("refund", [2.0]), ("days", [1.0]), ("weather", [-3.0])];
    Model { output: Output::Input, own: &[], all, config: "{}" }.write(folder.path());
    let limits = Limits { cores: 2, ..Limits::default() };
    let model = Reranker::load(&Files::in_folder(folder.path()).unwrap(), limits).unwrap();
    let long = "days ".repeat(100);
    let passages = ["weather", &long, "a refund in days", "", "refund"];
    let scores = model.score("refund", &passages, &|| false).unwrap();
    assert_eq!(scores, [-1.0, 102.0, 5.0, 2.0, 4.0]);
    assert_eq!(model.score("refund", &[], &|| false).unwrap(), [0.0; 0]);
    assert!(matches!(model.score("refund", &passages, &|| true), Err(Error::Stopped)));
}

#[test]
fn a_model_with_two_outputs_is_no_reranker() {
    let folder = tempfile::tempdir().unwrap();
    Model { output: Output::Input, own: &[], all: &[("a", [1.0, 2.0])], config: "{}" }.write(folder.path());
    let error = Reranker::load(&Files::in_folder(folder.path()).unwrap(), Limits::default()).unwrap_err();
    assert!(matches!(error, Error::Output { .. }), "{error}");
}

#[test]
fn a_model_that_answers_no_number_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let all = &[("a", [f32::NAN]), ("refund", [f32::INFINITY])];
    Model { output: Output::Input, own: &[], all, config: "{}" }.write(folder.path());
    let error = Reranker::load(&Files::in_folder(folder.path()).unwrap(), Limits::default()).unwrap_err();
    assert!(matches!(&error, Error::Run(why) if why.contains("finite")), "{error}");
}

#[test]
fn a_model_with_too_few_positions_is_refused() {
    for positions in 0..4 {
        let folder = tempfile::tempdir().unwrap();
        let config = format!(r#"{{"max_position_embeddings": {positions}}}"#);
        Model { output: Output::Input, own: &[], all: &[("a", [1.0])], config: &config }.write(folder.path());
        let error = Reranker::load(&Files::in_folder(folder.path()).unwrap(), Limits::default()).unwrap_err();
        assert!(error.to_string().contains("max_position_embeddings"), "{error}");
    }
}
