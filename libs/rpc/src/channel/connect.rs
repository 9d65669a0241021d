//! Connections for calls: waited for as long as it makes sense, started, proven and lost.

use super::body::deadline_exceeded;
use super::call::SLACK;
use super::set::{Address, Chosen, Failed, Pick};
use super::{Inner, lock};
use crate::io::OnDrop;
use crate::{clock, entropy, task};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use tonic::Status;
use tonic::transport::Channel as Http2;

impl Inner {
    /// A connection for a call, waited for as long as it makes sense.
    pub(super) async fn connection(
        self: &Arc<Self>,
        deadline: Option<Instant>,
        patience: Duration,
        avoid: Option<Address>,
    ) -> Result<Chosen<Http2>, Status> {
        // Without a keeper each call makes at most one attempt of its own.
        let alone = self.retry.patience().is_zero();
        let mut waited = false;
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let now = clock::now();
            let (due, pick, out, until) = {
                let mut set = lock(&self.set);
                let out = set.out_of_patience(now, patience);
                let due = if (alone && !waited) || !set.out_of_patience(now, self.retry.patience()) {
                    set.connect_due(now)
                } else {
                    Vec::new()
                };
                let wake =
                    set.next_retry().into_iter().chain(set.patience_ends(patience).filter(|end| *end > now));
                (due, set.pick(avoid), out, wake.chain(deadline).min())
            };
            for address in due {
                self.start(address);
            }
            match pick {
                Pick::Go(chosen) => return Ok(chosen),
                Pick::Connecting if alone || !out => waited = true,
                Pick::Waiting if !(out || alone && waited) => {}
                _ => return Err(self.unreachable(deadline, now)),
            }
            if deadline.is_some_and(|at| now + SLACK >= at) {
                return Err(self.unreachable(deadline, now));
            }
            match until {
                Some(at) => {
                    // Never a busy loop: a moment that has passed is looked at again a little later.
                    let at = at.max(now + Duration::from_millis(1));
                    let _ = tokio::time::timeout_at(at.into(), changed).await;
                }
                None => changed.await,
            }
        }
    }

    /// The status of a call that never left.
    fn unreachable(&self, deadline: Option<Instant>, now: Instant) -> Status {
        let set = lock(&self.set);
        let why = match set.trouble() {
            "" if deadline.is_some_and(|at| now + SLACK >= at) => return deadline_exceeded(),
            "" => "no connection",
            trouble => trouble,
        };
        let peer = &self.peer;
        Status::unavailable(format!("the {peer} service cannot be reached ({why}); try again shortly"))
    }

    /// Starts a connection that already counts as connecting.
    pub(super) fn start(self: &Arc<Self>, address: Address) {
        let inner = Arc::clone(self);
        task::detached(async move {
            let id = lock(&inner.set).next_id();
            let weak = Arc::downgrade(&inner);
            let closed = OnDrop::new(move || {
                if let Some(inner) = Weak::upgrade(&weak) {
                    inner.lost(address, id, "the connection broke");
                }
            });
            match inner.dial.connect(address, closed).await {
                Ok(connection) => {
                    lock(&inner.set).connected(address, id, connection);
                }
                Err(error) => {
                    // Callers are told why, and only the log where: an answer may end up outside.
                    let why = error.to_string();
                    let failed = lock(&inner.set).failed(address, &why, clock::now(), |n| inner.wait(n));
                    inner.told(failed, &format!("{address}: {why}"));
                }
            }
            inner.changed.notify_waiters();
        });
    }

    pub(super) fn wait(&self, failures: u32) -> Duration {
        if self.retry.patience().is_zero() {
            return Duration::ZERO;
        }
        self.retry.backoff().wait(failures, entropy::fraction())
    }

    pub(super) fn proven(&self, address: Address, id: u64) {
        if let Some(outage) = lock(&self.set).proven(address, id, clock::now())
            && !self.retry.patience().is_zero()
        {
            tracing::info!(target: "assay", peer = %self.peer, outage_ms = outage.as_millis(), "a peer answers again");
        }
    }

    pub(super) fn lost(&self, address: Address, id: u64, text: &str) {
        let failed = lock(&self.set).lost(address, id, text, clock::now(), |n| self.wait(n));
        self.told(failed, text);
        if failed.is_some() {
            self.changed.notify_waiters();
        }
    }

    pub(super) fn told(&self, failed: Option<Failed>, text: &str) {
        let Some(failed) = failed else { return };
        self.poke.notify_one();
        if failed.begins && !self.retry.patience().is_zero() {
            tracing::warn!(target: "assay", peer = %self.peer, error = %text, "a peer cannot be reached");
        } else {
            tracing::debug!(peer = %self.peer, error = %text, failures = failed.failures, "no connection");
        }
    }
}
