//! Adapters: the parser, the index and the judge, each behind its gRPC face; models on disk.

pub mod grpc_judge;
pub mod grpc_lookup;
pub mod grpc_parser;
pub(crate) mod models;
