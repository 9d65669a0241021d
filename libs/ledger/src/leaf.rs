//! What a leaf commits to: header and public text in the open, the payload only through a salted hash.
//!
//! ```text
//! commitment = SHA-256(salt ‖ payload)                                  salt: 32 bytes
//! leaf data  = format (4 bytes) ‖ [length of header (8 bytes) ‖ header] ‖ length of public (8 bytes) ‖ public ‖ commitment
//! leaf       = SHA-256(0x00 ‖ leaf data)                                RFC 6962; numbers big-endian
//! ```
//!
//! Format 1 has no header; format 2 has one. With salt and payload erased, the commitment is 32 bytes of chance and the
//! leaf still verifies.

use serde::{Deserialize, Serialize};

use crate::hash::Hash;

/// Format of new leaves.
pub const FORMAT: u32 = 2;
/// Format of leaves without header.
pub const FORMAT_WITHOUT_HEADER: u32 = 1;

/// What a leaf records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Kind {
    /// A request and its answer.
    Record,
    /// The erasure of payloads.
    Erasure,
    /// What a person said of records, or that they read them.
    Note,
}

/// Entry of a record into the review queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Review {
    /// Sampling rate at entry: 1 in this many.
    pub one_in: u32,
    /// Leaf that left the full queue for it.
    pub displaced: Option<u64>,
}

/// What the log adds to a leaf: kind, time, preceding checkpoint, review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// What the leaf records.
    pub kind: Kind,
    /// Milliseconds since the Unix epoch at which it was stored.
    pub stored_unix_ms: u64,
    /// Size of the newest checkpoint before this leaf.
    pub checkpoint: u64,
    /// Entry into the review queue; none for a record without review.
    pub review: Option<Review>,
}

impl Header {
    /// The JSON text, as it is hashed.
    #[must_use]
    pub fn to_json(&self) -> String {
        // Numbers and names only: there is no way to fail.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads the JSON text.
    ///
    /// # Errors
    /// What is wrong with it, in the words of the JSON reader.
    pub fn from_json(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| format!("the header cannot be read: {error}"))
    }
}

/// Chance that hides a payload in its commitment; erased together with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Salt(pub [u8; 32]);

impl Salt {
    /// Takes exactly 32 bytes; `None` for any other length.
    #[must_use]
    pub fn from_slice(bytes: &[u8]) -> Option<Self> {
        <[u8; 32]>::try_from(bytes).ok().map(Self)
    }
}

impl serde::Serialize for Salt {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Hash(self.0).serialize(serializer)
    }
}

impl<'de> serde::Deserialize<'de> for Salt {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Hash::deserialize(deserializer).map(|hash| Self(hash.0))
    }
}

/// Digest that stands for a text that is not kept: SHA-256(salt ‖ SHA-256 of the text). Who holds the text and the
/// record can check it; who holds neither the record nor its salt cannot guess it.
#[must_use]
pub fn salted_digest(salt: &Salt, text_sha256: &Hash) -> Hash {
    Hash::of(&[&salt.0, &text_sha256.0])
}

/// SHA-256(salt ‖ payload).
#[must_use]
pub fn commitment(salt: &Salt, payload: &str) -> Hash {
    Hash::of(&[&salt.0, payload.as_bytes()])
}

/// Leaf hash of a format, a header where the format has one, a public text and a commitment.
#[must_use]
pub fn leaf_hash(format: u32, header: Option<&str>, public: &str, commitment: &Hash) -> Hash {
    let length = |text: &str| u64::try_from(text.len()).unwrap_or(u64::MAX).to_be_bytes();
    let (format, public_length) = (format.to_be_bytes(), length(public));
    let rest: [&[u8]; 3] = [&public_length, public.as_bytes(), &commitment.0];
    match header {
        None => Hash::of(&[&[&[0], &format[..]][..], &rest].concat()),
        Some(header) => {
            Hash::of(&[&[&[0], &format[..], &length(header), header.as_bytes()][..], &rest].concat())
        }
    }
}
