//! What `assay models pull` fetches, records and keeps.

use serde_json::json;

use crate::hub::sha256;
use crate::{Bench, COMMIT, embedding, repository, small};

#[test]
fn fetched_model_is_loaded_and_recorded() {
    let mut published = repository("someone/small", embedding(0.0));
    published.large("onnx/model_fp16.onnx", b"for other engines".to_vec());
    published.small("special_tokens_map.json", b"{}".to_vec());
    let digest = sha256(published.bytes("onnx/model_quantized.onnx"));
    let bench = Bench::new(vec![published.clone()]);
    let said = bench.fine(&["pull", "hub:someone/small"]);
    for part in ["onnx/model_quantized.onnx", "8-bit weights", "embedding model", "apache-2.0", &digest] {
        assert!(said.contains(part), "{said}");
    }
    let entry = &bench.lock()["models"]["small"];
    assert_eq!(entry["hub"], "someone/small");
    assert_eq!(entry["revision"], COMMIT);
    assert_eq!(entry["kind"], "embedding");
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
            std::fs::read(bench.models().join("small").join(name)).unwrap(),
            published.bytes(path),
            "{name}"
        );
    }
    assert!(!bench.models().join(".part").exists(), "nothing is left beside the models");
}

#[test]
fn name_kind_file_and_revision_may_be_said() {
    let mut published = repository("someone/small", embedding(0.0));
    let other = embedding(1.0).remove(0).1;
    published.large("onnx/model_O4.onnx", other.clone());
    let bench = Bench::new(vec![published]);
    let reference = format!("hub:someone/small@{COMMIT}");
    let args = ["pull", &reference, "--file", "onnx/model_O4.onnx", "--name", "mine", "--kind", "embedding"];
    let said = bench.fine(&args);
    assert!(said.contains("as asked"), "{said}");
    assert_eq!(std::fs::read(bench.models().join("mine/model.onnx")).unwrap(), other);
    assert_eq!(bench.lock()["models"]["mine"]["files"]["model.onnx"]["from"], "onnx/model_O4.onnx");
}

#[test]
fn a_second_pull_fetches_only_what_changed() {
    let bench = small();
    bench.fine(&["pull", "hub:someone/small"]);
    assert_eq!(bench.hub.ranges(), [None]);
    bench.fine(&["pull", "hub:someone/small"]);
    assert_eq!(bench.hub.ranges(), [], "the large file is there");
    let said = bench.fine(&["pull", &format!("hub:someone/small@{COMMIT}")]);
    assert!(said.contains("is there") && bench.hub.asked().is_empty(), "a commit needs no hub: {said}");
}

#[test]
fn a_changed_file_is_fetched_again() {
    let bench = small();
    bench.fine(&["pull", "hub:someone/small"]);
    std::fs::write(bench.models().join("small/model.onnx"), "other bytes").unwrap();
    bench.fine(&["pull", &format!("hub:someone/small@{COMMIT}")]);
    bench.fine(&["verify"]);
}

#[test]
fn token_is_sent_to_the_hub_alone() {
    let bench = small();
    bench.hub.ask_for("secret");
    let token = bench.dir.path().join("token");
    std::fs::write(&token, "secret\n").unwrap();
    let mut command = bench.command(&["pull", "hub:someone/small"]);
    let output = command.env("ASSAY_MODELS__TOKEN_FILE", &token).output().unwrap();
    assert!(output.status.success(), "{}", crate::stderr(&output));
    for asked in bench.hub.asked() {
        let shown = asked.authorization.as_deref();
        assert_eq!(shown, (!asked.far).then_some("Bearer secret"), "{asked:?}");
    }
}

#[test]
fn a_new_commit_of_the_model_takes_its_place() {
    let bench = small();
    bench.fine(&["pull", "hub:someone/small"]);
    let next = "89abcdef0123456789abcdef0123456789abcdef";
    bench.hub.publish(repository("someone/small", embedding(1.0)).at(next));
    bench.fine(&["pull", "hub:someone/small"]);
    assert_eq!(bench.lock()["models"]["small"]["revision"], next);
}
