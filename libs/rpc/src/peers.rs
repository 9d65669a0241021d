//! The channels a service was given; asking for one outside its specification is an error.

use std::collections::BTreeMap;

use assay_domain::{Code, Failure};
use tonic::transport::Channel;

use crate::spec::ServiceSpec;

/// Channels to other services, by short name.
#[derive(Debug, Clone, Default)]
pub struct Peers {
    channels: BTreeMap<&'static str, Channel>,
}

impl Peers {
    /// No peers.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Lazy channels to the addresses of every service that the specification lets this one call.
    ///
    /// # Errors
    /// `CONFIGURATION` if an address is missing or is no URL; the message names the setting.
    pub fn connect(spec: &ServiceSpec, addresses: &BTreeMap<String, String>) -> Result<Self, Failure> {
        let mut peers = Self::none();
        for name in spec.calls {
            let field = format!("peers.{name}");
            let wrong = |text: String| Failure::new(Code::Configuration, text).field(field.clone());
            let address = addresses.get(*name).ok_or_else(|| {
                wrong(format!("the {} service calls {name}; set {field} to its address", spec.name))
            })?;
            let endpoint = tonic::transport::Endpoint::from_shared(address.clone())
                .map_err(|error| wrong(format!("{field} = {address:?} is no address: {error}")))?;
            peers.insert(name, endpoint.tcp_nodelay(true).connect_lazy());
        }
        Ok(peers)
    }

    /// Adds or replaces a channel.
    #[must_use]
    pub fn with(mut self, name: &'static str, channel: Channel) -> Self {
        self.channels.insert(name, channel);
        self
    }

    /// Adds or replaces a channel.
    pub fn insert(&mut self, name: &'static str, channel: Channel) {
        self.channels.insert(name, channel);
    }

    /// Only the channels that the specification lets the service use.
    #[must_use]
    pub fn restricted_to(&self, spec: &ServiceSpec) -> Self {
        let allowed = self.channels.iter().filter(|(name, _)| spec.calls.contains(name));
        Self { channels: allowed.map(|(name, channel)| (*name, channel.clone())).collect() }
    }

    /// The channel to a service.
    ///
    /// # Errors
    /// `CONFIGURATION` if there is none.
    pub fn channel(&self, name: &str) -> Result<Channel, Failure> {
        self.channels.get(name).cloned().ok_or_else(|| {
            Failure::new(Code::Configuration, format!("no channel to the {name} service was configured"))
                .field(name)
        })
    }
}

/// A channel that nobody answers: calls fail at once with `UNAVAILABLE`. It stands for a peer that a small command
/// does not start.
#[must_use]
pub fn nobody() -> Channel {
    let refuse = tower::service_fn(|_: http::Uri| async {
        Err::<hyper_util::rt::TokioIo<tokio::io::DuplexStream>, _>(std::io::Error::from(
            std::io::ErrorKind::ConnectionRefused,
        ))
    });
    tonic::transport::Endpoint::from_static("http://nobody").connect_with_connector_lazy(refuse)
}
