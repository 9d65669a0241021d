//! Validation: runs every check of a draft and gives the verdict.
//!
//! Invariants
//! - What could not be checked is never a pass: a parser or an index that is down leaves its checks `NOT_CHECKED`,
//!   with the reason, and the check itself still answers.
//! - Code leaves this service only after it was parsed, or with the word that it was not.
//! - An attempt counts at most one failure against the parser; the index is asked at most once an attempt, and only
//!   for names that the evidence does not hold.
//! - Models are asked about claims that words leave open, never about copies or what a rule decided; each kind in one
//!   batch an attempt, within a time of its own. What they did not say is said in the check, and never a pass.
//! - A language model is asked only under the policies that the settings name, about a bounded number of claims, in one
//!   call; what it cost is in the reply.
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
//! | `scoring.rs` | asks the models about claims, and keeps what they said |
//! | `code.rs` | what is known of the code of an answer so far |
//! | `commands.rs` | the commands that the language of an answer knows |
//! | `breaker.rs` | the parser behind its circuit breaker |
//! | `ports.rs` | what is needed from the parser, the index and the models |
//! | `error.rs` | what can go wrong |
//! | `adapters/` | parser, index and judge over gRPC; models on disk |

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

pub use check_run::CheckRun;
pub use compose::{SPEC, compose};
pub use error::Error;
pub use options::{AskJudge, FLAT, Options};
pub use scoring::Models;
pub use service::Validation;

/// Where a separate parser is, as the contract names it.
const PEERS: &[assay_config::FlatName] = &[("AVAP_PARSER_URL", "peers.parser")];

/// Validation as a process.
#[must_use]
pub fn program() -> assay_rpc::process::Program {
    assay_rpc::process::Program::new(
        &SPEC,
        assay_proto::DESCRIPTORS,
        &[FLAT, PEERS],
        Options::check,
        |options, stage| async move { Ok(compose(options, &stage.peers).await?.into()) },
    )
}
