//! The console in a real Chromium, against `assay up` with a scripted model: `tests/behaviour/console/console.mjs` asks,
//! reviews, verifies and erases as people do.
//!
//! `ASSAY_TEST_BROWSER` is a folder in which npm installed playwright-core and axe-core; Chromium is the system's.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use assay_testkit::external::from_environment;
use assay_testkit::model_server::ModelServer;

const PAGE: &str = "# The importer\n\nThe importer skips empty rows.\n\nThe importer stops after 100 errors.\n\nThe importer \
     writes its report to report.csv.\n\nThe importer reads files of at most 2 gigabytes.\n\nThe importer runs every \
     night at 3 o'clock.\n";

/// Words of a question, and what the model answers to it: the last is wrong on purpose.
const ANSWERS: [(&str, &str); 5] = [
    ("When does the importer stop?", "The importer stops after 100 errors. [^1]"),
    ("What does the importer do with empty rows?", "The importer skips empty rows. [^1]"),
    ("Where does the importer write its report?", "The importer writes its report to report.csv. [^1]"),
    ("How large may the files of the importer be?", "The importer reads files of at most 2 gigabytes. [^1]"),
    ("At what hour does the importer run?", "The importer runs every night at 5 o'clock. [^1]"),
];

fn assay(data: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
    command
        .env_remove("ASSAY_ENDPOINT")
        .env_remove("ASSAY_API_KEY")
        .env("ASSAY_DATA", data)
        .env("ASSAY_RETRIEVAL__EMBEDDER", "hashing")
        .stdin(Stdio::null());
    command
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reviewers_quarter_of_an_hour() {
    let Some(browser) = from_environment("ASSAY_TEST_BROWSER") else { return };
    let pairs = ANSWERS.map(|(question, answer)| (question.to_owned(), answer.to_owned()));
    let model = ModelServer::choosing(pairs.to_vec()).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (data, page) = (folder.path().join("data"), folder.path().join("importer.md"));
    std::fs::write(&page, PAGE).unwrap();
    assert!(assay(&data).args(["ingest", page.to_str().unwrap()]).output().unwrap().status.success());
    let mut up = assay(&data)
        .args(["up", "--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0"])
        .current_dir(folder.path())
        .envs([
            ("OLLAMA_MODEL_NAME", "openai:script"),
            ("OPENAI_BASE_URL", &model.base_url()),
            ("OPENAI_API_KEY", "none"),
            ("ASSAY_GENERATION__WARM", "false"),
        ])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(up.stdout.take().unwrap()).lines();
    let origin = lines.next().expect("the address is printed").unwrap();
    std::thread::spawn(move || lines.for_each(drop));
    let key = folder.path().join("log.pub");
    let printed = assay(&data).args(["audit", "key"]).output().unwrap();
    assert!(printed.status.success());
    std::fs::write(&key, printed.stdout).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/behaviour/console/console.mjs");
    let mut node = Command::new("node");
    node.arg(script).arg(&origin).arg(&key).env("ASSAY_TEST_BROWSER", browser);
    let shown = tokio::task::block_in_place(|| node.output().expect("node is installed"));
    let _ = up.kill();
    let _ = up.wait();
    let text =
        format!("{}{}", String::from_utf8_lossy(&shown.stdout), String::from_utf8_lossy(&shown.stderr));
    assert!(shown.status.success(), "{text}");
    println!("{text}");
}
