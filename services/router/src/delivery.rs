//! Records on their way: closed in the outbox, brought to audit oldest first, set aside where audit can never take them.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use assay_domain::answer::Outcome;
use assay_domain::{Answer, Code, Failure, Identity, Record};
use assay_rpc::{Context, clock};
use assay_telemetry::names::metrics as names;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

use crate::ports::{Ledger, LogHead, Outbox, Ports};

/// Records of one round.
const BATCH: u32 = 64;
/// Failures in a row after which a round ends.
const PATIENCE: u32 = 3;
/// Closings that wait for the disk; beyond them an entry stays open until the next start.
const UNCLOSED: usize = 256;
/// Time between two looks when nothing was announced.
const IDLE: Duration = Duration::from_secs(5);
/// First wait after a failure.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// Longest wait after failures.
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// Time for one record.
const BUDGET: Duration = Duration::from_secs(10);

/// Closes records and delivers them.
pub(crate) struct Recorder {
    ledger: Arc<dyn Ledger>,
    outbox: Arc<dyn Outbox>,
    /// A record waits.
    announced: Notify,
    /// A request was closed.
    closed: Notify,
    /// Records that the outbox could not close.
    unclosed: Mutex<VecDeque<Record>>,
    /// Largest state seen of each log.
    heads: Mutex<BTreeMap<String, LogHead>>,
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

impl Recorder {
    pub(crate) fn new(ports: &Ports) -> Self {
        Self {
            ledger: ports.ledger.clone(),
            outbox: ports.outbox.clone(),
            announced: Notify::new(),
            closed: Notify::new(),
            unclosed: Mutex::default(),
            heads: Mutex::default(),
        }
    }

    /// Takes up what an earlier process knew of the logs.
    ///
    /// # Errors
    /// What the outbox says.
    pub(crate) async fn recall(&self) -> Result<(), Failure> {
        let known = self.outbox.heads().await?.into_iter().map(|head| (head.log_id.clone(), head));
        self.heads.lock().unwrap_or_else(PoisonError::into_inner).extend(known);
        Ok(())
    }

    /// Told whenever a request is closed.
    pub(crate) fn closed(&self) -> Notified<'_> {
        self.closed.notified()
    }

    /// Tells that a record waits.
    pub(crate) fn announce(&self) {
        self.announced.notify_one();
    }

    // --- closing ---

    /// Closes a record in the outbox. One that cannot be closed now is closed later, as failed: that is what its
    /// caller is told.
    ///
    /// # Errors
    /// What the outbox says.
    pub(crate) async fn close(&self, record: &Record, kept: Option<Answer>) -> Result<(), Failure> {
        match self.outbox.close(record.clone(), kept).await {
            Ok(()) => {
                self.closed.notify_waiters();
                Ok(())
            }
            Err(failure) => {
                self.close_later(failed(record.clone(), &failure), &failure);
                Err(failure)
            }
        }
    }

    fn close_later(&self, record: Record, failure: &Failure) {
        let audit_id = record.audit_id;
        let mut unclosed = self.unclosed.lock().unwrap_or_else(PoisonError::into_inner);
        if unclosed.len() < UNCLOSED {
            unclosed.push_back(record);
            tracing::error!(%failure, %audit_id, "a record could not be closed; it is tried again");
        } else {
            tracing::error!(%failure, %audit_id, "a record could not be closed; the next start records it as ABORTED");
        }
        metrics::gauge!(names::OUTBOX_UNCLOSED).set(unclosed.len() as f64);
        drop(unclosed);
        self.announce();
    }

    /// Closes what could not be closed before; says whether all of it is.
    async fn close_again(&self) -> bool {
        loop {
            let next = self.unclosed.lock().unwrap_or_else(PoisonError::into_inner).front().cloned();
            let Some(record) = next else { return true };
            if let Err(failure) = self.outbox.close(record, None).await {
                tracing::debug!(%failure, "records still cannot be closed");
                return false;
            }
            let mut unclosed = self.unclosed.lock().unwrap_or_else(PoisonError::into_inner);
            unclosed.pop_front();
            metrics::gauge!(names::OUTBOX_UNCLOSED).set(unclosed.len() as f64);
            drop(unclosed);
            self.closed.notify_waiters();
        }
    }

    // --- delivering ---

    /// Stores a record in the log and forgets it in the outbox.
    ///
    /// # Errors
    /// What audit says; the record waits then.
    pub(crate) async fn store(&self, context: &Context, record: &Record) -> Result<Stored, Failure> {
        let before = self.heads.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let head = context.within(self.ledger.append(context, record)).await.and_then(|sent| sent)?;
        if let Some(head) = &head
            && let Some(seen) = self.left(&before, head)
            && let Err(failure) = self.outbox.freeze(seen, clock::unix_ms()).await
        {
            tracing::error!(%failure, "the evidence of a rollback could not be kept; the record is sent again");
            return Ok(Stored::Kept);
        }
        Ok(match self.outbox.delivered(record.audit_id, head, clock::unix_ms()).await {
            Ok(()) => Stored::Forgotten,
            Err(failure) => {
                tracing::warn!(%failure, "a delivered record stays in the outbox; it is sent again");
                Stored::Kept
            }
        })
    }

