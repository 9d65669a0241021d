//! Bits of a token: what the lists of this crate know of its word. Rules and measures ask a bit instead of searching a list.

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
