//! The gRPC listener: the brunix protocol, and the services inside for those who may call them.
//!
//! A call comes in as a request over HTTP does: attempts, credential, role, rate. What goes on carries what was found
//! out about its caller and nothing that the caller said of itself. What the one table of methods does not hold
//! is not forwarded.

mod admission;
mod brunix;

use std::net::SocketAddr;
use std::sync::Arc;

use assay_domain::Failure;
use assay_proto::brunix::assistance_engine_server::AssistanceEngineServer;
use assay_rpc::connections::ConnectionTable;
use assay_rpc::{Channel, Limits, MAX_MESSAGE_BYTES, Running, Service, front};
use assay_wire::{metadata, to_status};
use tonic::Status;

use crate::problem::Problem;
use crate::shared::Shared;

/// A problem as a status, with its record and with the time after which to come back.
fn status(problem: &Problem) -> Status {
    let mut status = to_status(&problem.failure);
    let retry = problem.headers.get(http::header::RETRY_AFTER).and_then(|value| value.to_str().ok());
    for (key, value) in [("retry-after", retry), (metadata::AUDIT_ID, problem.audit_id.as_deref())] {
        if let Some(Ok(value)) = value.map(str::parse) {
            status.metadata_mut().insert(key, value);
        }
    }
    status
}

/// A service behind the listener: its full gRPC name and the way to it.
pub(crate) type Behind = (&'static str, Channel);

/// Binds the address and serves; port 0 takes any free one.
///
/// # Errors
/// `configuration` if the address cannot be bound.
pub(crate) async fn open(
    address: SocketAddr,
    shared: &Arc<Shared>,
    behind: Vec<Behind>,
    limits: Limits,
    table: ConnectionTable,
) -> Result<Running, Failure> {
    let names: Vec<&str> = behind.iter().map(|(name, _)| *name).collect();
    let listed = [&[brunix::NAME], names.as_slice()].concat();
    let admission = admission::Admission::new(Arc::clone(shared), names);
    let engine = AssistanceEngineServer::new(brunix::Brunix::new(Arc::clone(shared)))
        .max_decoding_message_size(MAX_MESSAGE_BYTES);
    let own = Service::listing(&crate::SPEC, assay_proto::DESCRIPTORS, &listed)?
        .with(|routes| routes.add_service(engine));
    front::listen(own, address, behind, Arc::new(admission), limits, table).await
}
