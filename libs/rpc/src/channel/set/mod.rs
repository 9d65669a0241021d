//! The addresses of one peer and which of them a call goes to. Time is an argument; nothing here waits.
//!
//! A connection that has answered once is proven. One that breaks before it ever answered counts as a failed attempt,
//! so that a peer which accepts connections and drops them is treated like one that is gone.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Where a connection leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Address {
    /// A socket.
    Socket(SocketAddr),
    /// This process.
    Memory,
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Socket(address) => address.fmt(f),
            Self::Memory => f.write_str("this process"),
        }
    }
}

/// The addresses of a peer, each with its connection `C` if there is one.
#[derive(Debug)]
pub(crate) struct Set<C> {
    endpoints: Vec<Endpoint<C>>,
    /// Counts picks and names connections.
    counter: u64,
    /// When the peer could first not be reached; none while it answers.
    outage: Option<Instant>,
    /// Whether the outage was told to the log.
    told: bool,
    trouble: String,
}

#[derive(Debug)]
struct Endpoint<C> {
    address: Address,
    state: State<C>,
    /// Failed attempts in a row.
    failures: u32,
    /// Calls under way.
    load: Arc<AtomicUsize>,
}

#[derive(Debug)]
enum State<C> {
    Idle,
    Connecting,
    Ready { connection: C, id: u64, proven: bool },
    Waiting { until: Instant },
}

/// A connection chosen for a call.
#[derive(Debug)]
pub(crate) struct Chosen<C> {
    pub(crate) connection: C,
    pub(crate) address: Address,
    pub(crate) id: u64,
    pub(crate) load: Load,
}

/// Counts a call of an address until it is dropped.
#[derive(Debug)]
pub(crate) struct Load(Arc<AtomicUsize>);

impl Drop for Load {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What a call does now.
#[derive(Debug)]
pub(crate) enum Pick<C> {
    /// Go.
    Go(Chosen<C>),
    /// A connection is being made: wait for it.
    Connecting,
    /// Nothing can be tried right now; [`Set::next_retry`] says when, unless only a look-up can help.
    Waiting,
}

/// What a failed attempt or a lost connection means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Failed {
    /// Failed attempts in a row at this address.
    pub(crate) failures: u32,
    /// Whether the peer has just become unreachable.
    pub(crate) begins: bool,
}

// === impl Set ===

impl<C: Clone> Set<C> {
    pub(crate) fn new(addresses: &[Address]) -> Self {
        let mut set =
            Self { endpoints: Vec::new(), counter: 0, outage: None, told: false, trouble: String::new() };
        set.replace(addresses);
        set
    }

    /// Takes the addresses of a look-up. Calls under way at an address that is gone end undisturbed.
    pub(crate) fn replace(&mut self, addresses: &[Address]) -> bool {
        let before = self.endpoints.len();
        self.endpoints.retain(|endpoint| addresses.contains(&endpoint.address));
        let mut changed = self.endpoints.len() != before;
        for address in addresses {
            if !self.endpoints.iter().any(|endpoint| endpoint.address == *address) {
                let (state, load) = (State::Idle, Arc::default());
                self.endpoints.push(Endpoint { address: *address, state, failures: 0, load });
                changed = true;
            }
        }
        changed
    }

    /// A look-up failed or named nobody. What is connected stays; of the rest nothing is known any more, but it may
    /// still be right.
    pub(crate) fn lookup_failed(&mut self, trouble: &str, now: Instant) -> bool {
        if self.endpoints.iter().any(|endpoint| matches!(endpoint.state, State::Ready { .. })) {
            return false;
        }
        if self.endpoints.is_empty() {
            trouble.clone_into(&mut self.trouble);
            return self.begin_outage(now);
        }
        false
    }

    /// Chooses for a call: of two connections the one with fewer calls under way, another than `avoid` if there is one.
    pub(crate) fn pick(&mut self, avoid: Option<Address>) -> Pick<C> {
        self.counter = self.counter.wrapping_add(1);
        let mut ready: Vec<usize> = Vec::with_capacity(self.endpoints.len());
        let mut avoided = None;
        for (index, endpoint) in self.endpoints.iter().enumerate() {
            if matches!(endpoint.state, State::Ready { .. }) {
                if Some(endpoint.address) == avoid {
                    avoided = Some(index);
                } else {
                    ready.push(index);
                }
            }
        }
        if ready.is_empty() {
            ready.extend(avoided);
        }
        if let Some(index) = self.lighter(&ready)
            && let Some(endpoint) = self.endpoints.get(index)
            && let State::Ready { connection, id, .. } = &endpoint.state
        {
            endpoint.load.fetch_add(1, Ordering::Relaxed);
            return Pick::Go(Chosen {
                connection: connection.clone(),
                address: endpoint.address,
                id: *id,
                load: Load(Arc::clone(&endpoint.load)),
            });
        }
        if self.endpoints.iter().any(|endpoint| matches!(endpoint.state, State::Connecting | State::Idle)) {
            return Pick::Connecting;
        }
        Pick::Waiting
    }

    /// The power of two choices (Mitzenmacher, 2001): two at random, then the one with the smaller load.
    fn lighter(&self, ready: &[usize]) -> Option<usize> {
        let count = u64::try_from(ready.len()).ok().filter(|count| *count > 0)?;
        let chance = mix(self.counter);
        let place =
            |chance: u64| usize::try_from(chance % count).ok().and_then(|place| ready.get(place)).copied();
        let first = place(chance)?;
        if count == 1 {
            return Some(first);
        }
        // The second is another one: 1 to count - 1 places further.
        let second = place(chance % count + 1 + (chance >> 32) % (count - 1))?;
        let load = |index: usize| {
            self.endpoints.get(index).map_or(usize::MAX, |endpoint| endpoint.load.load(Ordering::Relaxed))
        };
        Some(if load(second) < load(first) { second } else { first })
    }

