//! Times of day of which a text says the half: "9 am" for "9 pm", "seven in the evening" for "18:30".
//!
//! Only times that can be read in one way are held against one another, and only where the claim's one is none of those that
//! the sentence has, be it without its half ("from 9 to 11 pm" accuses no "9 am").

use super::figures::said;
use super::{ALIKE, Case, Mismatch, NEAR_COPY, SAME_SUBJECT, contradiction, denials, plain_share};
use crate::flags;
use crate::index::Analysed;
use crate::numbers::{Dimension, Quantity, hash};
use crate::tokens::{Token, TokenKind};

/// Hours of half a day.
const HALF: f64 = 12.0;

/// Sentences with one of the words for it that are asked for the claim's time.
const PLACES: usize = 64;

/// A time that a sentence speaks of without being at it, so that another one may be true of the same thing.
const AROUND: &[&str] = &[
    "after", "antes", "around", "before", "between", "by", "desde", "despues", "during", "entre", "from",
    "hacia", "hasta", "past", "since", "till", "to", "until",
];

fn is_clock(figure: &Quantity) -> bool {
    matches!(figure.unit, Some((Dimension::Clock, _)))
}

fn same(one: f64, two: f64) -> bool {
    (one - two).abs() < 1e-6
}

/// The times of a text whose half of the day is said, each in its longest form: those in words, and those from 13:00 on.
fn named(words: &Analysed, forms: &[Quantity]) -> Vec<Quantity> {
    let late = words.quantities.iter().filter(|figure| is_clock(figure) && figure.value >= HALF + 1.0);
    let all: Vec<&Quantity> = forms.iter().filter(|figure| is_clock(figure)).chain(late).collect();
    let length = |figure: &Quantity| figure.last - figure.first;
    let meets = |one: &Quantity, two: &Quantity| one.first <= two.last && two.first <= one.last;
    let longest = |one: &&&Quantity| {
        // Of two readings of the same words neither is sure; a longer one has the half of the day or the minutes.
        all.iter()
            .filter(|two| meets(one, two))
            .all(|two| length(two) < length(one) || length(two) == length(one) && same(two.value, one.value))
    };
    let mut found: Vec<Quantity> = all.iter().filter(longest).map(|one| (*one).clone()).collect();
    // "9 pm" is read as digits and as words.
    found.sort_by_key(|figure| figure.first);
    found.dedup_by_key(|figure| figure.first);
    found
}

/// Whether a text has a time, or its hour without the half of the day.
fn has(words: &Analysed, times: &[Quantity], time: &Quantity) -> bool {
    let plain = |at: usize| {
        let token = &words.tokens[at];
        let TokenKind::Number(value) = token.kind else {
            return token.norm == "noon" || token.norm == "midnight";
        };
        let inside = times.iter().any(|named| (named.first..=named.last).contains(&at));
        !inside && same(value % HALF, time.value % HALF)
    };
    times.iter().any(|other| same(other.value, time.value)) || (0..words.tokens.len()).any(plain)
}

/// Stems of what a time may be written with: its value, or its hour in either half of the day, before or after minutes are added.
fn hours(time: &Quantity) -> impl Iterator<Item = u64> {
    let hour = time.value.floor();
    let next = (hour + 1.0) % HALF;
    let twelve = |hour: f64| if hour > 0.0 { hour } else { HALF };
    [time.value, time.value % HALF, hour, twelve(hour % HALF), twelve(next)].into_iter().map(hash)
}

/// The last word of content before a time.
fn before<'a>(words: &'a Analysed, time: &Quantity) -> Option<&'a Token> {
    words.tokens[..time.first].iter().rev().find(|token| token.content())
}

/// Whether a time stands behind a word that sets a bound, or begins or ends a stretch.
fn bounds(words: &Analysed, time: &Quantity) -> bool {
    time.bound.is_some()
        || words.tokens[..time.first]
            .iter()
            .rev()
            .take(3)
            .any(|token| AROUND.binary_search(&token.norm.as_str()).is_ok())
}

/// A time of day whose half is said where the best sentence has other ones only.
pub(super) fn clocks(case: &Case<'_>, shared: f64, found: &mut Vec<Mismatch>) {
    let claim = case.claim;
    if shared < SAME_SUBJECT
        || !claim
            .tokens
            .iter()
            .any(|token| token.is(flags::COUNTS) || matches!(token.kind, TokenKind::Number(_)))
    {
        return;
    }
    let own = named(claim, claim.forms());
    let [time] = own.as_slice() else { return };
    let Some(best) = case.index.sentences.get(case.place) else { return };
    let theirs = named(&best.words, best.words.forms());
    if theirs.is_empty() || has(&best.words, &theirs, time) || denials(claim) != denials(&best.words) {
        return;
    }
    let alone = theirs.len() == 1
        && claim.quantities.iter().all(|other| other.first >= time.first && other.last <= time.last);
    let place = |words: &Analysed, other: &Quantity| {
        before(words, other).zip(before(claim, time)).is_some_and(|(theirs, mine)| mine.means(theirs))
            && !bounds(claim, time)
            && !bounds(words, other)
    };
    let other = theirs.iter().find(|other| {
        same((other.value - time.value).abs(), HALF)
            || alone && shared >= NEAR_COPY && place(&best.words, other)
    });
    let Some(other) = other else { return };
    let elsewhere = hours(time).any(|stem| {
        let places = case.index.places(stem).iter().take(PLACES);
        places.filter_map(|place| case.index.sentence(*place)).any(|sentence| {
            let words = &sentence.words;
            case.scope.holds(sentence)
                && plain_share(claim, words) >= ALIKE
                && has(words, &named(words, words.forms()), time)
        })
    });
    if !elsewhere {
        found.push(contradiction("number", &said(claim, time), &said(&best.words, other)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_for_look_up() {
        assert!(AROUND.is_sorted());
    }
}
