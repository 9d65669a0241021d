//! Words that a paraphrase puts for one another.

use super::lines;
use crate::ablation::list;
use crate::index::BloomFilter;
use crate::language::Language;
use crate::tokens::{self, Map, Tokenizer};
use std::sync::LazyLock;

/// Words that may stand for one another. A line that begins with `=` holds among all its words; any other line between its
/// first word and each of the others.
pub(super) const SYNONYMS: [(Language, &str); 2] = [
    (Language::English, include_str!("../../data/synonyms-en.txt")),
    (Language::Spanish, include_str!("../../data/synonyms-es.txt")),
];

/// Stems with the stems that may stand for them.
static STAND_INS: LazyLock<Map<Vec<u64>>> = LazyLock::new(|| {
    let mut table: Map<Vec<u64>> = Map::default();
    for (language, text) in SYNONYMS {
        let tokenizer = Tokenizer::new(Some(language));
        // Most words stand in several lines.
        let mut known: Map<u64> = Map::default();
        let mut stem =
            |word: &str| *known.entry(tokens::hash(word)).or_insert_with(|| tokenizer.stem_hash(word));
        for line in lines(list("synonyms", text)) {
            let (line, all) = line.strip_prefix('=').map_or((line, false), |line| (line, true));
            let mut rest: Vec<u64> = line.split_whitespace().map(&mut stem).collect();
            while let Some((&head, others)) = rest.split_first() {
                for &other in others.iter().filter(|other| **other != head) {
                    table.entry(head).or_default().push(other);
                    table.entry(other).or_default().push(head);
                }
                if !all {
                    break;
                }
                rest.remove(0);
            }
        }
    }
    for others in table.values_mut() {
        others.sort_unstable();
        others.dedup();
    }
    table
});

/// Stems that may stand for a stem.
pub fn synonyms(stem: u64) -> &'static [u64] {
    STAND_INS.get(&stem).map_or(&[], Vec::as_slice)
}

/// Whether two stems may stand for one another.
pub fn synonymous(one: u64, two: u64) -> bool {
    one == two || (PAIRS.may_hold(one ^ two) && synonyms(one).binary_search(&two).is_ok())
}

/// Which differences of two stems that may stand for one another there are: most pairs that are asked for have another.
static PAIRS: LazyLock<BloomFilter> = LazyLock::new(|| {
    let pairs = || STAND_INS.iter().flat_map(|(one, others)| others.iter().map(move |other| one ^ other));
    let mut bits = BloomFilter::of_bytes(8 * pairs().count());
    pairs().for_each(|pair| bits.add(pair));
    bits
});
