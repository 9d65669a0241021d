//! The suite behind the gateway's gRPC door, with a key: on processes of our own, and on a system that is given.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::Path;
use std::process::Command;

use assay_behaviour::cases::{answers, run};
use assay_behaviour::harness::{Builder, assay, at, at_given_address};

/// A key with every role that the suite needs; its digest goes into the file.
fn key(file: &Path) -> String {
    let mut command = Command::new(assay());
    command.env_clear().current_dir(file.parent().unwrap());
    command.args(["keys", "create", "--principal", "suite", "--tenant", "suite", "--file"]).arg(file);
    for role in ["ask", "ingest", "review", "admin"] {
        command.args(["--role", role]);
    }
    let made = command.output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    String::from_utf8(made.stdout).unwrap().trim().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_over_the_guide_holds_behind_the_door() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("keys.toml");
    let key = key(&file);
    let system = Builder::new()
        .tls()
        .set("gateway", "service.auth.keys_file", &format!("{:?}", file.display().to_string()))
        .set("gateway", "service.rates.requests_per_minute", "100000")
        .set("gateway", "service.rates.burst", "10000")
        .start()
        .await;
    let door = at(&system.processes().unwrap().door(), &key).await;
    door.ingest_guide().await;
    run(&door, answers::ALL).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_case_over_the_guide_holds_at_the_given_address() {
    let Some(system) = at_given_address().await else { return };
    system.ingest_guide().await;
    run(&system, answers::ALL).await;
}
