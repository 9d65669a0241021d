//! What a leaf commits to: the public text in the open, the payload only through a salted hash.
//!
//! ```text
//! commitment = SHA-256(salt ‖ payload)                                  salt: 32 bytes
//! leaf data  = version (4 bytes) ‖ length of public (8 bytes) ‖ public ‖ commitment      numbers big-endian
//! leaf       = SHA-256(0x00 ‖ leaf data)                                RFC 6962
//! ```
//!
//! With salt and payload erased, the commitment is 32 bytes of chance and the leaf still verifies.

use crate::hash::Hash;

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

/// Leaf hash of a record: its format version, its public text and the commitment to its payload.
#[must_use]
pub fn record_leaf(version: u32, public: &str, commitment: &Hash) -> Hash {
    let length = u64::try_from(public.len()).unwrap_or(u64::MAX);
    Hash::of(&[&[0], &version.to_be_bytes(), &length.to_be_bytes(), public.as_bytes(), &commitment.0])
}
