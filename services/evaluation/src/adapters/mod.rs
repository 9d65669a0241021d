//! The gRPC clients behind the ports, one file per peer.

mod parser;
mod router;

pub(crate) use parser::GrpcParser;
pub(crate) use router::GrpcAsker;
