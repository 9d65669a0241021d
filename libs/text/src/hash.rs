//! Hashes words (FNV-1a), and holds sets and maps over such hashes.

use std::hash::{BuildHasherDefault, Hasher};

/// A set of word hashes.
pub type Set = std::collections::HashSet<u64, BuildHasherDefault<Same>>;

/// A map over word hashes.
pub type Map<V> = std::collections::HashMap<u64, V, BuildHasherDefault<Same>>;

/// A hasher that passes a hash through.
#[derive(Debug, Default, Clone, Copy)]
pub struct Same(u64);

impl Hasher for Same {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        self.0 = hash_bytes(bytes);
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

/// FNV-1a, 64 bits, with a final mix.
#[derive(Debug, Clone, Copy)]
pub struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    /// Takes one byte in.
    pub fn push(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }

    /// The hash of all bytes so far.
    #[must_use]
    pub fn finish(self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}

/// Hashes bytes; equal to [`hash`] of the same text.
#[must_use]
pub fn hash_bytes(bytes: &[u8]) -> u64 {
    let mut hash = Fnv::default();
    bytes.iter().for_each(|byte| hash.push(*byte));
    hash.finish()
}

/// Hashes a word.
#[must_use]
pub fn hash(word: &str) -> u64 {
    hash_bytes(word.as_bytes())
}

/// Joins two hashes into one, in order.
#[must_use]
pub fn pair(first: u64, second: u64) -> u64 {
    first.rotate_left(21).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ second
}
