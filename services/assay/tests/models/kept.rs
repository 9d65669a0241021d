//! What `list`, `verify` and `remove` say and do.

use serde_json::Value;

use crate::{Bench, COMMIT, code, embedding, repository, small, stderr, stdout};

fn object(bench: &Bench, args: &[&str], exit: i32) -> Value {
    let output = bench.run(args);
    assert_eq!(code(&output), exit, "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_list_names_kind_origin_digest_and_size() {
    let bench = Bench::new(vec![
        repository("someone/small", embedding(0.0)),
        repository("someone/tiny", embedding(1.0)),
    ]);
    bench.fine(&["pull", "hub:someone/small"]);
    bench.fine(&["pull", "hub:someone/tiny"]);
    let list = object(&bench, &["list", "--json"], 0);
    let model = &list["models"][0];
    assert_eq!(model["name"], "small");
    assert_eq!(model["kind"], "embedding");
    assert_eq!(model["revision"], COMMIT);
    assert_eq!(model["used"], true);
    assert_eq!(model["files"]["model.onnx"], bench.lock()["models"]["small"]["files"]["model.onnx"]);
    assert_eq!(list["models"][1]["name"], "tiny");
    let said = stdout(&bench.run(&["list"]));
    let digest = model["files"]["model.onnx"]["sha256"].as_str().unwrap();
    for part in ["small: embedding", "someone/small at", digest, "apache-2.0", "tiny: embedding"] {
        assert!(said.contains(part), "{said}");
    }
}

#[test]
fn models_of_a_kind_that_is_gone_are_listed_as_unused() {
    let bench = small();
    bench.fine(&["pull", "hub:someone/small"]);
    let mut lock = bench.lock();
    lock["models"]["small"]["kind"] = "entailment".into();
    std::fs::write(bench.models().join("models.lock.json"), lock.to_string()).unwrap();
    assert!(bench.fine(&["list"]).contains("nothing uses it: a reader is in the box"));
    assert_eq!(object(&bench, &["list", "--json"], 0)["models"][0]["used"], false);
    bench.fine(&["remove", "small"]);
}

#[test]
fn an_empty_folder_is_said_to_be_empty() {
    let bench = small();
    assert!(bench.fine(&["list"]).contains("no models in"));
    assert!(bench.fine(&["verify"]).contains("no models in"));
    assert_eq!(object(&bench, &["list", "--json"], 0)["models"], Value::Array(Vec::new()));
}

#[test]
fn verify_reads_every_byte_and_says_what_helps() {
    let bench = small();
    bench.fine(&["pull", "hub:someone/small"]);
    assert!(bench.fine(&["verify", "small"]).contains("small/model.onnx: checksum holds"));
    let model = bench.models().join("small/model.onnx");
    let mut bytes = std::fs::read(&model).unwrap();
    bytes[9] ^= 1;
    std::fs::write(&model, bytes).unwrap();
    std::fs::remove_file(bench.models().join("small/config.json")).unwrap();
    let found = object(&bench, &["verify", "--json"], 78);
    let states: Vec<(&str, bool)> = found["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| (file["file"].as_str().unwrap(), file["verified"].as_bool().unwrap()))
        .collect();
    assert_eq!(states, [("config.json", false), ("model.onnx", false), ("tokenizer.json", true)]);
    let said = bench.fails(&["verify"], 78);
    assert!(said.contains(&format!("assay models pull hub:someone/small@{COMMIT}")), "{said}");
}

#[test]
fn a_removed_model_leaves_nothing() {
    let bench = small();
    bench.fine(&["pull", "hub:someone/small"]);
    let said = bench.fails(&["remove", "small", "other"], 1);
    assert!(said.contains("there is no model \"other\"; there are: small"), "{said}");
    bench.fine(&["verify", "small"]);
    assert_eq!(object(&bench, &["remove", "small", "--json"], 0)["removed"][0], "small");
    assert!(!bench.models().join("small").exists());
    bench.fails(&["verify", "small"], 1);
}

#[test]
fn a_lock_file_that_is_none_is_named() {
    let bench = small();
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
