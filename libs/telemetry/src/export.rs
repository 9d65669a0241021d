//! The way of finished spans out of the process: a bounded queue, batches, an exporter; what is lost is counted and
//! said at most once a minute. Nothing here makes a request wait.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use metrics::Counter;
use opentelemetry::Context;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::{OTelSdkError, OTelSdkResult};
use opentelemetry_sdk::trace::{
    BatchConfigBuilder, BatchSpanProcessor, Span, SpanData, SpanExporter, SpanProcessor,
};

use crate::content::Policy;
use crate::names::metrics::{SPANS_DROPPED_TOTAL, SPANS_EXPORTED_TOTAL};
use crate::options::Otlp;

/// Time between two lines about lost spans.
const QUIET: Duration = Duration::from_secs(60);

/// A batching processor in front of an exporter.
pub(crate) fn batching<E: SpanExporter + 'static>(exporter: E, options: &Otlp, policy: Policy) -> Bounded {
    let losses = Arc::new(Losses::new());
    let queued = Arc::new(AtomicUsize::new(0));
    let exporter = Guarded { inner: exporter, policy, losses: losses.clone(), queued: queued.clone() };
    let config = BatchConfigBuilder::default()
        .with_max_queue_size(options.queue_spans)
        .with_max_export_batch_size(options.batch_spans)
        .with_scheduled_delay(Duration::from_millis(options.delay_ms))
        .build();
    let inner = BatchSpanProcessor::builder(exporter).with_batch_config(config).build();
    Bounded { inner, queued, most: options.queue_spans, losses }
}

/// What was lost, and who has been told.
#[derive(Debug)]
pub(crate) struct Losses {
    full: Counts,
    failed: Counts,
    exported: Counts,
    /// Spans lost since the last line, and when that was.
    told: Mutex<(u64, Option<Instant>)>,
}

/// A counter of the recorder, and the number beside it.
struct Counts(Counter, AtomicU64);

impl std::fmt::Debug for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.1.load(Ordering::Relaxed))
    }
}

impl Counts {
    fn add(&self, spans: usize) {
        let spans = u64::try_from(spans).unwrap_or(u64::MAX);
        self.0.increment(spans);
        self.1.fetch_add(spans, Ordering::Relaxed);
    }
}

impl Losses {
    fn new() -> Self {
        let dropped = |reason: &'static str| {
            let counter = metrics::counter!(SPANS_DROPPED_TOTAL, "reason" => reason);
            // The series is there from the start, so that a rate over it is right from the first loss on.
            counter.increment(0);
            Counts(counter, AtomicU64::new(0))
        };
        let exported = metrics::counter!(SPANS_EXPORTED_TOTAL);
        exported.increment(0);
        Self {
            full: dropped("queue_full"),
            failed: dropped("export_failed"),
            exported: Counts(exported, AtomicU64::new(0)),
            told: Mutex::new((0, None)),
        }
    }

    /// Says that spans were lost, unless it was said within the last minute. Never called while a request waits.
    #[allow(clippy::disallowed_methods, reason = "how often a line is written is no time of the product")]
    fn tell(&self, spans: usize, reason: &dyn std::fmt::Display) {
        let lost = {
            let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
            told.0 += u64::try_from(spans).unwrap_or(u64::MAX);
            let now = Instant::now();
            if told.1.is_some_and(|last| now.duration_since(last) < QUIET) {
                return;
            }
            told.1 = Some(now);
            std::mem::take(&mut told.0)
        };
        let full = self.full.1.load(Ordering::Relaxed);
        tracing::warn!(
            target: "assay::telemetry",
            lost,
            queue_full = full,
            %reason,
            "traces are not delivered; spans are dropped and counted, requests go on"
        );
    }
}

/// Lets spans into the queue while there is room, and counts those that are turned away.
#[derive(Debug)]
pub(crate) struct Bounded {
    inner: BatchSpanProcessor,
    /// Spans that wait or are being delivered.
    queued: Arc<AtomicUsize>,
    most: usize,
    losses: Arc<Losses>,
}

impl SpanProcessor for Bounded {
    fn on_start(&self, span: &mut Span, context: &Context) {
        self.inner.on_start(span, context);
    }

