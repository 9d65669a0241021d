//! What stands behind the ports: gRPC clients, and the judge that is our own checks.

mod checks;
mod parser;
mod pipeline;
mod router;
mod validation;

pub(crate) use checks::ChecksJudge;
pub(crate) use parser::GrpcParser;
pub(crate) use pipeline::GrpcPipeline;
pub(crate) use router::GrpcAsker;
