//! The table of open connections: how many may be open in all and for one client, and which one closes when its slot is
//! needed. Listeners that share a [`ConnectionTable`] share its bounds.

use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use assay_telemetry::names::metrics::CONNECTIONS_CLOSED_TOTAL;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

/// One client: an IPv4 address, or the /64 network within which an IPv6 host may choose its address.
#[must_use]
pub fn client_prefix(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(six) => IpAddr::V6(Ipv6Addr::from_bits(six.to_bits() & (u128::MAX << 64))),
        four @ IpAddr::V4(_) => four,
    }
}

/// Bounds of open connections, and the connections that are open; cheap to clone.
#[derive(Clone)]
pub struct ConnectionTable(Arc<Shared>);

struct Shared {
    most: usize,
    share: usize,
    exempt: Box<dyn Fn(IpAddr) -> bool + Send + Sync>,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    next: u64,
    count: usize,
    /// Connections of each client, oldest first.
    clients: HashMap<IpAddr, BTreeMap<u64, OpenConnection>>,
}

/// What is known of an open connection: requests under way on it, and how it is closed.
#[derive(Debug, Clone)]
pub struct OpenConnection {
    busy: Arc<AtomicUsize>,
    closed: CancellationToken,
}

/// A request under way; its connection is not closed for the sake of another one before this is dropped.
#[derive(Debug)]
pub struct Busy(Arc<AtomicUsize>);

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The slot of an open connection; free again when dropped.
pub struct ConnectionSlot {
    table: ConnectionTable,
    client: IpAddr,
    id: u64,
    connection: OpenConnection,
}

impl std::fmt::Debug for ConnectionTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Shared { most, share, .. } = &*self.0;
        f.debug_struct("ConnectionTable").field("most", most).field("share", share).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for ConnectionSlot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ConnectionSlot")
            .field("client", &self.client)
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

// === impl OpenConnection ===

impl OpenConnection {
    /// Marks a request as under way until the returned value is dropped.
    #[must_use]
    pub fn busy(&self) -> Busy {
        self.busy.fetch_add(1, Ordering::Relaxed);
        Busy(Arc::clone(&self.busy))
    }

    fn is_idle(&self) -> bool {
        self.busy.load(Ordering::Relaxed) == 0
    }
}

// === impl ConnectionTable ===

impl ConnectionTable {
    /// At most `most` connections, `share` of them for one client.
    #[must_use]
    pub fn new(most: usize, share: usize) -> Self {
        Self::exempting(most, share, |_| false)
    }

