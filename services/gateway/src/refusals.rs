//! Records of questions that the gateway refuses before the router sees them: each leaves one, and refusals by rate or
//! right share one a principal, code and minute.
//!
//! Recording never adds load to a flood: so many at a time, the rest is counted in a table of fixed size.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use assay_domain::{Code, Failure, Identity};
use assay_rpc::{Context, clock, task};
use assay_telemetry::names::metrics::REFUSALS_UNRECORDED_TOTAL;
use futures::StreamExt as _;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::authorize::Caller;
use crate::ports::Engine;
use crate::problem::Problem;

/// Time that refusals are counted before they are recorded.
const PERIOD: Duration = Duration::from_secs(60);
/// Pause between two looks at what is due.
const PAUSE: Duration = Duration::from_secs(5);
/// Time a record may take.
const BUDGET: Duration = Duration::from_secs(2);
/// Records written at the same time.
const PARALLEL: usize = 16;
/// Rows of the table: principals times codes.
const ROWS: usize = 4096;

/// Refusals that share a record.
#[derive(Debug, Clone)]
struct Counted {
    identity: Identity,
    failure: Failure,
    count: u32,
    since: Instant,
}

type Rows = HashMap<(String, String, Code), Counted>;

/// Records refusals.
#[derive(Clone)]
pub(crate) struct Refusals {
    engine: Arc<dyn Engine>,
    slots: Arc<Semaphore>,
    rows: Arc<Mutex<Rows>>,
}

/// Whether refusals with this code are counted: they cost the caller nothing, so there may be any number.
fn is_counted(code: Code) -> bool {
    matches!(code, Code::ResourceExhausted | Code::PermissionDenied)
}

impl std::fmt::Debug for Refusals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Refusals").finish_non_exhaustive()
    }
}

// === impl Refusals ===

impl Refusals {
    pub(crate) fn new(engine: Arc<dyn Engine>) -> Self {
        Self { engine, slots: Arc::new(Semaphore::new(PARALLEL)), rows: Arc::default() }
    }

    /// The problem of a refused question, with the id of its record where it has one of its own.
    pub(crate) async fn recorded(&self, caller: &Caller, mut problem: Problem) -> Problem {
        if problem.asked || problem.audit_id.is_some() {
            return problem;
        }
        let slot =
            Arc::clone(&self.slots).try_acquire_owned().ok().filter(|_| !is_counted(problem.failure.code));
        let Some(slot) = slot else {
            self.count(&caller.identity, &problem.failure, 1);
            return problem;
        };
        let (this, caller) = (self.clone(), caller.clone());
        let (failure, query) = (problem.failure.clone(), std::mem::take(&mut problem.query));
        // A task of its own: a client that goes away takes no record with it.
        let work = task::spawn(async move {
            let _slot = slot;
            let context = Context::new(caller.identity, BUDGET).with_request_id(&caller.request_id);
            match this.engine.refuse(&context, &failure, &query, 1).await {
                Ok(id) => Some(id),
                Err(error) => {
                    tracing::debug!(target: "assay::gateway", %error, "a refusal could not be recorded yet");
                    this.count(context.identity(), &failure, 1);
                    None
                }
            }
        });
        problem.audit_id = work.await.ok().flatten();
        problem
    }

    fn rows(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&self, identity: &Identity, failure: &Failure, count: u32) {
        let mut rows = self.rows();
        let key = (identity.tenant.clone(), identity.principal.clone(), failure.code);
        if rows.len() >= ROWS && !rows.contains_key(&key) {
            drop(rows);
            return lost(failure.code, count, "too many principals were refused");
        }
        let fresh = || Counted {
            identity: identity.clone(),
            failure: failure.clone(),
            count: 0,
            since: clock::now(),
        };
        let row = rows.entry(key).or_insert_with(fresh);
        row.count = row.count.saturating_add(count);
    }

    /// Records what was counted for a minute, again and again until told to stop.
    pub(crate) async fn run(self, stop: CancellationToken) {
        while tokio::time::timeout(PAUSE, stop.cancelled()).await.is_err() {
            self.flush(clock::now()).await;
        }
    }

    /// Records what was counted for a minute before `now`.
    async fn flush(&self, now: Instant) {
        let due = |row: &Counted| now.saturating_duration_since(row.since) >= PERIOD;
        let rows: Vec<Counted> = self.rows().extract_if(|_, row| due(row)).map(|(_, row)| row).collect();
        self.write(rows).await;
    }

    /// Waits for the end of `running`, whose rows are no longer in the table, and records everything that was counted
    /// since, all within `limit`.
    pub(crate) async fn close(&self, running: impl Future, limit: Duration) {
        let all = async {
            running.await;
            let rows: Vec<Counted> = self.rows().drain().map(|(_, row)| row).collect();
            self.write(rows).await;
        };
        if tokio::time::timeout(limit, all).await.is_err() {
            tracing::warn!(target: "assay::gateway", "refusals were not recorded before the end");
        }
    }

    async fn write(&self, rows: Vec<Counted>) {
        futures::stream::iter(rows)
            .for_each_concurrent(PARALLEL, async |Counted { identity, failure, count, .. }| {
                let context = Context::background(identity, BUDGET);
                if let Err(error) = self.engine.refuse(&context, &failure, "", count).await {
                    lost(failure.code, count, &error.message);
                }
            })
            .await;
    }
}

