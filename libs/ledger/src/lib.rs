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
//! | [`record`] | a record split into public text and payload text, and back |
//! | [`leaf`] | what a leaf commits to |
//! | [`erasure`] | the text of a leaf that records erased payloads |
//! | [`note`] | the texts of a leaf that records a decision, feedback or reading |
//! | [`checkpoint`] | size and root of the log as a signed note |
//! | [`export`] | the lines of an exported log |
//! | [`finding`] | what a verification can find |
//! | [`verify`] | findings over entries, one by one |
//! | [`lines`] | findings over an exported log |
//! | [`receipt`] | one leaf with its proof, verified alone |

pub mod checkpoint;
pub mod erasure;
pub mod export;
pub mod finding;
pub mod hash;
pub mod leaf;
pub mod lines;
pub mod note;
pub mod proof;
pub mod receipt;
pub mod record;
pub mod tree;
pub mod verify;

pub use checkpoint::{Checkpoint, Signer, VerifierKey};
pub use erasure::Erasure;
pub use export::{Entry, Line, Sealed};
pub use finding::Finding;
pub use hash::Hash;
pub use leaf::{Header, Kind, Review, Salt, commitment, leaf_hash, salted_digest};
pub use lines::verify_lines;
pub use note::{Note, Said};
pub use receipt::{Proved, Receipt};
pub use tree::{Frontier, Node, Nodes};
pub use verify::{Verification, Verifier};
