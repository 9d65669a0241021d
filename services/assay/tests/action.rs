//! The script of the GitHub Action, run without GitHub.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::process::{Command, Output};

use serde_json::Value;

struct Checkout(tempfile::TempDir);

impl Checkout {
    /// A page with a dead link and a clean one.
    fn new() -> Self {
        let checkout = Self(tempfile::tempdir().unwrap());
        std::fs::create_dir(checkout.0.path().join("docs")).unwrap();
        checkout.file("docs/bad.md", "# Bad\n\nSee [the other](gone.md).\n");
        checkout.file("good.md", "# Good\n\nNothing is wrong here.\n");
        checkout
    }

    fn file(&self, name: &str, text: &str) {
        std::fs::write(self.0.path().join(name), text).unwrap();
    }

    fn run(&self, inputs: &[(&str, &str)]) -> Output {
        Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../action/run.sh"))
            .current_dir(self.0.path())
            .env("ASSAY", env!("CARGO_BIN_EXE_assay"))
            .env("ASSAY_DATA", self.0.path().join("data"))
            .env("GITHUB_STEP_SUMMARY", self.0.path().join("summary.md"))
            .envs(inputs.iter().copied())
            .output()
            .unwrap()
    }
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn findings_are_shown_beside_their_lines_and_fail_the_step() {
    let checkout = Checkout::new();
    let ran = checkout.run(&[("INPUT_PATHS", "docs good.md"), ("INPUT_SARIF", "lint.sarif")]);
    let told = text(&ran);
    assert_eq!(ran.status.code(), Some(1), "{told}");
    assert!(told.contains("::warning file=") && told.contains("bad.md,line=3"), "{told}");
    let sarif = std::fs::read_to_string(checkout.0.path().join("lint.sarif")).unwrap();
    let sarif: Value = serde_json::from_str(&sarif).unwrap();
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 1);
    let summary = std::fs::read_to_string(checkout.0.path().join("summary.md")).unwrap();
    assert_eq!(summary, "Assay: 1 findings in docs good.md\n");
}

#[test]
fn clean_pages_pass_and_mistakes_of_the_call_are_told() {
    let checkout = Checkout::new();
    let clean = checkout.run(&[("INPUT_PATHS", "good.md")]);
    assert_eq!((clean.status.code(), text(&clean).as_str()), (Some(0), "Assay: 0 findings in good.md\n"));
    let missing = checkout.run(&[("INPUT_PATHS", "nowhere")]);
    assert!(missing.status.code() != Some(0), "{}", text(&missing));
    let rule = checkout.run(&[("INPUT_PATHS", "good.md"), ("INPUT_RULES", "no_such_rule")]);
    assert_eq!(rule.status.code(), Some(64), "{}", text(&rule));
}

#[test]
fn an_answer_is_checked_against_its_sources() {
    let checkout = Checkout::new();
    checkout.file("answer.md", "The queue holds 512 messages [^1].\n\nIt holds nine messages [^7].\n");
    checkout.file("sources.jsonl", "{\"id\": \"1\", \"text\": \"The queue holds 512 messages.\"}\n");
    let inputs = [("INPUT_PATHS", "good.md"), ("INPUT_ANSWER", "answer.md")];
    let unnamed = checkout.run(&inputs);
    assert_eq!(unnamed.status.code(), Some(64), "{}", text(&unnamed));
    let checked = checkout.run(&[&inputs[..], &[("INPUT_SOURCES", "sources.jsonl")]].concat());
    let told = text(&checked);
    assert!(checked.status.code() == Some(1) && told.contains("::error file=answer.md,line=3"), "{told}");
}
