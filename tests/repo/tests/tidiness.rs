//! Habits that a reader relies on: each file opens with a sentence, mains are short, nobody leaves marks behind.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::{Path, PathBuf};

use assay_repo_tests::specs;

fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn files(extensions: &[&str]) -> Vec<PathBuf> {
    walkdir::WalkDir::new(root())
        .into_iter()
        .filter_entry(|e| {
            let name = e.file_name().to_string_lossy();
            !(e.depth() > 0
                && (name == "target" || name == "node_modules" || (name.starts_with('.') && name != ".ci")))
        })
        .flatten()
        .filter(|e| e.file_type().is_file())
        .map(|e| e.path().to_owned())
        .filter(|p| p.extension().is_some_and(|x| extensions.iter().any(|e| x == *e)))
        .collect()
}

fn name(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

#[test]
fn every_source_file_opens_with_its_sentence() {
    let bad: Vec<String> = files(&["rs"])
        .iter()
        .filter(|p| !std::fs::read_to_string(p).unwrap().trim_start().starts_with("//!"))
        .map(|p| name(p))
        .collect();
    assert!(bad.is_empty(), "these files do not say what they are: {bad:#?}");
}

#[test]
fn every_main_of_a_service_fits_on_a_screen() {
    for service in specs().iter().map(|spec| spec.name) {
        let path = root().join(format!("services/{service}/src/main.rs"));
        let lines =
            std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", name(&path))).lines().count();
        assert!(lines <= 40, "{} has {lines} lines", name(&path));
    }
}

#[test]
fn every_service_has_the_same_face() {
    for service in specs().iter().map(|spec| spec.name) {
        for file in ["main.rs", "lib.rs", "options.rs", "compose.rs", "service.rs"] {
            let path = root().join(format!("services/{service}/src/{file}"));
            assert!(path.exists(), "{} is missing", name(&path));
        }
    }
}

#[test]
fn no_marks_are_left_behind() {
    let marks = [
        concat!("to", "do!("),
        concat!("unimpl", "emented!("),
        concat!("#[ig", "nore"),
        concat!("FIX", "ME"),
    ];
    for path in files(&["rs"]) {
        let text = std::fs::read_to_string(&path).unwrap();
        for mark in marks {
            assert!(!text.contains(mark), "{} holds {mark}", name(&path));
        }
    }
}

#[test]
fn no_file_names_a_path_of_a_machine() {
    let bad = regex::Regex::new(r"(^|[^A-Za-z0-9._-])/(work|root|farm|home)/").unwrap();
    for path in files(&["rs", "md", "toml", "proto", "sh", "html", "json", "jsonl", "yaml"]) {
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!bad.is_match(&text), "{} names a path of a machine", name(&path));
    }
}
