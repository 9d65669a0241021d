//! Validation: runs every check of a draft and gives the verdict.
//!
//! Invariants
//! - What could not be checked is never a pass: a parser or an index that is down leaves its checks `NOT_CHECKED`,
//!   with the reason, and the check itself still answers.
//! - Code leaves this service only after it was parsed, or with the word that it was not.
//! - An attempt counts at most one failure against the parser; the index is asked at most once an attempt, and only
//!   for names that the evidence does not hold.
//! - The reader is asked about claims that words leave open, never about copies or what a rule decided; every pair once a
//!   request, within a time of its own. What it did not read is said in the check, and never a pass.
//! - Judging is pure and lives in the grounding crate; this service only fetches what it needs from outside.
//!
//! | file | holds |
//! |---|---|
//! | `options.rs` | settings |
//! | `compose.rs` | options and peers to routes |
//! | `grpc.rs` | decode, call, encode; the order of messages |
//! | `service.rs` | opens checks, judges relevance |
//! | `check_run.rs` | one check over the ports: text in, segments and the report out |
//! | `limits.rs` | limits of what a check is told |
//! | `open_checks.rs` | how many checks are open, and how much text they hold |
//! | `cpu_slots.rs` | slots at the processors, and for how long one is held |
//! | `scoring.rs` | asks the reader about claims |
//! | `code.rs` | what is known of the code of an answer so far |
//! | `commands.rs` | the commands that the language of an answer knows |
//! | `breaker.rs` | the parser behind its circuit breaker |
//! | `ports.rs` | what is needed from the parser and the index |
//! | `error.rs` | what can go wrong |
//! | `adapters/` | parser and index over gRPC |

pub mod adapters;
pub mod breaker;
mod check_run;
mod code;
mod commands;
mod compose;
mod cpu_slots;
mod error;
mod grpc;
mod limits;
mod open_checks;
pub mod options;
pub mod ports;
mod scoring;
mod service;

pub use assay_reader::InBox;
pub use check_run::CheckRun;
pub use compose::{SPEC, compose};
pub use error::Error;
pub use options::{FLAT, GONE, Options};
pub use service::Validation;

/// Where a separate parser is, as the contract names it.
const PEERS: &[assay_config::FlatName] = &[("AVAP_PARSER_URL", "peers.parser")];

/// Validation as a process; its reader lies beside the binary.
#[must_use]
pub fn program() -> assay_rpc::process::Program {
    program_with(InBox::default())
}

/// Validation as a process of a program that brings the reader along.
#[must_use]
pub fn program_with(in_box: InBox) -> assay_rpc::process::Program {
    assay_rpc::process::Program::new(
        &SPEC,
        assay_proto::DESCRIPTORS,
        &[FLAT, PEERS],
        Options::check,
        move |mut options: Options, stage| async move {
            options.reader.in_box = in_box;
            Ok(compose(options, &stage.peers).await?.into())
        },
    )
    .without(GONE)
}
