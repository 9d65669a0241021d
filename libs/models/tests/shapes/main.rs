//! Models of the real shapes with random weights (BERT, DeBERTa-v3, ModernBERT; f32 and int8) answer as ONNX Runtime does.
//!
//! `make.py` makes them and asks ONNX Runtime; it needs a Python with the packages of `requirements.txt`, named by
//! `ASSAY_TEST_ONNX_PYTHON`. Without one these tests skip.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, clippy::disallowed_methods)]

use assay_models::{Embedder, Entailment, Files, Limits, Logits, Pair, PairScorer, Reranker, SpanClassifier};
use serde_json::Value;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// Greatest difference of two logits. With int8 each engine rounds activations at its own places, layer after layer.
const NUMBERS: [(&str, f32); 2] = [("f32", 0.001), ("int8", 0.5)];

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

/// Asserts that two lists of numbers differ by no more than `most`, and that they are no list of one number.
fn near(what: &str, found: &[f32], expected: &[f32], most: f32) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let apart = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    let (least, greatest) =
        expected.iter().fold((f32::MAX, f32::MIN), |(low, high), x| (low.min(*x), high.max(*x)));
    println!("{what}: {apart} apart over {least} to {greatest}");
    assert!(apart <= most, "{what}: {apart} apart, found {found:?}, expected {expected:?}");
    assert!(greatest - least > 2.0 * most, "{what}: numbers from {least} to {greatest} prove nothing");
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

#[test]
fn bert_without_token_types_ranks_as_onnx_runtime_does() {
    let Some(made) = made() else { return };
    for (number, most) in NUMBERS {
        let case = &made.expected["rerank"][number];
        let passages = case["passages"].as_array().unwrap();
        let model = Reranker::load(&made.files("rerank", number), limits()).unwrap();
        let texts: Vec<&str> = passages.iter().map(|passage| text(passage, "text")).collect();
        let found = model.score(text(case, "query"), &texts, &|| false).unwrap();
        let expected: Vec<f32> =
            passages.iter().map(|passage| passage["logit"].as_f64().unwrap() as f32).collect();
        near(&format!("rerank {number}"), &found, &expected, most);
    }
}

#[test]
fn deberta_scores_pairs_as_onnx_runtime_does() {
    let Some(made) = made() else { return };
    for (number, most) in NUMBERS {
        let cases = made.expected["entail"][number].as_array().unwrap();
        let model = PairScorer::load(&made.files("entail", number), limits()).unwrap();
        let pair = |case| Pair { premise: text(case, "premise"), hypothesis: text(case, "hypothesis") };
        let pairs: Vec<Pair<'_>> = cases.iter().map(pair).collect();
        let found = model.score(&pairs, &|| false).unwrap();
        let found: Vec<f32> = found.into_iter().flat_map(in_order).collect();
        let expected: Vec<f32> = cases.iter().flat_map(|case| numbers(&case["logits"])).collect();
        near(&format!("entail {number}"), &found, &expected, most);
    }
}

/// The logits in the order of the test's `config.json`.
fn in_order(found: Entailment) -> [f32; 3] {
    match found.logits {
        Logits::Three { entailment, neutral, contradiction } => [contradiction, entailment, neutral],
        Logits::Two { .. } => panic!("the model has three labels"),
    }
}

#[test]
fn modernbert_flags_the_tokens_that_onnx_runtime_flags() {
    let Some(made) = made() else { return };
    for (number, most) in NUMBERS {
        let case = &made.expected["spans"][number];
        let passages: Vec<&str> =
            case["passages"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
        let model = SpanClassifier::load(&made.files("spans", number), limits()).unwrap();
        let answer = text(case, "answer");
        let found = model.flag(Some(text(case, "question")), &passages, answer, &|| false).unwrap();
        let mut sure = [0, 0];
        for token in case["tokens"].as_array().unwrap() {
            let place = |key: &str| usize::try_from(token[key].as_u64().unwrap()).unwrap();
            let (from, to) = (place("from"), place("to"));
            let difference = token["difference"].as_f64().unwrap() as f32;
            // White space and half characters belong to no part by themselves.
            let word = answer.get(from..to).unwrap_or_default();
            let start = from + (word.len() - word.trim_start().len());
            if word.trim().is_empty() || difference.abs() < 2.0 * most {
                continue;
            }
            let flagged = found.iter().any(|part| part.bytes.start <= start && to <= part.bytes.end);
            assert_eq!(flagged, difference > 0.0, "{number}: {word:?} at {from}, difference {difference}");
            sure[usize::from(flagged)] += 1;
        }
        println!("spans {number}: {sure:?} tokens clear and flagged");
        assert!(sure.iter().all(|count| *count >= 5), "{number}: {sure:?} tokens prove little");
    }
}
