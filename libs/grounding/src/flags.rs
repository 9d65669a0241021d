//! What the lists of this crate know of a word, found with one look-up when the word is read: rules and measures then ask
//! a bit of a token instead of searching a list for every token that they see.

use std::sync::LazyLock;

use crate::tokens::{self, Map};
use crate::{features, language, lists, quantifiers, rules};

/// Has no content of its own.
pub(crate) const STOP: u64 = 1;
/// Denies what follows.
pub(crate) const DENIES: u64 = 1 << 1;
/// May be a quantifier or a modal.
pub(crate) const BOUNDS: u64 = 1 << 2;
/// Denies by its meaning.
pub(crate) const SOFT: u64 = 1 << 3;
/// Denies for a case.
pub(crate) const CONDITIONAL: u64 = 1 << 4;
/// Says where a claim comes from.
pub(crate) const REFERENCE: u64 = 1 << 5;
/// The same where a number follows.
pub(crate) const NUMBERED: u64 = 1 << 6;
/// Begins a part of a claim.
pub(crate) const PART: u64 = 1 << 7;
/// Begins a clause that stands with something.
pub(crate) const BOUND_CLAUSE: u64 = 1 << 8;
/// Begins a clause for the measures.
pub(crate) const CLAUSE: u64 = 1 << 9;
/// Speaks about the passages.
pub(crate) const META: u64 = 1 << 10;
/// Hedges.
pub(crate) const HEDGE: u64 = 1 << 11;
/// Draws a conclusion.
pub(crate) const CONCLUSION: u64 = 1 << 12;
/// Advises.
pub(crate) const ADVICE: u64 = 1 << 13;
/// Addresses the reader.
pub(crate) const ADDRESS: u64 = 1 << 14;
/// Says nothing by itself.
pub(crate) const FILLER: u64 = 1 << 15;

/// Says how much, how bindingly or in which case without being a quantifier or a modal.
pub(crate) const EXTENT: u64 = 1 << 16;

/// Stands before a noun.
pub(crate) const DETERMINER: u64 = 1 << 17;
/// Says how a thing has part in what happens.
pub(crate) const PREPOSITION: u64 = 1 << 18;
/// Joins things.
pub(crate) const JOINER: u64 = 1 << 19;
/// Takes over what another clause says.
pub(crate) const ALSO: u64 = 1 << 20;
/// Begins a clause that denies or affirms by itself.
pub(crate) const BEGINS: u64 = 1 << 21;
/// Is a finite verb that tells a clause from a list.
pub(crate) const FINITE: u64 = 1 << 22;
/// Joins clauses or words alike.
pub(crate) const AND: u64 = 1 << 23;
/// Says that something holds for a case only.
pub(crate) const LIMIT: u64 = 1 << 24;

/// May take something out of what is said.
pub(crate) const EXCEPTS: u64 = 1 << 25;
/// Says how often.
pub(crate) const OFTEN: u64 = 1 << 26;
/// Turns an amount or a speed; see [`rules::turns_an_effect`].
pub(crate) const EFFECT: u64 = 1 << 27;
/// May say what holds in place of what.
pub(crate) const PREFERS: u64 = 1 << 28;
/// Turns something away.
pub(crate) const REFUSES: u64 = 1 << 29;
/// May deny what stands behind it as its complement.
pub(crate) const COMPLEMENT: u64 = 1 << 30;
/// Is put in beside a predicate by a rewording.
pub(crate) const LIGHT: u64 = 1 << 31;
/// May deny another word by its prefix.
pub(crate) const UNDOES: u64 = 1 << 32;
/// May say what can be done.
pub(crate) const ABLE: u64 = 1 << 33;
/// Stands before a noun that a clause begins with.
pub(crate) const LEADS_NOUN: u64 = 1 << 34;
/// Stands between a subject and what is said of it.
pub(crate) const BETWEEN: u64 = 1 << 35;
/// Points back.
pub(crate) const ANAPHOR: u64 = 1 << 36;
/// Stands for a thing of another clause.
pub(crate) const PRONOUN: u64 = 1 << 37;
/// Begins a further clause, a purpose or a reason.
pub(crate) const TAIL: u64 = 1 << 38;
/// Says what is before or after what.
pub(crate) const MOMENT: u64 = 1 << 39;
/// May put something before all else, or behind it.
pub(crate) const OUTERMOST: u64 = 1 << 40;
/// Says until when, or unless what.
pub(crate) const UNTIL: u64 = 1 << 41;
/// Stands before the one who does it.
pub(crate) const PASSIVE: u64 = 1 << 42;
/// Speaks of a total, for what a claim counted.
pub(crate) const TOTAL: u64 = 1 << 45;
/// Names one of what is added, for what a claim counted.
pub(crate) const INCLUDES: u64 = 1 << 46;
/// Says that something is added, for what a claim counted.
pub(crate) const FURTHER: u64 = 1 << 47;
/// Speaks of a share or a rate, for what a claim counted.
pub(crate) const EACH: u64 = 1 << 48;
/// Says that something ends at a time of day, for what a claim counted.
pub(crate) const ENDS_AT: u64 = 1 << 49;
/// Says that something lasts some time, for what a claim counted.
pub(crate) const TAKES: u64 = 1 << 50;
/// Speaks of a difference, for what a claim counted.
pub(crate) const DIFFERENCE: u64 = 1 << 51;
/// Stands before a noun and says nothing of which side it is on.
pub(crate) const ARTICLE: u64 = 1 << 52;

