//! What the lists of this crate know of a word, found with one look-up when the word is read: rules and measures then ask
//! a bit of a token instead of searching a list for every token that they see.

use std::sync::LazyLock;

use crate::tokens::{self, Map};
use crate::{cues, language, lists, marks, quantifiers, rates};

/// Has no content of its own.
pub const STOP: u64 = 1;
/// Denies what follows.
pub const DENIES: u64 = 1 << 1;
/// May be a quantifier or a modal.
pub const BOUNDS: u64 = 1 << 2;
/// Denies by its meaning.
pub const SOFT: u64 = 1 << 3;
/// Denies for a case.
pub const CONDITIONAL: u64 = 1 << 4;
/// Says where a claim comes from.
pub const REFERENCE: u64 = 1 << 5;
/// The same where a number follows.
pub const NUMBERED: u64 = 1 << 6;
/// Begins a part of a claim.
pub const PART: u64 = 1 << 7;
/// Begins a clause for the measures.
pub const CLAUSE: u64 = 1 << 8;
/// Speaks about the passages.
pub const META: u64 = 1 << 9;
/// Hedges.
pub const HEDGE: u64 = 1 << 10;
/// Draws a conclusion.
pub const CONCLUSION: u64 = 1 << 11;
/// Advises.
pub const ADVICE: u64 = 1 << 12;
/// Addresses the reader.
pub const ADDRESS: u64 = 1 << 13;
/// Says nothing by itself.
pub const FILLER: u64 = 1 << 14;

/// May take something out of what is said.
pub const EXCEPTS: u64 = 1 << 15;
/// Stands before the one who does it.
pub const PASSIVE: u64 = 1 << 16;

/// Bits of words as they are written: the word that a phrase reads as does not lend it its own.
pub const WRITTEN: u64 = PASSIVE | MEASURES | TOTAL | DIFFERENCE | RATES;

/// Is written to the word before it, with nothing or a mark between: the parts of "500-750", the unit of "30s". No list knows it:
/// it is told where the text is cut.
pub const JOINED: u64 = 1 << 18;

/// Goes on the figure before it: the groups of "50 000", the part of "4 1/2". Told when a text is cut, as well.
pub const FIGURE: u64 = 1 << 19;

/// A figure may begin with it: digits, a number word, or an article.
pub const COUNTS: u64 = 1 << 20;
/// A roundabout figure may begin with it: the same, a part, or a unit.
pub const MEASURES: u64 = 1 << 21;
/// A text without such a word has no roundabout figure and no rate: digits, number words, parts, units, periods.
pub const AMOUNT: u64 = 1 << 22;

/// Speaks of a total.
pub const TOTAL: u64 = 1 << 23;
/// Speaks of a difference.
pub const DIFFERENCE: u64 = 1 << 24;

/// May begin or be a rate, or count one.
pub const RATES: u64 = 1 << 25;

/// The bits with their lists of folded words.
const ROWS: &[(u64, &[&str])] = &[
    (STOP, language::ENGLISH),
    (STOP, language::SPANISH),
    (DENIES, lists::NEGATORS),
    (BOUNDS, quantifiers::WORDS),
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
    (FILLER, marks::FILLERS),
    (EXCEPTS | SOFT | CONDITIONAL, lists::EXCEPTS),
    (PASSIVE, lists::PASSIVE),
    (TOTAL, lists::TOTALS),
    (DIFFERENCE, lists::DIFFERENCES),
];

static TABLE: LazyLock<Map<u64>> = LazyLock::new(|| {
    let mut table: Map<u64> = Map::default();
    for (bit, words) in ROWS {
        for word in *words {
            *table.entry(tokens::hash(word)).or_default() |= bit;
        }
    }
    table
});

/// The bits of a folded word with a hash.
pub fn of(folded: u64, norm: &str) -> u64 {
    let listed = TABLE.get(&folded).copied().unwrap_or_default();
    let bit = |set: bool, bit: u64| if set { bit } else { 0 };
    let flags = listed | bit(rates::tells_a_rate(norm), RATES) | bit(rates::names_a_period(norm), AMOUNT);
    if norm.ends_with("n't") || norm.ends_with("n'ts") { flags | DENIES } else { flags }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_listed_words_have_their_bit() {
        for (bit, words) in ROWS {
            for word in *words {
                assert_ne!(of(tokens::hash(word), word) & bit, 0, "{word}");
            }
        }
        assert_eq!(of(tokens::hash("gearbox"), "gearbox"), 0);
        assert_eq!(of(tokens::hash("hadn't"), "hadn't"), DENIES);
    }
}
