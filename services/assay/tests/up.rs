//! A running system: one owner of the data folder, commands that talk to it, and no answer without its record when it
//! is killed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

/// Rounds of the crash test.
const ROUNDS: u64 = 10;

fn assay(data: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
    command
        .env_remove("ASSAY_ENDPOINT")
        .env("ASSAY_DATA", data)
        .env("ASSAY_RETRIEVAL__EMBEDDER", "hashing")
        .stdin(Stdio::null());
    command
}

fn run(data: &Path, args: &[&str]) -> Output {
    assay(data).args(args).output().unwrap()
}

fn object(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| {
        panic!("{e}: {} {}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
    })
}

/// A running `assay up`; killed when dropped.
struct Up {
    child: Child,
    http: String,
}

impl Up {
    fn start(data: &Path) -> Self {
        let mut child = assay(data)
            .args(["up", "--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let http = lines.next().expect("the address is printed").unwrap();
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, http }
    }

    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    fn terminate(mut self) -> Option<i32> {
        Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().unwrap();
        self.child.wait().unwrap().code()
    }
}

impl Drop for Up {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What `assay up` says before it stands; the gateway's address is taken, so that it ends by itself.
fn told(data: &Path) -> String {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let http = taken.local_addr().unwrap().to_string();
    let output = run(data, &["up", "--http", &http, "--grpc", "127.0.0.1:0"]);
    assert_ne!(output.status.code(), Some(0));
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_data_folder_that_is_made_is_named_once() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let line = format!("made the data folder {}", data.display());
    let first = told(&data);
    assert_eq!(first.lines().filter(|told| *told == line).count(), 1, "{first}");
    let second = told(&data);
    assert!(!second.contains("made the data folder"), "{second}");
}

fn corpus(dir: &Path) {
    std::fs::create_dir_all(dir.join("docs")).unwrap();
    std::fs::write(
        dir.join("docs/importer.md"),
        "# The importer\n\nThe importer skips empty rows.\n\nThe importer stops after one hundred errors.\n",
    )
    .unwrap();
}

#[test]
fn commands_use_the_running_system_and_a_second_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    corpus(dir.path());
    let up = Up::start(&data);
    let ingested = run(&data, &["ingest", dir.path().join("docs").to_str().unwrap(), "--json"]);
    assert_eq!(object(&ingested)["files"], json!(1));
    let asked = run(&data, &["ask", "--type", "RETRIEVAL", "When does the importer stop?", "--json"]);
    assert_eq!(object(&asked)["verdict"], json!("PASS"), "{}", object(&asked));
    let second = run(&data, &["up", "--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0"]);
    assert_eq!(second.status.code(), Some(78));
    let told = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(told.contains(&up.child.id().to_string()) && told.contains(&up.http), "{told}");
    assert_eq!(up.terminate(), Some(0));
    let after = run(&data, &["audit", "verify", "--json"]);
    assert_eq!(object(&after)["leaves"], json!(1));
}

#[test]
fn batch_reports_each_line_after_its_service_was_killed() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let mut up = Up::start(&data);
    let address = std::fs::read_to_string(data.join("address")).unwrap();
    let mut child = assay(&data)
        .args(["check", "--jsonl", "-", "--endpoint", address.lines().next().unwrap()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut ask = |id: u32| {
        let line =
            json!({"id": id, "sources": [{"text": "Rows are skipped."}], "answer": "Rows are skipped [^1]."});
        writeln!(input, "{line}").unwrap();
        serde_json::from_str::<Value>(&output.next().unwrap().unwrap()).unwrap()
    };
    assert_eq!(ask(1)["verdict"], json!("PASS"));
    up.kill();
    for id in [2, 3] {
        let told = ask(id);
        assert_eq!((&told["id"], &told["error"]["line"]), (&json!(id), &json!(id)), "{told}");
        assert!(told["error"]["message"].as_str().unwrap().ends_with("[unavailable]"), "{told}");
    }
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(69));
}

#[test]
fn names_are_resolved_against_the_index_of_a_running_system() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    corpus(dir.path());
    std::fs::write(
        dir.path().join("docs/engine.rs"),
        "//! The archive.\n\n/// Opens it.\npub fn open_archive(path: &str) -> u32 {\n    path.len() as u32\n}\n",
    )
    .unwrap();
    let up = Up::start(&data);
    let docs = dir.path().join("docs");
    assert_eq!(object(&run(&data, &["ingest", docs.to_str().unwrap(), "--json"]))["files"], json!(2));
    let address = std::fs::read_to_string(data.join("address")).unwrap();
    let endpoint = address.lines().next().unwrap();
    let sources = dir.path().join("sources.jsonl");
    std::fs::write(&sources, json!({"id": "1", "text": "The importer skips empty rows."}).to_string())
        .unwrap();
    let check = |answer: &str, more: &[&str]| {
        let file = dir.path().join("answer.md");
        std::fs::write(&file, answer).unwrap();
        let (file, sources) = (file.to_str().unwrap(), sources.to_str().unwrap());
        let output = run(&data, &[&["check", file, "--sources", sources], more].concat());
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let known = "The importer skips empty rows; `open_archive` in engine.rs opens it [^1].";
    let misspelt = "The importer skips empty rows; `open_archve` in engin.rs opens it [^1].";
    let beside = ["--endpoint", endpoint];
    // Neither stands in the given source: the symbol comes from the syntax tree, the path from the index.
    let told = check(known, &beside);
    assert!(!told.contains("unknown to"), "{told}");
    let told = check(misspelt, &beside);
    assert!(told.contains("open_archve is unknown to sources and index; perhaps open_archive"), "{told}");
    assert!(told.contains("engin.rs is unknown to sources and index; perhaps docs/engine.rs"), "{told}");
    let alone = check(known, &[]);
    assert!(alone.contains("open_archive is unknown to sources"), "{alone}");
    assert_eq!(up.terminate(), Some(0));
}

#[test]
fn what_a_killed_system_left_behind_is_no_obstacle() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let mut up = Up::start(&data);
    up.kill();
    assert!(data.join("address").exists());
    let listed = run(&data, &["audit", "list", "--json"]);
    assert_eq!(listed.status.code(), Some(0), "{}", String::from_utf8_lossy(&listed.stderr));
    let again = Up::start(&data);
    assert_eq!(again.terminate(), Some(0));
}