/// Bits of words as they are written: the word that a phrase reads as does not lend it its own.
pub(crate) const WRITTEN: u64 = DETERMINER
    | PREPOSITION
    | JOINER
    | ALSO
    | BEGINS
    | FINITE
    | AND
    | LIMIT
    | OFTEN
    | EFFECT
    | PREFERS
    | REFUSES
    | COMPLEMENT
    | LIGHT
    | UNDOES
    | ABLE
    | LEADS_NOUN
    | BETWEEN
    | ANAPHOR
    | PRONOUN
    | TAIL
    | MOMENT
    | OUTERMOST
    | UNTIL
    | PASSIVE
    | TOTAL
    | INCLUDES
    | FURTHER
    | EACH
    | ENDS_AT
    | TAKES
    | DIFFERENCE
    | ARTICLE
    | MEASURES
    | RATES;

/// May begin a limit in time.
pub(crate) const TIME_LIMIT: u64 = 1 << 43;

/// Names days of the week.
pub(crate) const WEEK: u64 = 1 << 44;

/// Is written to the word before it, with nothing or a mark between: the parts of "500-750", the unit of "30s". No list knows it:
/// it is told where the text is cut.
pub(crate) const JOINED: u64 = 1 << 53;

/// Goes on the figure before it: the groups of "50 000", the part of "4 1/2". Told when a text is cut, as well.
pub(crate) const FIGURE: u64 = 1 << 54;

/// A figure may begin with it: digits, a number word, or an article.
pub(crate) const COUNTS: u64 = 1 << 55;
/// A roundabout figure may begin with it: the same, a part, or a unit.
pub(crate) const MEASURES: u64 = 1 << 56;
/// May begin or be a rate, or count one.
pub(crate) const RATES: u64 = 1 << 57;
/// A text without such a word has no roundabout figure and no rate: digits, number words, parts, units, periods, rates.
pub(crate) const AMOUNT: u64 = 1 << 58;

/// The bits with their lists of folded words.
const ROWS: &[(u64, &[&str])] = &[
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
    (EXCEPTS | SOFT | CONDITIONAL | EXTENT | BEGINS | LIMIT, rules::EXCEPT),
    (TIME_LIMIT, rules::TIME_LIMITS),
    (WEEK, rules::WEEK),
    (OFTEN, rules::OFTEN),
    (COMPLEMENT, rules::COMPLEMENTED),
    (LEADS_NOUN, rules::LEADS_NOUN),
    (BETWEEN, rules::BETWEEN),
    (ANAPHOR, rules::ANAPHORS),
    (PRONOUN, rules::PRONOUNS),
    (TAIL, rules::TAILS),
    (MOMENT, rules::MOMENTS),
    (OUTERMOST, rules::OUTERMOST),
    (UNTIL, rules::UNTIL),
    (PASSIVE, lists::PASSIVE),
    (ARTICLE, rules::ARTICLES),
    (TOTAL, rules::derived::TOGETHER),
    (INCLUDES, rules::derived::INCLUDING),
    (FURTHER, rules::derived::FURTHER),
    (EACH, rules::derived::EACH),
    (ENDS_AT, rules::derived::ENDS_AT),
    (TAKES, rules::derived::TAKES),
    (DIFFERENCE, rules::derived::APART),
];

/// A test of a folded word.
type Test = fn(&str) -> bool;

/// The bits that a test of the folded word gives.
const TESTS: &[(u64, Test)] = &[
    (EFFECT, rules::turns_an_effect),
    (PREFERS, rules::prefers),
    (REFUSES, rules::turns_away),
    (LIGHT, rules::is_light),
    (UNDOES, rules::may_undo),
    (ABLE, rules::may_make_able),
    (RATES, rules::tells_a_rate),
    (AMOUNT, rules::names_a_period),
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
pub(crate) fn of(folded: u64, norm: &str) -> u64 {
    let listed = TABLE.get(&folded).copied().unwrap_or_default();
    let tested = TESTS.iter().filter(|(_, test)| test(norm));
    let flags = tested.fold(listed, |flags, (bit, _)| flags | bit);
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
        for (word, bit) in
            [("unlimited", UNDOES), ("readable", ABLE), ("shorter", EFFECT), ("overrides", PREFERS)]
        {
            assert_ne!(of(tokens::hash(word), word) & bit, 0, "{word}");
        }
    }
}
