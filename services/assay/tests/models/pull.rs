//! What `assay models pull` fetches, records and keeps.

use serde_json::json;

use crate::hub::sha256;
use crate::{Bench, COMMIT, entailment, nli, repository, spans};

#[test]
fn fetched_model_is_loaded_and_recorded() {
    let mut published = repository("someone/nli", entailment(0.0));
    published.large("onnx/model_fp16.onnx", b"for other engines".to_vec());
    published.small("special_tokens_map.json", b"{}".to_vec());
    let digest = sha256(published.bytes("onnx/model_quantized.onnx"));
    let bench = Bench::new(vec![published.clone()]);
    let said = bench.fine(&["pull", "hub:someone/nli"]);
    for part in
        ["onnx/model_quantized.onnx", "8-bit weights", "entailment model", "apache-2.0", "no join", &digest]
    {
        assert!(said.contains(part), "{said}");
    }
    let entry = &bench.lock()["models"]["nli"];
    assert_eq!(entry["hub"], "someone/nli");
    assert_eq!(entry["revision"], COMMIT);
    assert_eq!(entry["kind"], "entailment");
    assert_eq!(entry["license"], "apache-2.0");
    let model = published.bytes("onnx/model_quantized.onnx");
    assert_eq!(
        entry["files"]["model.onnx"],
        json!({ "from": "onnx/model_quantized.onnx", "bytes": model.len(), "sha256": digest })
    );
    for (name, path) in [
        ("model.onnx", "onnx/model_quantized.onnx"),
        ("tokenizer.json", "tokenizer.json"),
        ("config.json", "config.json"),
        ("special_tokens_map.json", "special_tokens_map.json"),
    ] {
        assert_eq!(
            std::fs::read(bench.models().join("nli").join(name)).unwrap(),
            published.bytes(path),
            "{name}"
        );
    }
    assert!(!bench.models().join(".part").exists(), "nothing is left beside the models");
}

#[test]
fn name_kind_file_and_revision_may_be_said() {
    let mut published = repository("someone/nli", entailment(0.0));
    let other = entailment(1.0).remove(0).1;
    published.large("onnx/model_O4.onnx", other.clone());
    let bench = Bench::new(vec![published]);
    let reference = format!("hub:someone/nli@{COMMIT}");
    let args = ["pull", &reference, "--file", "onnx/model_O4.onnx", "--name", "mine", "--kind", "entailment"];
    let said = bench.fine(&args);
    assert!(said.contains("as asked"), "{said}");
    assert_eq!(std::fs::read(bench.models().join("mine/model.onnx")).unwrap(), other);
    assert_eq!(bench.lock()["models"]["mine"]["files"]["model.onnx"]["from"], "onnx/model_O4.onnx");
}

#[test]
fn a_second_pull_fetches_only_what_changed() {
    let bench = nli();
    bench.fine(&["pull", "hub:someone/nli"]);
    assert_eq!(bench.hub.ranges(), [None]);
    bench.fine(&["pull", "hub:someone/nli"]);
    assert_eq!(bench.hub.ranges(), [], "the large file is there");
    let said = bench.fine(&["pull", &format!("hub:someone/nli@{COMMIT}")]);
    assert!(said.contains("is there") && bench.hub.asked().is_empty(), "a commit needs no hub: {said}");
}

#[test]
fn a_changed_file_is_fetched_again() {
    let bench = nli();
    bench.fine(&["pull", "hub:someone/nli"]);
    std::fs::write(bench.models().join("nli/model.onnx"), "other bytes").unwrap();
    bench.fine(&["pull", &format!("hub:someone/nli@{COMMIT}")]);
    bench.fine(&["verify"]);
}

#[test]
fn join_belongs_to_the_model_file_it_was_fitted_for() {
    let bench = nli();
    bench.fine(&["pull", "hub:someone/nli"]);
    let join = bench.models().join("nli/join.json");
    std::fs::write(&join, "{}").unwrap();
    bench.fine(&["pull", "hub:someone/nli"]);
    assert!(join.exists(), "the same model keeps its join");
    let next = "89abcdef0123456789abcdef0123456789abcdef";
    bench.hub.publish(repository("someone/nli", entailment(1.0)).at(next));
    let said = bench.fine(&["pull", "hub:someone/nli"]);
    assert!(said.contains("goes with it") && !join.exists(), "{said}");
    assert_eq!(bench.lock()["models"]["nli"]["revision"], next);
}

#[test]
fn token_is_sent_to_the_hub_alone() {
    let bench = nli();
    bench.hub.ask_for("secret");
    let token = bench.dir.path().join("token");
    std::fs::write(&token, "secret\n").unwrap();
    let mut command = bench.command(&["pull", "hub:someone/nli"]);
    let output = command.env("ASSAY_MODELS__TOKEN_FILE", &token).output().unwrap();
    assert!(output.status.success(), "{}", crate::stderr(&output));
    for asked in bench.hub.asked() {
        let shown = asked.authorization.as_deref();
        assert_eq!(shown, (!asked.far).then_some("Bearer secret"), "{asked:?}");
    }
}

#[test]
fn the_kind_is_read_from_the_model() {
    let bench = Bench::new(vec![repository("someone/spans", spans())]);
    bench.fine(&["pull", "hub:someone/spans"]);
    assert_eq!(bench.lock()["models"]["spans"]["kind"], "spans");
}