    /// The same, where the addresses that `exempt` names (proxies that speak for many) have no share of their own.
    #[must_use]
    pub fn exempting(
        most: usize,
        share: usize,
        exempt: impl Fn(IpAddr) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(Shared { most, share, exempt: Box::new(exempt), open: Mutex::default() }))
    }

    /// A slot for a connection from `address`; none if its share, or all slots, are taken by busy connections. Where
    /// a bound is reached, an idle connection is closed: the oldest one of the same client, or of the client with most.
    /// `cut` closes the connection, too.
    pub(crate) fn take(&self, address: IpAddr, cut: &CancellationToken) -> Option<ConnectionSlot> {
        let client = client_prefix(address);
        let mut open = self.lock();
        let own = open.clients.get(&client).map_or(0, BTreeMap::len);
        let room = if own >= self.0.share && !(self.0.exempt)(address) {
            open.close_one_of(client)
        } else {
            open.count < self.0.most || open.close_any()
        };
        if !room {
            told("refused", client);
            return None;
        }
        let id = open.next;
        open.next += 1;
        open.count += 1;
        let connection = OpenConnection { busy: Arc::default(), closed: cut.child_token() };
        open.clients.entry(client).or_default().insert(id, connection.clone());
        Some(ConnectionSlot { table: self.clone(), client, id, connection })
    }

    /// Closes the oldest idle connection of the client with most; false if there is none.
    pub(crate) fn relieve(&self) -> bool {
        self.lock().close_any()
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

// === impl Open ===

impl Open {
    fn close_any(&mut self) -> bool {
        let with_idle = self.clients.iter().filter(|(_, connections)| idle(connections).is_some());
        let largest = with_idle.max_by_key(|(_, connections)| {
            (connections.len(), std::cmp::Reverse(connections.keys().next().copied()))
        });
        let client = largest.map(|(client, _)| *client);
        client.is_some_and(|client| self.close_one_of(client))
    }

    fn close_one_of(&mut self, client: IpAddr) -> bool {
        let Some(id) = self.clients.get(&client).and_then(idle) else { return false };
        if let Some(open) = self.remove(client, id) {
            open.closed.cancel();
            told("closed", client);
        }
        true
    }

    fn remove(&mut self, client: IpAddr, id: u64) -> Option<OpenConnection> {
        let connections = self.clients.get_mut(&client)?;
        let removed = connections.remove(&id)?;
        self.count -= 1;
        if connections.is_empty() {
            self.clients.remove(&client);
        }
        Some(removed)
    }
}

/// The oldest idle connection.
fn idle(connections: &BTreeMap<u64, OpenConnection>) -> Option<u64> {
    connections.iter().find(|(_, open)| open.is_idle()).map(|(id, _)| *id)
}

fn told(action: &'static str, client: IpAddr) {
    tracing::debug!(target: "assay", %client, action, "the connections of a client reached a bound");
    metrics::counter!(CONNECTIONS_CLOSED_TOTAL, "action" => action).increment(1);
}

// === impl ConnectionSlot ===

impl ConnectionSlot {
    /// The connection's handle for the requests that come over it.
    #[must_use]
    pub fn connection(&self) -> OpenConnection {
        self.connection.clone()
    }

    /// Ends when the connection is to be closed at once.
    pub fn closed(&self) -> WaitForCancellationFutureOwned {
        self.connection.closed.clone().cancelled_owned()
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.table.lock().remove(self.client, self.id);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn is_open(slot: &ConnectionSlot) -> bool {
        !slot.connection.closed.is_cancelled()
    }

    #[test]
    fn one_client_takes_its_share_and_no_more() {
        let (table, cut) = (ConnectionTable::new(10, 2), CancellationToken::new());
        let own: Vec<ConnectionSlot> = (0..5).map(|_| table.take(ip("192.0.2.1"), &cut).unwrap()).collect();
        assert_eq!(own.iter().map(is_open).collect::<Vec<_>>(), [false, false, false, true, true]);
        let other = table.take(ip("192.0.2.2"), &cut).unwrap();
        assert!(is_open(&other) && is_open(&own[4]));
        drop((own, other));
        assert_eq!(table.lock().count, 0);
        assert!(table.lock().clients.is_empty(), "who is gone is forgotten");
    }

    #[test]
    fn busy_connections_are_never_closed_for_another() {
        let (table, cut) = (ConnectionTable::new(3, 2), CancellationToken::new());
        let first = table.take(ip("192.0.2.1"), &cut).unwrap();
        let busy = first.connection().busy();
        let second = table.take(ip("192.0.2.1"), &cut).unwrap();
        let third = table.take(ip("192.0.2.1"), &cut).unwrap();
        assert_eq!([&first, &second, &third].map(is_open), [true, false, true]);
        let _working = third.connection().busy();
        assert!(table.take(ip("192.0.2.1"), &cut).is_none());
        let _other = table.take(ip("192.0.2.2"), &cut).unwrap().connection().busy();
        drop(busy);
        assert!(table.take(ip("192.0.2.1"), &cut).is_some());
        assert!(!is_open(&first));
    }

    #[test]
    fn full_table_closes_oldest_idle_of_largest_client() {
        let (table, cut) = (ConnectionTable::new(4, 3), CancellationToken::new());
        let single = table.take(ip("192.0.2.9"), &cut).unwrap();
        let many: Vec<ConnectionSlot> = (0..3).map(|_| table.take(ip("192.0.2.1"), &cut).unwrap()).collect();
        let newcomer = table.take(ip("192.0.2.2"), &cut).unwrap();
        assert!(is_open(&single) && is_open(&newcomer));
        assert_eq!(many.iter().map(is_open).collect::<Vec<_>>(), [false, true, true]);
        assert!(table.relieve());
        assert!(!is_open(&many[1]));
    }

    #[test]
    fn proxies_have_no_share_but_the_whole() {
        let table =
            ConnectionTable::exempting(4, 1, |address| address == "10.0.0.1".parse::<IpAddr>().unwrap());
        let cut = CancellationToken::new();
        let open: Vec<ConnectionSlot> = (0..4).map(|_| table.take(ip("10.0.0.1"), &cut).unwrap()).collect();
        assert!(open.iter().all(is_open));
        cut.cancel();
        assert!(!open.iter().any(is_open));
    }

    #[test]
    fn a_host_cannot_roam_its_own_network() {
        let one = client_prefix(ip("2001:db8::1"));
        assert_eq!(one, client_prefix(ip("2001:db8::ffff:1")));
        assert_ne!(one, client_prefix(ip("2001:db8:0:1::1")));
        assert_eq!(client_prefix(ip("::ffff:1.2.3.4")).to_string(), "1.2.3.4");
    }
}
