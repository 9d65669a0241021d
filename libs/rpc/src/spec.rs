//! What a service is called, where it listens and whom it may call; wiring, manifests and diagrams read this.

/// The constant that every service publishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServiceSpec {
    /// Short name, also the name of its crate's folder and of its DNS entry.
    pub name: &'static str,
    /// Full name of its gRPC service; empty for one that serves none of ours.
    pub grpc: &'static str,
    /// Port it listens on unless told otherwise.
    pub port: u16,
    /// Short names of the services it may call.
    pub calls: &'static [&'static str],
    /// What it is for, in a phrase.
    pub purpose: &'static str,
}
