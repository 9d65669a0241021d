//! The keeper of a channel: looks names up, and tries again what failed.

use super::dial::Target;
use super::set::{Address, Failed};
use super::{Inner, lock};
use crate::{clock, task};
use std::net::IpAddr;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::Notify;

/// Most time that a look-up of a name may take.
const LOOKUP: Duration = Duration::from_secs(5);

/// Pause between two look-ups of a peer that cannot be reached.
const EAGER_LOOKUP: Duration = Duration::from_secs(1);

impl Drop for Inner {
    fn drop(&mut self) {
        self.poke.notify_one();
    }
}

async fn keep(weak: Weak<Inner>, poke: Arc<Notify>) {
    let mut next_lookup = clock::now();
    loop {
        let wake = {
            let Some(inner) = weak.upgrade() else { return };
            let now = clock::now();
            if now >= next_lookup {
                inner.look_up().await;
            }
            let now = clock::now();
            let (due, retry, out) = {
                let mut set = lock(&inner.set);
                (set.retry_due(now), set.next_retry(), set.is_out())
            };
            for address in due {
                inner.start(address);
            }
            let pause = inner.dial.connection.resolve();
            if now >= next_lookup {
                next_lookup = now + pause;
            }
            if out {
                next_lookup = next_lookup.min(now + pause.min(EAGER_LOOKUP));
            }
            retry.map_or(next_lookup, |at| at.min(next_lookup)).max(now + Duration::from_millis(1))
        };
        let _ = tokio::time::timeout_at(wake.into(), poke.notified()).await;
    }
}

impl Inner {
    /// Starts the keeper with the first call.
    pub(super) fn keep(self: &Arc<Self>) {
        if !self.kept.swap(true, Ordering::Relaxed) {
            task::detached(keep(Arc::downgrade(self), Arc::clone(&self.poke)));
        }
    }

    async fn look_up(&self) {
        let Target::Host { host, port } = &self.dial.target else { return };
        if host.parse::<IpAddr>().is_ok() {
            return;
        }
        let found = tokio::time::timeout(LOOKUP, (self.lookup)(host.clone(), *port)).await;
        let result = match found {
            Ok(Ok(found)) => Ok(found.into_iter().map(Address::Socket).collect::<Vec<_>>()),
            Ok(Err(error)) => Err(format!("{host}: {error}")),
            Err(_) => Err(format!("{host}: the look-up took longer than {} s", LOOKUP.as_secs())),
        };
        let result = match result {
            Ok(mut addresses) if !addresses.is_empty() => {
                addresses.sort_unstable();
                addresses.dedup();
                Ok(addresses)
            }
            Ok(_) => Err(format!("{host} has no address")),
            Err(text) => Err(text),
        };
        let begins = match &result {
            Ok(addresses) => {
                lock(&self.set).replace(addresses);
                false
            }
            Err(text) => lock(&self.set).lookup_failed(text, clock::now()),
        };
        if let (true, Err(text)) = (begins, &result) {
            self.told(Some(Failed { failures: 1, begins }), text);
        }
        self.changed.notify_waiters();
    }
}
