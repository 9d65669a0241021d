//! Figures of one kind with what each is the figure of: the parts of a total, the two sides of a difference.

use super::{MOST, base, near, of_a_currency, plain};
use crate::flags;
use crate::index::Analysed;
use crate::numbers::Quantity;
use crate::rules::Case;
use std::ops::Range;

/// Most parts that are counted with.
const PARTS: usize = 24;
/// Sentences that are asked for a figure that stands as one of the evidence does, or for a thing that the claim names.
const FURTHER: usize = 6;

/// A figure with the stretch of its sentence that tells what it is the figure of.
struct Part<'a> {
    words: &'a Analysed,
    figure: &'a Quantity,
    range: Range<usize>,
}

/// The figures that a figure of a claim may have been counted from.
pub(super) struct Parts<'a> {
    claim: &'a Analysed,
    figure: &'a Quantity,
    all: Vec<Part<'a>>,
}

/// Whether a figure may be counted with another: of the kind, or in the unit of what stands before it.
pub(super) fn counts_with(words: &Analysed, one: &Quantity, figure: &Quantity) -> bool {
    let counts = || words.tokens.get(one.last + 1).is_some_and(|next| next.content() && !next.after_break);
    one.comparable(figure) || one.unit.is_none() && (figure.unit.is_none() || !counts())
}

/// The figures of a sentence, each with its stretch: up to the first break or joining word behind it.
fn parts_of<'a>(words: &'a Analysed, figure: &Quantity) -> Vec<Part<'a>> {
    let tokens = &words.tokens;
    let figures: Vec<&Quantity> = words
        .quantities
        .iter()
        .filter(|one| !one.soft && counts_with(words, one, figure))
        .take(MOST)
        .collect();
    let mut start = 0;
    let mut found = Vec::with_capacity(figures.len());
    for (number, one) in figures.iter().enumerate() {
        let next = figures.get(number + 1).map_or(tokens.len(), |next| next.first);
        let cuts = |at: &usize| tokens[*at].after_break || tokens[*at].is(flags::AND);
        let end = match figures.get(number + 1) {
            Some(_) => (one.last + 1..next).find(cuts).unwrap_or(next),
            None => tokens.len(),
        };
        found.push(Part { words, figure: one, range: start..end });
        start = end;
    }
    // "Pay 30 euros now and 50 later": what stands before the first is said of all, where the others have nothing there.
    let led = |part: &Part<'_>| {
        let before = &tokens[part.range.start..part.figure.first];
        before.iter().any(|token| token.content())
    };
    if found.iter().skip(1).any(|part| !led(part))
        && let Some(first) = found.first_mut()
    {
        first.range.start = first.figure.first;
    }
    found
}

/// Whether a sentence says of a thing what one of its figures is, and the claim means that figure of it: of "adults pay 5 euros for
/// entry and 3 for a locker" the first, or the one whose words behind it the claim says.
pub(super) fn tied(claim: &Analysed, words: &Analysed, one: &Quantity, thing: u64) -> bool {
    let parts = parts_of(words, one);
    let tokens = &words.tokens;
    let Some(place) = parts.iter().position(|part| part.figure.first == one.first) else { return false };
    let held = |range: &Range<usize>| tokens[range.clone()].iter().any(|token| token.stem == thing);
    let meant = |part: &Part<'_>| {
        let apart = |stem: u64| {
            let mut others = parts.iter().filter(|other| other.figure.first != part.figure.first);
            !others.any(|other| tokens[other.range.clone()].iter().any(|token| token.stem == stem))
        };
        let behind = tokens.get(part.figure.last + 1..part.range.end).unwrap_or_default();
        behind.iter().any(|token| {
            token.content() && token.stem != thing && apart(token.stem) && claim.says_token(token)
        })
    };
    let own = &parts[place];
    let other = || parts.iter().any(|part| part.figure.first != one.first && meant(part));
    let lead = 0..parts.first().map_or(0, |first| first.range.start);
    let mine = meant(own);
    (mine || !other()) && (held(&own.range) || held(&lead) && (mine || place == 0))
}

/// Whether two figures of a sentence stand in one stretch of it, with no break and no joining word between.
pub(super) fn together(words: &Analysed, one: &Quantity, two: &Quantity) -> bool {
    let (first, last) = if one.first < two.first { (one, two) } else { (two, one) };
    let between = words.tokens.get(first.last + 1..=last.first).unwrap_or_default();
    !between.iter().any(|token| token.after_break || token.is(flags::AND))
}

