//! The limits that hold for every service.

use std::time::Duration;

use assay_domain::{Code, Failure};

use crate::connections::ConnectionTable;

/// Limits that hold for every service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Connections open at the same time, of all listeners of a front door together.
    pub connections: usize,
    /// Connections that one client address (for IPv6 its /64 network) may have open. At either bound an idle connection
    /// is closed for a new one.
    pub connections_per_address: usize,
    /// Time a peer has for its TLS handshake, and again for the first bytes of HTTP/2, in seconds.
    pub handshake_seconds: u64,
    /// Bytes of all requests that a front door holds; at least one message (16 MiB). One principal may use a quarter of
    /// them, and at least one message.
    pub request_bytes: usize,
    /// Calls a connection may have under way; more are refused at once.
    pub concurrent_calls: usize,
    /// Streams a connection may have open.
    pub concurrent_streams: u32,
    /// Longest time of a call until its reply, in seconds; caps the deadline of the caller.
    pub call_seconds: u64,
    /// Pause after which a silent connection is pinged, in seconds.
    pub keep_alive_seconds: u64,
    /// Time a ping may take to be answered before the connection counts as dead, in seconds.
    pub keep_alive_timeout_seconds: u64,
    /// Delay of a drain before the listener closes, in seconds. A load balancer uses it to notice the lost
    /// readiness.
    pub drain_delay_seconds: u64,
    /// Most time a drain may take, in seconds.
    pub drain_seconds: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 1024,
            connections_per_address: 256,
            handshake_seconds: 10,
            request_bytes: 128 * 1024 * 1024,
            concurrent_calls: 1024,
            concurrent_streams: 2048,
            call_seconds: 120,
            keep_alive_seconds: 20,
            keep_alive_timeout_seconds: 10,
            drain_delay_seconds: 0,
            drain_seconds: 10,
        }
    }
}

impl Limits {
    /// Refuses limits that cannot work.
    ///
    /// # Errors
    /// `CONFIGURATION`, naming the setting.
    pub fn check(&self) -> Result<(), Failure> {
        let streams = usize::try_from(self.concurrent_streams).unwrap_or(usize::MAX);
        let seconds = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
        for (field, value) in [
            ("limits.connections", self.connections),
            ("limits.connections_per_address", self.connections_per_address),
            ("limits.handshake_seconds", seconds(self.handshake_seconds)),
            ("limits.concurrent_calls", self.concurrent_calls),
            ("limits.concurrent_streams", streams),
            ("limits.call_seconds", seconds(self.call_seconds)),
            ("limits.keep_alive_seconds", seconds(self.keep_alive_seconds)),
            ("limits.keep_alive_timeout_seconds", seconds(self.keep_alive_timeout_seconds)),
        ] {
            if value == 0 {
                return Err(
                    Failure::new(Code::Configuration, format!("{field} must be at least 1")).field(field)
                );
            }
        }
        if self.request_bytes < crate::MAX_MESSAGE_BYTES {
            let text =
                format!("limits.request_bytes must be at least {}, a message", crate::MAX_MESSAGE_BYTES);
            return Err(Failure::new(Code::Configuration, text).field("limits.request_bytes"));
        }
        Ok(())
    }

    /// Table of the connections of a listener.
    #[must_use]
    pub fn connection_table(&self) -> ConnectionTable {
        ConnectionTable::new(self.connections, self.connections_per_address)
    }

    pub(crate) fn handshake(&self) -> Duration {
        Duration::from_secs(self.handshake_seconds)
    }
}
