//! What `list`, `verify` and `remove` say and do.

use serde_json::Value;

use crate::{Bench, COMMIT, code, entailment, nli, repository, spans, stderr, stdout};

fn object(bench: &Bench, args: &[&str], exit: i32) -> Value {
    let output = bench.run(args);
    assert_eq!(code(&output), exit, "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_list_names_kind_origin_digest_size_and_join() {
    let bench =
        Bench::new(vec![repository("someone/nli", entailment(0.0)), repository("someone/spans", spans())]);
    bench.fine(&["pull", "hub:someone/nli"]);
    bench.fine(&["pull", "hub:someone/spans", "--name", "other"]);
    let list = object(&bench, &["list", "--json"], 0);
    let model = &list["models"][0];
    assert_eq!(model["name"], "nli");
    assert_eq!(model["kind"], "entailment");
    assert_eq!(model["revision"], COMMIT);
    assert_eq!(model["join"], "none");
    assert_eq!(model["files"]["model.onnx"], bench.lock()["models"]["nli"]["files"]["model.onnx"]);
    assert_eq!(list["models"][1]["name"], "other");
    let said = stdout(&bench.run(&["list"]));
    let digest = model["files"]["model.onnx"]["sha256"].as_str().unwrap();
    for part in ["nli: entailment", "someone/nli at", digest, "apache-2.0", "join: none", "other: spans"] {
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn an_empty_folder_is_said_to_be_empty() {
    let bench = nli();
    assert!(bench.fine(&["list"]).contains("no models in"));
    assert!(bench.fine(&["verify"]).contains("no models in"));
    assert_eq!(object(&bench, &["list", "--json"], 0)["models"], Value::Array(Vec::new()));
}

#[test]
fn verify_reads_every_byte_and_says_what_helps() {
    let bench = nli();
    bench.fine(&["pull", "hub:someone/nli"]);
    assert!(bench.fine(&["verify", "nli"]).contains("nli/model.onnx: checksum holds"));
    let model = bench.models().join("nli/model.onnx");
    let mut bytes = std::fs::read(&model).unwrap();
    bytes[9] ^= 1;
    std::fs::write(&model, bytes).unwrap();
    std::fs::remove_file(bench.models().join("nli/config.json")).unwrap();
    let found = object(&bench, &["verify", "--json"], 78);
    let states: Vec<(&str, bool)> = found["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| (file["file"].as_str().unwrap(), file["verified"].as_bool().unwrap()))
        .collect();
    assert_eq!(states, [("config.json", false), ("model.onnx", false), ("tokenizer.json", true)]);
    let said = bench.fails(&["verify"], 78);
    assert!(said.contains(&format!("assay models pull hub:someone/nli@{COMMIT}")), "{said}");
}

#[test]
fn a_removed_model_leaves_nothing() {
    let bench = nli();
    bench.fine(&["pull", "hub:someone/nli"]);
    let said = bench.fails(&["remove", "nli", "other"], 1);
    assert!(said.contains("there is no model \"other\"; there are: nli"), "{said}");
    bench.fine(&["verify", "nli"]);
    assert_eq!(object(&bench, &["remove", "nli", "--json"], 0)["removed"][0], "nli");
    assert!(!bench.models().join("nli").exists());
    bench.fails(&["verify", "nli"], 1);
}

#[test]
fn a_lock_file_that_is_none_is_named() {
    let bench = nli();
    std::fs::create_dir_all(bench.models()).unwrap();
    std::fs::write(bench.models().join("models.lock.json"), "{").unwrap();
    for args in [["list"], ["verify"]] {
        assert!(bench.fails(&args, 78).contains("models.lock.json"));
    }
}

#[test]
fn shells_complete_the_commands() {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_assay"))
        .args(["completions", "bash"])
        .output()
        .unwrap();
    let script = stdout(&output);
    for word in ["list", "pull", "verify", "remove"] {
        assert!(script.contains(&format!("assay__subcmd__models__subcmd__{word}")), "{word}");
    }
}
