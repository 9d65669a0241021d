//! A process that is killed while it writes: what it acknowledged is there exactly once, and the log verifies.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};

use assay_audit::ports::Filter;
use common::{NOW, north, record, salt, sqlite};

/// Tells the child where to write and which records.
const FOLDER: &str = "ASSAY_AUDIT_CRASH_FOLDER";
const FIRST: &str = "ASSAY_AUDIT_CRASH_FIRST";

/// Records of one round; the child is killed long before it is through.
const RECORDS: u16 = 4_000;

/// The child (nothing to do unless the parent asks): writes with several tasks and says what was acknowledged, until it is killed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[allow(clippy::disallowed_methods, reason = "the parent passes its wishes in the environment")]
async fn child() {
    let (Ok(folder), Ok(first)) = (std::env::var(FOLDER), std::env::var(FIRST)) else { return };
    let first: u16 = first.parse().unwrap();
    let store = sqlite(std::path::Path::new(&folder)).await;
    let writers = (0..6).map(|writer| {
        let store = store.clone();
        async move {
            for number in (first..first + RECORDS).filter(|number| number % 6 == writer) {
                let appended = store.writer.append(record(number), salt(number), NOW).await.unwrap();
                let line =
                    format!("ACK {number} {} {}\n", appended.receipt.leaf_index, appended.receipt.leaf);
                std::io::stdout().write_all(line.as_bytes()).unwrap();
                std::io::stdout().flush().unwrap();
            }
        }
    });
    futures::future::join_all(writers).await;
}

#[tokio::test]
async fn what_was_acknowledged_before_a_kill_is_there_exactly_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut acknowledged: HashMap<u16, (u64, String)> = HashMap::new();
    // The moments of the kills, counted in acknowledgements; one strikes before the first.
    for (round, kill_after) in (0_u16..).zip([0_usize, 1, 7, 23, 60, 111]) {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["child", "--exact", "--nocapture", "--test-threads=1"])
            .env(FOLDER, folder.path())
            .env(FIRST, (round * RECORDS).to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap());
        let mut seen = 0;
        let mut line = String::new();
        while seen < kill_after && lines.read_line(&mut line).unwrap() > 0 {
            seen += usize::from(note(&mut acknowledged, &line));
            line.clear();
        }
        assert_eq!(seen, kill_after, "the child ended by itself");
        child.kill().unwrap();
        child.wait().unwrap();
        // What it had said before it died counts too; a line that the kill cut in two was never said.
        while lines.read_line(&mut line).unwrap() > 0 {
            if line.ends_with('\n') {
                note(&mut acknowledged, &line);
            }
            line.clear();
        }

        let before = common::state(folder.path());
        // One of the kills strikes before there is a log.
        let offline = assay_audit::verify_folder(&common::options(folder.path()), None, None, None).await;
        let left = offline.map_or(0, |offline| {
            assert_eq!(offline.verification.findings, [], "round {round}, before the restart");
            offline.verification.entries
        });
        assert_eq!(
            common::state(folder.path()),
            before,
            "verifying what a killed process left writes nothing"
        );
        let store = sqlite(folder.path()).await;
        let verified = common::verified(store.clone()).await;
        assert_eq!(verified.findings, [], "round {round}");
        assert_eq!(verified.entries, left, "the write-ahead file was read too");
        let filter = Filter { limit: usize::from(u16::MAX), ..Filter::default() };
        let kept = store.records.list(&north(), &filter).await.unwrap();
        let mut found: HashMap<String, (u64, String)> = HashMap::new();
        for kept in kept {
            let place = (kept.receipt.leaf_index, kept.receipt.leaf.to_string());
            assert_eq!(found.insert(kept.record.audit_id.to_string(), place), None, "one leaf an id");
        }
        for (number, place) in &acknowledged {
            assert_eq!(found.get(&record(*number).audit_id.to_string()), Some(place), "round {round}");
        }
        // A redelivery after the crash gets the receipt from before it.
        if let Some((number, (index, _))) = acknowledged.iter().next() {
            let again = store.writer.append(record(*number), salt(1), NOW).await.unwrap();
            assert_eq!((again.receipt.leaf_index, again.repeated), (*index, true));
        }
        store.writer.close().await;
    }
    assert!(acknowledged.len() >= 202);
}

fn note(acknowledged: &mut HashMap<u16, (u64, String)>, line: &str) -> bool {
    // The test harness may have printed before the first word of the line.
    let Some(at) = line.find("ACK ") else { return false };
    let words: Vec<&str> = line[at..].split_whitespace().collect();
    let [_, number, index, leaf] = words[..] else { return false };
    let place = (index.parse().unwrap(), leaf.to_owned());
    let before = acknowledged.insert(number.parse().unwrap(), place);
    assert_eq!(before, None, "acknowledged twice");
    true
}
