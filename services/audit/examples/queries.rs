//! Times of reading a log of many records: each filter and the next review, p50 and p99 in milliseconds.
//!
//! Run with `cargo run --release -p assay-audit --example queries -- 100000`.
#![allow(clippy::print_stdout, reason = "a benchmark prints")]

use std::sync::Arc;

use assay_audit::adapters::sqlite::{Birth, DATABASE, SqliteLog};
use assay_audit::ports::{
    Filter, Notes as _, Records as _, Reviews as _, Scope, Selector, WaitingFilter, Writer as _,
};
use assay_audit::words::words;
use assay_audit::{AuditError, Options};
use assay_domain::answer::{Layer, Route};
use assay_domain::record::RecordedValidation;
use assay_domain::report::Verdict;
use assay_domain::{AuditId, Identity, Outcome, QueryType, Record};
use assay_ledger::Salt;
use assay_rpc::clock;

/// The moment of the first record.
const START: u64 = 1_790_000_000_000;
/// Times that each query is asked.
const ROUNDS: u64 = 200;

/// Subjects of questions; each hundredth record has the next one.
const SUBJECTS: [&str; 8] =
    ["importer", "exporter", "scheduler", "parser", "console", "gateway", "router", "ledger"];

/// A record: one in ten is rejected and keeps its answer, one in a thousand is of another principal, one in twenty was
/// routed as code; a session has fifty. Every question holds `messages`, one in a hundred a subject, each its number.
fn record(number: u64) -> Record {
    let [.., a, b, c, d] = number.to_be_bytes();
    let unix_ms = START + number * 1_000;
    let id = AuditId::from_parts(unix_ms, [a, b, c, d, 5, 6, a, b, c, d]);
    let rejected = number.is_multiple_of(10);
    let principal = if number.is_multiple_of(1_000) { "eve" } else { "ada" };
    let identity = Identity { principal: principal.into(), tenant: "north".into(), roles: Vec::new() };
    let outcome = if rejected { Outcome::Rejected } else { Outcome::Answered };
    let subject = if number.is_multiple_of(100) {
        SUBJECTS[usize::try_from(number / 100).unwrap_or(0) % SUBJECTS.len()]
    } else {
        "queue"
    };
    let query_type = if number % 20 == 7 { QueryType::CodeGeneration } else { QueryType::Retrieval };
    Record {
        route: Some(Route {
            query_type,
            layer: Layer::Rules,
            probability: 1.0,
            accepted: true,
            reason: String::new(),
        }),
        session_id: format!("session-{}", number / 50),
        query: format!("How many messages does the {subject} {number} hold, and who may read them at night?"),
        answer: "The queue holds 512 messages [^1]. Whoever has the role of a reader may read them [^2]."
            .into(),
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
    println!("{name:<32} p50 {:>8.2} ms   p99 {:>8.2} ms", at(0.5), at(0.99));
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
    let text = |text: &str| Filter { words: words(text), ..filter() };
    let queries = [
        ("newest", &scope, filter()),
        ("verdict REVIEW (none)", &scope, Filter { verdicts: vec![Verdict::Review], ..filter() }),
        ("verdict REJECT", &scope, Filter { verdicts: vec![Verdict::Reject], ..filter() }),
        ("outcome ABSTAINED (none)", &scope, Filter { outcome: Some(Outcome::Abstained), ..filter() }),
        ("a session", &scope, Filter { session: Some("session-7".into()), ..filter() }),
        (
            "an hour long ago",
            &scope,
            Filter { from_unix_ms: Some(half), until_unix_ms: Some(half + 3_600_000), ..filter() },
        ),
        ("from half on", &scope, Filter { from_unix_ms: Some(half), ..filter() }),
        ("until half", &scope, Filter { until_unix_ms: Some(half), ..filter() }),
        ("of one principal", &own, filter()),
        ("principal eve, by a reviewer", &scope, Filter { principal: Some("eve".into()), ..filter() }),
        (
            "verdicts REVIEW, REJECT",
            &scope,
            Filter { verdicts: vec![Verdict::Review, Verdict::Reject], ..filter() },
        ),
        ("type CODE_GENERATION", &scope, Filter { query_type: Some(QueryType::CodeGeneration), ..filter() }),
        ("type PLATFORM (none)", &scope, Filter { query_type: Some(QueryType::Platform), ..filter() }),
        (
            "type CODE, REJECT (none)",
            &scope,
            Filter {
                query_type: Some(QueryType::CodeGeneration),
                verdicts: vec![Verdict::Reject],
                ..filter()
            },
        ),
        ("text: in every record", &scope, text("messages")),
        ("text: in one of 800", &scope, text("Scheduler")),
        ("text: in one record", &scope, text("4711")),
        ("text: in no record", &scope, text("drawbridge")),
        ("text: six words", &scope, text("how many messages does the ledger")),
        ("text: two words never together", &scope, text("importer exporter")),
        (
            "text: common words, oldest",
            &scope,
            Filter { until_unix_ms: Some(START + 1_000_000), ..text("messages night") },
        ),
        (
            "text in every record, PLATFORM",
            &scope,
            Filter { query_type: Some(QueryType::Platform), ..text("messages") },
        ),
        (
            "text and CODE, REJECT (none)",
            &scope,
            Filter {
                query_type: Some(QueryType::CodeGeneration),
                verdicts: vec![Verdict::Reject],
                ..text("messages night")
            },
        ),
        (
            "text in every record, session",
            &scope,
            Filter { session: Some("session-7".into()), ..text("messages") },
        ),
        ("text in every record, of eve", &own, text("messages")),
        ("everything, awaiting review", &scope, Filter { awaiting_review: true, ..text("messages") }),
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
    // As the service does: until nothing is left, when the database is written anew.
    let (begun, mut payloads) = (clock::now(), 0);
    loop {
        let erased = log.erase("north", Selector::Principal("eve".into()), START).await?.payloads;
        payloads += erased;
        if erased == 0 {
            break;
        }
    }
    println!("erasing {payloads} payloads of one principal: {:.2} s", begun.elapsed().as_secs_f64());
    let (begun, mut payloads) = (clock::now(), 0);
    loop {
        let erased = log.erase_before(START / 86_400_000 + 1, START + count * 1_000).await?.payloads;
        payloads += erased;
        if erased == 0 {
            break;
        }
    }
    println!("erasing {payloads} expired payloads: {:.2} s", begun.elapsed().as_secs_f64());
    log.close().await;
    let bytes = std::fs::metadata(folder.join(DATABASE)).map_or(0, |data| data.len());
    println!("the database has {} MiB", bytes / 1024 / 1024);
    // What cannot be removed lies in the folder for temporary files.
    let _ = std::fs::remove_dir_all(folder);
    Ok(())
}
