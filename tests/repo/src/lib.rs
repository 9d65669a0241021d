//! Tests about the repository itself: layers, tidiness, and copies that must agree.

use assay_rpc::ServiceSpec;

/// Every service, the gateway first.
#[must_use]
pub fn specs() -> Vec<&'static ServiceSpec> {
    std::iter::once(&assay_gateway::SPEC).chain(assay::system::SPECS).collect()
}
