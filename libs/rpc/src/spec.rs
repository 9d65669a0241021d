//! What a service is called, where it listens, whom it may call and who may call it; wiring, manifests, certificates
//! and diagrams read this.

/// The constant that every service publishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServiceSpec {
    /// Short name, also the name of its crate's folder, of its DNS entry and in its certificate.
    pub name: &'static str,
    /// Full name of its gRPC service; empty for one that serves none of ours.
    pub grpc: &'static str,
    /// Port it listens on unless told otherwise.
    pub port: u16,
    /// Short names of the services it may call.
    pub calls: &'static [&'static str],
    /// Short names of the services that may call it and say for whom. Empty for a front door: anybody may call, and
    /// nobody is believed.
    pub callers: &'static [&'static str],
    /// What it is for, in a phrase.
    pub purpose: &'static str,
}

/// How far the port of the admin listener (health and metrics, plaintext) is from the port of the service.
pub const ADMIN_OFFSET: u16 = 1000;

/// The ports of all services by short name: where a process on this machine looks for a peer that no setting names. A
/// service knows no other's specification; a test compares this table with all of them.
pub const PORTS: [(&str, u16); 8] = [
    ("gateway", 7100),
    ("router", 7101),
    ("retrieval", 7102),
    ("generation", 7103),
    ("validation", 7104),
    ("audit", 7105),
    ("parser", 7106),
    ("evaluation", 7107),
];

/// Where a service answers on this machine; none for an unknown name.
#[must_use]
pub fn local_address(name: &str) -> Option<String> {
    PORTS.iter().find(|(known, _)| *known == name).map(|(_, port)| format!("http://127.0.0.1:{port}"))
}
