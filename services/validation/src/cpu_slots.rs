//! Slots at the processors: as many answers at a time as there are processors for them, and none for a caller who has gone.

use std::sync::Arc;

use assay_domain::{Code, Failure};
use assay_rpc::Context;
use assay_rpc::task::{self, Waiting};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Slots at the processors; cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct CpuSlots(Arc<Semaphore>);

impl CpuSlots {
    /// So many at a time; 0 means one for each processor of the machine.
    pub(crate) fn new(parallel: usize) -> Self {
        let one_each = || std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        Self(Arc::new(Semaphore::new(if parallel == 0 { one_each() } else { parallel })))
    }

    /// Runs computing work beside the async threads when it is its turn.
    pub(crate) async fn compute<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Failure> {
        let turn = self.turn().await?;
        Ok(task::blocking(move || {
            // Held until the work ends, even if nobody waits for it any more.
            let _turn = turn;
            work()
        })
        .await?)
    }

    async fn turn(&self) -> Result<OwnedSemaphorePermit, Failure> {
        let processors = Arc::clone(&self.0);
        processors.acquire_owned().await.map_err(|closed| Failure::internal(closed.to_string()))
    }

    /// The same for work that looks up between two claims and ends where the caller has gone or has no time left.
    pub(crate) async fn compute_while_wanted<T: Send + 'static>(
        &self,
        context: &Context,
        work: impl FnOnce(&dyn Fn() -> bool) -> Option<T> + Send + 'static,
    ) -> Result<T, Failure> {
        let waiting = Waiting::default();
        let stop = waiting.over(context.deadline());
        let wanted = move || {
            if stop() {
                return None;
            }
            let done = work(&stop);
            if done.is_none() {
                tracing::debug!(target: "assay", "a check ended between two claims: nobody waits for it any more");
            }
            done
        };
        let done = self.compute(wanted).await?;
        done.ok_or_else(|| {
            let text = "the request ran out of time while its claims were judged; allow more or ask less";
            Failure::new(Code::DeadlineExceeded, text)
        })
    }
}
