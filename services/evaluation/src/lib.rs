//! Measures answers: asks a golden set through the router, parses every code block itself, has every answer judged.
//!
//! Invariants: what a run is made with is said before its first question · no answer is scored whose code was not parsed
//! here, by one parser of one version, in time; a run that cannot hold this aborts and gives no number · what scores are
//! made of leaves as it is, so that anybody can compute them again.
//!
//! | file | holds |
//! |---|---|
//! | `options` | settings |
//! | [`golden`] | the file format of golden sets |
//! | [`score`] | lines of recorded verdicts to metrics |
//! | `ports` | asking, parsing, judging, and what the system is made of |
//! | `adapters` | the gRPC clients behind the ports, and the judges: our own checks or a model |
//! | `record` | an answer as a run records it |
//! | `service` | the run |
//! | `grpc` | decode, run, encode |

mod adapters;
mod compose;
pub mod golden;
mod grpc;
mod options;
mod ports;
mod record;
pub mod score;
mod service;

pub use compose::compose;
pub use options::{FLAT, Options};

use assay_proto::evaluation::evaluation_service_server::SERVICE_NAME;
use assay_rpc::ServiceSpec;

/// What the service is and whom it may call.
pub const SPEC: ServiceSpec = ServiceSpec {
    name: "evaluation",
    grpc: SERVICE_NAME,
    port: 7107,
    calls: &["router", "retrieval", "generation", "validation", "parser"],
    callers: &["gateway"],
    purpose: "golden sets, metrics and gates",
};

/// The evaluation as a process.
#[must_use]
pub fn program() -> assay_rpc::process::Program {
    assay_rpc::process::Program::new(
        &SPEC,
        assay_proto::DESCRIPTORS,
        &[FLAT],
        Options::check,
        |options, stage| async move { Ok(compose(&options, &stage.peers)?.into()) },
    )
}