/// The sentences that a claim may count from: the evidence, those beside the best of it, and those with a figure that stands as
/// one of theirs does or with a word of the claim that they lack.
fn sentences<'a>(case: &Case<'a>, figure: &Quantity) -> Vec<&'a Analysed> {
    let index = case.index;
    let mut found: Vec<&'a Analysed> = case.evidence.clone();
    let mut push = |place: usize| {
        let Some(sentence) = index.sentences.get(place).filter(|one| case.scope.holds(one)) else { return };
        if !found.iter().any(|words| std::ptr::eq(*words, &raw const sentence.words)) {
            found.push(&sentence.words);
        }
    };
    let own = index.sentences.get(case.place).map(|own| own.source);
    let beside = [case.place.checked_sub(1), case.place.checked_add(1)].into_iter().flatten();
    for place in beside.filter(|place| index.sentences.get(*place).map(|other| other.source) == own) {
        push(place);
    }
    let before = case.evidence.iter().flat_map(|words| words.quantities.iter().take(MOST));
    let before = before.filter(|one| one.comparable(figure) && one.before != 0).map(|one| one.before);
    let lacks = |token: &&crate::tokens::Token| {
        token.content()
            && !token.is(flags::COUNTS)
            && !case.evidence.iter().any(|words| words.says_token(token))
    };
    let named = case.claim.tokens.iter().filter(lacks).map(|token| token.stem);
    for stem in before.chain(named).take(MOST) {
        for place in index.places(stem).iter().take(FURTHER) {
            usize::try_from(*place).into_iter().for_each(&mut push);
        }
    }
    found
}

impl<'a> Parts<'a> {
    /// The parts that a figure of a case may have been counted from.
    pub(super) fn of(case: &'a Case<'a>, figure: &'a Quantity) -> Self {
        let sentences = sentences(case, figure);
        let claim = case.claim;
        // Five dollars and seven euros are no twelve of the one or of the other.
        let of_its_own = |part: &Part<'_>| of_a_currency((part.words, part.figure), (claim, figure));
        let held =
            sentences.into_iter().flat_map(|words| parts_of(words, figure)).filter(of_its_own).take(PARTS);
        // What the claim counts may stand in it too, and needs no name.
        let own = claim
            .quantities
            .iter()
            .filter(|one| one.first != figure.first && counts_with(claim, one, figure));
        let own =
            own.take(MOST).map(|one| Part { words: claim, figure: one, range: one.first..one.last + 1 });
        Self { claim, figure, all: held.chain(own).collect() }
    }

    /// Whether the claim says a word that tells a part from others; `None` where nothing does.
    fn named(&self, part: &Part<'_>, others: &[&Part<'_>]) -> Option<bool> {
        let mut told = None;
        for at in part.range.clone().filter(|at| !(part.figure.first..=part.figure.last).contains(at)) {
            let token = &part.words.tokens[at];
            let shared = || {
                others.iter().any(|other| {
                    let words = &other.words.tokens[other.range.clone()];
                    words.iter().any(|word| word.content() && word.stem == token.stem)
                })
            };
            // What is counted is the same of all.
            if token.content() && !token.is(flags::COUNTS) && token.stem != part.figure.head && !shared() {
                told = Some(told == Some(true) || self.claim.says_token(token));
            }
        }
        told
    }

    /// Two different parts that hold a condition.
    fn pair(&self, holds: impl Fn(&Part<'a>, &Part<'a>) -> bool) -> bool {
        // The same said in two places is one part.
        let apart = |one: &Part<'_>, two: &Part<'_>| {
            let elsewhere = !std::ptr::eq(one.words, two.words);
            let told = of_a_currency((one.words, one.figure), (two.words, two.figure));
            told && !(std::ptr::eq(one.figure, two.figure)
                || elsewhere && near(base(one.figure), base(two.figure)))
        };
        self.all.iter().any(|one| self.all.iter().any(|two| apart(one, two) && holds(one, two)))
    }

    /// The value of a part in the base of the claim's figure.
    fn value(&self, part: &Part<'_>) -> f64 {
        plain(part.figure, self.figure)
    }

    /// Whether a value is the sum of two parts that the claim both names, or of parts that it names none of; `together` where it
    /// says that it is a sum.
    pub(super) fn total(&self, value: f64, together: bool) -> bool {
        let two = self.pair(|one, two| {
            near(value, self.value(one) + self.value(two))
                && match (self.named(one, &[two]), self.named(two, &[one])) {
                    (Some(true), Some(true)) => true,
                    (one, two) => together && one != Some(true) && two != Some(true),
                }
        });
        two || together && self.whole(value)
    }

    /// Whether a value is the sum of all three or more figures of a sentence.
    fn whole(&self, value: f64) -> bool {
        self.all.iter().any(|first| {
            let beside = || self.all.iter().filter(|part| std::ptr::eq(part.words, first.words));
            let held = !std::ptr::eq(first.words, self.claim);
            held && beside().count() > 2 && near(value, beside().map(|part| self.value(part)).sum())
        })
    }

    /// Whether a value is the difference of two parts, where the claim names no third one instead of one of them.
    pub(super) fn difference(&self, value: f64) -> bool {
        self.pair(|one, two| {
            let comparable = |part: &Part<'_>| part.figure.comparable(self.figure);
            let kind = comparable(one) || comparable(two) || self.figure.unit.is_none();
            let nothing = near(self.value(two), 0.0);
            if !kind || nothing || !near(value, self.value(one) - self.value(two)) {
                return false;
            }
            let (first, second) = (self.named(one, &[two]), self.named(two, &[one]));
            let third = || {
                self.all.iter().any(|other| {
                    let same = |part: &Part<'_>| near(base(part.figure), base(other.figure));
                    !same(one) && !same(two) && self.named(other, &[one, two]) == Some(true)
                })
            };
            first == Some(true) && second == Some(true) || !third()
        })
    }
}
