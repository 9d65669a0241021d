//! Kills, a full disk and a stopped peer under load: no answer is given without exactly one record, and the log holds.
//!
//! `ASSAY_KILLS` sets how many processes are killed (default: each once).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use assay_behaviour::cases::models::PAGE;
use assay_behaviour::harness::{Builder, Harness, until};
use assay_domain::{Identity, Outcome};
use assay_rpc::task;
use serde_json::{Value, json};

/// The processes, in the order in which they are killed.
const VICTIMS: [&str; 7] = ["router", "audit", "retrieval", "generation", "validation", "parser", "gateway"];
/// Clients that ask as fast as they are answered.
const CLIENTS: usize = 8;
/// Answers that must come between two faults.
const BETWEEN: usize = 4;
/// Failures that show that a fault is felt.
const FELT: u64 = 16;
/// Size of the small disk, in MiB: the databases and their write-ahead logs fit.
const DISK_MIB: u64 = 32;
/// Bytes that a full disk has left.
const LEFT: u64 = 24 << 10;

/// Replies that the clients have had so far.
#[derive(Default)]
struct Heard {
    ids: Mutex<Vec<String>>,
    failures: Mutex<u64>,
    enough: AtomicBool,
}

impl Heard {
    fn ids(&self) -> std::sync::MutexGuard<'_, Vec<String>> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failures(&self) -> std::sync::MutexGuard<'_, u64> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Asks until it is told that it is enough; a failure is counted and the next question asked.
async fn client(number: usize, url: String, heard: Arc<Heard>) {
    let http = reqwest::Client::builder().timeout(Duration::from_secs(30)).build().unwrap();
    for count in 0.. {
        if heard.enough.load(Ordering::SeqCst) {
            return;
        }
        let query = format!("When does importer {number}-{count} stop?");
        let body = json!({"query": query, "query_type": "RETRIEVAL"});
        let id = async {
            let reply = http.post(&url).json(&body).send().await.ok()?;
            let answered = reply.status().is_success();
            let answer: Value = reply.json().await.ok()?;
            answered.then(|| answer.pointer("/audit/id").and_then(Value::as_str).map(str::to_owned))?
        };
        match id.await {
            Some(id) => heard.ids().push(id),
            None => {
                *heard.failures() += 1;
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

/// Clients at work on a running system.
struct Load {
    heard: Arc<Heard>,
    clients: Vec<tokio::task::JoinHandle<()>>,
}

impl Load {
    async fn start(system: &Harness) -> Self {
        system.ingest("", &[PAGE]).await;
        let heard = Arc::new(Heard::default());
        let url = format!("{}/v1/ask", system.processes().unwrap().url("gateway"));
        let clients = (0..CLIENTS).map(|n| task::spawn(client(n, url.clone(), Arc::clone(&heard)))).collect();
        Self { heard, clients }
    }

    /// Waits for some more answers.
    async fn answers(&self, what: &str) {
        let before = self.heard.ids().len();
        until(&format!("answers {what}"), async || {
            (self.heard.ids().len() >= before + BETWEEN).then_some(())
        })
        .await;
    }

    /// Waits for some more failures.
    async fn failures(&self, what: &str) {
        let before = *self.heard.failures();
        until(&format!("failures {what}"), async || (*self.heard.failures() >= before + FELT).then_some(()))
            .await;
    }

    /// Stops the clients and holds what they heard against the log.
    async fn verify(self, system: Harness) {
        self.heard.enough.store(true, Ordering::SeqCst);
        for client in self.clients {
            client.await.unwrap();
        }
        let ids = self.heard.ids().clone();
        let unique: BTreeSet<&str> = ids.iter().map(String::as_str).collect();
        assert_eq!(unique.len(), ids.len(), "an id was given twice");
        for id in &ids {
            let record = system.record(id).await;
            assert!(matches!(record.outcome, Outcome::Answered | Outcome::Abstained), "{id}: {record:?}");
        }
        let records = system.records(&Identity::local()).await.unwrap();
        let recorded: BTreeSet<String> = records.iter().map(|record| record.audit_id.to_string()).collect();
        assert_eq!(recorded.len(), records.len(), "a record is in the log twice");
        let verified = system.verify().await;
        assert!(verified.ok, "{:?}", verified.findings);
        assert!(verified.leaves >= ids.len() as u64);
        let of = |outcome| records.iter().filter(|record| record.outcome == outcome).count();
        assay_testkit::external::loudly(format_args!(
            "{} answers and {} failures heard; on record {} answered, {} failed, {} cancelled, {} aborted",
            ids.len(),
            self.heard.failures(),
            of(Outcome::Answered) + of(Outcome::Abstained),
            of(Outcome::Failed),
            of(Outcome::Cancelled),
            of(Outcome::Aborted),
        ));
        system.stop().await;
    }
}

fn builder() -> Builder {
    Builder::new().set("gateway", "service.request_seconds", "20")
}

/// A file system of a few MiB; unmounted when dropped. None where mounting is not allowed.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn mount() -> Option<Self> {
        let dir = tempfile::tempdir().unwrap();
        let options = format!("size={DISK_MIB}m");
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(dir.path()).output();
        mounted.is_ok_and(|output| output.status.success()).then_some(Self(dir))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn filler(&self) -> PathBuf {
        self.path().join("filler")
    }

    /// Takes all space but [`LEFT`].
    fn fill(&self) {
        let output = Command::new("df").args(["--output=avail", "-B1"]).arg(self.path()).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let free: u64 = text.lines().nth(1).unwrap().trim().parse().unwrap();
        let bytes = usize::try_from(free.saturating_sub(LEFT)).unwrap();
        // The services write as well: where they were faster nothing is left at all.
        let written = std::fs::write(self.filler(), vec![0; bytes]);
        let full = |error: std::io::Error| error.kind() == std::io::ErrorKind::StorageFull;
        assert!(written.map_or_else(full, |()| true), "the disk cannot be filled");
    }

    fn free(&self) {
        std::fs::remove_file(self.filler()).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.0.path()).status();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_processes_lose_and_double_nothing() {
    // A setting of the test, not of the product.
    #[allow(clippy::disallowed_methods)]
    let kills = std::env::var("ASSAY_KILLS").ok().map_or(VICTIMS.len(), |n| n.parse().unwrap());
    let mut system = builder().start().await;
    let load = Load::start(&system).await;
    for victim in VICTIMS.into_iter().cycle().take(kills) {
        load.answers(&format!("before the death of {victim}")).await;
        system.processes_mut().kill(victim);
        system.processes_mut().start(victim).await;
    }
    load.answers("after the last start").await;
    load.verify(system).await;
}

/// Waits until the front door says that the router serves, or that it does not.
async fn degraded(system: &Harness, wanted: bool) {
    let url = format!("{}/readyz", system.processes().unwrap().url("gateway"));
    until(&format!("degraded: {wanted}"), async || {
        let reply: Value = reqwest::get(&url).await.ok()?.json().await.ok()?;
        let named = reply["degraded"].as_array()?.iter().any(|peer| peer == "router");
        (named == wanted).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_loses_and_doubles_nothing() {
    let Some(disk) = SmallDisk::mount() else {
        assay_testkit::external::loudly(format_args!("SKIPPED: only root can mount a small disk"));
        return;
    };
    let folder = |name: &str| disk.path().join(name).display().to_string();
    let system = builder()
        .env("router", "ASSAY_SERVICE__DATA_DIR", &folder("router"))
        .env("audit", "ASSAY_SERVICE__DATA_DIR", &folder("audit"))
        .start()
        .await;
    let load = Load::start(&system).await;
    for round in 0..3 {
        load.answers(&format!("before the disk is full for the {round}. time")).await;
        disk.fill();
        load.failures("while the disk is full").await;
        degraded(&system, true).await;
        disk.free();
        degraded(&system, false).await;
    }
    load.answers("with room again").await;
    load.verify(system).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_peer_loses_and_doubles_nothing() {
    let mut system = builder().set("gateway", "service.request_seconds", "3").start().await;
    let load = Load::start(&system).await;
    for peer in ["audit", "validation", "retrieval"] {
        load.answers(&format!("before {peer} stops")).await;
        system.processes_mut().pause(peer);
        if peer == "audit" {
            load.answers("without the log").await;
        } else {
            load.failures(&format!("while {peer} stands still")).await;
        }
        system.processes_mut().resume(peer);
    }
    load.answers("with every peer at work").await;
    load.verify(system).await;
}
