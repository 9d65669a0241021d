//! Times of reading a log of many records: each filter and the next review, p50 and p99 in milliseconds.
//!
//! Run with `cargo run --release -p assay-audit --example queries -- 100000`.
#![allow(clippy::print_stdout, reason = "a benchmark prints")]

use std::sync::Arc;

use assay_audit::adapters::sqlite::{Birth, SqliteLog};
use assay_audit::ports::{Filter, Records as _, Reviews as _, Scope, WaitingFilter, Writer as _};
use assay_audit::{AuditError, Options};
use assay_domain::record::RecordedValidation;
use assay_domain::report::Verdict;
use assay_domain::{AuditId, Identity, Outcome, Record};
use assay_ledger::Salt;
use assay_rpc::clock;

/// The moment of the first record.
const START: u64 = 1_790_000_000_000;
/// Times that each query is asked.
const ROUNDS: u64 = 200;

/// A record: one in ten is rejected, one in a thousand is of another principal, a session has fifty.
fn record(number: u64) -> Record {
    let [.., a, b, c, d] = number.to_be_bytes();
    let unix_ms = START + number * 1_000;
    let id = AuditId::from_parts(unix_ms, [a, b, c, d, 5, 6, a, b, c, d]);
    let rejected = number.is_multiple_of(10);
    let principal = if number.is_multiple_of(1_000) { "eve" } else { "ada" };
    let identity = Identity { principal: principal.into(), tenant: "north".into(), roles: Vec::new() };
    let outcome = if rejected { Outcome::Rejected } else { Outcome::Answered };
    Record {
        session_id: format!("session-{}", number / 50),
        query: format!("How many messages does the queue {number} hold?"),
        answer: "The queue holds 512 messages [^1].".into(),
        validation: Some(RecordedValidation {
            status: Some(if rejected { Verdict::Reject } else { Verdict::Pass }),
            citations_validated: 1,
            citations_failed: 0,
            hallucinations_detected: 0,
            confidence_score: Some(0.9),
            checks: Vec::new(),
            models: Vec::new(),
            policy: "balanced".into(),
        }),
        ..Record::new(id, unix_ms, identity, outcome)
    }
}

fn told(name: &str, mut times: Vec<f64>) {
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share).round() as usize];
    println!("{name:<28} p50 {:>8.2} ms   p99 {:>8.2} ms", at(0.5), at(0.99));
}

#[tokio::main]
async fn main() -> Result<(), AuditError> {
    let count: u64 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(100_000);
    let folder = std::env::temp_dir().join(format!("assay-queries-{}", std::process::id()));
    let options = Options { data_dir: folder.clone(), ..Options::default() };
    let log =
        Arc::new(SqliteLog::open(&options, Birth { seed: [7; 32], name: [1; 4], unix_ms: START }).await?);
    let begun = clock::now();
    for first in (0..count).step_by(200) {
        let batch = (first..count.min(first + 200)).map(|number| {
            let mut salt = [0; 32];
            salt[..8].copy_from_slice(&number.to_be_bytes());
            log.append(record(number), Salt(salt), START + number * 1_000)
        });
        futures::future::try_join_all(batch).await?;
    }
    println!("{count} records in {:.1} s", begun.elapsed().as_secs_f64());
    let reader = log.reader();
    let scope = Scope { tenant: "north".into(), principal: None };
    let own = Scope { principal: Some("eve".into()), ..scope.clone() };
    let filter = || Filter { limit: 20, ..Filter::default() };
    let half = START + count / 2 * 1_000;
    let queries: [(&str, &Scope, Filter); 7] = [
        ("newest", &scope, filter()),
        ("verdict REVIEW (none)", &scope, Filter { verdict: Some(Verdict::Review), ..filter() }),
        ("verdict REJECT", &scope, Filter { verdict: Some(Verdict::Reject), ..filter() }),
        ("outcome ABSTAINED (none)", &scope, Filter { outcome: Some(Outcome::Abstained), ..filter() }),
        ("a session", &scope, Filter { session: Some("session-7".into()), ..filter() }),
        (
            "an hour long ago",
            &scope,
            Filter { from_unix_ms: Some(half), until_unix_ms: Some(half + 3_600_000), ..filter() },
        ),
        ("of one principal", &own, filter()),
    ];
    for (name, scope, filter) in queries {
        let mut times = Vec::new();
        for _ in 0..ROUNDS {
            let begun = clock::now();
            reader.list(scope, &filter).await?;
            times.push(begun.elapsed().as_secs_f64() * 1_000.0);
        }
        told(name, times);
    }
    let mut times = Vec::new();
    for round in 0..ROUNDS {
        let begun = clock::now();
        let next = WaitingFilter { after: Some(round * 50), limit: 1, ..WaitingFilter::default() };
        reader.waiting("north", &next).await?;
        times.push(begun.elapsed().as_secs_f64() * 1_000.0);
    }
    told("next review", times);
    log.close().await;
    // What cannot be removed lies in the folder for temporary files.
    let _ = std::fs::remove_dir_all(folder);
    Ok(())
}
