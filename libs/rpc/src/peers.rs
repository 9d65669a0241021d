//! The channels a service was given; asking for one outside its specification is an error.

use std::collections::BTreeMap;

use assay_domain::{Code, Failure};

use crate::channel::{Channel, Outbound};
use crate::spec::{ServiceSpec, local_address};

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

    /// Channels to every service that the specification lets this one call, at the addresses given, else at each one's own
    /// port on this machine. They connect when first used.
    ///
    /// # Errors
    /// `CONFIGURATION` if an address is no URL, or one is given for a service that this one does not call; the message
    /// names the setting.
    pub fn connect(
        spec: &ServiceSpec,
        addresses: &BTreeMap<String, String>,
        outbound: &Outbound,
    ) -> Result<Self, Failure> {
        if let Some(name) = addresses.keys().find(|name| !spec.calls.contains(&name.as_str())) {
            let calls = if spec.calls.is_empty() { "nobody".to_owned() } else { spec.calls.join(", ") };
            let text = format!("peers.{name} is set, but the {} service calls {calls}", spec.name);
            return Err(Failure::new(Code::Configuration, text).field(format!("peers.{name}")));
        }
        let mut peers = Self::none();
        for name in spec.calls {
            let field = format!("peers.{name}");
            let address = addresses.get(*name).cloned().or_else(|| local_address(name)).ok_or_else(|| {
                let text = format!("the {} service calls {name}; set {field} to its address", spec.name);
                Failure::new(Code::Configuration, text).field(field.clone())
            })?;
            let channel =
                outbound.channel(name, &address).map_err(|failure| match failure.field.as_str() {
                    "" => Failure { message: format!("{field}: {}", failure.message), ..failure }
                        .field(field.clone()),
                    _ => failure,
                })?;
            peers.insert(name, channel);
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
    Channel::nobody()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    static SPEC: ServiceSpec = ServiceSpec {
        name: "validation",
        grpc: "",
        port: 7104,
        calls: &["retrieval", "parser"],
        callers: &["router"],
        purpose: "",
    };

    fn connect(pairs: &[(&str, &str)]) -> Result<Peers, Failure> {
        let addresses = pairs.iter().map(|(name, url)| ((*name).to_owned(), (*url).to_owned())).collect();
        Peers::connect(&SPEC, &addresses, &Outbound::default())
    }

    #[test]
    fn peer_without_address_defaults_to_this_machine() {
        let peers = connect(&[("parser", "http://parser:7106")]).unwrap();
        assert!(peers.channel("parser").is_ok() && peers.channel("retrieval").is_ok());
        assert_eq!(peers.channel("router").unwrap_err().code, Code::Configuration);
    }

    #[test]
    fn a_wrong_address_and_a_wrong_peer_are_named() {
        assert_eq!(connect(&[("parser", "parser:7106")]).unwrap_err().field, "peers.parser");
        let failure = connect(&[("audit", "http://audit:7105")]).unwrap_err();
        assert_eq!(failure.field, "peers.audit");
        assert!(failure.message.contains("retrieval, parser"), "{failure}");
    }
}
