//! The access log: a line for each request of a known caller, and a flood of wrong keys that is a line a second.
//!
//! One test, because log lines are heard for the whole process.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod scripted;

use std::collections::BTreeMap;

use assay_domain::Role;
use assay_gateway::keys::{Grant, KeysFile};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use scripted::{Bench, Lines};

/// Lines of the access log.
fn access(lines: &Lines) -> Vec<Value> {
    let lines = lines.all();
    let parsed = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    parsed.filter(|line| line["target"] == "assay::access").collect()
}

/// Sends `count` requests over one connection, each under a key of its own, and counts the statuses.
async fn flood(bench: &Bench, first: usize, count: usize) -> BTreeMap<u16, usize> {
    let (mut read, mut write) = bench.connect().await.into_split();
    let host = bench.host().to_owned();
    let sending = async move {
        for number in first..first + count {
            let request = format!(
                "GET /v1/collections HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer assay_000000000000_{number:064x}\r\n\r\n"
            );
            write.write_all(request.as_bytes()).await.unwrap();
        }
        // The reader sees the end of the answers by the end of the connection.
        write
            .write_all(
                format!("GET /healthz HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").as_bytes(),
            )
            .await
            .unwrap();
        write
    };
    let mut bytes = Vec::new();
    let (_, read) = tokio::join!(sending, read.read_to_end(&mut bytes));
    read.unwrap();
    let mut statuses = BTreeMap::new();
    for head in String::from_utf8_lossy(&bytes).split("HTTP/1.1 ").skip(1) {
        *statuses.entry(head.split(' ').next().unwrap().parse().unwrap()).or_default() += 1;
    }
    statuses
}

#[tokio::test(flavor = "multi_thread")]
async fn floods_of_wrong_keys_share_one_log_line_a_second() {
    let lines = Lines::hear("assay=info");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("keys.toml");
    let mut file = KeysFile::default();
    let grant = Grant {
        principal: "ada@example.org".into(),
        tenant: "north".into(),
        roles: vec![Role::Ask],
        name: String::new(),
        days: None,
    };
    let key = file.issue(grant, [0; 6], [255; 32], 1_790_000_000_000).unwrap();
    std::fs::write(&path, file.render().unwrap()).unwrap();
    for limited in [false, true] {
        lines.clear();
        let bench = Bench::with(|options| {
            options.auth.keys_file.clone_from(&path);
            options.rates.failures_per_minute = u32::from(limited);
        })
        .await;
        let floods = [0, 1, 2, 3].map(|part| flood(&bench, part * 2500, 2500));
        let mut statuses: BTreeMap<u16, usize> = BTreeMap::new();
        for (status, count) in futures::future::join_all(floods).await.into_iter().flatten() {
            *statuses.entry(status).or_default() += count;
        }
        assert_eq!(statuses.remove(&200), Some(4), "health");
        assert_eq!(statuses.values().sum::<usize>(), 10_000);
        let looked_at = statuses[&401];
        if limited {
            assert!(looked_at < 100, "{looked_at} of 10,000 were looked at");
        } else {
            assert_eq!(looked_at, 10_000);
        }
        assert!(bench.calls().is_empty(), "no service heard of it");
        bench.stop().await;
        let written = access(&lines);
        assert!((1..100).contains(&written.len()), "{} lines", written.len());
        let told: u64 = written
            .iter()
            .map(|line| line["suppressed"].as_u64().unwrap() + u64::from(line["message"] == "request"))
            .sum();
        assert_eq!(told, 10_000, "each is counted");
        assert!(!lines.all().contains("assay_0000"), "no credential is logged");
    }

    lines.clear();
    let bench = Bench::with(|options| options.auth.keys_file.clone_from(&path)).await;
    for number in 0..5 {
        let request = format!(
            "GET /v1/audit?session=secret HTTP/1.1\r\nHost: {{host}}\r\nAuthorization: Bearer {key}\r\nx-request-id: job-{number}\r\nConnection: close\r\n\r\n"
        );
        // The script wants an outcome and a verdict; without them it panics, which is a line like any other.
        bench.raw(&request).await;
        bench.get("/healthz").await;
    }
    bench.stop().await;
    let written = access(&lines);
    assert_eq!(written.len(), 5, "a line each, and none for health: {written:#?}");
    for (number, line) in written.iter().enumerate() {
        assert_eq!((line["method"].as_str(), line["route"].as_str()), (Some("GET"), Some("/v1/audit")));
        assert_eq!(line["request_id"], format!("job-{number}"));
        assert!(line["status"].is_u64() && line["ms"].is_u64());
        assert_eq!(line["principal"].as_str().unwrap().len(), 12, "a pseudonym");
    }
    let all = lines.all();
    assert!(!all.contains("ada@example.org") && !all.contains("secret") && !all.contains(&key), "{all}");
}
