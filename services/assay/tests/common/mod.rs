//! What tests of the whole program share: a command that knows its data folder alone, and a running `assay up`.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The program with a data folder, without anything that the environment of the test would add.
pub(crate) fn assay(data: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
    command
        .env_remove("ASSAY_ENDPOINT")
        .env_remove("ASSAY_API_KEY")
        .env("ASSAY_DATA", data)
        .env("ASSAY_RETRIEVAL__EMBEDDER", "hashing")
        .stdin(Stdio::null());
    command
}

/// The data folder inside the folder of a test.
pub(crate) fn data(folder: &tempfile::TempDir) -> PathBuf {
    folder.path().join("data")
}

/// A folder whose data folder has this page indexed as `importer.md`.
pub(crate) fn indexed(page: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("importer.md");
    std::fs::write(&file, page).unwrap();
    assert!(
        assay(&data(&folder)).args(["ingest", file.to_str().unwrap()]).output().unwrap().status.success()
    );
    folder
}

/// A running `assay up` over an indexed page; killed when dropped.
pub(crate) struct Up {
    child: Child,
    pub(crate) http: String,
    pub(crate) grpc: String,
    pub(crate) folder: tempfile::TempDir,
}

impl Up {
    pub(crate) fn start(page: &str, environment: &[(&str, &str)]) -> Self {
        let folder = indexed(page);
        let mut child = assay(&data(&folder))
            .args(["up", "--http", "127.0.0.1:0", "--grpc", "127.0.0.1:0"])
            .current_dir(folder.path())
            .envs(environment.iter().copied())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let http = lines.next().expect("the address is printed").unwrap();
        std::thread::spawn(move || lines.for_each(drop));
        // The folder names both addresses of the system that runs on it.
        let address = std::fs::read_to_string(data(&folder).join("address")).unwrap();
        let grpc = address.lines().next().unwrap().to_owned();
        Self { child, http, grpc, folder }
    }
}

impl Drop for Up {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
