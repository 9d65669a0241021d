//! Hashed word and character n-grams: features that need no model and serve every language.

use std::collections::BTreeMap;

use assay_text::{normalize, words};

/// A sparse vector: bucket and weight, by bucket, of unit length (or empty).
pub type Sparse = Vec<(u32, f32)>;

/// Features of a text in `buckets` buckets: words, pairs of neighbouring words, the first two words with a mark, and
/// character 3- to 5-grams inside words; weights are 1 + ln(count), the vector has unit length.
#[must_use]
pub fn lexical(text: &str, buckets: u32) -> Sparse {
    if buckets == 0 {
        return Vec::new();
    }
    let folded = normalize(text);
    let words = words(&folded);
    let mut counts: BTreeMap<u32, f32> = BTreeMap::new();
    let mut add = |kind: u8, parts: &[&str], weight: f32| {
        *counts.entry(hash(kind, parts) % buckets).or_insert(0.0) += weight;
    };
    for (index, word) in words.iter().enumerate() {
        add(b'w', &[word.text], 2.0);
        if index < 2 {
            add(b'f', &[if index == 0 { "1" } else { "2" }, word.text], 1.0);
        }
        if let Some(next) = words.get(index + 1) {
            add(b'b', &[word.text, next.text], 1.0);
        }
        grams(word.text, |gram| add(b'c', &[gram], 0.3));
    }
    let mut sparse: Sparse = counts.into_iter().map(|(bucket, count)| (bucket, (1.0 + count).ln())).collect();
    let norm = sparse.iter().map(|(_, value)| value * value).sum::<f32>().sqrt();
    if norm > 0.0 {
        sparse.iter_mut().for_each(|(_, value)| *value /= norm);
    }
    sparse
}

/// Character 3- to 5-grams of a word with its ends marked.
fn grams(word: &str, mut found: impl FnMut(&str)) {
    let marked = format!("<{word}>");
    let starts: Vec<usize> = marked.char_indices().map(|(at, _)| at).chain([marked.len()]).collect();
    for size in 3..=5 {
        for window in starts.windows(size + 1) {
            if let (Some(from), Some(to)) = (window.first(), window.last()) {
                found(&marked[*from..*to]);
            }
        }
    }
}

/// FNV-1a over the kind and the parts, with the upper half folded in.
fn hash(kind: u8, parts: &[&str]) -> u32 {
    let mut state: u64 = 0xcbf2_9ce4_8422_2325;
    let mut eat = |byte: u8| state = (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    eat(kind);
    for part in parts {
        part.bytes().for_each(&mut eat);
        eat(0xff);
    }
    ((state >> 32) ^ (state & 0xffff_ffff)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_have_unit_length_are_sorted_and_repeatable() {
        let features = lexical("How does addParam work?", 4096);
        assert_eq!(features, lexical("  how DOES addparam work", 4096));
        assert!(features.windows(2).all(|pair| pair[0].0 < pair[1].0));
        let norm: f32 = features.iter().map(|(_, value)| value * value).sum();
        assert!((norm - 1.0).abs() < 1e-5);
    }

    #[test]
    fn an_empty_text_has_no_features() {
        assert!(lexical(" ?! ", 4096).is_empty());
    }
}
