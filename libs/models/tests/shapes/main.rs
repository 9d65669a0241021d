//! Models of a real shape with random weights (BERT; f32 and int8) answer as ONNX Runtime does.
//!
//! `make.py` makes them and asks ONNX Runtime; it needs a Python with the packages of `requirements.txt`, named by
//! `ASSAY_TEST_ONNX_PYTHON`. Without one these tests skip.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, clippy::disallowed_methods)]

use assay_models::{Embedder, Files, Limits};
use serde_json::Value;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

struct Made {
    folder: PathBuf,
    expected: Value,
}

/// The models, made once for each state of the scripts; none where there is no Python for it.
fn made() -> Option<&'static Made> {
    static MADE: OnceLock<Option<Made>> = OnceLock::new();
    let made = MADE.get_or_init(|| {
        let python = std::env::var_os("ASSAY_TEST_ONNX_PYTHON")?;
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shapes");
        let mut state = DefaultHasher::new();
        for name in ["graph.py", "networks.py", "make.py", "requirements.txt"] {
            std::fs::read(scripts.join(name)).unwrap().hash(&mut state);
        }
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shapes");
        let (mark, state) = (folder.join("state"), state.finish().to_string());
        if std::fs::read_to_string(&mark).ok().as_ref() != Some(&state) {
            let mut make = Command::new(python);
            make.args(["-B", "-W", "ignore"]).arg(scripts.join("make.py")).arg(&folder);
            let out = make.output().unwrap();
            assert!(out.status.success(), "make.py: {}", String::from_utf8_lossy(&out.stderr));
            std::fs::write(&mark, state).unwrap();
        }
        let expected = std::fs::read(folder.join("expected.json")).unwrap();
        Some(Made { folder, expected: serde_json::from_slice(&expected).unwrap() })
    });
    if made.is_none() {
        // Past the harness, which keeps what a passing test prints to itself.
        let why = "SKIPPED: ASSAY_TEST_ONNX_PYTHON names no Python with tests/shapes/requirements.txt";
        let _ = writeln!(std::io::stderr(), "{why}");
    }
    made.as_ref()
}

impl Made {
    fn files(&self, model: &str, number: &str) -> Files {
        Files::in_folder(&self.folder.join(model).join(number)).unwrap()
    }
}

fn limits() -> Limits {
    Limits { cores: 2, max_tokens: 2048, ..Limits::default() }
}

fn text<'a>(item: &'a Value, key: &str) -> &'a str {
    item[key].as_str().unwrap()
}

fn numbers(item: &Value) -> Vec<f32> {
    serde_json::from_value(item.clone()).unwrap()
}

#[test]
fn bert_embeds_as_onnx_runtime_does() {
    let Some(made) = made() else { return };
    for (number, least) in [("f32", 0.99999), ("int8", 0.99)] {
        let cases = made.expected["embed"][number].as_array().unwrap();
        let model =
            Embedder::load(&made.files("embed", number), limits(), assay_models::Pooling::Mean).unwrap();
        let texts: Vec<&str> = cases.iter().map(|case| text(case, "text")).collect();
        let found = model.embed(&texts, &|| false).unwrap();
        for (case, found) in cases.iter().zip(found) {
            let expected = numbers(&case["vector"]);
            let cosine: f32 = found.iter().zip(&expected).map(|(a, b)| a * b).sum();
            println!("embed {number}: cosine {cosine}");
            assert!(cosine >= least, "{number}: cosine {cosine} for {}", text(case, "text"));
        }
    }
}