fn lost(code: Code, count: u32, error: &str) {
    metrics::counter!(REFUSALS_UNRECORDED_TOTAL, "code" => code.as_str()).increment(u64::from(count));
    tracing::warn!(target: "assay::gateway", %code, count, error, "refused questions could not be recorded");
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use std::future::ready;
    use std::pin::pin;

    use assay_domain::question::Delivery;
    use assay_domain::{Answer, Question};
    use async_trait::async_trait;

    use super::*;
    use crate::ports::{Events, Refused};

    /// Writes down what it is told, unless it is down; while it is slow, once it is let go.
    #[derive(Default)]
    struct Book {
        down: std::sync::atomic::AtomicBool,
        slow: std::sync::atomic::AtomicBool,
        go: tokio::sync::Notify,
        written: Mutex<Vec<(String, Code, String, u32)>>,
    }

    #[async_trait]
    impl Engine for Book {
        async fn ask(&self, _: &Context, _: &Question) -> Result<Answer, Refused> {
            unreachable!()
        }
        async fn ask_stream(&self, _: &Context, _: &Question, _: Delivery) -> Result<Events, Refused> {
            unreachable!()
        }
        async fn refuse(
            &self,
            context: &Context,
            failure: &Failure,
            query: &str,
            count: u32,
        ) -> Result<String, Failure> {
            if self.down.load(std::sync::atomic::Ordering::Relaxed) {
                return Err(Failure::new(Code::Unavailable, "down"));
            }
            if self.slow.load(std::sync::atomic::Ordering::Relaxed) {
                self.go.notified().await;
            }
            let principal = context.identity().principal.clone();
            self.written.lock().unwrap().push((principal, failure.code, query.to_owned(), count));
            Ok("id".into())
        }
    }

    fn caller(principal: &str) -> Caller {
        Identity { principal: principal.into(), ..Identity::local() }.into()
    }

    fn problem(code: Code) -> Problem {
        Problem::new(code, "no").about("words".into())
    }

    fn written(book: &Book) -> Vec<(String, Code, String, u32)> {
        std::mem::take(&mut book.written.lock().unwrap())
    }

    #[tokio::test]
    async fn refused_question_is_recorded_and_refused_rates_are_counted() {
        let book = Arc::new(Book::default());
        let refusals = Refusals::new(Arc::clone(&book) as Arc<dyn Engine>);
        let ada = caller("ada");
        let told = refusals.recorded(&ada, problem(Code::InvalidArgument)).await;
        assert_eq!(told.audit_id.as_deref(), Some("id"));
        assert_eq!(written(&book), [("ada".into(), Code::InvalidArgument, "words".into(), 1)]);
        for _ in 0..300 {
            let told = refusals.recorded(&ada, problem(Code::ResourceExhausted)).await;
            assert_eq!(told.audit_id, None);
        }
        refusals.flush(clock::now()).await;
        assert!(written(&book).is_empty(), "the minute is not over");
        refusals.flush(clock::now() + PERIOD).await;
        assert_eq!(written(&book), [("ada".into(), Code::ResourceExhausted, String::new(), 300)]);
        refusals.flush(clock::now() + PERIOD).await;
        assert!(written(&book).is_empty(), "once is enough");
    }

    #[tokio::test]
    async fn what_the_router_was_asked_is_its_own_to_record() {
        let book = Arc::new(Book::default());
        let refusals = Refusals::new(Arc::clone(&book) as Arc<dyn Engine>);
        let asked: Problem = Refused::by_peer(Failure::new(Code::Unavailable, "x"), None).into();
        refusals.recorded(&caller("ada"), asked).await;
        refusals.recorded(&caller("ada"), problem(Code::InvalidArgument).with_audit("known")).await;
        refusals.close(ready(()), PERIOD).await;
        assert!(written(&book).is_empty());
    }

    #[tokio::test]
    async fn what_cannot_be_recorded_now_is_recorded_later() {
        let book = Arc::new(Book::default());
        let refusals = Refusals::new(Arc::clone(&book) as Arc<dyn Engine>);
        book.down.store(true, std::sync::atomic::Ordering::Relaxed);
        for _ in 0..2 {
            refusals.recorded(&caller("ada"), problem(Code::PayloadTooLarge)).await;
        }
        book.down.store(false, std::sync::atomic::Ordering::Relaxed);
        refusals.close(ready(()), PERIOD).await;
        assert_eq!(written(&book), [("ada".into(), Code::PayloadTooLarge, String::new(), 2)]);
    }

    #[tokio::test]
    async fn the_end_waits_for_records_under_way() {
        let book = Arc::new(Book::default());
        let refusals = Refusals::new(Arc::clone(&book) as Arc<dyn Engine>);
        refusals.recorded(&caller("ada"), problem(Code::ResourceExhausted)).await;
        book.slow.store(true, std::sync::atomic::Ordering::Relaxed);
        let mut running = pin!(refusals.flush(clock::now() + PERIOD));
        assert!(futures::poll!(&mut running).is_pending());
        book.slow.store(false, std::sync::atomic::Ordering::Relaxed);
        refusals.recorded(&caller("bob"), problem(Code::ResourceExhausted)).await;
        let mut end = pin!(refusals.close(running, PERIOD));
        assert!(futures::poll!(&mut end).is_pending(), "a record is under way");
        book.go.notify_waiters();
        end.await;
        let names: Vec<String> = written(&book).into_iter().map(|(name, ..)| name).collect();
        assert_eq!(names, ["ada", "bob"]);
    }

    #[tokio::test]
    async fn the_table_has_a_bound() {
        let book = Arc::new(Book::default());
        let refusals = Refusals::new(Arc::clone(&book) as Arc<dyn Engine>);
        for number in 0..ROWS + 10 {
            refusals.recorded(&caller(&number.to_string()), problem(Code::ResourceExhausted)).await;
        }
        refusals.close(ready(()), PERIOD).await;
        assert_eq!(written(&book).len(), ROWS);
    }
}
