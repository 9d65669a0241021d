//! Brings closed records from the outbox to audit, oldest first, with backoff while audit is down.

use std::sync::Arc;
use std::time::Duration;

use assay_domain::{Code, Identity};
use assay_rpc::{Context, clock};
use assay_telemetry::names::metrics as names;
use tokio::sync::Notify;

use crate::ports::Ports;

/// Records of one round.
const BATCH: u32 = 64;
/// Time between two looks when nothing was announced.
const IDLE: Duration = Duration::from_secs(5);
/// First wait after a failure.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// Longest wait after failures.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// Time for one record.
const BUDGET: Duration = Duration::from_secs(10);

/// Delivers until it is stopped.
pub(crate) async fn deliver(ports: Ports, announced: Arc<Notify>) {
    let mut wait = FIRST_WAIT;
    loop {
        match round(&ports).await {
            Round::Empty => {
                wait = FIRST_WAIT;
                let _ = tokio::time::timeout(IDLE, announced.notified()).await;
            }
            Round::Moved => wait = FIRST_WAIT,
            Round::Stuck => {
                tokio::time::sleep(wait).await;
                wait = (wait * 2).min(LONGEST_WAIT);
            }
        }
    }
}

/// What a round came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Round {
    /// Nothing waits.
    Empty,
    /// Records were delivered.
    Moved,
    /// Audit or the outbox does not answer.
    Stuck,
}

/// One round over the oldest records.
pub(crate) async fn round(ports: &Ports) -> Round {
    let (records, backlog) = match ports.outbox.waiting(BATCH).await {
        Ok(waiting) => waiting,
        Err(failure) => {
            tracing::error!(%failure, "the outbox cannot be read");
            return Round::Stuck;
        }
    };
    metrics::gauge!(names::OUTBOX_RECORDS).set(backlog.waiting as f64);
    let age = match backlog.oldest_unix_ms {
        0 => 0,
        oldest => clock::unix_ms().saturating_sub(oldest),
    };
    metrics::gauge!(names::OUTBOX_AGE_SECONDS).set(age as f64 / 1000.0);
    if records.is_empty() {
        return Round::Empty;
    }
    let (mut refused, all) = (0, records.len());
    for record in records {
        let identity = Identity { roles: Vec::new(), ..record.identity.clone() };
        let context = Context::background(identity, BUDGET);
        let sent = context.within(ports.ledger.append(&context, &record)).await;
        if let Err(failure) = sent.and_then(|sent| sent) {
            if failure.code == Code::InvalidArgument {
                tracing::error!(%failure, audit_id = %record.audit_id, "audit does not accept a record; it is kept");
                refused += 1;
                continue;
            }
            tracing::warn!(%failure, audit_id = %record.audit_id, waiting = backlog.waiting, "a record waits for audit");
            return Round::Stuck;
        }
        if let Err(failure) = ports.outbox.delivered(record.audit_id).await {
            tracing::error!(%failure, "a delivered record stays in the outbox");
            return Round::Stuck;
        }
    }
    // Records that audit will never accept must not make the loop spin.
    if refused == all { Round::Stuck } else { Round::Moved }
}
