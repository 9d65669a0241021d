//! The gRPC clients behind the ports, one file per peer.

mod audit;
mod checks;
mod evaluation;
mod health;
mod retrieval;
mod reviews;
mod router;
mod runs;

pub(crate) use audit::{GrpcRecords, stored};
pub(crate) use checks::GrpcChecks;
pub(crate) use evaluation::GrpcEvaluations;
pub(crate) use health::{GrpcHealth, NAMES as SERVICES};
pub(crate) use retrieval::GrpcLibrary;
pub(crate) use reviews::GrpcReviews;
pub(crate) use router::GrpcEngine;
pub(crate) use runs::Folder;