/// Whether a file of this name is in the folder or in a folder below it.
fn holds(folder: &Path, name: &str) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).any(|path| path.ends_with(name) || holds(&path, name))
}

#[test]
fn an_ingest_killed_anywhere_leaves_a_whole_index() {
    const PAGES: u64 = 120;
    let dir = tempfile::tempdir().unwrap();
    let (data, docs) = (dir.path().join("data"), dir.path().join("docs"));
    corpus(dir.path());
    let (folder, page) = (docs.to_str().unwrap().to_owned(), docs.join("importer.md"));
    // A page that did not change tells what the index holds.
    let files = || object(&run(&data, &["ingest", page.to_str().unwrap(), "--json"]))["files"].as_u64();
    assert_eq!(files(), Some(1));
    for number in 0..PAGES {
        let text = format!("# Page {number}\n\n{}\n", format!("Word{number} is on it. ").repeat(120));
        std::fs::write(docs.join(format!("page-{number}.md")), text).unwrap();
    }
    let collection = data.join("retrieval/local/default");
    // The page twice: named alone it has no folder in its path.
    let (before, after) = (Some(1), Some(PAGES + 2));
    let mut cut_short = 0;
    // In the order in which a build writes them.
    for file in ["vectors.partial", "g-00000002/passages.jsonl", "g-00000002/names.txt"] {
        let mut child = assay(&data)
            .args(["ingest", &folder])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while !holds(&collection, file) && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let found = files();
        assert!(found == before || found == after, "killed at {file}: {found:?}");
        cut_short += u32::from(found == before);
        let asked = run(&data, &["ask", "--type", "RETRIEVAL", "When does the importer stop?", "--json"]);
        assert_eq!(object(&asked)["verdict"], json!("PASS"), "killed at {file}: {}", object(&asked));
    }
    assert!(cut_short > 0, "every ingest was done before it was killed");
    assert!(run(&data, &["ingest", &folder]).status.success());
    assert_eq!(files(), after);
    assert!(!holds(&collection, "vectors.partial"));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_has_one_record_after_any_kill() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    corpus(dir.path());
    assert!(run(&data, &["ingest", dir.path().join("docs").to_str().unwrap()]).status.success());
    let answered: Arc<Mutex<Vec<String>>> = Arc::default();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for round in 0..ROUNDS {
        let mut up = Up::start(&data);
        let before = answered.lock().unwrap().len();
        let mut load = Vec::new();
        for client in 0..4 {
            let (url, answered) = (format!("{}/v1/ask", up.http), Arc::clone(&answered));
            load.push(assay_rpc::task::spawn(async move {
                let http = reqwest::Client::new();
                for n in 0..10_000 {
                    let body = json!({ "query": format!("When does importer {client}-{n} stop?"), "query_type": "RETRIEVAL" });
                    let Ok(reply) = http.post(&url).json(&body).send().await else { return };
                    let Ok(answer) = reply.json::<Value>().await else { return };
                    if let Some(id) = answer.pointer("/audit/id").and_then(Value::as_str) {
                        answered.lock().unwrap().push(id.to_owned());
                    }
                }
            }));
        }
        // The system is under load once it answers; from then on a different moment each round, from a fixed generator,
        // so that a failure can be repeated.
        for _ in 0..600 {
            if answered.lock().unwrap().len() > before {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407 + round);
        tokio::time::sleep(Duration::from_millis((state >> 33) % 300)).await;
        up.kill();
        for client in load {
            client.await.unwrap();
        }
        let verified = run(&data, &["audit", "verify", "--json"]);
        assert!(verified.status.success(), "round {round}: {}", String::from_utf8_lossy(&verified.stdout));
    }
    let up = Up::start(&data);
    let ids = answered.lock().unwrap().clone();
    assert!(ids.len() > 10, "the load was too small to mean anything: {} answers", ids.len());
    let unique: BTreeSet<&String> = ids.iter().collect();
    assert_eq!(unique.len(), ids.len(), "an id was given twice");
    let http = reqwest::Client::new();
    for id in &ids {
        let mut found = false;
        for _ in 0..100 {
            let reply = http.get(format!("{}/v1/audit/{id}", up.http)).send().await.unwrap();
            if reply.status().is_success() {
                found = true;
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert!(found, "the answer {id} has no record");
    }
    assert_eq!(up.terminate(), Some(0));
    let verified = run(&data, &["audit", "verify", "--json"]);
    assert!(verified.status.success(), "{}", String::from_utf8_lossy(&verified.stdout));
}

#[test]
fn indexes_of_a_running_system_are_shown_verified_and_deleted() {
    let folder = tempfile::tempdir().unwrap();
    let (data, page) = (folder.path().join("data"), folder.path().join("page.md"));
    std::fs::write(&page, "# Importer\n\nThe importer stops after one hundred errors.\n").unwrap();
    let _up = Up::start(&data);
    let page = page.to_str().unwrap();
    for collection in ["one", "two"] {
        let ingested = run(&data, &["ingest", page, "--collection", collection]);
        assert!(ingested.status.success(), "{}", String::from_utf8_lossy(&ingested.stderr));
    }
    let names = |output: &Output| -> Vec<Value> {
        object(output).as_array().unwrap().iter().map(|row| row["name"].clone()).collect()
    };
    assert_eq!(names(&run(&data, &["index", "list", "--json"])), [json!("one"), json!("two")]);
    let shown = object(&run(&data, &["index", "show", "one", "--files", "--json"]));
    assert_eq!(shown["documents"][0]["lines"], 3);
    assert!(run(&data, &["index", "diff", "one", "two"]).status.success());
    assert!(run(&data, &["index", "verify", page, "--collection", "one"]).status.success());
    assert!(run(&data, &["index", "delete", "two"]).status.success());
    assert_eq!(names(&run(&data, &["index", "list", "--json"])), [json!("one")]);
    let found = object(&run(&data, &["search", "importer", "--collection", "one", "--json"]));
    assert_eq!(found["hits"].as_array().unwrap().len(), 1);
}
