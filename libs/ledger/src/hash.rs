//! The hash of the log: SHA-256 with the domain separation of RFC 6962 §2.1.

use sha2::{Digest, Sha256};

/// A SHA-256 value; text form is 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hash(pub [u8; 32]);

impl Hash {
    /// SHA-256 of the concatenation of the parts.
    #[must_use]
    pub fn of(parts: &[&[u8]]) -> Self {
        let mut hasher = Sha256::new();
        for part in parts {
            hasher.update(part);
        }
        Self(hasher.finalize().into())
    }

    /// Hash of a leaf: SHA-256(0x00 ‖ data).
    #[must_use]
    pub fn leaf(data: &[u8]) -> Self {
        Self::of(&[&[0], data])
    }

    /// Hash of an inner node: SHA-256(0x01 ‖ left ‖ right).
    #[must_use]
    pub fn node(left: &Self, right: &Self) -> Self {
        Self::of(&[&[1], &left.0, &right.0])
    }

    /// Root of the tree without leaves: SHA-256 of nothing.
    #[must_use]
    pub fn empty_root() -> Self {
        Self::of(&[])
    }

    /// Parses 64 lower-case hexadecimal digits; `None` for any other text.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Self> {
        if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return None;
        }
        let mut bytes = [0; 32];
        hex::decode_to_slice(text, &mut bytes).ok()?;
        Some(Self(bytes))
    }

    /// Takes exactly 32 bytes; `None` for any other length.
    #[must_use]
    pub fn from_slice(bytes: &[u8]) -> Option<Self> {
        <[u8; 32]>::try_from(bytes).ok().map(Self)
    }

    /// The 32 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl std::fmt::Display for Hash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl std::fmt::Debug for Hash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl serde::Serialize for Hash {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Hash {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        Self::from_hex(&text).ok_or_else(|| serde::de::Error::custom("not 64 lower-case hexadecimal digits"))
    }
}
