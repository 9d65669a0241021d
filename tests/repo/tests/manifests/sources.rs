//! The files as they are written: typed also where nothing can render them, and each named by somebody.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::objects::{check, documents, kind};
use crate::root;

fn files(extension: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = walkdir::WalkDir::new(root().join("k8s"))
        .into_iter()
        .flatten()
        .map(walkdir::DirEntry::into_path)
        .filter(|path| path.extension().is_some_and(|e| e == extension))
        .collect();
    found.sort();
    found
}

fn read(path: &Path) -> Vec<Value> {
    documents(&path.display().to_string(), &std::fs::read_to_string(path).unwrap())
}

fn is_kustomization(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "kustomization.yaml")
}

#[test]
fn every_object_has_only_fields_of_its_type() {
    let mut seen = 0;
    for path in files("yaml").iter().filter(|path| !is_kustomization(path)) {
        for object in read(path) {
            check(&path.display().to_string(), &object);
            seen += 1;
        }
    }
    assert!(seen > 40, "only {seen} objects were found");
}

/// Files that a kustomization names: resources, patches, and contents of generated maps.
fn named(kustomization: &Value) -> Vec<String> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut names: Vec<String> =
        list(&kustomization["resources"]).iter().filter_map(Value::as_str).map(str::to_owned).collect();
    names.extend(list(&kustomization["components"]).iter().filter_map(Value::as_str).map(str::to_owned));
    names
        .extend(list(&kustomization["patches"]).iter().filter_map(|p| p["path"].as_str()).map(str::to_owned));
    for generator in list(&kustomization["configMapGenerator"]) {
        names.extend(list(&generator["files"]).iter().filter_map(Value::as_str).map(str::to_owned));
    }
    names
}

#[test]
fn files_and_kustomization_entries_match() {
    let mut known = BTreeSet::new();
    for path in files("yaml").into_iter().filter(|path| is_kustomization(path)) {
        let folder = path.parent().unwrap();
        for name in named(&read(&path)[0]) {
            let target = folder.join(&name);
            assert!(target.exists(), "{} names {name}, which is not there", path.display());
            known.insert(target.canonicalize().unwrap());
        }
    }
    for path in files("yaml").into_iter().chain(files("toml")).filter(|path| !is_kustomization(path)) {
        assert!(known.contains(&path.canonicalize().unwrap()), "nothing names {}", path.display());
    }
}

#[test]
fn no_file_holds_a_secret() {
    for path in files("yaml") {
        for object in read(&path) {
            assert_ne!(kind(&object), "Secret", "{} holds a Secret", path.display());
            assert!(object["secretGenerator"].is_null(), "{} generates a Secret", path.display());
        }
    }
}
