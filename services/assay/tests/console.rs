//! The console in a real Chromium, against `assay up` with a scripted model: `tests/behaviour/console/console.mjs` asks,
//! reviews, verifies and erases as people do.
//!
//! `ASSAY_TEST_BROWSER` is a folder in which npm installed playwright-core and axe-core; Chromium is the system's.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::path::Path;
use std::process::Command;

use assay_testkit::external::from_environment;
use assay_testkit::model_server::ModelServer;

use common::{Up, assay, data};

const PAGE: &str = "# The importer\n\nThe importer skips empty rows.\n\nThe importer stops after 100 errors.\n\nThe importer \
     writes its report to report.csv.\n\nThe importer reads files of at most 2 gigabytes.\n\nThe importer runs every \
     night at 3 o'clock.\n\nSee [the exporter](exporter.md).\n";

/// Words of a question, and what the model answers to it: the last is wrong on purpose.
const ANSWERS: [(&str, &str); 5] = [
    ("When does the importer stop?", "The importer stops after 100 errors. [^1]"),
    ("What does the importer do with empty rows?", "The importer skips empty rows. [^1]"),
    ("Where does the importer write its report?", "The importer writes its report to report.csv. [^1]"),
    ("How large may the files of the importer be?", "The importer reads files of at most 2 gigabytes. [^1]"),
    ("At what hour does the importer run?", "The importer runs every night at 5 o'clock. [^1]"),
];

#[tokio::test(flavor = "multi_thread")]
async fn a_reviewers_quarter_of_an_hour() {
    let Some(browser) = from_environment("ASSAY_TEST_BROWSER") else { return };
    let pairs = ANSWERS.map(|(question, answer)| (question.to_owned(), answer.to_owned()));
    let model = ModelServer::choosing(pairs.to_vec()).await.unwrap();
    let up = Up::start(
        PAGE,
        &[
            ("OLLAMA_MODEL_NAME", "openai:script"),
            ("OPENAI_BASE_URL", &model.base_url()),
            ("OPENAI_API_KEY", "none"),
            ("ASSAY_GENERATION__WARM", "false"),
        ],
    );
    let key = up.folder.path().join("log.pub");
    let printed = assay(&data(&up.folder)).args(["audit", "key"]).output().unwrap();
    assert!(printed.status.success());
    std::fs::write(&key, printed.stdout).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/behaviour/console/console.mjs");
    let mut node = Command::new("node");
    node.arg(script).arg(&up.http).arg(&key).env("ASSAY_TEST_BROWSER", browser);
    let shown = tokio::task::block_in_place(|| node.output().expect("node is installed"));
    let text =
        format!("{}{}", String::from_utf8_lossy(&shown.stdout), String::from_utf8_lossy(&shown.stderr));
    assert!(shown.status.success(), "{text}");
    println!("{text}");
}
