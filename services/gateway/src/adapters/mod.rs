//! The gRPC clients behind the ports, one file per peer.

mod audit;
mod evaluation;
mod health;
mod retrieval;
mod reviews;
mod router;

pub(crate) use audit::{GrpcRecords, stored};
pub(crate) use evaluation::GrpcEvaluations;
pub(crate) use health::{GrpcHealth, NAMES as SERVICES};
pub(crate) use retrieval::GrpcLibrary;
pub(crate) use reviews::GrpcReviews;
pub(crate) use router::GrpcEngine;