    fn on_end(&self, span: SpanData) {
        if !span.span_context.is_sampled() {
            return;
        }
        if self.queued.fetch_add(1, Ordering::AcqRel) >= self.most {
            self.queued.fetch_sub(1, Ordering::AcqRel);
            self.losses.full.add(1);
            return;
        }
        self.inner.on_end(span);
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.inner.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.inner.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.inner.set_resource(resource);
    }
}

/// An exporter that is given only what may leave, and whose failures are counted.
#[derive(Debug)]
struct Guarded<E> {
    inner: E,
    policy: Policy,
    losses: Arc<Losses>,
    queued: Arc<AtomicUsize>,
}

/// Makes room in the queue when a delivery ends, however it ends.
struct Room<'a>(&'a AtomicUsize, usize);

impl Drop for Room<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(self.1, Ordering::AcqRel);
    }
}

impl<E: SpanExporter> SpanExporter for Guarded<E> {
    async fn export(&self, mut batch: Vec<SpanData>) -> OTelSdkResult {
        let spans = batch.len();
        let _room = Room(&self.queued, spans);
        for span in &mut batch {
            self.policy.apply(span);
        }
        match self.inner.export(batch).await {
            Ok(()) => {
                self.losses.exported.add(spans);
                Ok(())
            }
            Err(error) => {
                self.losses.failed.add(spans);
                self.losses.tell(spans, &said(&error));
                // The batch processor has nothing to add.
                Ok(())
            }
        }
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.inner.shutdown_with_timeout(timeout)
    }

    fn shutdown(&self) -> OTelSdkResult {
        self.inner.shutdown()
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.inner.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.inner.set_resource(resource);
    }
}

fn said(error: &OTelSdkError) -> String {
    match error {
        OTelSdkError::Timeout(limit) => format!("no answer within {} ms", limit.as_millis()),
        other => other.to_string(),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::time::SystemTime;

    use opentelemetry::trace::{SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceId, TraceState};
    use opentelemetry::{InstrumentationScope, KeyValue};
    use opentelemetry_sdk::trace::{SpanEvents, SpanLinks};

    use super::*;

    pub(crate) fn span(attributes: Vec<KeyValue>) -> SpanData {
        SpanData {
            span_context: SpanContext::new(
                TraceId::from(1u128),
                SpanId::from(1u64),
                TraceFlags::SAMPLED,
                false,
                TraceState::default(),
            ),
            parent_span_id: SpanId::INVALID,
            parent_span_is_remote: false,
            span_kind: SpanKind::Internal,
            name: "span".into(),
            start_time: SystemTime::UNIX_EPOCH,
            end_time: SystemTime::UNIX_EPOCH,
            attributes,
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: SpanLinks::default(),
            status: Status::Unset,
            instrumentation_scope: InstrumentationScope::default(),
        }
    }

    /// An exporter that does nothing until it is let go.
    #[derive(Debug)]
    struct Stuck(Arc<Mutex<()>>);

    impl SpanExporter for Stuck {
        async fn export(&self, _: Vec<SpanData>) -> OTelSdkResult {
            drop(self.0.lock().unwrap_or_else(PoisonError::into_inner));
            Err(OTelSdkError::InternalFailure("stuck".into()))
        }
    }

    #[test]
    fn full_queue_drops_and_counts_spans_until_room_returns() {
        let gate = Arc::new(Mutex::new(()));
        let options = Otlp { queue_spans: 4, batch_spans: 2, delay_ms: 60_000, ..Otlp::default() };
        let policy = Policy { content: false, bytes: 100 };
        let held = gate.lock().unwrap_or_else(PoisonError::into_inner);
        let processor = batching(Stuck(gate.clone()), &options, policy);
        for _ in 0..10 {
            processor.on_end(span(Vec::new()));
        }
        assert_eq!(processor.losses.full.1.load(Ordering::Relaxed), 6);
        drop(held);
        let _ = processor.force_flush();
        assert_eq!(processor.losses.failed.1.load(Ordering::Relaxed), 4);
        assert_eq!(processor.queued.load(Ordering::Relaxed), 0);
        processor.on_end(span(Vec::new()));
        assert_eq!(processor.losses.full.1.load(Ordering::Relaxed), 6);
        assert!(processor.shutdown_with_timeout(Duration::from_secs(5)).is_ok());
    }
}
