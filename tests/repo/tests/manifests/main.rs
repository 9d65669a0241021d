//! The manifests in `k8s/`: typed, equal to the services' specifications wherever they repeat them, and safe.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod alerts;
mod objects;
mod pods;
mod policies;
mod rendered;
mod settings;
mod sources;
mod written;

use std::path::PathBuf;

use assay_repo_tests::specs;
use assay_rpc::ServiceSpec;

/// The root of the repository.
fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Port of the gateway's door for gRPC.
fn door() -> u16 {
    assay_gateway::Options::default().grpc.port()
}

/// Port of a service's admin listener: health for the kubelet, metrics for a scraper.
fn admin(spec: &ServiceSpec) -> u16 {
    spec.port + assay_rpc::spec::ADMIN_OFFSET
}

/// Whom a service may be called by.
fn callers(of: &ServiceSpec) -> Vec<&'static str> {
    specs().into_iter().filter(|spec| spec.calls.contains(&of.name)).map(|spec| spec.name).collect()
}

/// The service of a name.
fn spec(name: &str) -> &'static ServiceSpec {
    specs().into_iter().find(|spec| spec.name == name).unwrap_or_else(|| panic!("no service {name}"))
}
