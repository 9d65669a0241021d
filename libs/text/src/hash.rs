//! Hashes words (FNV-1a), and holds sets and maps over such hashes.

use std::hash::{BuildHasherDefault, Hasher};

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

/// An open-addressing set of hashes with linear probing; a hash is its own slot.
#[derive(Debug, Clone, Default)]
pub struct Set {
    /// Slots: a power of two, at most three quarters full; 0 marks a free one.
    places: Vec<u64>,
    length: usize,
    /// Whether the set holds the hash 0, which no slot can.
    zero: bool,
}

impl Set {
    /// Makes room for `count` hashes before it grows.
    #[must_use]
    pub fn with_room(count: usize) -> Self {
        Self { places: vec![0; (count + count / 3 + 1).next_power_of_two().max(8)], length: 0, zero: false }
    }

    /// Slot of a hash, or the free slot for it; there must be one.
    fn place(&self, hash: u64) -> usize {
        let last = self.places.len() - 1;
        // The low bits of such hashes tell them apart.
        #[allow(clippy::cast_possible_truncation)]
        let mut at = hash as usize & last;
        while self.places[at] != 0 && self.places[at] != hash {
            at = (at + 1) & last;
        }
        at
    }

    /// Adds a hash.
    pub fn insert(&mut self, hash: u64) {
        if hash == 0 {
            self.zero = true;
            return;
        }
        if 4 * (self.length + 1) > 3 * self.places.len() {
            self.grow();
        }
        let at = self.place(hash);
        if self.places[at] == 0 {
            self.places[at] = hash;
            self.length += 1;
        }
    }

    #[cold]
    fn grow(&mut self) {
        let grown = Self::with_room(2 * self.places.len());
        let old = std::mem::replace(self, Self { zero: self.zero, ..grown });
        old.places.into_iter().filter(|hash| *hash != 0).for_each(|hash| self.insert(hash));
    }

    /// All hashes, in no order.
    pub fn iter(&self) -> impl Iterator<Item = u64> + '_ {
        self.zero.then_some(0).into_iter().chain(self.places.iter().copied().filter(|hash| *hash != 0))
    }

    /// Whether it holds a hash.
    #[must_use]
    pub fn contains(&self, hash: &u64) -> bool {
        if *hash == 0 {
            return self.zero;
        }
        !self.places.is_empty() && self.places[self.place(*hash)] == *hash
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_set_holds_what_was_put_in_and_nothing_else(
            room in 0_usize..20,
            hashes in prop::collection::vec(prop_oneof![0_u64..40, any::<u64>(), Just(u64::MAX)], 0..200),
            asked in prop::collection::vec(0_u64..60, 0..60),
        ) {
            let mut set = if room == 0 { Set::default() } else { Set::with_room(room) };
            let mut known = std::collections::HashSet::new();
            for hash in hashes {
                set.insert(hash);
                known.insert(hash);
            }
            prop_assert_eq!(&set.iter().collect::<std::collections::HashSet<_>>(), &known);
            prop_assert_eq!(set.iter().count(), known.len());
            for hash in asked.iter().chain(&known) {
                prop_assert_eq!(set.contains(hash), known.contains(hash));
            }
        }
    }
}
