//! The gRPC clients behind the ports, one file per peer.

mod audit;
mod evaluation;
mod health;
mod retrieval;
mod router;

pub(crate) use audit::GrpcRecords;
pub(crate) use evaluation::GrpcEvaluations;
pub(crate) use health::{GrpcHealth, NAMES as SERVICES};
pub(crate) use retrieval::GrpcLibrary;
pub(crate) use router::GrpcEngine;
