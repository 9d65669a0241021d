//! Hashed word and character n-grams: features that need no model and serve every language.

use std::collections::BTreeMap;

use assay_text::{Word, normalize, words};

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
    let (mut of_words, mut of_characters) = (Vec::new(), Vec::new());
    visit(text, |hash, name| match name {
        Name::Characters(_) => of_characters.push(hash.folded() % buckets),
        Name::Words(_) | Name::Opens(_) => of_words.push(hash.folded() % buckets),
    });
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

/// The n-grams of a text by their bucket, as people write them: words with spaces, `^word` for one of the first two,
/// `<wo` for characters with a word's ends marked.
#[must_use]
pub fn names(text: &str, buckets: u32) -> BTreeMap<u32, Vec<String>> {
    let mut all: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    if buckets > 0 {
        visit(text, |hash, name| {
            let name = match name {
                Name::Words(words) => words.iter().map(|word| word.text).collect::<Vec<_>>().join(" "),
                Name::Opens(word) => format!("^{word}"),
                Name::Characters(characters) => characters.to_owned(),
            };
            let names = all.entry(hash.folded() % buckets).or_default();
            if !names.contains(&name) {
                names.push(name);
            }
        });
    }
    all
}

/// What an n-gram is made of.
enum Name<'a> {
    Words(&'a [Word<'a>]),
    Opens(&'a str),
    Characters(&'a str),
}

/// Visits every n-gram of a text with its hash.
fn visit(text: &str, mut found: impl FnMut(Hash, Name<'_>)) {
    let folded = normalize(text);
    let words = words(&folded);
    for (at, word) in words.iter().enumerate() {
        let mut hash = Hash::of(b'w');
        for end in at..words.len().min(at + WORDS) {
            hash = hash.with(words[end].text.as_bytes()).with(b"\xff");
            found(hash, Name::Words(&words[at..=end]));
        }
        if let Some(mark) = [b'1', b'2'].get(at) {
            found(Hash::of(*mark).with(word.text.as_bytes()), Name::Opens(word.text));
        }
        characters(word.text, &mut found);
    }
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

/// Visits the character n-grams of a word with its ends marked.
fn characters(word: &str, found: &mut impl FnMut(Hash, Name<'_>)) {
    let marked = format!("<{word}>");
    for (start, _) in marked.char_indices() {
        let mut hash = Hash::of(b'c');
        for (index, (at, c)) in marked[start..].char_indices().take(*CHARACTERS.end()).enumerate() {
            let end = start + at + c.len_utf8();
            hash = hash.with(&marked.as_bytes()[start + at..end]);
            if index + 1 >= *CHARACTERS.start() {
                found(hash, Name::Characters(&marked[start..end]));
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
    fn every_feature_has_a_name() {
        let names = names("Año nuevo", 4096);
        let buckets: Vec<u32> = lexical("Año nuevo", 4096).into_iter().map(|(bucket, _)| bucket).collect();
        assert_eq!(names.keys().copied().collect::<Vec<_>>(), buckets);
        let all: Vec<&str> = names.values().flatten().map(String::as_str).collect();
        for name in ["ano", "ano nuevo", "^nuevo", "<an", "nuevo>"] {
            assert!(all.contains(&name), "{name}: {all:?}");
        }
    }

    #[test]
    fn an_empty_text_has_no_features() {
        assert!(lexical(" ?! ", 4096).is_empty());
    }
}
