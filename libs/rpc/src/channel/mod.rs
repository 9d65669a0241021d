//! The way to a peer: every address of its name, balanced; calls repeated where that is safe; one span each.
//!
//! What is repeated, always within the deadline of the call:
//! - a call that never left, or that the peer says it did not look at, whatever its method: it waits until the peer can be reached, for as long as the peer's
//!   outage is younger than [`Retry::patience_seconds`];
//! - a call that may have been made, because its connection broke or the peer answered `UNAVAILABLE`: only if the
//!   protocol declares the method idempotent, before the first byte of an answer, a few times, within a budget.
//!
//! | file | holds |
//! |---|---|
//! | `options.rs` | settings |
//! | `url.rs` | the address of a peer as it is configured |
//! | `call.rs` | one call: its attempts, what is repeated of them |
//! | `reach.rs` | connections for calls: waited for, started, proven, lost |
//! | `keeper.rs` | names looked up, and what failed tried again |
//! | `set.rs` | addresses, their states, the choice between them; pure |
//! | `dial.rs` | one connection |
//! | `body.rs` | requests that can be sent again, answers that end at the deadline |

mod body;
mod call;
mod connect;
mod dial;
mod options;
mod set;
mod upkeep;
mod url;

use crate::methods::Methods;
use crate::tls::Tls;
use crate::{clock, tls};
use assay_domain::{Code, Failure};
use assay_resilience::Budget;
use dial::{Dial, Security, Target};
use futures::future::BoxFuture;
pub use options::{Connection, Retry};
use set::{Address, Set};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::io::DuplexStream;
use tokio::sync::{Notify, mpsc};
use tonic::Status;
use tonic::transport::Channel as Http2;
use url::parse;

/// Finds the addresses of a host name and port.
pub type Lookup = Arc<dyn Fn(String, u16) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>> + Send + Sync>;

/// The look-up of the operating system.
#[must_use]
pub fn system_lookup() -> Lookup {
    Arc::new(|host, port| {
        Box::pin(async move { Ok(tokio::net::lookup_host((host.as_str(), port)).await?.collect()) })
    })
}

/// How the peers of a process are reached.
#[derive(Clone)]
pub struct Outbound {
    /// Connections.
    pub connection: Connection,
    /// Repeated calls.
    pub retry: Retry,
    /// Certificates; none means plaintext.
    pub tls: Option<Tls>,
    /// What may be repeated.
    pub methods: Methods,
    /// Who knows the addresses of a name.
    pub lookup: Lookup,
}

impl Default for Outbound {
    fn default() -> Self {
        Self {
            connection: Connection::default(),
            retry: Retry::default(),
            tls: None,
            methods: Methods::default(),
            lookup: system_lookup(),
        }
    }
}

impl Outbound {
    /// The channel to the peer `name` (the short name of its service, which its certificate must hold) at `url`. With
    /// TLS the scheme makes no difference. It connects when it is first used.
    ///
    /// # Errors
    /// `CONFIGURATION` if the address is no URL with a host, or asks for TLS that is not configured.
    pub fn channel(&self, name: &str, url: &str) -> Result<Channel, Failure> {
        let (https, host, port) = parse(url)?;
        let security = match (&self.tls, https) {
            (Some(tls), _) => Security::Mutual(tls.clone()),
            (None, false) => Security::Plain,
            (None, true) => {
                let text =
                    format!("{url:?} asks for TLS; set tls.folder to the certificates of this process");
                return Err(Failure::new(Code::Configuration, text).field("tls.folder"));
            }
        };
        let dial = Dial::host(name, &host, port, security, self.connection)?;
        let methods = self.methods.clone();
        Ok(Channel::new(name, dial, self.retry, methods, Arc::clone(&self.lookup), &host, port))
    }
}

/// A way to a peer; cheap to clone. Dropping the future of a call, or the body of its answer, cancels the call at the
/// far end.
#[derive(Clone)]
pub struct Channel(Arc<Inner>);

