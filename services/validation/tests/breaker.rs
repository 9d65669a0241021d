//! The parser behind its breaker, with a scripted parser, a manual clock and the log lines of the contract.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::VecDeque;
use std::io::Write;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use assay_domain::Identity;
use assay_resilience::BreakerSettings;
use assay_rpc::Context;
use assay_validation::breaker::{CLOSED_LINE, GuardedParser, HALF_OPEN_LINE, OPEN_LINE, UNAVAILABLE_LINE};
use assay_validation::ports::{CodeQuery, NotParsed, ParsedAnswer, ParserPort};
use async_trait::async_trait;
use tokio::sync::Semaphore;

/// A parser that answers as the script says, then always well.
#[derive(Default)]
struct Scripted {
    script: Mutex<VecDeque<Result<(), NotParsed>>>,
    calls: AtomicUsize,
    /// If set, a call waits for a permit.
    gate: Option<Semaphore>,
}

impl Scripted {
    fn failing(times: usize) -> Self {
        let down = || Err(NotParsed::down("unreachable"));
        Self { script: Mutex::new((0..times).map(|_| down()).collect()), ..Self::default() }
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl ParserPort for Scripted {
    async fn parse_answer(&self, _: &Context, _: CodeQuery) -> Result<ParsedAnswer, NotParsed> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        if let Some(gate) = &self.gate {
            let _ = gate.acquire().await;
        }
        self.script.lock().unwrap().pop_front().unwrap_or(Ok(())).map(|()| ParsedAnswer::default())
    }
}

/// A parser behind a breaker of three failures and thirty seconds, and the hand on its clock.
struct Bench {
    parser: Arc<Scripted>,
    guarded: Arc<GuardedParser>,
    seconds: Arc<AtomicU64>,
}

fn bench(parser: Scripted) -> Bench {
    let settings = BreakerSettings { threshold: 3, cooldown: Duration::from_secs(30) };
    let (parser, seconds) = (Arc::new(parser), Arc::new(AtomicU64::new(1)));
    let hand = Arc::clone(&seconds);
    let clock = Arc::new(move || Duration::from_secs(hand.load(Ordering::SeqCst)));
    let guarded = Arc::new(GuardedParser::new(parser.clone(), Some(settings), clock));
    Bench { parser, guarded, seconds }
}

impl Bench {
    async fn ask(&self) -> Result<ParsedAnswer, NotParsed> {
        self.guarded.parse_answer(&context(), CodeQuery::default()).await
    }

    async fn reason(&self) -> String {
        self.ask().await.unwrap_err().reason
    }

