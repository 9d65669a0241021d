//! Records on their way to audit: bounded, closed again after a full disk, delivered behind any refusal.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use assay_domain::report::{
    Citation, CitationOrigin, Claim, ClaimKind, ClaimStatus, Resolution, Span, Verdict,
};
use assay_domain::{Answer, AuditId, AuditState, Code, Failure, Outcome, Question, Record};
use assay_router::compose_with;
use assay_router::ports::{Admission, Backlog, LogHead, Opened, Outbox};
use assay_rpc::{Limits, Running};
use assay_wire::ToWire as _;
use async_trait::async_trait;
use common::*;
use prost::Message as _;
use tokio::sync::Notify;

/// Delivers what waits, as the start and the end of a process do.
async fn deliver(bench: &Bench) {
    let service = compose_with(bench.options.clone(), bench.ports.clone()).await.unwrap();
    service.in_memory(Limits::default()).1.drain().await;
}

/// An answer of one claim with as many markers as a hostile model can write.
fn hostile() -> Judge {
    let text = "word ".repeat(390);
    let citation = |_| Citation {
        marker: 1,
        text: "[^1]".into(),
        span: Span::default(),
        lines: None,
        in_range: true,
        claim: Some(0),
        origin: CitationOrigin::Written,
        resolution: Resolution::Exact,
    };
    let claim = Claim {
        text,
        span: Span::default(),
        kind: ClaimKind::Factual,
        status: ClaimStatus::Supported,
        support: Some(0.9),
        citations: (0..14_500).collect(),
        evidence: Vec::new(),
        reason: String::new(),
        decided_by: String::new(),
    };
    let mut report = report(Verdict::Review, &[]);
    report.citations = (0..14_500).map(citation).collect();
    report.claims = vec![claim];
    Judge::Say(Box::new(report), None)
}

#[tokio::test]
async fn records_are_bounded_before_they_are_written() {
    let bench = bench();
    bench.judges([hostile()]);
    let answer = bench.ask(Question::new(RETRIEVAL)).await.unwrap();
    assert_eq!(answer.audit, AuditState::Stored);
    let record = bench.record();
    assert!(record.to_wire().encoded_len() < 1024 * 1024, "{} bytes", record.to_wire().encoded_len());
    assert_eq!(record.citations.len(), 256);
    assert!(record.warnings.contains(&"record_cut=14244 citations".to_owned()), "{:?}", record.warnings);
}

#[tokio::test]
async fn long_texts_are_cut_with_a_note() {
    let bench = bench();
    let answer = bench.ask(Question::new("\u{1f980}".repeat(500_000))).await.unwrap();
    assert_eq!(answer.failure.unwrap().code, Code::InvalidArgument);
    let record = bench.record();
    assert_eq!((record.outcome, record.query.chars().count()), (Outcome::Refused, 4_096));
    assert!(record.warnings.contains(&"record_cut=query".to_owned()));
}

#[tokio::test]
async fn delivery_goes_on_behind_any_refusal() {
    let bench = bench();
    bench.world.audit_up.store(false, Ordering::SeqCst);
    let mut ids: Vec<AuditId> = Vec::new();
    for _ in 0..6 {
        ids.push(bench.ask(Question::new(RETRIEVAL)).await.unwrap().audit_id);
    }
    bench.world.audit_up.store(true, Ordering::SeqCst);
    let codes = [
        Code::InvalidArgument,
        Code::RequestConflict,
        Code::PayloadTooLarge,
        Code::Internal,
        Code::DeadlineExceeded,
    ];
    *bench.world.refused.lock().unwrap() = ids.iter().copied().zip(codes).collect();
    deliver(&bench).await;
    let stored: Vec<AuditId> = bench.records().iter().map(|record| record.audit_id).collect();
    assert_eq!(stored, [ids[5]], "the last one is stored");
    let (waiting, backlog) = bench.ports.outbox.waiting(10).await.unwrap();
    assert_eq!(
        (waiting.len(), backlog.set_aside),
        (2, 3),
        "what may still succeed waits, the rest is set aside"
    );
    bench.world.refused.lock().unwrap().clear();
    deliver(&bench).await;
    assert_eq!(bench.records().len(), 3);
}

#[tokio::test]
async fn the_newest_state_of_the_log_is_remembered() {
    let bench = bench();
    bench.world.sizes.lock().unwrap().extend([41, 7]);
    bench.ask(Question::new(RETRIEVAL)).await.unwrap();
    bench.ask(Question::new(RETRIEVAL)).await.unwrap();
    let heads = bench.ports.outbox.heads().await.unwrap();
    assert_eq!(
        heads,
        [LogHead { log_id: "log".into(), size: 41, root: vec![0; 32] }],
        "a rolled back log shows"
    );
}

#[tokio::test]
async fn no_later_state_replaces_the_one_before_a_rollback() {
    for after in [[39, 40, 41, 42, 43], [41, 42, 43, 44, 45]] {
        let bench = bench();
        bench.world.sizes.lock().unwrap().extend([40, 41]);
        bench.world.sizes.lock().unwrap().extend(after);
        for nth in 0..7 {
            bench.world.history.store(u8::from(nth > 1), Ordering::SeqCst);
            bench.ask(Question::new(RETRIEVAL)).await.unwrap();
        }
        let seen = LogHead { log_id: "log".into(), size: 41, root: vec![0; 32] };
        assert_eq!(bench.ports.outbox.heads().await.unwrap(), [seen], "then {after:?}");
    }
}

