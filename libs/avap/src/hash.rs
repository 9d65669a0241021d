//! A fast hash for names: short texts, hashed a word at a time. Its seed is where a static of this process lies, so
//! that names cannot be chosen from outside to collide.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hasher};

/// A map by name.
pub(crate) type NameMap<K, V> = HashMap<K, V, Seeded>;
/// A set of names.
pub(crate) type NameSet<K> = HashSet<K, Seeded>;

static ANCHOR: u8 = 0;

/// Makes hashers with the seed of this process.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Seeded;

impl BuildHasher for Seeded {
    type Hasher = NameHasher;

    fn build_hasher(&self) -> NameHasher {
        NameHasher(seed())
    }
}

/// The seed of this process.
#[inline]
pub(crate) fn seed() -> u64 {
    std::ptr::from_ref(&ANCHOR).addr() as u64 ^ 0x9E37_79B9_7F4A_7C15
}

/// An odd number without a pattern.
pub(crate) const SPREAD: u64 = 0xA076_1D64_78BD_642F;

/// Mixes two words by a 128-bit product.
#[inline]
pub(crate) fn mix(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    (product as u64) ^ ((product >> 64) as u64)
}

/// Folds each word of the text into the state by a 128-bit product.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NameHasher(u64);

impl NameHasher {
    fn fold(&mut self, word: u64) {
        self.0 = mix(self.0 ^ word, SPREAD);
    }
}

impl Hasher for NameHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some((chunk, more)) = rest.split_first_chunk::<8>() {
            self.fold(u64::from_le_bytes(*chunk));
            rest = more;
        }
        // Two halves that may overlap, or three bytes that may be the same, make a word without a copy.
        let byte = |at: usize| rest.get(at).map_or(0, |byte| u64::from(*byte) << (8 * at));
        let last = match (rest.first_chunk::<4>(), rest.last_chunk::<4>()) {
            (Some(first), Some(last)) => {
                u64::from(u32::from_le_bytes(*first))
                    | u64::from(u32::from_le_bytes(*last)) << (8 * (rest.len() - 4))
            }
            _ => byte(0) | byte(1) | byte(2),
        };
        self.fold(last ^ (bytes.len() as u64) << 56);
    }

    fn write_u8(&mut self, byte: u8) {
        // The end mark of a text says nothing that its length has not said.
        let _ = byte;
    }

    fn write_u64(&mut self, value: u64) {
        self.fold(value);
    }

    fn write_u32(&mut self, value: u32) {
        self.fold(u64::from(value));
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_hash_apart() {
        let hash = |name: &str| Seeded.hash_one(name);
        let names: Vec<String> =
            (0..20_000).map(|i| format!("v{i}")).chain((0..20_000).map(|i| format!("name_{i}_x"))).collect();
        let hashes: HashSet<u64> = names.iter().map(|name| hash(name)).collect();
        assert_eq!(hashes.len(), names.len());
        // The low bits, by which tables are indexed, are spread as well.
        let low: HashSet<u64> = names.iter().map(|name| hash(name) & 0xFFFF).collect();
        assert!(low.len() > 25_000, "{}", low.len());
        assert_ne!(hash(""), hash("\0"));
        assert_ne!(hash("a"), hash("a\0"));
    }
}
