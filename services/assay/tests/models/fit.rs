//! What `assay models fit` reads, measures, writes and refuses.

use std::path::Path;

use serde_json::{Value, json};

use crate::made::{Model, Output as Form};
use crate::{Bench, code, read, repository, stderr};

/// A model that agrees with claims that say "zaba" and contradicts those that say "zubu"; else it says the same of all.
fn telling() -> Bench {
    let labels = json!({ "0": "contradiction", "1": "entailment", "2": "neutral" });
    let config =
        json!({ "architectures": ["BertForSequenceClassification"], "id2label": labels }).to_string();
    let folder = tempfile::tempdir().unwrap();
    let all = &[("zaba", [0.0, 4.0, 0.0]), ("zubu", [4.0, 0.0, 0.0])];
    Model { output: Form::Input, own: &[], all, config: &config }.write(folder.path());
    let bench = Bench::new(vec![repository("someone/nli", read(folder.path()))]);
    bench.fine(&["pull", "hub:someone/nli"]);
    bench
}

/// Claims over the first documents of the suite that people wrote, each with a word for the model.
fn suite(documents: usize, words: [&str; 2]) -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/train/grounding/suite/taught.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let documents = text.lines().take(documents);
    documents
        .map(|line| {
            let mut row: Value = serde_json::from_str(line).unwrap();
            for case in row["cases"].as_array_mut().unwrap() {
                let word = words[usize::from(case["good"] == false)];
                case["claim"] = case["claim"].as_str().unwrap().trim_end_matches('.').to_owned().into();
                case["claim"] = format!("{} {word}.", case["claim"].as_str().unwrap()).into();
            }
            row
        })
        .collect()
}

fn write(bench: &Bench, name: &str, rows: &[Value]) -> String {
    let path = bench.dir.path().join(name);
    let lines: Vec<String> = rows.iter().map(Value::to_string).collect();
    std::fs::write(&path, lines.join("\n")).unwrap();
    path.display().to_string()
}

/// The same pairs, one a line.
fn single(rows: &[Value]) -> Vec<Value> {
    let of = |row: &Value| -> Vec<Value> {
        let sources = row["sources"].as_array().unwrap();
        let chosen = |case: &Value| -> Vec<Value> {
            let places = case["sources"].as_array().unwrap().iter();
            places
                .map(|place| sources[usize::try_from(place.as_u64().unwrap()).unwrap() - 1].clone())
                .collect()
        };
        let cases = row["cases"].as_array().unwrap().iter();
        cases
            .map(|case| {
                json!({ "claim": case["claim"], "question": case["question"], "sources": chosen(case),
                    "label": if case["good"] == true { "entailment" } else { "contradiction" },
                    "language": row["language"], "group": row["base"] })
            })
            .collect()
    };
    rows.iter().flat_map(of).collect()
}

fn fit(bench: &Bench, file: &str) -> Value {
    let output = bench.run(&["fit", "nli", "--pairs", file, "--json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn join(bench: &Bench) -> std::path::PathBuf {
    bench.models().join("nli/join.json")
}

#[test]
fn join_is_fitted_measured_and_written_beside_the_model() {
    let bench = telling();
    let rows = suite(12, ["zaba", "zubu"]);
    let fitted = fit(&bench, &write(&bench, "suite.jsonl", &rows));
    let auroc = &fitted["cross_validated"]["auroc"];
    assert!(
        auroc["joined"].as_f64() > auroc["words"].as_f64() && auroc["joined"].as_f64() > Some(0.99),
        "{auroc}"
    );
    let written: Value = serde_json::from_slice(&std::fs::read(join(&bench)).unwrap()).unwrap();
    assert_eq!(written, fitted["join"]);
    assert_eq!(written["model"], bench.lock()["models"]["nli"]["files"]["model.onnx"]["sha256"]);
    assert_eq!(written["fitted_on"]["pairs"], fitted["pairs"]);
    assert!(!written["contradiction"].is_null(), "the model is sure where it contradicts");
    let list = bench.fine(&["list"]);
    assert!(list.contains("join: fitted"), "{list}");
    // The same pairs in the other form give the same join.
    let again = fit(&bench, &write(&bench, "single.jsonl", &single(&rows)));
    assert_eq!(again["cross_validated"], fitted["cross_validated"]);
}

#[test]
fn a_model_that_tells_nothing_gets_no_join() {
    let bench = telling();
    let file = write(&bench, "pairs.jsonl", &suite(12, ["zibi", "zibi"]));
    let said = bench.fails(&["fit", "nli", "--pairs", &file], 1);
    assert!(said.contains("no join was written") && !join(&bench).exists(), "{said}");
}

#[test]
fn too_few_pairs_are_refused_with_their_number() {
    let bench = telling();
    let file = write(&bench, "pairs.jsonl", &suite(1, ["zaba", "zubu"]));
    let said = bench.fails(&["fit", "nli", "--pairs", &file], 1);
    assert!(said.contains("at least 40 of each") && !join(&bench).exists(), "{said}");
}

#[test]
fn what_cannot_be_fitted_is_named() {
    let bench = telling();
    let file = write(&bench, "pairs.jsonl", &[json!({ "claim": "c", "source": "s", "label": "perhaps" })]);
    assert!(bench.fails(&["fit", "nli", "--pairs", &file], 1).contains("line 1: label"));
    assert!(bench.fails(&["fit", "nli", "--pairs", "not-there"], 1).contains("not-there"));
    assert!(bench.fails(&["fit", "other", "--pairs", &file], 1).contains("it lists nli"));
    assert!(Path::new(&file).exists() && !join(&bench).exists());
}
