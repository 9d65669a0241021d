//! The settings that every process has: where it listens, whom it calls, what it is held to.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use assay_config::FlatName;
use assay_domain::{Code, Failure};

use crate::channel::{Connection, Retry};
use crate::server::Limits;
use crate::spec::{ADMIN_OFFSET, ServiceSpec};
use crate::tls;

/// Settings of a process that serves one service.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings<T: Default> {
    /// Address to listen on; none means 127.0.0.1 at the service's own port.
    pub listen: Option<SocketAddr>,
    /// Address of health and metrics, in plaintext; none means the address above, 1000 ports higher.
    pub admin: Option<SocketAddr>,
    /// Addresses of peers by short name, e.g. `parser = "http://parser:7106"`; none means 127.0.0.1 at the peer's port.
    pub peers: BTreeMap<String, String>,
    /// Certificates.
    pub tls: tls::Settings,
    /// Connections to peers.
    pub connection: Connection,
    /// Repeated calls.
    pub retry: Retry,
    /// Limits of the server.
    pub limits: Limits,
    /// Logs and traces.
    pub telemetry: assay_telemetry::Options,
    /// The service's own settings.
    pub service: T,
}

impl<T: Default> Default for Settings<T> {
    fn default() -> Self {
        Self {
            listen: None,
            admin: None,
            peers: BTreeMap::new(),
            tls: tls::Settings::default(),
            connection: Connection::default(),
            retry: Retry::default(),
            limits: Limits::default(),
            telemetry: assay_telemetry::Options::default(),
            service: T::default(),
        }
    }
}

/// Flat environment names of every process.
pub const FLAT: &[FlatName] = &[("ASSAY_LISTEN", "listen"), ("ASSAY_ADMIN", "admin")];

impl<T: Default> Settings<T> {
    /// Refuses settings that cannot work, as far as every service has them.
    ///
    /// # Errors
    /// `CONFIGURATION`, naming the setting.
    pub fn check(&self, spec: &ServiceSpec) -> Result<(), Failure> {
        self.tls.check()?;
        self.connection.check()?;
        self.retry.check()?;
        self.limits.check()?;
        self.address(spec)?;
        self.admin_address(spec)?;
        Ok(())
    }

    /// Where the service listens.
    ///
    /// # Errors
    /// `CONFIGURATION` if others could reach it in plaintext and nothing says that this is wanted.
    pub fn address(&self, spec: &ServiceSpec) -> Result<SocketAddr, Failure> {
        let address = self.listen.unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], spec.port)));
        // A front door has its own rule: it believes nobody without a key.
        let guarded = self.tls.folder.is_some() || self.tls.plaintext || spec.callers.is_empty();
        if guarded || address.ip().is_loopback() {
            return Ok(address);
        }
        let text = format!(
            "the {} service would listen on {address} in plaintext, where anybody could pose as one of its callers; set \
             tls.folder to its certificates, or tls.plaintext = true if the network may be trusted",
            spec.name
        );
        Err(Failure::new(Code::Configuration, text).field("tls.folder"))
    }

    /// Where health and metrics are.
    ///
    /// # Errors
    /// `CONFIGURATION` if the port above that of the service does not exist.
    pub fn admin_address(&self, spec: &ServiceSpec) -> Result<SocketAddr, Failure> {
        if let Some(address) = self.admin {
            return Ok(address);
        }
        let service = self.address(spec)?;
        let port = match service.port() {
            0 => Some(0),
            port => port.checked_add(ADMIN_OFFSET),
        };
        let Some(port) = port else {
            let text = format!("{service} leaves no room for the admin listener; set admin to its address");
            return Err(Failure::new(Code::Configuration, text).field("admin"));
        };
        Ok(SocketAddr::new(service.ip(), port))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    static SPEC: ServiceSpec = ServiceSpec {
        name: "parser",
        grpc: "",
        port: 7106,
        calls: &[],
        callers: &["validation"],
        purpose: "",
    };

    fn at(listen: &str) -> Settings<()> {
        Settings { listen: Some(listen.parse().unwrap()), ..Settings::default() }
    }

    #[test]
    fn plaintext_stays_on_this_machine_unless_it_is_asked_for() {
        at("127.0.0.1:1").check(&SPEC).unwrap();
        let failure = at("0.0.0.0:7106").check(&SPEC).unwrap_err();
        assert_eq!((failure.code, failure.field.as_str()), (Code::Configuration, "tls.folder"));
        assert!(failure.message.contains("tls.plaintext"), "{failure}");
        let mut wanted = at("0.0.0.0:7106");
        wanted.tls.plaintext = true;
        wanted.check(&SPEC).unwrap();
        let mut both = wanted;
        both.tls.folder = Some("tls".into());
        assert_eq!(both.check(&SPEC).unwrap_err().field, "tls.plaintext");
    }

    #[test]
    fn the_admin_listener_is_a_thousand_ports_higher() {
        let port = |settings: Settings<()>| settings.admin_address(&SPEC).map(|address| address.port());
        assert_eq!(port(Settings::default()), Ok(8106));
        assert_eq!(port(at("127.0.0.1:0")), Ok(0));
        assert_eq!(port(at("127.0.0.1:65000")).unwrap_err().field, "admin");
    }
}
