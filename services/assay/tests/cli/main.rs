//! The command line as a user meets it: output, exit codes, batches, mistakes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod answers;
mod batches;
mod evaluation;
mod heads;
mod index;
mod keys;
mod layout;
mod lint;
mod programs;
mod rest;
mod reviews;
mod side_by_side;
mod streams;

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

struct Cli {
    dir: tempfile::TempDir,
}

impl Cli {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
        command
            .args(args)
            .current_dir(self.dir.path())
            .env_remove("ASSAY_ENDPOINT")
            .env("ASSAY_DATA", self.dir.path().join("data"))
            .env("ASSAY_RETRIEVAL__EMBEDDER", "hashing");
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        self.command(args).stdin(Stdio::null()).output().unwrap()
    }

    fn feed(&self, args: &[&str], input: &str) -> Output {
        let mut child = self
            .command(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }

    fn file(&self, name: &str, text: &str) {
        std::fs::write(self.dir.path().join(name), text).unwrap();
    }
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn lines(output: &Output) -> Vec<Value> {
    String::from_utf8_lossy(&output.stdout).lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

fn lines_of(output: &Output, field: &str) -> Vec<Value> {
    lines(output).into_iter().map(|row| row[field].clone()).collect()
}

fn object(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {} {}", String::from_utf8_lossy(&output.stdout), stderr(output)))
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
