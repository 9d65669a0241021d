//! Health of the peers over the standard gRPC health protocol.

use std::time::Duration;

use assay_proto::{audit, evaluation, parser, retrieval, router, validation};
use assay_rpc::{Channel, Peers};
use async_trait::async_trait;
use futures::future::join_all;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use crate::ports::Health;

/// Longest wait for one peer.
const PATIENCE: Duration = Duration::from_secs(1);

/// Full names of the peers' services.
pub(crate) const NAMES: &[(&str, &str)] = &[
    ("router", router::router_service_server::SERVICE_NAME),
    ("audit", audit::audit_service_server::SERVICE_NAME),
    ("retrieval", retrieval::retrieval_service_server::SERVICE_NAME),
    ("validation", validation::validation_service_server::SERVICE_NAME),
    ("parser", parser::parser_service_server::SERVICE_NAME),
    ("evaluation", evaluation::evaluation_service_server::SERVICE_NAME),
];

/// Asks every peer of the specification.
#[derive(Debug, Clone)]
pub(crate) struct GrpcHealth(Vec<(&'static str, &'static str, Option<Channel>)>);

impl GrpcHealth {
    pub(crate) fn new(peers: &Peers) -> Self {
        Self(NAMES.iter().map(|(name, grpc)| (*name, *grpc, peers.channel(name).ok())).collect())
    }
}

#[async_trait]
impl Health for GrpcHealth {
    async fn peers(&self) -> Vec<(&'static str, bool)> {
        join_all(self.0.iter().map(|(name, grpc, channel)| async move {
            let Some(channel) = channel.clone() else { return (*name, false) };
            let mut client = HealthClient::new(channel);
            let asked = client.check(HealthCheckRequest { service: (*grpc).to_owned() });
            let reply = tokio::time::timeout(PATIENCE, asked).await;
            let serving =
                matches!(reply, Ok(Ok(reply)) if reply.get_ref().status() == ServingStatus::Serving);
            (*name, serving)
        }))
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_peer_of_the_specification_is_asked() {
        let asked: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
        assert_eq!(asked, crate::SPEC.calls);
    }
}
