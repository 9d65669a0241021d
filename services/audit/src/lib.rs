//! Audit: the durable, verifiable record of every request.
//!
//! Invariants
//! - A record is stored exactly once: its id claims a leaf, a redelivery gets the first receipt.
//! - A receipt means durable. Appending ignores the caller's deadline and cancellation.
//! - A leaf, a node or a checkpoint is never changed or dropped; only payloads with their salts are erased, by a leaf
//!   that names them.
//! - What people say of a record is a leaf; so is that somebody else than its owner read it.
//! - Every stored column follows from a signed text. Whoever verifies writes nothing.
//! - Nothing is kept before it is redacted. Nobody sees a record of another tenant.
//!
//! | file | holds |
//! |---|---|
//! | `options.rs` | settings |
//! | `compose.rs` | options to routes |
//! | `grpc.rs` | decode, call, encode |
//! | `service.rs` | the use case over the ports |
//! | `reviews.rs` | reviewing, feedback, reading what is others', erasing |
//! | `review_claims.rs` | who has claimed which waiting record |
//! | `rates.rs` | how often reviewers overturn the checks |
//! | `policy.rs` | what of a record is kept |
//! | `export.rs` | records in the lines of an export |
//! | `words.rs` | words by which records are found |
//! | `ports.rs` | what is needed from a store |
//! | `error.rs` | what can go wrong |
//! | `adapters/` | SQLite, the key file |

pub mod adapters;
mod compose;
mod error;
mod export;
mod grpc;
pub mod options;
pub mod policy;
pub mod ports;
mod rates;
mod review_claims;
mod reviews;
mod service;
pub mod words;

pub use assay_ledger::{Hash, Receipt, Verification, VerifierKey, verify_lines};
pub use compose::{SPEC, compose, compose_read_only, verify_folder};
pub use error::AuditError;
pub use export::{Exported, exported};
pub use grpc::{receipt_of, verify_response};
pub use options::{FLAT, Options};
pub use ports::Verified;
pub use rates::{Catch, Judged, Rate, Rates, rates};
pub use reviews::{Fresh, REASON_CHARS};
pub use service::{Audit, Page, Store};

/// Audit as a process.
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
