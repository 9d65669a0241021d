//! Finds the bits of a word with one look-up, when the word is read.

use std::sync::LazyLock;

use assay_text::hash::{Map, hash};

use crate::flags::{
    ADDRESS, ADVICE, AMOUNT, BOUNDS, CLAUSE, CONCLUSION, CONDITIONAL, DENIES, DIFFERENCE, EXCEPTS, FILLER,
    HEDGE, META, NUMBERED, PART, PASSIVE, RATES, REFERENCE, SOFT, STOP, TOTAL,
};
use crate::{cues, language, lists, quantifiers, rates};

/// The bits with their lists of folded words.
const ROWS: &[(u64, &[&str])] = &[
    (STOP, language::ENGLISH),
    (STOP, language::SPANISH),
    (DENIES, lists::NEGATORS),
    (BOUNDS, quantifiers::words::WORDS),
    (SOFT, lists::SOFT_NEGATORS),
    (CONDITIONAL, lists::CONDITIONAL),
    (REFERENCE, lists::REFERENCES),
    (NUMBERED, lists::NUMBERED),
    (PART, lists::PART_JOINERS),
    (CLAUSE, cues::JOINERS),
    (META, cues::META_CUES),
    (HEDGE, cues::HEDGES),
    (CONCLUSION, cues::CONCLUSIONS),
    (ADVICE, cues::ADVICE),
    (ADDRESS, cues::ADDRESS),
    (FILLER, lists::FILLERS),
    (EXCEPTS | SOFT | CONDITIONAL, lists::EXCEPTS),
    (PASSIVE, lists::PASSIVE),
    (TOTAL, lists::TOTALS),
    (DIFFERENCE, lists::DIFFERENCES),
];

static TABLE: LazyLock<Map<u64>> = LazyLock::new(|| {
    let mut table: Map<u64> = Map::default();
    for (bit, words) in ROWS {
        for word in *words {
            *table.entry(hash(word)).or_default() |= bit;
        }
    }
    table
});

/// The bits of a folded word with a hash.
pub(crate) fn of(folded: u64, norm: &str) -> u64 {
    let listed = TABLE.get(&folded).copied().unwrap_or_default();
    let bit = |set: bool, bit: u64| if set { bit } else { 0 };
    let flags = listed
        | bit(rates::words::tells_a_rate(norm), RATES)
        | bit(rates::words::names_a_period(norm), AMOUNT);
    if norm.ends_with("n't") || norm.ends_with("n'ts") { flags | DENIES } else { flags }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_listed_words_have_their_bit() {
        for (bit, words) in ROWS {
            for word in *words {
                assert_ne!(of(hash(word), word) & bit, 0, "{word}");
            }
        }
        assert_eq!(of(hash("gearbox"), "gearbox"), 0);
        assert_eq!(of(hash("hadn't"), "hadn't"), DENIES);
    }
}
