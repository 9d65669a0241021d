//! Hashes of words, and sets and maps over them.

use std::hash::{BuildHasherDefault, Hasher};

/// A set of word hashes, which need no second hashing.
pub(crate) type Set = std::collections::HashSet<u64, BuildHasherDefault<Same>>;

/// A map over word hashes.
pub(crate) type Map<V> = std::collections::HashMap<u64, V, BuildHasherDefault<Same>>;

/// Passes a hash through.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Same(u64);

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
pub(crate) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    pub(crate) fn push(&mut self, byte: u8) {
        self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }

    pub(crate) fn finish(self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
}

pub(crate) fn hash_bytes(bytes: &[u8]) -> u64 {
    let mut hash = Fnv::default();
    bytes.iter().for_each(|byte| hash.push(*byte));
    hash.finish()
}

/// Hash of a word.
pub(crate) fn hash(word: &str) -> u64 {
    hash_bytes(word.as_bytes())
}

/// Hash of two hashes in order.
pub(crate) fn pair(first: u64, second: u64) -> u64 {
    first.rotate_left(21).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ second
}
