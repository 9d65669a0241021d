//! Every process is killed under load in turn: no answer is given without exactly one record, and the log holds.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use assay_behaviour::cases::models::PAGE;
use assay_behaviour::harness::{Builder, until};
use assay_domain::{Identity, Outcome};
use assay_rpc::task;
use serde_json::{Value, json};

/// The processes, in the order in which they are killed.
const VICTIMS: [&str; 7] = ["router", "audit", "retrieval", "generation", "validation", "parser", "gateway"];
/// Clients that ask as fast as they are answered.
const CLIENTS: usize = 3;
/// Answers that must come between two kills.
const BETWEEN: usize = 4;

/// What the clients heard so far.
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

    fn answered(&self) -> usize {
        self.ids().len()
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
                *heard.failures.lock().unwrap_or_else(PoisonError::into_inner) += 1;
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whichever_process_is_killed_every_answer_has_exactly_one_record() {
    let mut system = Builder::new().set("gateway", "service.request_seconds", "20").start().await;
    system.ingest("", &[PAGE]).await;
    let heard = Arc::new(Heard::default());
    let url = format!("{}/v1/ask", system.processes().unwrap().url("gateway"));
    let clients: Vec<_> =
        (0..CLIENTS).map(|n| task::spawn(client(n, url.clone(), Arc::clone(&heard)))).collect();
    let more = async |what: &str| {
        let before = heard.answered();
        until(what, async || (heard.answered() >= before + BETWEEN).then_some(())).await;
    };
    for victim in VICTIMS {
        more(&format!("answers before the death of {victim}")).await;
        system.processes_mut().kill(victim);
        // Whoever asks now finds it dead.
        tokio::time::sleep(Duration::from_millis(100)).await;
        system.processes_mut().start(victim).await;
    }
    more("answers after the last start").await;
    heard.enough.store(true, Ordering::SeqCst);
    for client in clients {
        client.await.unwrap();
    }
    let ids = heard.ids().clone();
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
        heard.failures.lock().unwrap_or_else(PoisonError::into_inner),
        of(Outcome::Answered) + of(Outcome::Abstained),
        of(Outcome::Failed),
        of(Outcome::Cancelled),
        of(Outcome::Aborted),
    ));
    system.stop().await;
}
