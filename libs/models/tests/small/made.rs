//! Makes small models on disk: a word has an id, and the graph adds numbers from tables.

use rten_onnx::onnx;
use std::cell::RefCell;
use std::path::Path;

/// Ids of the special tokens: filling, unknown, first, between.
const SPECIAL: [&str; 4] = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"];

/// A model whose numbers are sums over the tokens of its input: `all` says what each word adds.
pub(crate) struct Model<'a, const N: usize> {
    pub(crate) all: &'a [(&'a str, [f32; N])],
    pub(crate) config: &'a str,
}

impl<const N: usize> Model<'_, N> {
    /// Writes `model.onnx`, `tokenizer.json` and `config.json`.
    pub(crate) fn write(&self, folder: &Path) {
        let mut words: Vec<&str> = SPECIAL.to_vec();
        words.extend(self.all.iter().map(|(word, _)| *word));
        let table = |name: &str, rows: &[(&str, [f32; N])]| {
            let of = |word: &&str| rows.iter().find(|row| row.0 == *word).map_or([0.0; N], |row| row.1);
            let floats: Vec<u8> = words.iter().flat_map(of).flat_map(f32::to_le_bytes).collect();
            tensor(name, &[words.len(), N], onnx::DataType::FLOAT, floats)
        };
        let axis = tensor("axis", &[1], onnx::DataType::INT64, 1_i64.to_le_bytes().to_vec());
        let mut keep = onnx::AttributeProto { name: Some("keepdims".into()), ..Default::default() };
        keep.i = Some(0);
        keep.r#type = Some(onnx::AttributeType::INT);
        let mut sum = node("ReduceSum", &["each", "axis"], "sum");
        sum.attribute = vec![keep];
        let gather = node("Gather", &["all", "input_ids"], "each");
        let nodes = vec![gather, sum, node("Identity", &["sum"], "logits")];
        let graph = onnx::GraphProto {
            node: nodes,
            initializer: vec![table("all", self.all), axis],
            input: vec![
                value("input_ids", onnx::DataType::INT64),
                value("attention_mask", onnx::DataType::INT64),
            ],
            output: vec![value("logits", onnx::DataType::FLOAT)],
            value_info: Vec::new(),
        };
        let model = onnx::ModelProto {
            ir_version: Some(8),
            graph: Some(graph),
            opset_import: vec![onnx::OperatorSetIdProto { domain: None, version: Some(13) }],
            ..Default::default()
        };
        let write = |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).unwrap();
        write("model.onnx", &model.write_buf().unwrap());
        write("tokenizer.json", tokenizer(&words).to_string().as_bytes());
        write("config.json", self.config.as_bytes());
    }
}

fn tokenizer(words: &[&str]) -> serde_json::Value {
    let vocab: serde_json::Map<_, _> =
        words.iter().enumerate().map(|(id, word)| ((*word).to_owned(), id.into())).collect();
    let special =
        |name: &str, type_id: u8| serde_json::json!({"SpecialToken": {"id": name, "type_id": type_id}});
    let text = |id: &str, type_id: u8| serde_json::json!({"Sequence": {"id": id, "type_id": type_id}});
    let known = |name: &str, id: u8| serde_json::json!({"id": name, "ids": [id], "tokens": [name]});
    let single = [special("[CLS]", 0), text("A", 0), special("[SEP]", 0)];
    let pair = [single.as_slice(), &[text("B", 1), special("[SEP]", 1)]].concat();
    serde_json::json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": {"type": "Whitespace"}, "decoder": null,
        "post_processor": {
            "type": "TemplateProcessing", "single": single, "pair": pair,
            "special_tokens": {"[CLS]": known("[CLS]", 2), "[SEP]": known("[SEP]", 3)},
        },
        "model": {"type": "WordLevel", "vocab": vocab, "unk_token": "[UNK]"},
    })
}

fn tensor(name: &str, sizes: &[usize], kind: onnx::DataType, bytes: Vec<u8>) -> onnx::TensorProto {
    onnx::TensorProto {
        dims: sizes.iter().map(|size| i64::try_from(*size).unwrap()).collect(),
        data_type: Some(kind),
        raw_data: Some(RefCell::new(bytes)),
        name: Some(name.to_owned()),
        ..Default::default()
    }
}

fn node(kind: &str, inputs: &[&str], output: &str) -> onnx::NodeProto {
    onnx::NodeProto {
        name: Some(output.to_owned()),
        input: inputs.iter().map(|input| (*input).to_owned()).collect(),
        output: vec![output.to_owned()],
        op_type: Some(kind.to_owned()),
        ..Default::default()
    }
}

fn value(name: &str, kind: onnx::DataType) -> onnx::ValueInfoProto {
    let size = |name: &str| onnx::Dimension { dim_value: None, dim_param: Some(name.to_owned()) };
    let shape = matches!(kind, onnx::DataType::INT64)
        .then(|| onnx::TensorShapeProto { dim: vec![size("batch"), size("tokens")] });
    let tensor = onnx::TypeProtoTensor { elem_type: Some(kind), shape };
    onnx::ValueInfoProto {
        name: Some(name.to_owned()),
        r#type: Some(onnx::TypeProto { tensor_type: Some(tensor), sequence: None }),
    }
}
