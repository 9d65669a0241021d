//! The arithmetic of a tamper-evident log: canonical record bytes, an RFC 6962 Merkle tree, proofs, signed
//! checkpoints and a verifier that needs nothing but an exported log.
//!
//! Pure: no file, no clock, no chance, no store. Hashes come in through [`Nodes`], salts and keys as arguments.
//!
//! | module | holds |
//! |---|---|
//! | [`hash`] | the 32-byte hash, leaf and node hashing |
//! | [`tree`] | [`Frontier`] for appends, [`Nodes`], roots and proofs from stored hashes |
//! | [`proof`] | verifiers of inclusion and consistency proofs |
//! | [`redact`] | secrets and personal data taken out of texts |
//! | [`record`] | a record split into public text and payload text, and back |
//! | [`leaf`] | what a leaf commits to |
//! | [`checkpoint`] | size and root of the log as a signed note |
//! | [`export`] | the lines of an exported log |
//! | [`verify`] | findings over an exported log |

pub mod checkpoint;
pub mod export;
pub mod hash;
pub mod leaf;
pub mod proof;
pub mod record;
pub mod redact;
pub mod tree;
pub mod verify;

pub use checkpoint::{Checkpoint, Signer, VerifierKey};
pub use export::{Entry, Line, Sealed};
pub use hash::Hash;
pub use leaf::{Salt, commitment, record_leaf, salted_digest};
pub use redact::redact;
pub use tree::{Frontier, Node, Nodes};
pub use verify::{Finding, Verification, Verifier, verify_lines};