    /// Addresses that a call wants connected now; they count as connecting from here on.
    pub(crate) fn connect_due(&mut self, now: Instant) -> Vec<Address> {
        self.begin(|state| match state {
            State::Idle => true,
            State::Waiting { until } => now >= *until,
            State::Connecting | State::Ready { .. } => false,
        })
    }

    /// Addresses that failed and should be tried again now, wanted or not; they count as connecting from here on.
    pub(crate) fn retry_due(&mut self, now: Instant) -> Vec<Address> {
        self.begin(|state| matches!(state, State::Waiting { until } if now >= *until))
    }

    fn begin(&mut self, due: impl Fn(&State<C>) -> bool) -> Vec<Address> {
        let due = self.endpoints.iter_mut().filter(|endpoint| due(&endpoint.state));
        due.map(|endpoint| {
            endpoint.state = State::Connecting;
            endpoint.address
        })
        .collect()
    }

    /// When the first of the addresses that failed may be tried again.
    pub(crate) fn next_retry(&self) -> Option<Instant> {
        let waiting = self.endpoints.iter().filter_map(|endpoint| match endpoint.state {
            State::Waiting { until } => Some(until),
            _ => None,
        });
        waiting.min()
    }

    /// A new name for a connection.
    pub(crate) fn next_id(&mut self) -> u64 {
        self.counter = self.counter.wrapping_add(1);
        self.counter
    }

    /// The connection `id` to an address is there. False if nobody wants it any more.
    pub(crate) fn connected(&mut self, address: Address, id: u64, connection: C) -> bool {
        match self.find(address) {
            Some(endpoint) if matches!(endpoint.state, State::Connecting) => {
                endpoint.state = State::Ready { connection, id, proven: false };
                true
            }
            _ => false,
        }
    }

    /// An attempt to connect failed; the next may start after `wait`. None if the address is gone.
    pub(crate) fn failed(
        &mut self,
        address: Address,
        trouble: &str,
        now: Instant,
        wait: impl FnOnce(u32) -> Duration,
    ) -> Option<Failed> {
        let endpoint = self.find(address).filter(|endpoint| matches!(endpoint.state, State::Connecting))?;
        endpoint.failures = endpoint.failures.saturating_add(1);
        let failures = endpoint.failures;
        endpoint.state = State::Waiting { until: now + wait(failures) };
        trouble.clone_into(&mut self.trouble);
        let begins = self.none_ready() && self.begin_outage(now);
        Some(Failed { failures, begins })
    }

    /// The connection `id` is no use any more. It may be made anew at once if it was proven.
    pub(crate) fn lost(
        &mut self,
        address: Address,
        id: u64,
        trouble: &str,
        now: Instant,
        wait: impl FnOnce(u32) -> Duration,
    ) -> Option<Failed> {
        let endpoint = self.find(address)?;
        match endpoint.state {
            State::Ready { id: current, proven, .. } if current == id => {
                if proven {
                    endpoint.state = State::Idle;
                    return Some(Failed { failures: 0, begins: false });
                }
                endpoint.state = State::Connecting;
                self.failed(address, trouble, now, wait)
            }
            _ => None,
        }
    }

    /// The connection `id` has answered. Returns how long the peer was out of reach, once, if that was told.
    pub(crate) fn proven(&mut self, address: Address, id: u64, now: Instant) -> Option<Duration> {
        let endpoint = self.find(address)?;
        match &mut endpoint.state {
            State::Ready { id: current, proven, .. } if *current == id => {
                if !*proven {
                    *proven = true;
                    endpoint.failures = 0;
                }
            }
            _ => return None,
        }
        let since = self.outage.take()?;
        std::mem::take(&mut self.told).then(|| now.saturating_duration_since(since))
    }

    /// Whether calls no longer wait: the peer has been out of reach for longer than `patience`.
    pub(crate) fn out_of_patience(&self, now: Instant, patience: Duration) -> bool {
        self.outage.is_some_and(|since| now >= since + patience)
    }

    /// When calls stop waiting; none while the peer answers.
    pub(crate) fn patience_ends(&self, patience: Duration) -> Option<Instant> {
        self.outage.map(|since| since + patience)
    }

    /// Whether the peer cannot be reached.
    pub(crate) fn is_out(&self) -> bool {
        self.outage.is_some()
    }

    /// What stood in the way last.
    pub(crate) fn trouble(&self) -> &str {
        &self.trouble
    }

    fn begin_outage(&mut self, now: Instant) -> bool {
        if self.outage.is_none() {
            self.outage = Some(now);
        }
        !std::mem::replace(&mut self.told, true)
    }

    fn none_ready(&self) -> bool {
        !self.endpoints.iter().any(|endpoint| matches!(endpoint.state, State::Ready { .. }))
    }

    fn find(&mut self, address: Address) -> Option<&mut Endpoint<C>> {
        self.endpoints.iter_mut().find(|endpoint| endpoint.address == address)
    }
}

/// A well spread number for each counter value (the finisher of SplitMix64, Steele et al., 2014). Balancing needs no
/// better chance.
fn mix(counter: u64) -> u64 {
    let mut z = counter.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests;
