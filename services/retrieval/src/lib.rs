//! Retrieval: ingests, chunks, indexes, embeds, searches and resolves sources. The vector space belongs to it alone.
//!
//! Over 8,000 lines in one crate: two stores and five embedders, each kind behind one port, and everything that becomes a passage.
//! Stores and embedders share no code, and each is a folder or file of `adapters`.
//!
//! Invariants
//! - The text of a passage is exactly its lines of the file that was indexed; its hash can be recomputed from them.
//! - A search sees a complete index or none; a new one is built beside and switched to by one rename.
//! - Equal scores are ordered by id, in every leg and in the fusion.
//! - Vectors of two models never meet: such an index answers BM25 only, and says which command embeds it again.
//! - No path that a caller names is ever opened here; contents are streamed in.
//! - What computes runs beside the async threads, a bounded number of requests at once; indexes are their owner's alone.
//!
//! | module | holds |
//! |---|---|
//! | [`text`] | the one text analysis |
//! | [`ingest`] | walking (at the caller), preparing, the incremental run |
//! | [`corpus`] | documents, passages, manifest |
//! | [`search`] | a search over both legs, fused by their scores |
//! | [`lookup`], `resolve`, `spelling` | source look-ups; cited bytes; near names |
//! | [`lines`] | lines of a document, for readers |
//! | [`lint`] | mistakes in the documents of a collection |
//! | [`few_shot`] | the example pool |
//! | [`ports`], [`adapters`] | what is needed from outside, and who gives it |
//! | [`service`] | the use cases |

pub mod adapters;
mod compose;
pub mod corpus;
mod error;
pub mod few_shot;
mod grpc;
pub mod ingest;
pub mod lines;
pub mod lint;
pub mod lookup;
mod options;
pub mod ports;
mod resolve;
pub mod search;
pub mod service;
mod spelling;
pub mod text;

pub use compose::{FLAT, SPEC, assemble, compose};
pub use error::Error;
pub use options::{Backend, EmbedderChoice, Embedding, GONE, Options, Pooling, Weights};
pub use service::Retrieval;

/// Retrieval as a process.
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
