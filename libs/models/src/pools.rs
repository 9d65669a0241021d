//! Single-thread pools, one a core: whoever computes takes one, so that a model never uses more cores than it may.

use crate::{Error, Stop};
use rten::ThreadPool;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// How often somebody who waits for a core asks whether to stop.
const ASK: Duration = Duration::from_millis(20);

/// The cores that a model may use.
pub(crate) struct Pools {
    free: Mutex<Vec<Arc<ThreadPool>>>,
    returned: Condvar,
    cores: usize,
}

/// A core in use; it goes back when dropped.
pub(crate) struct Core<'a> {
    pools: &'a Pools,
    pool: Arc<ThreadPool>,
}

impl Pools {
    /// As many pools as cores, each of one thread.
    pub(crate) fn new(cores: usize) -> Self {
        let free = (0..cores).map(|_| Arc::new(ThreadPool::with_num_threads(1))).collect();
        Self { free: Mutex::new(free), returned: Condvar::new(), cores }
    }

    /// Number of cores, free or not.
    pub(crate) fn cores(&self) -> usize {
        self.cores
    }

    /// Waits for a free core.
    ///
    /// # Errors
    /// [`Error::Stopped`] when `stop` says so first.
    pub(crate) fn take(&self, stop: Stop<'_>) -> Result<Core<'_>, Error> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if stop() {
                return Err(Error::Stopped);
            }
            if let Some(pool) = free.pop() {
                return Ok(Core { pools: self, pool });
            }
            free = self.returned.wait_timeout(free, ASK).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl Core<'_> {
    /// The pool to run on.
    pub(crate) fn pool(&self) -> Arc<ThreadPool> {
        Arc::clone(&self.pool)
    }
}

impl Drop for Core<'_> {
    fn drop(&mut self) {
        let pool = Arc::clone(&self.pool);
        self.pools.free.lock().unwrap_or_else(PoisonError::into_inner).push(pool);
        self.pools.returned.notify_one();
    }
}
