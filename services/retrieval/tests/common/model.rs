//! Makes an embedding model of a few words on disk and records it, as `assay models pull` records the real one.

use assay_models::minilm::{DIMENSIONS, NAME};
use assay_models::store::{Digest, Entry, Held, Kind, MODEL, Recorded, TOKENIZER, digest, folder};
use rten_onnx::onnx;
use std::cell::RefCell;
use std::path::Path;

/// Words that the model knows behind the special ones; all others are one word to it.
const WORDS: [&str; 8] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "loop", "step", "parameter", "request"];

/// Each word is a direction of its own, special ones are none; models of another `seed` have other directions.
pub(crate) fn small_model(models: &Path, seed: usize) {
    let folder = folder(models, NAME).unwrap();
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(MODEL), graph(seed)).unwrap();
    std::fs::write(folder.join(TOKENIZER), tokenizer().to_string()).unwrap();
    let recorded = |name: &str| {
        let Digest { bytes, sha256 } = digest(&folder.join(name)).unwrap();
        (name.to_owned(), Recorded { from: name.to_owned(), bytes, sha256 })
    };
    let entry = Entry {
        hub: "pypi:small".into(),
        revision: seed.to_string(),
        kind: Kind::Embedding,
        license: None,
        files: [MODEL, TOKENIZER].map(recorded).into(),
    };
    Held::open(models).unwrap().record(NAME, entry).unwrap();
}

fn graph(seed: usize) -> Vec<u8> {
    let mut table = vec![0_f32; WORDS.len() * DIMENSIONS];
    for (id, row) in table.chunks_mut(DIMENSIONS).enumerate().filter(|(id, _)| *id == 1 || *id > 3) {
        row[id + seed * WORDS.len()] = 1.0;
    }
    let value = |name: &str, kind, sizes: Option<[&str; 2]>| {
        let dimension = |size: &str| onnx::Dimension { dim_value: None, dim_param: Some(size.to_owned()) };
        let shape = sizes.map(|sizes| onnx::TensorShapeProto { dim: sizes.map(dimension).into() });
        let tensor = onnx::TypeProtoTensor { elem_type: Some(kind), shape };
        onnx::ValueInfoProto {
            name: Some(name.to_owned()),
            r#type: Some(onnx::TypeProto { tensor_type: Some(tensor), sequence: None }),
        }
    };
    let weights = onnx::TensorProto {
        dims: vec![WORDS.len() as i64, DIMENSIONS as i64],
        data_type: Some(onnx::DataType::FLOAT),
        raw_data: Some(RefCell::new(table.into_iter().flat_map(f32::to_le_bytes).collect())),
        name: Some("words".to_owned()),
        ..Default::default()
    };
    let gather = onnx::NodeProto {
        name: Some("gather".to_owned()),
        input: vec!["words".to_owned(), "input_ids".to_owned()],
        output: vec!["states".to_owned()],
        op_type: Some("Gather".to_owned()),
        ..Default::default()
    };
    let graph = onnx::GraphProto {
        node: vec![gather],
        initializer: vec![weights],
        input: ["input_ids", "attention_mask"]
            .map(|name| value(name, onnx::DataType::INT64, Some(["batch", "tokens"])))
            .into(),
        output: vec![value("states", onnx::DataType::FLOAT, None)],
        value_info: Vec::new(),
    };
    let model = onnx::ModelProto {
        ir_version: Some(8),
        graph: Some(graph),
        opset_import: vec![onnx::OperatorSetIdProto { domain: None, version: Some(13) }],
        ..Default::default()
    };
    model.write_buf().unwrap()
}

fn tokenizer() -> serde_json::Value {
    let vocab: serde_json::Map<_, _> =
        WORDS.iter().enumerate().map(|(id, word)| ((*word).to_owned(), id.into())).collect();
    serde_json::json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"}, "decoder": null,
        "post_processor": {
            "type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2],
        },
        "model": {"type": "WordLevel", "vocab": vocab, "unk_token": "[UNK]"},
    })
}
