//! Routing: which of the four query types a message is, by rules, by a trained head, by a model's answer.
//!
//! Everything here is pure: texts, vectors and histories come in, decisions and request texts go out. The crate
//! applies heads; `assay-heads` trains them. It never embeds (the vector space belongs to retrieval), nor calls a model.
//!
//! Invariants, each a test: without a reference the requests to layers 2 and 3 are byte-identical under every
//! history (RC-03) · with one, relabelling the entries' types changes nothing · a topic never cuts a character ·
//! a head made for another embedding model is refused.
//!
//! | module | holds |
//! |---|---|
//! | [`topic`] | first 60 characters of a message, redacted |
//! | [`deictic`] | does the message refer to an earlier one (RC-03) |
//! | [`neutral`] | leaves out sentences that try to dictate the class |
//! | [`rules`] | layer 1: platform prefix and signals (RC-01, RC-02), clear conversation |
//! | [`request`] | the exact texts that layers 2 and 3 see |
//! | [`prompt`] | the layer-3 prompt and its strict answer |
//! | [`features`] | hashed word and character n-grams |
//! | [`classes`] | from a prediction to query types |
//! | [`softmax`] | the trained head: a JSON file, inference, rejection |
//! | [`weights`] | what weighs in a head's decision |

pub mod classes;
pub mod deictic;
pub mod features;
pub mod neutral;
pub mod prompt;
pub mod request;
pub mod rules;
pub mod softmax;
pub mod topic;
pub mod weights;

pub use request::{Requests, requests};
pub use rules::{Decision, PlatformPrefixes, Rule, decide};
pub use softmax::{Head, Prediction};

/// Earlier requests that a classifier may see (RC-06).
pub const HISTORY_FOR_CLASSIFIER: usize = 6;

/// Earlier requests that a session keeps (RC-06).
pub const HISTORY_KEPT: usize = 50;

/// Probability from which layer 2 decides alone.
pub const ACCEPT: f64 = 0.85;
