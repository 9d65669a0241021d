//! A Bloom filter over word hashes (one probe): false positives only.

/// A bit of a word's hash.
pub fn bit(hash: u64) -> u64 {
    1 << (hash % 64)
}

/// The same for a text as short as a sentence, without a place in memory of its own.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Bits {
    /// The bits of all: most that are asked for have another.
    all: u64,
    /// The same by eight parts of the hashes.
    parts: [u64; 8],
}

impl FromIterator<u64> for Bits {
    fn from_iter<I: IntoIterator<Item = u64>>(hashes: I) -> Self {
        let mut bits = Self::default();
        for hash in hashes {
            bits.all |= bit(hash);
            bits.parts[Self::part(hash)] |= bit(hash);
        }
        bits
    }
}

impl Bits {
    fn part(hash: u64) -> usize {
        usize::try_from(hash >> 6 & 7).unwrap_or_default()
    }

    /// Whether a hash may be in it.
    pub fn may_hold(&self, hash: u64) -> bool {
        self.all & bit(hash) != 0 && self.parts[Self::part(hash)] & bit(hash) != 0
    }
}

/// A Bloom filter over the words of all sources: a miss spares the look-up in every source.
#[derive(Debug, Clone, Default)]
pub struct BloomFilter {
    /// A power of two of them; none in an empty set.
    bits: Vec<u64>,
}

impl BloomFilter {
    /// For texts of so many bytes: one bit in eight is set, about.
    pub fn of_bytes(bytes: usize) -> Self {
        Self { bits: vec![0; (bytes / 48).next_power_of_two().max(16)] }
    }

    fn place(&self, hash: u64) -> Option<usize> {
        let last = self.bits.len().checked_sub(1)?;
        usize::try_from(hash >> 6 & u64::try_from(last).unwrap_or_default()).ok()
    }

    /// Adds a hash.
    pub fn add(&mut self, hash: u64) {
        if let Some(word) = self.place(hash).and_then(|place| self.bits.get_mut(place)) {
            *word |= bit(hash);
        }
    }

    /// Whether a hash may be in it.
    pub fn may_hold(&self, hash: u64) -> bool {
        self.place(hash).and_then(|place| self.bits.get(place)).is_some_and(|word| word & bit(hash) != 0)
    }
}
