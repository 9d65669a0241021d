//! Measures answers: asks a golden set through the router and parses every code block itself.
//!
//! Invariants: no answer is scored whose code was not parsed here, by one parser of one version, in time; a run that
//! cannot hold this aborts and gives no number. A metric that is not computed is named with its reason. A run is
//! `BINDING` only if every requirement of contract §11 is met, and otherwise lists each one that is not.
//!
//! | file | holds |
//! |---|---|
//! | `options` | settings |
//! | [`golden`] | the file format of golden sets |
//! | [`report`] | items and reports as JSON |
//! | `tally` | counts and shares |
//! | `standing` | what makes a run binding |
//! | `ports` | asking and parsing |
//! | `adapters` | the gRPC clients behind the ports |
//! | `service` | the run |
//! | `grpc` | decode, run, encode |

mod adapters;
mod compose;
pub mod golden;
mod grpc;
mod options;
mod ports;
pub mod report;
mod service;
mod standing;
mod tally;

pub use compose::compose;
pub use options::{FLAT, Options};

use assay_proto::evaluation::evaluation_service_server::SERVICE_NAME;
use assay_rpc::ServiceSpec;

/// What the service is and whom it may call.
pub const SPEC: ServiceSpec = ServiceSpec {
    name: "evaluation",
    grpc: SERVICE_NAME,
    port: 7107,
    calls: &["router", "parser", "generation"],
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
