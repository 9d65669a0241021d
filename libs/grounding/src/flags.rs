//! What the lists of this crate know of a word, found with one look-up when the word is read: rules and measures then ask
//! a bit of a token instead of searching a list for every token that they see.

use std::sync::LazyLock;

use crate::tokens::{self, Map};
use crate::{features, language, lists, quantifiers, rules};

/// Has no content of its own.
pub(crate) const STOP: u32 = 1;
/// Denies what follows.
pub(crate) const DENIES: u32 = 1 << 1;
/// May be a quantifier or a modal.
pub(crate) const BOUNDS: u32 = 1 << 2;
/// Denies by its meaning.
pub(crate) const SOFT: u32 = 1 << 3;
/// Denies for a case.
pub(crate) const CONDITIONAL: u32 = 1 << 4;
/// Says where a claim comes from.
pub(crate) const REFERENCE: u32 = 1 << 5;
/// The same where a number follows.
pub(crate) const NUMBERED: u32 = 1 << 6;
/// Begins a part of a claim.
pub(crate) const PART: u32 = 1 << 7;
/// Begins a clause that stands with something.
pub(crate) const BOUND_CLAUSE: u32 = 1 << 8;
/// Begins a clause for the measures.
pub(crate) const CLAUSE: u32 = 1 << 9;
/// Speaks about the passages.
pub(crate) const META: u32 = 1 << 10;
/// Hedges.
pub(crate) const HEDGE: u32 = 1 << 11;
/// Draws a conclusion.
pub(crate) const CONCLUSION: u32 = 1 << 12;
/// Advises.
pub(crate) const ADVICE: u32 = 1 << 13;
/// Addresses the reader.
pub(crate) const ADDRESS: u32 = 1 << 14;
/// Says nothing by itself.
pub(crate) const FILLER: u32 = 1 << 15;

/// Says how much, how bindingly or in which case without being a quantifier or a modal.
pub(crate) const EXTENT: u32 = 1 << 16;

/// Stands before a noun.
pub(crate) const DETERMINER: u32 = 1 << 17;
/// Says how a thing has part in what happens.
pub(crate) const PREPOSITION: u32 = 1 << 18;
/// Joins things.
pub(crate) const JOINER: u32 = 1 << 19;
/// Takes over what another clause says.
pub(crate) const ALSO: u32 = 1 << 20;
/// Begins a clause that denies or affirms by itself.
pub(crate) const BEGINS: u32 = 1 << 21;
/// Is a finite verb that tells a clause from a list.
pub(crate) const FINITE: u32 = 1 << 22;
/// Joins clauses or words alike.
pub(crate) const AND: u32 = 1 << 23;
/// Says that something holds for a case only.
pub(crate) const LIMIT: u32 = 1 << 24;

/// Bits of words as they are written: the word that a phrase reads as does not lend it its own.
pub(crate) const WRITTEN: u32 = DETERMINER | PREPOSITION | JOINER | ALSO | BEGINS | FINITE | AND | LIMIT;
/// May take something out of what is said.
pub(crate) const EXCEPTS: u32 = 1 << 25;

/// May begin a limit in time.
pub(crate) const LASTING: u32 = 1 << 26;

/// Names days of the week.
pub(crate) const WEEK: u32 = 1 << 27;

/// The bits with their lists of folded words.
const ROWS: &[(u32, &[&str])] = &[
    (STOP, language::ENGLISH),
    (STOP, language::SPANISH),
    (DENIES, lists::NEGATORS),
    (BOUNDS, quantifiers::WORDS),
    (SOFT, lists::SOFT_NEGATORS),
    (CONDITIONAL, rules::CONDITIONAL),
    (REFERENCE, lists::REFERENCES),
    (NUMBERED, lists::NUMBERED),
    (PART, rules::PART_JOINERS),
    (BOUND_CLAUSE, rules::CLAUSE_JOINERS),
    (CLAUSE, features::JOINERS),
    (META, features::META_CUES),
    (HEDGE, features::HEDGES),
    (CONCLUSION, features::CONCLUSIONS),
    (ADVICE, features::ADVICE),
    (ADDRESS, features::ADDRESS),
    (FILLER, rules::FILLERS),
    (EXTENT, rules::EXTENT),
    (DETERMINER, rules::DETERMINERS),
    (PREPOSITION, rules::PREPOSITIONS),
    (JOINER, rules::JOINERS),
    (ALSO, rules::ALSO),
    (BEGINS, rules::DENIAL_BEGINS),
    (FINITE, rules::DENIAL_FINITE),
    (AND, rules::DENIAL_AND),
    (LIMIT, rules::DENIAL_LIMITS),
    (EXCEPTS, rules::EXCEPTS),
    (LASTING, rules::LASTING),
    (WEEK, rules::WEEK),
];

static TABLE: LazyLock<Map<u32>> = LazyLock::new(|| {
    let mut table: Map<u32> = Map::default();
    for (bit, words) in ROWS {
        for word in *words {
            *table.entry(tokens::hash(word)).or_default() |= bit;
        }
    }
    table
});

/// The bits of a folded word with a hash.
pub(crate) fn of(folded: u64, norm: &str) -> u32 {
    let flags = TABLE.get(&folded).copied().unwrap_or_default();
    if norm.ends_with("n't") || norm.ends_with("n'ts") { flags | DENIES } else { flags }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_a_list_has_its_bit_and_other_words_have_none() {
        for (bit, words) in ROWS {
            for word in *words {
                assert_ne!(of(tokens::hash(word), word) & bit, 0, "{word}");
            }
        }
        assert_eq!(of(tokens::hash("gearbox"), "gearbox"), 0);
        assert_eq!(of(tokens::hash("hadn't"), "hadn't"), DENIES);
    }
}