#[tokio::test]
async fn repeated_records_are_no_rollback() {
    let bench = bench();
    bench.world.sizes.lock().unwrap().extend([41, 41, 42]);
    for _ in 0..3 {
        bench.ask(Question::new(RETRIEVAL)).await.unwrap();
    }
    assert_eq!(bench.ports.outbox.heads().await.unwrap()[0].size, 42);
}

/// An outbox whose disk is full for the first closings and then hangs for others.
struct Full {
    inner: Arc<dyn Outbox>,
    fails: AtomicU32,
    hangs: AtomicU32,
    /// A closing hangs.
    hanging: Notify,
    /// Closings under way; held by each of them.
    closings: Arc<()>,
    /// Most closings at once.
    most: AtomicUsize,
}

impl Full {
    fn of(inner: Arc<dyn Outbox>, fails: u32, hangs: u32) -> Self {
        let (fails, hangs) = (AtomicU32::new(fails), AtomicU32::new(hangs));
        Self {
            inner,
            fails,
            hangs,
            hanging: Notify::new(),
            closings: Arc::default(),
            most: AtomicUsize::new(0),
        }
    }
}

fn taken(left: &AtomicU32) -> bool {
    left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok()
}

#[async_trait]
impl Outbox for Full {
    async fn open(&self, opened: Opened, now_ms: u64) -> Result<Admission, Failure> {
        self.inner.open(opened, now_ms).await
    }

    async fn close(&self, record: Record, answer: Option<Answer>) -> Result<(), Failure> {
        if taken(&self.fails) {
            return Err(Failure::new(Code::Unavailable, "database or disk is full"));
        }
        let _under_way = self.closings.clone();
        self.most.fetch_max(Arc::strong_count(&self.closings) - 1, Ordering::SeqCst);
        if taken(&self.hangs) {
            self.hanging.notify_one();
            return std::future::pending().await;
        }
        self.inner.close(record, answer).await
    }

    async fn delivered(&self, id: AuditId, head: Option<LogHead>, now_ms: u64) -> Result<(), Failure> {
        self.inner.delivered(id, head, now_ms).await
    }

    async fn freeze(&self, seen: LogHead, now_ms: u64) -> Result<(), Failure> {
        self.inner.freeze(seen, now_ms).await
    }

    async fn heads(&self) -> Result<Vec<LogHead>, Failure> {
        self.inner.heads().await
    }

    async fn set_aside(&self, id: AuditId, reason: &str) -> Result<(), Failure> {
        self.inner.set_aside(id, reason).await
    }

    async fn postpone(&self, id: AuditId) -> Result<(), Failure> {
        self.inner.postpone(id).await
    }

    async fn waiting(&self, limit: u32) -> Result<(Vec<Record>, Backlog), Failure> {
        self.inner.waiting(limit).await
    }

    async fn usable(&self) -> Result<(), Failure> {
        self.inner.usable().await
    }

    async fn recover(&self, now_ms: u64) -> Result<u64, Failure> {
        self.inner.recover(now_ms).await
    }
}

/// A bench with such an outbox.
fn full_bench(fails: u32, hangs: u32) -> (Bench, Arc<Full>) {
    let mut outbox = None;
    let bench = bench_with(
        |_| {},
        |ports| {
            let full = Arc::new(Full::of(ports.outbox.clone(), fails, hangs));
            ports.outbox = full.clone();
            outbox = Some(full);
        },
    );
    (bench, outbox.unwrap())
}

/// Serves, asks one question that cannot be recorded, and leaves the process running.
async fn ask_in_vain(bench: &Bench) -> Running {
    use assay_proto::router::router_service_client::RouterServiceClient;
    let service = compose_with(bench.options.clone(), bench.ports.clone()).await.unwrap();
    let (channel, running) = service.in_memory(Limits::default());
    let question = Some(Question::new(RETRIEVAL).to_wire());
    let request = context().request(assay_proto::router::AskRequest { question });
    let status = RouterServiceClient::new(channel).ask(request).await.unwrap_err();
    assert_eq!(assay_wire::from_status(&status).code, Code::Unavailable);
    running
}

#[tokio::test]
async fn failed_closings_are_tried_again() {
    let (bench, _) = full_bench(1, 0);
    ask_in_vain(&bench).await.drain().await;
    let record = bench.record();
    assert_eq!(record.outcome, Outcome::Failed, "as its caller was told");
    assert!(record.errors.contains(&"unavailable".to_owned()));
}

#[tokio::test]
async fn a_drain_waits_for_the_end_of_the_delivery() {
    let (bench, outbox) = full_bench(1, 1);
    let running = ask_in_vain(&bench).await;
    outbox.hanging.notified().await;
    running.drain().await;
    assert_eq!(bench.record().outcome, Outcome::Failed);
    assert_eq!(outbox.most.load(Ordering::SeqCst), 1, "two rounds closed records at once");
}