    /// Holds the state of a log after an append against what was known before it was sent; the known state if the log
    /// has left it.
    fn left(&self, before: &BTreeMap<String, LogHead>, head: &LogHead) -> Option<LogHead> {
        // The same state again is the reply to a repeated record.
        let left = |known: &&LogHead| head.size <= known.size && head != *known;
        let seen = before.get(&head.log_id).filter(left);
        if let Some(known) = seen {
            metrics::counter!(names::LOG_ROLLBACKS_TOTAL).increment(1);
            tracing::error!(
                log_id = head.log_id,
                leaves = head.size,
                known = known.size,
                "the audit log has not grown by an append: it was rolled back; run `assay audit verify`"
            );
        }
        let mut heads = self.heads.lock().unwrap_or_else(PoisonError::into_inner);
        let newest = heads.entry(head.log_id.clone()).or_insert_with(|| head.clone());
        if head.size > newest.size {
            newest.clone_from(head);
        }
        seen.cloned()
    }

    /// Delivers until it is stopped.
    pub(crate) async fn run(&self) {
        let mut wait = FIRST_WAIT;
        loop {
            match self.round().await {
                Round::Empty => {
                    wait = FIRST_WAIT;
                    let _ = tokio::time::timeout(IDLE, self.announced.notified()).await;
                }
                Round::Moved => wait = FIRST_WAIT,
                Round::Stuck => {
                    tokio::time::sleep(wait).await;
                    wait = (wait * 2).min(LONGEST_WAIT);
                }
            }
        }
    }

    /// One round over the oldest records. A record that audit refuses for good is set aside; one that fails otherwise
    /// goes behind the others, so that none waits for it.
    pub(crate) async fn round(&self) -> Round {
        let closed = self.close_again().await;
        let (records, backlog) = match self.outbox.waiting(BATCH).await {
            Ok(waiting) => waiting,
            Err(failure) => {
                tracing::error!(%failure, "the outbox cannot be read");
                return Round::Stuck;
            }
        };
        metrics::gauge!(names::OUTBOX_RECORDS).set(backlog.waiting as f64);
        metrics::gauge!(names::OUTBOX_SET_ASIDE).set(backlog.set_aside as f64);
        let age = match backlog.oldest_unix_ms {
            0 => 0,
            oldest => clock::unix_ms().saturating_sub(oldest),
        };
        metrics::gauge!(names::OUTBOX_AGE_SECONDS).set(age as f64 / 1000.0);
        if records.is_empty() {
            return if closed { Round::Empty } else { Round::Stuck };
        }
        let (mut moved, mut failures) = (false, 0);
        for record in &records {
            let identity = Identity { roles: Vec::new(), ..record.identity.clone() };
            let context = Context::background(identity, BUDGET);
            let failure = match self.store(&context, record).await {
                Ok(Stored::Forgotten) => {
                    (moved, failures) = (true, 0);
                    continue;
                }
                Ok(Stored::Kept) => return Round::Stuck,
                Err(failure) => failure,
            };
            let put = match refusal(failure.code) {
                Refusal::ForGood => {
                    moved = true;
                    let reason = format!("{}: {}", failure.code, failure.message);
                    self.outbox.set_aside(record.audit_id, &reason).await
                }
                Refusal::ForNow => {
                    failures += 1;
                    self.outbox.postpone(record.audit_id).await
                }
                Refusal::Nobody => {
                    failures = PATIENCE;
                    Ok(())
                }
            };
            if let Err(failure) = &put {
                tracing::error!(%failure, "the outbox cannot be written");
            }
            if failures >= PATIENCE || put.is_err() {
                tracing::warn!(%failure, audit_id = %record.audit_id, waiting = backlog.waiting, "records wait for audit");
                return Round::Stuck;
            }
        }
        if moved { Round::Moved } else { Round::Stuck }
    }
}

/// Whether the outbox forgot a stored record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stored {
    /// It did.
    Forgotten,
    /// It could not; the record is sent again.
    Kept,
}

/// What a failed append says.
enum Refusal {
    /// This record can never be stored.
    ForGood,
    /// Something went wrong with this record, or with audit.
    ForNow,
    /// Audit does not answer, or not to us: nothing about the record.
    Nobody,
}

fn refusal(code: Code) -> Refusal {
    match code {
        Code::InvalidArgument | Code::RequestConflict | Code::PayloadTooLarge => Refusal::ForGood,
        Code::Unavailable | Code::Unauthenticated | Code::PermissionDenied | Code::Cancelled => {
            Refusal::Nobody
        }
        _ => Refusal::ForNow,
    }
}

/// The record of a request whose caller was told that it could not be recorded.
fn failed(mut record: Record, failure: &Failure) -> Record {
    record.outcome = Outcome::Failed;
    record.errors.push(failure.code.to_string());
    record.attempts.iter_mut().for_each(|attempt| attempt.delivered = false);
    if let Some(validation) = &mut record.validation {
        validation.status = None;
    }
    record
}
