//! What stands behind the ports: gRPC clients, and the judges: our own checks or a model.

mod checks;
mod judges;
mod model;
mod parser;
mod pipeline;
mod router;
mod validation;

pub(crate) use judges::GrpcJudges;
pub(crate) use parser::GrpcParser;
pub(crate) use pipeline::GrpcPipeline;
pub(crate) use router::GrpcAsker;
