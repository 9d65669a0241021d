//! Words that tell statements apart: opposites, and words of one kind.

use super::lines;
use crate::ablation::list;
use crate::language::Language;
use crate::tokens::{self, Map, Tokenizer};
use std::sync::LazyLock;

/// Words on one side of a slash mean the opposite of each on the other side.
pub(super) const OPPOSITES: [(Language, &str); 2] = [
    (Language::English, include_str!("../../data/opposites-en.txt")),
    (Language::Spanish, include_str!("../../data/opposites-es.txt")),
];
/// Words of one kind, of which a statement names one: a set a line, what says the same joined by `=`.
pub(super) const KINDS: [(Language, &str); 2] = [
    (Language::English, include_str!("../../data/kinds-en.txt")),
    (Language::Spanish, include_str!("../../data/kinds-es.txt")),
];

/// The hashes by which a token may show a word: as it is and by its stem in either language, for names are the same in both.
fn shown(word: &str, tokenizers: &[Tokenizer<'_>; 2]) -> Vec<u64> {
    let mut hashes = vec![tokens::hash(word)];
    hashes.extend(tokenizers.iter().map(|tokenizer| tokenizer.stem_hash(word)));
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

fn tokenizers() -> [Tokenizer<'static>; 2] {
    [Language::English, Language::Spanish].map(|language| Tokenizer::new(Some(language)))
}

/// Words by their hashes, with the hashes of their opposites, sorted.
static AGAINST: LazyLock<Map<Vec<u64>>> = LazyLock::new(|| {
    let mut table: Map<Vec<u64>> = Map::default();
    for (language, text) in OPPOSITES {
        let tokenizer = Tokenizer::new(Some(language));
        for (one, other) in lines(list("opposites", text)).filter_map(|line| line.split_once('/')) {
            let hashes = |side: &str| -> Vec<u64> {
                side.split_whitespace()
                    .flat_map(|word| [tokens::hash(word), tokenizer.stem_hash(word)])
                    .collect()
            };
            let (ones, others) = (hashes(one), hashes(other));
            ones.iter().for_each(|hash| table.entry(*hash).or_default().extend(&others));
            others.iter().for_each(|hash| table.entry(*hash).or_default().extend(&ones));
        }
    }
    for others in table.values_mut() {
        others.sort_unstable();
        others.dedup();
    }
    table
});

/// Stems of the words that mean the opposite of a stem, sorted.
pub fn opposites(stem: u64) -> &'static [u64] {
    AGAINST.get(&stem).map_or(&[], Vec::as_slice)
}

/// Words of the kinds by their hashes: the sets that they are in, and what they say there.
static MEMBERS: LazyLock<Map<Vec<(u16, u16)>>> = LazyLock::new(|| {
    let tokenizers = tokenizers();
    let mut table: Map<Vec<(u16, u16)>> = Map::default();
    for (set, line) in (0..).zip(KINDS.into_iter().flat_map(|(_, text)| lines(list("kinds", text)))) {
        for (member, words) in (0..).zip(line.split_whitespace()) {
            for hash in words.split('=').flat_map(|word| shown(word, &tokenizers)) {
                table.entry(hash).or_default().push((set, member));
            }
        }
    }
    table
});

/// Whether two stems are different members of one set of words of a kind: a statement about the one is none about the other.
pub fn rivals(one: u64, two: u64) -> bool {
    if one == two {
        return false;
    }
    let (Some(mine), Some(theirs)) = (MEMBERS.get(&one), MEMBERS.get(&two)) else { return false };
    let met = |(set, member): &(u16, u16), test: fn(u16, u16) -> bool| {
        theirs.iter().any(|(other, said)| set == other && test(*member, *said))
    };
    mine.iter().any(|place| met(place, |one, two| one != two))
        && !mine.iter().any(|place| met(place, |one, two| one == two))
}
