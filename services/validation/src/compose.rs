//! Options and peers to routes; the only place that names a concrete adapter.

use std::sync::Arc;
use std::time::Duration;

use assay_domain::{Code, Failure};
use assay_grounding::Policy;
use assay_proto::validation::validation_service_server::ValidationServiceServer;
use assay_rpc::{MAX_MESSAGE_BYTES, Peers, Service, ServiceSpec, clock, task};

use crate::adapters::grpc_lookup::GrpcLookup;
use crate::adapters::grpc_parser::GrpcParser;
use crate::breaker::{Clock, GuardedParser};
use crate::grpc::Grpc;
use crate::options::Options;
use crate::service::Validation;

/// What the service is.
pub const SPEC: ServiceSpec = ServiceSpec {
    name: "validation",
    grpc: "assay.validation.v1alpha1.ValidationService",
    port: 7104,
    calls: &["retrieval", "parser"],
    callers: &["gateway", "router", "evaluation"],
    purpose: "runs every check of a draft and gives the verdict",
};

/// Composes the service. Peers that are down only leave their checks unchecked.
///
/// # Errors
/// `CONFIGURATION` for settings that cannot work and for a peer without a channel.
pub async fn compose(options: Options, peers: &Peers) -> Result<Service, Failure> {
    options.check()?;
    let timeout = options.parser_timeout();
    if timeout.is_none() {
        tracing::warn!(target: "assay", "code checks are switched off (parser_timeout = 0); answers with code say so");
    }
    let parser = GrpcParser::new(peers.channel("parser")?, timeout.unwrap_or_default());
    let started = clock::now();
    let clock: Clock = Arc::new(move || clock::now().saturating_duration_since(started));
    let parser = GuardedParser::new(Arc::new(parser), timeout.map(|_| options.breaker()), clock);
    let lookup =
        GrpcLookup::new(peers.channel("retrieval")?, Duration::from_secs_f64(options.lookup_timeout));
    let own = options.reader.clone();
    // A folder is read whole, to know which reader lies there.
    let reader = task::blocking(move || assay_reader::open(&own)).await??;
    assay_reader::announce(reader.identity());
    // Beside the start: the first answer need not wait for tables and patterns.
    task::detached(async { task::blocking(assay_grounding::warm).await });
    let policy = own_policy(&options.policy_file)?;
    let validation = Validation::new(options, policy, Arc::new(parser), Arc::new(lookup), reader);
    let server = ValidationServiceServer::new(Grpc(validation))
        .max_decoding_message_size(MAX_MESSAGE_BYTES)
        .max_encoding_message_size(MAX_MESSAGE_BYTES);
    Ok(Service::new(&SPEC, assay_proto::DESCRIPTORS)?.with(|routes| routes.add_service(server)))
}

/// The policy of a file of the operator's own; none for no file.
fn own_policy(path: &str) -> Result<Option<Policy>, Failure> {
    if path.is_empty() {
        return Ok(None);
    }
    let wrong = |text: String| Failure::new(Code::Configuration, text).field("validation.policy_file");
    let text = std::fs::read_to_string(path)
        .map_err(|error| wrong(format!("policy_file {path:?} cannot be read: {error}")))?;
    Policy::parse(&text).map(Some).map_err(|error| wrong(format!("policy_file {path:?}: {error}")))
}
