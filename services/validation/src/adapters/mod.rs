//! Adapters: the parser and the index, each behind its gRPC face.

pub mod grpc_lookup;
pub mod grpc_parser;
