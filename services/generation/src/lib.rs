//! Generation: prompts and model providers, and the composer that answers without a model.
//!
//! Invariants
//! - Nothing that came from outside can close its region of a prompt or be read as a citation marker.
//! - Without a model nothing is invented: every factual sentence is copied from a source and cites it.
//! - Another provider is asked only after transport errors, 5xx and time-outs, and only before the first token.
//! - Dropping a draft's stream closes the connection to the model.
//! - Keys are never shown, and what a provider said is shortened before it is passed on.
//!
//! | file | holds |
//! |---|---|
//! | `options.rs`, `slot.rs` | settings, `provider:model` |
//! | `compose.rs` | options to routes |
//! | `grpc.rs` | decode, call, encode |
//! | `service.rs`, `service/` | drafts and completions over chains of providers |
//! | `ports.rs` | the ports of providers, with their values |
//! | `prompts/` | versioned templates, regions, injection phrases |
//! | `filter.rs` | thoughts and the abstention mark of models |
//! | `limits.rs` | sizes that are refused |
//! | `determinism.rs` | fingerprint and seed |
//! | `adapters/` | composer, chat protocols, Ollama |
//! | `error.rs` | what can go wrong |

pub mod adapters;
mod compose;
pub mod determinism;
pub mod error;
mod filter;
mod fit;
mod grpc;
pub mod limits;
pub mod options;
pub mod ports;
pub mod prompts;
pub mod service;
pub mod slot;

pub use compose::{SPEC, assemble, compose};
pub use options::{FLAT, GONE, Options};
pub use service::Generation;

/// Generation as a process.
#[must_use]
pub fn program() -> assay_rpc::process::Program {
    assay_rpc::process::Program::new(
        &SPEC,
        assay_proto::DESCRIPTORS,
        &[FLAT],
        Options::check,
        |options, stage| async move { Ok(compose(options, &stage.peers).await?.into()) },
    )
    .without(GONE)
}
