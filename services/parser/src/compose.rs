//! Options to routes.

use assay_domain::Failure;
use assay_proto::parser::parser_service_server::ParserServiceServer;
use assay_rpc::{MAX_MESSAGE_BYTES, Peers, Service, ServiceSpec};

use crate::grpc::Grpc;
use crate::options::Options;
use crate::service::Parsing;

/// What the service is; it calls nobody.
pub const SPEC: ServiceSpec = ServiceSpec {
    name: "parser",
    grpc: "assay.parser.v1alpha1.ParserService",
    port: 7106,
    calls: &[],
    callers: &["gateway", "validation", "evaluation"],
    purpose: "parses AVAP and other languages, finds the code of answers",
};

/// Composes the service. It is ready when this returns; the command table is read once here.
///
/// # Errors
/// `CONFIGURATION` for settings that cannot work.
pub async fn compose(options: Options, peers: &Peers) -> Result<Service, Failure> {
    let _ = peers;
    options.check()?;
    let server = ParserServiceServer::new(Grpc(Parsing::new(options)))
        .max_decoding_message_size(MAX_MESSAGE_BYTES)
        .max_encoding_message_size(MAX_MESSAGE_BYTES);
    Ok(Service::new(&SPEC, assay_proto::DESCRIPTORS)?.with(|routes| routes.add_service(server)))
}
