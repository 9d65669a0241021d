//! Options and peers make the service; the only place that names an adapter.

use std::sync::Arc;

use assay_domain::Failure;
use assay_proto::evaluation::evaluation_service_server::EvaluationServiceServer;
use assay_rpc::{MAX_MESSAGE_BYTES, Peers, Service};

use crate::adapters::{GrpcAsker, GrpcJudges, GrpcParser, GrpcPipeline};
use crate::grpc::Grpc;
use crate::options::Options;
use crate::service::{Evaluator, PARSER_PATIENCE, Ports};

/// Makes the service.
///
/// # Errors
/// `configuration` if an option is wrong or a peer has no channel.
pub fn compose(options: &Options, peers: &Peers) -> Result<Service, Failure> {
    options.check()?;
    let ports = Ports {
        asker: Arc::new(GrpcAsker::new(peers.channel("router")?)),
        parser: Arc::new(GrpcParser::new(peers.channel("parser")?)),
        judges: Arc::new(GrpcJudges::new(
            peers.channel("validation")?,
            peers.channel("generation")?,
            peers.channel("retrieval")?,
            options.question_budget(),
        )),
        pipeline: Arc::new(GrpcPipeline::new(
            peers.channel("retrieval")?,
            peers.channel("generation")?,
            peers.channel("router")?,
            peers.channel("validation")?,
        )),
    };
    let evaluator = Evaluator::new(ports, options.clone(), PARSER_PATIENCE);
    let server = EvaluationServiceServer::new(Grpc(evaluator))
        .max_decoding_message_size(MAX_MESSAGE_BYTES)
        .max_encoding_message_size(MAX_MESSAGE_BYTES);
    Ok(Service::new(&crate::SPEC, assay_proto::DESCRIPTORS)?.with(|routes| routes.add_service(server)))
}