    fn at(&self, seconds: u64) {
        self.seconds.store(seconds, Ordering::SeqCst);
    }
}

fn context() -> Context {
    Context::new(Identity::local(), Duration::from_secs(10))
}

#[tokio::test]
async fn three_failures_open_it_and_a_good_probe_closes_it() {
    let bench = bench(Scripted::failing(3));
    for _ in 0..3 {
        assert_eq!(bench.reason().await, "unreachable");
    }
    bench.at(30);
    assert_eq!(bench.reason().await, "circuit_open");
    assert_eq!(bench.parser.calls(), 3);
    bench.at(31);
    assert!(bench.ask().await.is_ok());
    assert!(bench.ask().await.is_ok());
    assert_eq!(bench.parser.calls(), 5);
}

#[tokio::test]
async fn a_failed_probe_keeps_it_open_for_another_cooldown() {
    let bench = bench(Scripted::failing(4));
    for _ in 0..3 {
        bench.reason().await;
    }
    bench.at(31);
    assert_eq!(bench.reason().await, "unreachable");
    bench.at(60);
    assert_eq!(bench.reason().await, "circuit_open");
    bench.at(61);
    assert!(bench.ask().await.is_ok());
}

#[tokio::test]
async fn one_of_fifty_callers_probes_and_the_others_pass() {
    let mut parser = Scripted::failing(3);
    parser.gate = Some(Semaphore::new(3));
    let bench = bench(parser);
    for _ in 0..3 {
        bench.reason().await;
        bench.parser.gate.as_ref().unwrap().forget_permits(1);
    }
    bench.at(31);
    let probe = assay_rpc::task::spawn({
        let guarded = Arc::clone(&bench.guarded);
        async move { guarded.parse_answer(&context(), CodeQuery::default()).await }
    });
    while bench.parser.calls() < 4 {
        tokio::task::yield_now().await;
    }
    let others = futures::future::join_all((0..50).map(|_| bench.reason())).await;
    assert!(others.iter().all(|reason| reason == "circuit_open"));
    bench.parser.gate.as_ref().unwrap().add_permits(10);
    assert!(probe.await.unwrap().is_ok());
    assert_eq!(bench.parser.calls(), 4);
    assert!(bench.ask().await.is_ok());
}

#[tokio::test]
async fn abandoned_probe_does_not_block_the_next() {
    let mut parser = Scripted::failing(3);
    parser.gate = Some(Semaphore::new(3));
    let bench = bench(parser);
    for _ in 0..3 {
        bench.reason().await;
        bench.parser.gate.as_ref().unwrap().forget_permits(1);
    }
    bench.at(31);
    let context = context();
    let mut probe = bench.guarded.parse_answer(&context, CodeQuery::default());
    assert!(futures::poll!(&mut probe).is_pending());
    drop(probe);
    bench.parser.gate.as_ref().unwrap().add_permits(10);
    assert_eq!(bench.reason().await, "circuit_open");
    bench.at(61);
    assert!(bench.ask().await.is_ok());
}

#[tokio::test]
async fn refusal_by_a_live_parser_does_not_open_it() {
    let refused = || Err(NotParsed { reason: "payload_too_large".into(), reachable: true });
    let parser = Scripted { script: Mutex::new((0..9).map(|_| refused()).collect()), ..Scripted::default() };
    let bench = bench(parser);
    for _ in 0..9 {
        assert_eq!(bench.reason().await, "payload_too_large");
    }
    assert!(bench.ask().await.is_ok());
}

#[tokio::test]
async fn request_without_time_left_counts_as_no_failure() {
    let bench = bench(Scripted::failing(5));
    let spent = Context::new(Identity::local(), Duration::ZERO);
    for _ in 0..5 {
        assert!(bench.guarded.parse_answer(&spent, CodeQuery::default()).await.is_err());
    }
    assert!(bench.ask().await.is_ok());
}

#[tokio::test]
async fn switched_off_it_never_asks() {
    let parser = Arc::new(Scripted::default());
    let guarded = GuardedParser::new(parser.clone(), None, Arc::new(Duration::default));
    let not = guarded.parse_answer(&context(), CodeQuery::default()).await.unwrap_err();
    assert_eq!((not.reason.as_str(), parser.calls()), ("disabled", 0));
}

thread_local! {
    /// Log lines of this test's thread; its runtime has no other.
    static LINES: std::cell::RefCell<Vec<u8>> = const { std::cell::RefCell::new(Vec::new()) };
}

/// Writes log lines to the buffer of the thread that logs.
struct Lines;

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        LINES.with_borrow_mut(|lines| lines.extend_from_slice(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn every_change_has_its_line() {
    // Global, because the tests beside this one decide for the whole process whether anybody listens to a line.
    let subscriber = tracing_subscriber::fmt().with_env_filter("assay=info").with_writer(|| Lines).finish();
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let bench = bench(Scripted::failing(3));
    for _ in 0..4 {
        bench.reason().await;
    }
    bench.at(31);
    assert!(bench.ask().await.is_ok());
    let text = String::from_utf8(LINES.take()).unwrap();
    let seen: Vec<&str> = text.lines().filter_map(|line| line.find("[ptvl]").map(|at| &line[at..])).collect();
    let expected =
        [UNAVAILABLE_LINE, UNAVAILABLE_LINE, UNAVAILABLE_LINE, OPEN_LINE, HALF_OPEN_LINE, CLOSED_LINE];
    assert_eq!(seen.len(), expected.len(), "{text}");
    for (seen, expected) in seen.iter().zip(expected) {
        assert!(seen.starts_with(expected), "{seen} is not {expected}");
    }
}
