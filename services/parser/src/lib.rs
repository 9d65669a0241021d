//! Parser: programs and the code blocks of answers, each with a verdict and diagnostics of one shape.
//!
//! Invariants
//! - Every text is answered: a parser that cannot say valid or invalid says that there is no grammar, never valid.
//! - Diagnostics count lines and columns alike for every language and name no parser internals.
//! - Parsing computes beside the async threads, a bounded number of requests at once, and ends at the deadline.
//! - It calls no other service and keeps nothing.
//!
//! | file | holds |
//! |---|---|
//! | `options.rs` | settings |
//! | `compose.rs` | options to routes |
//! | `grpc.rs` | decode, call, encode |
//! | `service.rs` | the use case: limits, turns, deadline |

mod compose;
mod grpc;
mod options;
mod service;

pub use compose::{SPEC, compose};
pub use options::{FLAT, Options};
pub use service::{Expectation, Parsing, Reading};

/// The parser as a process.
#[must_use]
pub fn program() -> assay_rpc::process::Program {
    assay_rpc::process::Program::new(
        &SPEC,
        assay_proto::DESCRIPTORS,
        &[FLAT],
        Options::check,
        |options, stage| async move { Ok(compose(options, &stage.peers).await?.into()) },
    )
}
