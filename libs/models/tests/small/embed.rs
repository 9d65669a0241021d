//! A model whose numbers cannot be used is refused when it is loaded.

use crate::made::Model;
use assay_models::{Embedder, Error, Files, Limits, Pooling};

fn loaded(all: &[(&str, [f32; 2])], config: &str) -> Result<Embedder, Error> {
    let folder = tempfile::tempdir().unwrap();
    Model { all, config }.write(folder.path());
    Embedder::load(&Files::in_folder(folder.path())?, Limits::default(), Pooling::Mean)
}

#[test]
fn a_model_that_answers_no_number_is_refused() {
    let error = loaded(&[("a", [f32::NAN, 1.0])], "{}").unwrap_err();
    assert!(matches!(&error, Error::Run(why) if why.contains("finite")), "{error}");
}

#[test]
fn a_model_with_too_few_positions_is_refused() {
    for positions in 0..4 {
        let config = format!(r#"{{"max_position_embeddings": {positions}}}"#);
        let error = loaded(&[("a", [1.0, 0.0])], &config).unwrap_err();
        assert!(error.to_string().contains("max_position_embeddings"), "{error}");
    }
}

#[test]
fn texts_are_embedded_in_their_order_whatever_their_length() {
    let model = loaded(&[("up", [0.0, 1.0]), ("right", [1.0, 0.0])], "{}").unwrap();
    let long = "right ".repeat(100);
    let texts = ["up", &long, "right up"];
    let found = model.embed(&texts, &|| false).unwrap();
    assert_eq!(found[..2], [vec![0.0, 1.0], vec![1.0, 0.0]]);
    assert!((found[2][0] - found[2][1]).abs() < 1e-6);
    assert!(matches!(model.embed(&texts, &|| true), Err(Error::Stopped)));
}