struct Inner {
    peer: String,
    dial: Dial,
    retry: Retry,
    methods: Methods,
    lookup: Lookup,
    set: Mutex<Set<Http2>>,
    budget: Mutex<Budget>,
    /// Told whenever the set changed.
    changed: Notify,
    /// Told when the keeper should look at once.
    poke: Arc<Notify>,
    kept: AtomicBool,
}

impl std::fmt::Debug for Channel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Channel").field("peer", &self.0.peer).finish_non_exhaustive()
    }
}

impl Channel {
    /// A channel to `url` for a program outside: nothing is repeated and nobody is waited for. With `https` the far end
    /// is verified by its host name against `authority` (PEM).
    ///
    /// # Errors
    /// `CONFIGURATION` if the address is no URL with a host, or TLS is asked for without an authority.
    pub fn to(url: &str, authority: Option<&[u8]>) -> Result<Self, Failure> {
        let (https, host, port) = parse(url)?;
        let security = match (https, authority) {
            (false, _) => Security::Plain,
            (true, Some(authority)) => Security::Server(tls::trusting(authority)?),
            (true, None) => {
                let text = format!("{url:?} asks for TLS; name the certificate authority to trust");
                return Err(Failure::new(Code::Configuration, text));
            }
        };
        let connection = Connection { connect_seconds: 5.0, ..Connection::default() };
        let dial = Dial::host(&host, &host, port, security, connection)?;
        Ok(Self::new(&host, dial, Retry::none(), Methods::default(), system_lookup(), &host, port))
    }

    /// A channel within the process: each connection is one end of a pipe, the other end is sent to `service`.
    pub(crate) fn memory(peer: &str, service: mpsc::Sender<DuplexStream>) -> Self {
        Self::within(peer, Target::Memory(service))
    }

    /// A channel that nobody answers.
    pub(crate) fn nobody() -> Self {
        Self::within("nobody", Target::Nobody)
    }

    fn within(peer: &str, target: Target) -> Self {
        let addresses = [Address::Memory];
        Self::assemble(
            peer,
            Dial::memory(target),
            Retry::none(),
            Methods::default(),
            system_lookup(),
            &addresses,
        )
    }

    fn new(
        peer: &str,
        dial: Dial,
        retry: Retry,
        methods: Methods,
        lookup: Lookup,
        host: &str,
        port: u16,
    ) -> Self {
        let literal = host.parse::<IpAddr>().ok().map(|ip| Address::Socket(SocketAddr::new(ip, port)));
        Self::assemble(peer, dial, retry, methods, lookup, literal.as_slice())
    }

    fn assemble(
        peer: &str,
        dial: Dial,
        retry: Retry,
        methods: Methods,
        lookup: Lookup,
        addresses: &[Address],
    ) -> Self {
        Self(Arc::new(Inner {
            peer: peer.to_owned(),
            // A literal address needs no keeper for look-ups, and without patience nobody waits for a retry.
            kept: AtomicBool::new(!addresses.is_empty() && retry.patience().is_zero()),
            dial,
            retry,
            methods,
            lookup,
            set: Mutex::new(Set::new(addresses)),
            budget: Mutex::new(Budget::new(retry.budget())),
            changed: Notify::new(),
            poke: Arc::default(),
        }))
    }

    /// Makes a connection unless there is one.
    ///
    /// # Errors
    /// `UNAVAILABLE` if the peer cannot be reached, `DEADLINE_EXCEEDED` if `limit` is over first.
    pub async fn reach(&self, limit: Duration) -> Result<(), Status> {
        self.0.keep();
        let deadline = clock::now() + limit;
        self.0.connection(Some(deadline), Duration::ZERO, None).await.map(drop)
    }

    /// Whose service this leads to.
    #[must_use]
    pub fn peer(&self) -> &str {
        &self.0.peer
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn tls_is_not_asked_for_in_vain() {
        let failure = Outbound::default().channel("router", "https://router:7101").unwrap_err();
        assert_eq!(failure.field, "tls.folder");
        assert!(Channel::to("https://router:7101", None).is_err());
        assert!(Channel::to("https://router:7101", Some(b"nothing")).is_err());
    }
}
