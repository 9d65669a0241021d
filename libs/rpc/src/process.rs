//! One service as a process: the settings around its own, and serving until a signal says stop.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use assay_domain::Failure;

use crate::peers::Peers;
use crate::server::{Limits, Service, shutdown_signal};
use crate::spec::ServiceSpec;

/// Settings of a process that serves one service.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings<T: Default> {
    /// Address to listen on; none means every loopback address at the service's own port.
    pub listen: Option<SocketAddr>,
    /// Addresses of peers by short name, e.g. `parser = "http://parser:7106"`; every peer of the service is needed.
    pub peers: BTreeMap<String, String>,
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
            peers: BTreeMap::new(),
            limits: Limits::default(),
            telemetry: assay_telemetry::Options::default(),
            service: T::default(),
        }
    }
}

impl<T: Default> Settings<T> {
    /// Channels to the peers that the specification names; they connect when first used.
    ///
    /// # Errors
    /// `CONFIGURATION` if an address is no URL.
    pub fn connect(&self, spec: &ServiceSpec) -> Result<Peers, Failure> {
        Peers::connect(spec, &self.peers)
    }

    /// Serves until SIGTERM or Ctrl-C, then drains.
    ///
    /// # Errors
    /// `CONFIGURATION` if the address cannot be bound.
    pub async fn serve(&self, service: Service) -> Result<(), Failure> {
        let stop = shutdown_signal();
        let spec = service.spec();
        let address = self.listen.unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], spec.port)));
        let running = service.listen(address, self.limits).await?;
        tracing::info!(target: "assay", service = spec.name, address = ?running.address(), "ready");
        stop.await;
        tracing::info!(target: "assay", service = spec.name, "draining");
        running.drain().await;
        Ok(())
    }
}
