//! Hashed word and character n-grams: features that need no model and serve every language.

use assay_text::{normalize, words};

/// A sparse vector: bucket and weight, by bucket; empty for a text without words.
pub type Sparse = Vec<(u32, f32)>;

/// Most words of a word n-gram.
const WORDS: usize = 3;
/// Fewest and most characters of a character n-gram.
const CHARACTERS: std::ops::RangeInclusive<usize> = 2..=6;

/// Features of a text in `buckets` buckets, in two groups of unit length: word 1- to 3-grams with the first two words
/// marked, and character 2- to 6-grams inside words. A bucket weighs 1 + ln(count) before its group is scaled.
#[must_use]
pub fn lexical(text: &str, buckets: u32) -> Sparse {
    if buckets == 0 {
        return Vec::new();
    }
    let folded = normalize(text);
    let words = words(&folded);
    let (mut of_words, mut of_characters) = (Vec::new(), Vec::new());
    for (at, word) in words.iter().enumerate() {
        let mut hash = Hash::of(b'w');
        for word in words[at..].iter().take(WORDS) {
            hash = hash.with(word.text.as_bytes()).with(b"\xff");
            of_words.push(hash.folded() % buckets);
        }
        if let Some(mark) = [b'1', b'2'].get(at) {
            of_words.push(Hash::of(*mark).with(word.text.as_bytes()).folded() % buckets);
        }
        grams(word.text, |hash| of_characters.push(hash.folded() % buckets));
    }
    let mut all = unit(of_words);
    all.extend(unit(of_characters));
    all.sort_unstable_by_key(|(bucket, _)| *bucket);
    all.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    all
}

/// Counts buckets and scales their weights to unit length.
fn unit(mut buckets: Vec<u32>) -> Sparse {
    buckets.sort_unstable();
    let mut sparse: Sparse =
        buckets.chunk_by(|a, b| a == b).map(|same| (same[0], 1.0 + (same.len() as f32).ln())).collect();
    let norm = sparse.iter().map(|(_, value)| value * value).sum::<f32>().sqrt();
    if norm > 0.0 {
        sparse.iter_mut().for_each(|(_, value)| *value /= norm);
    }
    sparse
}

/// Character n-grams of a word with its ends marked.
fn grams(word: &str, mut found: impl FnMut(Hash)) {
    let marked = format!("<{word}>");
    for (start, _) in marked.char_indices() {
        let mut hash = Hash::of(b'c');
        for (index, c) in marked[start..].chars().take(*CHARACTERS.end()).enumerate() {
            hash = hash.with(c.encode_utf8(&mut [0; 4]).as_bytes());
            if index + 1 >= *CHARACTERS.start() {
                found(hash);
            }
        }
    }
}

/// FNV-1a, 64 bits.
#[derive(Clone, Copy)]
struct Hash(u64);

impl Hash {
    fn of(kind: u8) -> Self {
        Self(0xcbf2_9ce4_8422_2325).with(&[kind])
    }

    fn with(self, bytes: &[u8]) -> Self {
        Self(
            bytes
                .iter()
                .fold(self.0, |state, byte| (state ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)),
        )
    }

    /// Its upper half folded into the lower.
    fn folded(self) -> u32 {
        ((self.0 >> 32) ^ (self.0 & 0xffff_ffff)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_sorted_repeatable_and_have_two_groups_of_unit_length() {
        let features = lexical("How does addParam work?", 4096);
        assert_eq!(features, lexical("  how DOES addparam work", 4096));
        assert!(features.windows(2).all(|pair| pair[0].0 < pair[1].0));
        let apart = lexical("How does addParam work?", u32::MAX);
        let norm: f32 = apart.iter().map(|(_, value)| value * value).sum();
        assert!((norm - 2.0).abs() < 1e-4, "{norm}");
    }

    #[test]
    fn an_empty_text_has_no_features() {
        assert!(lexical(" ?! ", 4096).is_empty());
    }
}
