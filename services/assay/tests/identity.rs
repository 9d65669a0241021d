//! A system that asks for keys, end to end: made by the command line, sent over HTTP and gRPC, and nobody sees what is
//! another's.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};

/// Wrong keys of the flood.
const FLOOD: usize = 200;

/// A running system with its keys; killed when dropped.
struct System {
    dir: tempfile::TempDir,
    child: Option<Child>,
    http: String,
}

impl System {
    fn new() -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        Self { dir: tempfile::tempdir().unwrap(), child: None, http: String::new() }
    }

    fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
        command
            .env_remove("ASSAY_ENDPOINT")
            .env_remove("ASSAY_API_KEY")
            .env("ASSAY_DATA", self.data())
            .env("ASSAY_RETRIEVAL__EMBEDDER", "hashing")
            .env("ASSAY_GATEWAY__AUTH__KEYS_FILE", self.dir.path().join("keys.toml"))
            .env("ASSAY_GATEWAY__AUTH__RELOAD_SECONDS", "0.05")
            .stdin(Stdio::null());
        command
    }

    fn key(&self, tenant: &str, principal: &str, roles: &str) -> String {
        let args = ["keys", "create", "--tenant", tenant, "--principal", principal, "--role", roles];
        let made = self.command().args(args).output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        String::from_utf8(made.stdout).unwrap().trim().to_owned()
    }

    fn start(&mut self) {
        let mut child = self
            .command()
            .args(["up", "--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        self.http = lines.next().expect("the address is printed").unwrap();
        std::thread::spawn(move || lines.for_each(drop));
        self.child = Some(child);
    }

    /// A command beside the running system, with a key.
    fn run(&self, key: &str, args: &[&str]) -> Output {
        self.command().env("ASSAY_API_KEY", key).args(args).output().unwrap()
    }

    async fn get(&self, key: &str, path: &str) -> (u16, Value) {
        let request = reqwest::Client::new().get(format!("{}{path}", self.http)).bearer_auth(key);
        let reply = request.send().await.unwrap();
        (reply.status().as_u16(), reply.json().await.unwrap_or_default())
    }

    async fn ask(&self, key: &str, body: &Value) -> (u16, Value) {
        let request =
            reqwest::Client::new().post(format!("{}/v1/ask", self.http)).bearer_auth(key).json(body);
        let reply = request.send().await.unwrap();
        (reply.status().as_u16(), reply.json().await.unwrap_or_default())
    }

    /// Leaves of the whole log, over all tenants.
    fn leaves(&self, admin: &str) -> u64 {
        let verified = self.run(admin, &["audit", "verify", "--json"]);
        let report: Value = serde_json::from_slice(&verified.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&verified.stderr)));
        report["leaves"].as_u64().unwrap()
    }
}

impl Drop for System {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn corpus(dir: &Path) -> String {
    let docs = dir.join("docs");
    std::fs::create_dir_all(&docs).unwrap();
    let text =
        "# The importer\n\nThe importer skips empty rows.\n\nThe importer stops after one hundred errors.\n";
    std::fs::write(docs.join("importer.md"), text).unwrap();
    docs.to_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_sees_what_is_anothers_and_strangers_leave_no_trace() {
    let mut system = System::new();
    let ada = system.key("north", "ada", "ask,ingest");
    let eve = system.key("north", "eve", "ask");
    let root = system.key("north", "root", "review,admin");
    let zoe = system.key("south", "zoe", "ask,review,admin");
    system.start();
    let docs = corpus(system.dir.path());
    let ingested = system.run(&ada, &["ingest", &docs]);
    assert!(ingested.status.success(), "{}", String::from_utf8_lossy(&ingested.stderr));
    assert!(!system.run(&eve, &["ingest", &docs]).status.success(), "eve may not ingest");
    assert!(!system.run("", &["search", "importer"]).status.success(), "nobody may search");

    let question =
        json!({"query": "When does the importer stop?", "query_type": "RETRIEVAL", "session": "s1"});
    let (status, answer) = system.ask(&ada, &question).await;
    assert_eq!((status, answer["verdict"].as_str()), (200, Some("PASS")), "{answer}");
    let path = format!("/v1/audit/{}", answer["audit"]["id"].as_str().unwrap());
    for (key, expected) in [(&ada, 200), (&root, 200), (&eve, 404), (&zoe, 404)] {
        let (status, record) = system.get(key, &path).await;
        assert_eq!(status, expected, "{record}");
        if status == 200 {
            assert_eq!(
                (record["tenant"].as_str(), record["principal"].as_str()),
                (Some("north"), Some("ada"))
            );
        }
    }
    let again =
        json!({"query": "Say that again in other words", "query_type": "CONVERSATIONAL", "session": "s1"});
    let (status, problem) = system.ask(&eve, &again).await;
    assert_eq!((status, problem["code"].as_str()), (404, Some("not_found")), "{problem}");
    let (status, elsewhere) = system.ask(&zoe, &question).await;
    assert_eq!(
        (status, elsewhere["code"].as_str()),
        (404, Some("not_found")),
        "another tenant has no such collection: {elsewhere}"
    );
    let (_, listed) = system.get(&eve, "/v1/audit").await;
    let whose: Vec<&str> = listed["records"]
        .as_array()
        .unwrap()
        .iter()
        .map(|record| record["principal"].as_str().unwrap())
        .collect();
    assert!(whose.iter().all(|principal| *principal == "eve"), "{whose:?}");

    let before = system.leaves(&root);
    let client = reqwest::Client::new();
    for number in 0..FLOOD {
        let wrong = format!("assay_000000000000_{number:064x}");
        let request = client.post(format!("{}/v1/ask", system.http)).bearer_auth(wrong).json(&question);
        let status = request.send().await.unwrap().status().as_u16();
        assert!(matches!(status, 401 | 429), "{status}");
    }
    // The flood came from this address: wait for its limit to pass, as any client would.
    let mut waited = 0;
    while system.get(&ada, "/v1/collections").await.0 == 429 {
        waited += 1;
        assert!(waited < 300, "the limit of attempts does not pass");
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    assert_eq!(system.leaves(&root), before, "strangers leave nothing in the ledger");

    let id = ada.split('_').nth(1).unwrap();
    assert!(system.command().args(["keys", "disable", id]).status().unwrap().success());
    let mut looks = 0;
    while system.get(&ada, "/v1/collections").await.0 != 401 {
        looks += 1;
        assert!(looks < 300, "a disabled key still opens");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}
