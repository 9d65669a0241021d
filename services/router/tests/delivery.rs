//! Records on their way to audit: bounded, closed again after a full disk, delivered behind any refusal.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use assay_domain::report::{
    Citation, CitationOrigin, Claim, ClaimKind, ClaimStatus, Resolution, Span, Verdict,
};
use assay_domain::{Answer, AuditId, AuditState, Code, Failure, Outcome, Question, Record};
use assay_router::compose_with;
use assay_router::ports::{Admission, Backlog, LogHead, Opened, Outbox};
use assay_rpc::Limits;
use assay_wire::ToWire as _;
use async_trait::async_trait;
use common::*;
use prost::Message as _;

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
        [LogHead { log_id: "log".into(), size: 41, root: vec![7; 32] }],
        "a rolled back log shows"
    );
}

/// An outbox whose disk is full for the first closings.
struct Full {
    inner: Arc<dyn Outbox>,
    fails: AtomicU32,
}

#[async_trait]
impl Outbox for Full {
    async fn open(&self, opened: Opened, now_ms: u64) -> Result<Admission, Failure> {
        self.inner.open(opened, now_ms).await
    }

    async fn close(&self, record: Record, answer: Option<Answer>) -> Result<(), Failure> {
        if self.fails.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok() {
            return Err(Failure::new(Code::Unavailable, "database or disk is full"));
        }
        self.inner.close(record, answer).await
    }

    async fn delivered(&self, id: AuditId, head: Option<LogHead>, now_ms: u64) -> Result<(), Failure> {
        self.inner.delivered(id, head, now_ms).await
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

    async fn recover(&self, now_ms: u64) -> Result<u64, Failure> {
        self.inner.recover(now_ms).await
    }
}

#[tokio::test]
async fn failed_closings_are_tried_again() {
    use assay_proto::router::router_service_client::RouterServiceClient;
    let bench = bench_with(
        |_| {},
        |ports| {
            let inner = ports.outbox.clone();
            ports.outbox = Arc::new(Full { inner, fails: AtomicU32::new(1) });
        },
    );
    let service = compose_with(bench.options.clone(), bench.ports.clone()).await.unwrap();
    let (channel, running) = service.in_memory(Limits::default());
    let question = Some(Question::new(RETRIEVAL).to_wire());
    let request = context().request(assay_proto::router::AskRequest { question });
    let status = RouterServiceClient::new(channel).ask(request).await.unwrap_err();
    assert_eq!(assay_wire::from_status(&status).code, Code::Unavailable);
    running.drain().await;
    let record = bench.record();
    assert_eq!(record.outcome, Outcome::Failed, "as its caller was told");
    assert!(record.errors.contains(&"unavailable".to_owned()));
}
