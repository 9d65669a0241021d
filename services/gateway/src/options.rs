//! Settings of the gateway.

use std::net::SocketAddr;
use std::time::Duration;

use assay_domain::{Code, Failure};

/// Settings of the gateway. Times are in seconds and may have fractions.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Options {
    /// Address of the HTTP server. Only loopback: this version has no authentication.
    pub http: SocketAddr,
    /// Largest body that is read, in bytes.
    pub body_bytes: usize,
    /// Time a question may take; at most 120.
    pub request_seconds: f64,
    /// Time a client has to send its header.
    pub header_read_seconds: f64,
    /// Time a client has to send its body.
    pub body_read_seconds: f64,
    /// Pause after which a silent event stream sends a comment.
    pub keep_alive_seconds: f64,
    /// Questions under way at the same time.
    pub concurrent_requests: usize,
    /// Connections open at the same time.
    pub connections: usize,
    /// Most time a drain may take.
    pub drain_seconds: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            http: SocketAddr::from(([127, 0, 0, 1], crate::SPEC.port)),
            body_bytes: 2 * 1024 * 1024,
            request_seconds: 60.0,
            header_read_seconds: 10.0,
            body_read_seconds: 10.0,
            keep_alive_seconds: 10.0,
            concurrent_requests: 256,
            connections: 1024,
            drain_seconds: 10.0,
        }
    }
}

impl Options {
    /// Refuses settings that cannot work or are not safe.
    ///
    /// # Errors
    /// `configuration` naming the setting.
    pub fn check(&self) -> Result<(), Failure> {
        if !self.http.ip().is_loopback() {
            let text = format!(
                "the address {} is not loopback, and without authentication everyone who reaches it would have every \
                 role; listen on 127.0.0.1",
                self.http
            );
            return Err(Failure::new(Code::Configuration, text).field("http"));
        }
        for (field, value) in [
            ("request_seconds", self.request_seconds),
            ("header_read_seconds", self.header_read_seconds),
            ("body_read_seconds", self.body_read_seconds),
            ("keep_alive_seconds", self.keep_alive_seconds),
            ("drain_seconds", self.drain_seconds),
        ] {
            if !(value > 0.0 && value <= 3600.0) {
                let text = format!("{field} is {value}; it must be above 0 and at most 3600 seconds");
                return Err(Failure::new(Code::Configuration, text).field(field));
            }
        }
        for (field, value) in [
            ("body_bytes", self.body_bytes),
            ("concurrent_requests", self.concurrent_requests),
            ("connections", self.connections),
        ] {
            if value == 0 {
                return Err(
                    Failure::new(Code::Configuration, format!("{field} must be at least 1")).field(field)
                );
            }
        }
        Ok(())
    }
}

/// Seconds as a duration; the value was checked.
pub(crate) fn seconds(value: f64) -> Duration {
    Duration::try_from_secs_f64(value).unwrap_or(Duration::from_secs(60))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_defaults_are_fine_and_loopback_only() {
        Options::default().check().unwrap();
        Options { http: "[::1]:0".parse().unwrap(), ..Options::default() }.check().unwrap();
    }

    #[test]
    fn an_address_beyond_loopback_is_a_configuration_failure() {
        for address in ["0.0.0.0:7100", "192.168.0.2:7100", "[::]:7100"] {
            let failure =
                Options { http: address.parse().unwrap(), ..Options::default() }.check().unwrap_err();
            assert_eq!((failure.code, failure.field.as_str()), (Code::Configuration, "http"), "{address}");
        }
    }

    #[test]
    fn times_and_sizes_must_be_positive() {
        let failure = Options { request_seconds: f64::NAN, ..Options::default() }.check().unwrap_err();
        assert_eq!(failure.field, "request_seconds");
        let failure = Options { body_bytes: 0, ..Options::default() }.check().unwrap_err();
        assert_eq!(failure.field, "body_bytes");
    }
}
