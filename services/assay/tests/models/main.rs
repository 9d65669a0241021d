//! `assay models` against a hub that the tests make: fetch, resume, refuse, list, verify, remove.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod hub;
mod kept;
#[path = "../../../../libs/models/tests/small/made.rs"]
mod made;
mod pull;
mod troubles;

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use hub::{Hub, Repository};
use made::Model;
use serde_json::{Value, json};

/// Commit of the repositories.
const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

/// A folder and a hub for one test.
struct Bench {
    dir: tempfile::TempDir,
    hub: Hub,
}

impl Bench {
    fn new(repositories: Vec<Repository>) -> Self {
        Self { dir: tempfile::tempdir().unwrap(), hub: Hub::start(repositories) }
    }

    fn models(&self) -> PathBuf {
        self.dir.path().join("models")
    }

    fn command(&self, args: &[&str]) -> Command {
        self.prepared(Command::new(env!("CARGO_BIN_EXE_assay")), args)
    }

    fn prepared(&self, mut command: Command, args: &[&str]) -> Command {
        command.arg("models").args(args).current_dir(self.dir.path()).stdin(Stdio::null());
        for name in ["ASSAY_ENDPOINT", "http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"] {
            command.env_remove(name);
        }
        command
            .env("ASSAY_DATA", self.dir.path().join("data"))
            .env("ASSAY_MODELS_DIR", self.models())
            .env("ASSAY_MODELS__HUB", self.hub.address());
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// Runs a command that must succeed; what it said on both streams.
    fn fine(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        stdout(&output) + &stderr(&output)
    }

    /// Runs a command that must fail with this exit code; what it said on standard error.
    fn fails(&self, args: &[&str], exit: i32) -> String {
        let output = self.run(args);
        assert_eq!(code(&output), exit, "{}", stderr(&output));
        stderr(&output)
    }

    fn lock(&self) -> Value {
        let text = std::fs::read(self.models().join("models.lock.json"));
        text.map_or(Value::Null, |text| serde_json::from_slice(&text).unwrap())
    }
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Files of an embedding model that knows few words, its weights shifted by `shift`.
fn embedding(shift: f32) -> Vec<(&'static str, Vec<u8>)> {
    let config = json!({ "architectures": ["BertModel"] }).to_string();
    let words: Vec<String> = (0..400).map(|n| format!("word{n}")).collect();
    let mut all: Vec<(&str, [f32; 3])> = words.iter().map(|word| (word.as_str(), [0.0; 3])).collect();
    all.extend([("refund", [0.0, 2.0 + shift, 0.0]), ("never", [3.0, 0.0, 0.0]), ("a", [0.0, 0.0, 1.0])]);
    let folder = tempfile::tempdir().unwrap();
    Model { all: &all, config: &config }.write(folder.path());
    read(folder.path())
}

fn read(folder: &std::path::Path) -> Vec<(&'static str, Vec<u8>)> {
    ["model.onnx", "tokenizer.json", "config.json"]
        .map(|name| (name, std::fs::read(folder.join(name)).unwrap()))
        .to_vec()
}

/// A repository as the public hub lays them out: graphs below `onnx/`, kept outside git.
fn repository(id: &str, files: Vec<(&'static str, Vec<u8>)>) -> Repository {
    let mut repository = Repository::new(id, COMMIT);
    for (name, bytes) in files {
        match name {
            "model.onnx" => repository.large("onnx/model_quantized.onnx", bytes),
            name => repository.small(name, bytes),
        }
    }
    repository
}

/// A bench whose hub has one embedding model, `someone/small`.
fn small() -> Bench {
    Bench::new(vec![repository("someone/small", embedding(0.0))])
}
