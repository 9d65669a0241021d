//! The router: sessions, classification, the answer graph and its driver, the outbox.
//!
//! Invariants: every authenticated request ends in exactly one record, opened durably before the first byte leaves
//! and closed durably before `settled` · the driver performs effects and feeds events and holds no policy · a
//! conversational or platform request causes no search, no example and no look-up · a repeated request id returns
//! the stored outcome · whatever the client does, what was started is stopped or recorded.
//!
//! | file | holds |
//! |---|---|
//! | `service.rs` | one request from limits to record |
//! | `admission.rs` | what is let in, and the record of what is not |
//! | `driver.rs` | effects performed, events fed |
//! | `route.rs`, `classify.rs` | the type decided; the three layers |
//! | `collect.rs` | routed messages kept for the training of heads |
//! | `evidence.rs`, `query.rs` | searches and their queries, relevance, sources |
//! | `orders.rs` | what a draft is written from and its check is told |
//! | `draft.rs` | a draft while it is written and checked |
//! | `finish.rs` | answer and record, the log, the session, the last event |
//! | `explain.rs` | the plan of an answer |
//! | `journal.rs` | what happened in a request |
//! | `answer.rs` | journal to answer |
//! | `unchecked.rs` | the report of a text that nobody could check |
//! | `record.rs` | journal and answer to audit record |
//! | `bounds.rs` | what a record may hold at most |
//! | `emit.rs` | events with gapless numbers |
//! | `traces.rs`, `invariants.rs` | what goes on spans; rules of the contract that were not kept, counted |
//! | `told.rs` | earlier turns as a client tells them |
//! | `texts.rs` | the few sentences the router itself says |
//! | `delivery.rs` | records closed, brought to audit, set aside |
//! | `ports.rs`, `adapters/` | what it needs, and SQLite and gRPC for it |

mod adapters;
mod admission;
mod answer;
mod bounds;
mod classify;
mod collect;
mod compose;
mod delivery;
mod draft;
mod driver;
mod emit;
mod error;
mod evidence;
mod explain;
mod finish;
mod grpc;
mod invariants;
mod journal;
mod options;
mod orders;
pub mod ports;
mod query;
mod record;
mod route;
mod service;
mod state;
mod texts;
mod told;
mod traces;
mod unchecked;

pub use adapters::elastic_sessions::ElasticSessions;
pub use adapters::head_store::{HeadStore, read_head};
pub use adapters::sqlite_messages::{Collected, SqliteMessages};
pub use adapters::sqlite_outbox::SqliteOutbox;
pub use adapters::sqlite_sessions::SqliteSessions;
pub use classify::Heads;
pub use compose::{SPEC, compose, compose_with};
pub use options::{FLAT, Options, Retry, SessionStore};
pub use state::Router;

/// The router as a process.
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
