//! What the store records, finds and refuses.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::json;

use super::*;

fn recorded(models: &Path, name: &str, kind: Kind) -> Entry {
    let folder = folder(models, name).unwrap();
    std::fs::create_dir_all(&folder).unwrap();
    let mut files = BTreeMap::new();
    for file in [MODEL, TOKENIZER] {
        std::fs::write(folder.join(file), format!("{file} of {name}")).unwrap();
        let Digest { bytes, sha256 } = digest(&folder.join(file)).unwrap();
        files.insert(file.to_owned(), Recorded { from: format!("onnx/{file}"), bytes, sha256 });
    }
    let entry =
        Entry { hub: format!("someone/{name}"), revision: "c0ffee".into(), kind, license: None, files };
    Held::open(models).unwrap().record(name, entry.clone()).unwrap();
    entry
}

#[test]
fn a_recorded_model_is_found_with_its_digest() {
    let dir = tempfile::tempdir().unwrap();
    let entry = recorded(dir.path(), "small", Kind::Reader);
    let located = find(dir.path(), "small").unwrap();
    assert_eq!(located.entry, entry);
    assert_eq!(located.digest(), entry.files[MODEL].sha256);
    let files = located.files();
    assert!(files.model.is_file() && files.tokenizer.is_file() && files.config.is_none());
}

#[test]
fn sha256_is_that_of_the_standard() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("abc");
    std::fs::write(&path, "abc").unwrap();
    let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(digest(&path).unwrap(), Digest { bytes: 3, sha256: expected.into() });
}

#[cfg(unix)]
#[test]
fn device_has_no_digest() {
    assert!(digest(Path::new("/dev/zero")).unwrap_err().to_string().contains("no regular file"));
}

#[test]
fn changed_file_is_refused_with_digests_and_cure() {
    let dir = tempfile::tempdir().unwrap();
    let entry = recorded(dir.path(), "small", Kind::Reader);
    std::fs::write(dir.path().join("small").join(MODEL), "other bytes").unwrap();
    let error = find(dir.path(), "small").unwrap_err();
    let found = digest(&dir.path().join("small").join(MODEL)).unwrap();
    let told = error.to_string();
    for part in [&entry.files[MODEL].sha256, &found.sha256, "assay models pull hub:someone/small@c0ffee"] {
        assert!(told.contains(part), "{told}");
    }
    std::fs::remove_file(dir.path().join("small").join(MODEL)).unwrap();
    assert!(matches!(find(dir.path(), "small"), Err(Error::Missing { .. })));
}

#[test]
fn an_unknown_name_is_told_with_those_that_are_listed() {
    let dir = tempfile::tempdir().unwrap();
    assert!(matches!(find(dir.path(), "small"), Err(Error::Unknown { .. })));
    recorded(dir.path(), "small", Kind::Reader);
    let told = find(dir.path(), "large").unwrap_err().to_string();
    assert!(told.contains("it lists small"), "{told}");
}

#[test]
fn a_removed_model_is_forgotten_with_its_folder() {
    let dir = tempfile::tempdir().unwrap();
    recorded(dir.path(), "small", Kind::Reader);
    recorded(dir.path(), "large", Kind::Reader);
    let held = Held::open(dir.path()).unwrap();
    assert!(held.remove("small").unwrap());
    assert!(!held.remove("small").unwrap());
    assert!(!dir.path().join("small").exists());
    assert_eq!(Lock::read(dir.path()).unwrap().models.len(), 1);
}

#[test]
fn one_process_at_a_time_changes_a_folder() {
    let dir = tempfile::tempdir().unwrap();
    let held = Held::open(dir.path()).unwrap();
    assert!(matches!(Held::open(dir.path()), Err(Error::Busy { .. })));
    drop(held);
    assert!(Held::open(dir.path()).is_ok());
}

#[test]
fn a_lock_file_that_is_none_is_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    for (text, told) in [
        ("{", "EOF"),
        (r#"{"version": 2, "models": {}}"#, "version 2"),
        (r#"{"version": 1, "models": {}, "more": 1}"#, "more"),
        (
            r#"{"version": 1, "models": {"../up": {"hub": "a/b", "revision": "c", "kind": "spans", "files": {}}}}"#,
            "../up",
        ),
        (
            r#"{"version": 1, "models": {"up": {"hub": "a/b", "revision": "c", "kind": "spans",
                "files": {"/etc/passwd": {"from": "x", "bytes": 1, "sha256": ""}}}}}"#,
            "/etc/passwd",
        ),
    ] {
        std::fs::write(dir.path().join(LOCK), text).unwrap();
        let error = Lock::read(dir.path()).unwrap_err().to_string();
        assert!(error.contains(LOCK) && error.contains(told), "{error}");
    }
}

#[test]
fn names_that_leave_the_folder_are_refused() {
    for name in ["", "..", "a/b", ".hidden", "a\\b", "a b"] {
        assert!(matches!(folder(Path::new("models"), name), Err(Error::Name { .. })), "{name}");
    }
    assert_eq!(folder(Path::new("models"), "nli-v3.1_x").unwrap(), Path::new("models/nli-v3.1_x"));
}

#[test]
fn the_kind_is_read_from_the_configuration() {
    for (config, kind) in [
        (json!({ "architectures": ["BertModel"] }), Some(Kind::Embedding)),
        (json!({ "architectures": ["BertForMaskedLM"] }), Some(Kind::Embedding)),
        (json!({ "architectures": ["DebertaV2ForSequenceClassification"] }), None),
        (json!({ "architectures": ["LlamaForCausalLM"] }), None),
        (json!({}), None),
    ] {
        assert_eq!(Kind::of_config(&config), kind, "{config}");
    }
}

#[test]
fn kinds_that_are_gone_are_listed_and_not_taken() {
    let dir = tempfile::tempdir().unwrap();
    let text = r#"{"version": 1, "models": {"old": {"hub": "a/b", "revision": "c", "kind": "entailment", "files": {}}}}"#;
    std::fs::write(dir.path().join(LOCK), text).unwrap();
    let lock = Lock::read(dir.path()).unwrap();
    assert!(lock.models["old"].kind.is_gone());
    for kind in Kind::GONE {
        let told = kind.as_str().parse::<Kind>().unwrap_err();
        assert!(told.contains("a reader is in the box"), "{told}");
    }
    for kind in Kind::ALL {
        assert_eq!(kind.as_str().parse(), Ok(kind));
    }
}
