//! How long a caller waits for the validation of an answer of 2 kB against eight sources of 1 kB, through the service: over
//! the in-memory channel and over a socket, one caller and as many as there are processors, whole and segment by segment.
//! `cargo bench -p assay-validation` prints p50 and p99; exits 1 where the bar of the p99 is missed by a single caller.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    missing_docs,
    reason = "a benchmark prints and looks at the clock"
)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::time::Instant;

use assay_domain::Source;
use assay_proto::validation as wire;
use assay_proto::validation::validation_service_client::ValidationServiceClient;
use assay_rpc::{Channel, Limits, Peers};
use common::{Bench, Index, Mode, Parser, doc, finish, open, plain, start, text};

/// That of the programs that ship.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Longest that one answer in a hundred may take, in milliseconds.
const WANTED: f64 = 20.0;
/// Answers that are timed, after a few that are not.
const ANSWERS: usize = 600;
const UNTIMED: usize = 20;

/// A sentence about one of eight things; the seed chooses its words and figures.
fn sentence(seed: usize) -> String {
    let subjects = [
        "importer",
        "scheduler",
        "connection pool",
        "parser",
        "search index",
        "exporter",
        "cache",
        "gateway",
    ];
    let verbs = ["skips", "retries", "closes", "stores", "rejects", "compresses", "forwards"];
    let objects = ["empty rows", "failed calls", "idle connections", "old log files", "unknown fields"];
    let (subject, verb, object) = (subjects[seed % 8], verbs[seed / 3 % 7], objects[seed / 5 % 5]);
    format!("The {subject} {verb} {object} after {} seconds, and logs the reason once. ", 5 + seed * 7 % 90)
}

/// Sources of 1 kB and an answer of 2 kB, two sentences of three cited, every fourth with another figure.
fn case(number: usize) -> (Vec<Source>, String) {
    let sources: Vec<Source> = (0..8)
        .map(|source| {
            let text: String = (0..14).map(|at| sentence(number * 97 + source * 31 + at)).collect();
            doc(&format!("docs/{source}.md"), &text)
        })
        .collect();
    let mut answer = String::new();
    for at in 0..24 {
        let (source, changed) = (at % 8, usize::from(at % 4 == 3) * 1000);
        let said = sentence(number * 97 + source * 31 + at % 14 + changed);
        let bare = said.trim_end().trim_end_matches('.');
        match at % 3 {
            2 => answer.push_str(&said),
            _ => answer.push_str(&format!("{bare} [^{}]. ", source + 1)),
        }
    }
    (sources, answer)
}

/// Checks answers one after the other; the time of each, in milliseconds.
async fn call(bench: Bench, from: usize, count: usize, segments: bool) -> Vec<f64> {
    let mut times = Vec::with_capacity(count);
    for number in from..from + count {
        let (sources, answer) = case(number);
        let question = "What does the importer do after a failed call?".to_owned();
        let order = wire::Open { segments, question, context_relevance: None, ..open(&sources) };
        let start = Instant::now();
        let mut parts = vec![wire::check_request::Part::Open(order)];
        if segments {
            let words: Vec<&str> = answer.split_inclusive(' ').collect();
            parts.extend(words.chunks(12).map(|words| text(&words.concat())));
        } else {
            parts.push(text(&answer));
        }
        parts.push(finish());
        let answered = bench.send(parts).await.expect("the service answers");
        times.push(start.elapsed().as_secs_f64() * 1e3);
        assert!(answered.done.is_some());
    }
    times
}

async fn measure(
    name: &str,
    client: &ValidationServiceClient<Channel>,
    callers: usize,
    segments: bool,
) -> f64 {
    let bench = || Bench { client: client.clone(), running: Vec::new() };
    call(bench(), 0, UNTIMED, segments).await;
    let each = ANSWERS / callers;
    let begun = Instant::now();
    let calls = (0..callers).map(|caller| call(bench(), caller * each, each, segments));
    let mut times: Vec<f64> = futures::future::join_all(calls).await.concat();
    let rate = f64::from(u32::try_from(times.len()).unwrap_or(0)) / begun.elapsed().as_secs_f64();
    times.sort_by(f64::total_cmp);
    let at = |share: usize| times[(times.len() * share / 100).min(times.len() - 1)];
    println!("{name:44} {:8.2} ms {:8.2} ms {rate:10.0} /s", at(50), at(99));
    at(99)
}

#[tokio::main]
async fn main() {
    let processors = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
    println!("2 kB against eight times 1 kB                     p50         p99    answers");
    let memory = start(plain(), Some(Parser::new(Mode::Up)), Some(Index::knowing(&[]))).await;
    let mut worst = measure("in-memory channel, one caller", &memory.client, 1, false).await;
    worst = worst.max(measure("the same, segment by segment", &memory.client, 1, true).await);
    measure(&format!("in-memory channel, {} callers", processors * 2), &memory.client, processors * 2, false)
        .await;

    let peers = Peers::none()
        .with("parser", assay_rpc::peers::nobody())
        .with("retrieval", assay_rpc::peers::nobody())
        .with("generation", assay_rpc::peers::nobody());
    let service = assay_validation::compose(plain(), &peers).await.expect("the service composes");
    let running = service.listen("127.0.0.1:0".parse().expect("an address"), Limits::default()).await;
    let running = running.expect("the service listens");
    let url = format!("http://{}", running.address().expect("it has an address"));
    let socket = ValidationServiceClient::new(Channel::to(&url, None).expect("a channel"));
    worst = worst.max(measure("socket, one caller", &socket, 1, false).await);
    measure(&format!("socket, {} callers", processors * 2), &socket, processors * 2, false).await;
    if worst > WANTED {
        println!("the bar is missed: {worst:.1} ms for one answer in a hundred, wanted {WANTED} ms");
        std::process::exit(1);
    }
}
