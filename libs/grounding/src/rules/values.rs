//! Figures that stand with another label: "severity 2 within 5 minutes" where the source gives 5 minutes to severity 1, and
//! 30 to severity 2.
//!
//! A sentence with several figures of one kind is cut into stretches, each with its figure and the words that tell what it
//! is the figure of. The claim's figure leads to one stretch; where the claim has words of another stretch, and none that
//! tells the first one from it, the figure was taken from the wrong place.

use super::derived::derived;
use super::figures::{is_conversion, is_reference, said};
use super::negation::is_negator;
use super::{Case, Mismatch, is_entity, sure};
use crate::flags;
use crate::index::Analysed;
use crate::numbers::{Dimension, Quantity};
use crate::tokens::{Token, TokenKind};
use std::ops::Range;

/// Sentences with a claim's figure that are looked at.
const ELSEWHERE: usize = 256;
/// Longest claim that is looked at, in tokens.
const LONGEST: usize = 32;
/// Least weight of the words that lead to the other stretch.
const LEADS: f64 = 2.0;
/// How many times the weight of what leads to its own stretch.
const OUTWEIGHS: f64 = 1.6;
/// Weight of a word that stands right beside the figure in claim and sentence.
const BESIDE: f64 = 3.0;
/// Content words of a piece between punctuation that goes with the figure behind it.
const PIECE: usize = 2;
/// Most stretches of a sentence.
const MOST: usize = 12;

/// A stretch of a sentence with one figure of a kind.
struct Stretch<'a> {
    range: Range<usize>,
    figure: &'a Quantity,
}

/// Whether two figures are the same, or one is the other rounded in another unit.
fn same(one: &Quantity, two: &Quantity) -> bool {
    let base = |figure: &Quantity| figure.value * figure.unit.map_or(1.0, |(_, factor)| factor);
    let rounded = one.comparable(two)
        && one.unit != two.unit
        && (base(one) - base(two)).abs() <= 0.05 * base(one).max(base(two));
    one.equals(two) || rounded
}

/// Whether two figures may be given for different things of the same kind.
pub(super) fn of_a_kind(one: &Quantity, two: &Quantity) -> bool {
    match (one.unit, two.unit) {
        (Some(_), Some(_)) => one.comparable(two),
        (None, None) => !one.soft && !two.soft && year(one) == year(two),
        _ => false,
    }
}

fn year(figure: &Quantity) -> bool {
    figure.value.fract() == 0.0 && (1900.0..2100.0).contains(&figure.value)
}

/// The stretches of a sentence around the figures of the kind of another, cut behind each at the next break or joining word.
/// None where figures stand together as a range does.
fn stretches<'a>(words: &'a Analysed, kind: &Quantity) -> Vec<Stretch<'a>> {
    let tokens = &words.tokens;
    let figures: Vec<&Quantity> = words
        .quantities
        .iter()
        .filter(|figure| of_a_kind(kind, figure) && !labels(words, figure) && !is_conversion(words, figure))
        .take(MOST + 1)
        .collect();
    // "1 spoon of salt, fine, 2 spoons of sugar": what stands before a figure then belongs to the one before it.
    let led = figures.first().is_some_and(|first| tokens[..first.first].iter().any(|token| token.content()));
    let mut found: Vec<Stretch<'a>> = Vec::new();
    let mut start = 0;
    for (number, figure) in figures.iter().enumerate() {
        // "15 °C (27 °F) colder than": what is said behind the same in another unit is said of both.
        let twin = words
            .quantities
            .iter()
            .find(|other| other.first == figure.last + 1 && is_conversion(words, other));
        let behind = twin.map_or(figure.last + 1, |twin| twin.last + 2);
        let Some(next) = figures.get(number + 1) else {
            found.push(Stretch { range: start..tokens.len(), figure });
            break;
        };
        let cuts = |at: &usize| {
            // "Between 0 and 65 °C" is one.
            let range = words.quantities.iter().any(|one| one.last + 1 == *at)
                && words.quantities.iter().any(|two| two.first == at + 1 && two.first != next.first);
            tokens[*at].after_break || (tokens[*at].is(flags::BOUND_CLAUSE) && !range)
        };
        let between = behind.min(next.first)..=next.first;
        let (Some(first), Some(last)) = (between.clone().find(cuts), between.clone().rev().find(cuts)) else {
            return Vec::new();
        };
        let (mut end, mut begin) = (last, last);
        if led {
            // A longer piece between the two may belong to either.
            end = first;
            for cut in between.rev().filter(cuts) {
                let piece = tokens[cut..begin.max(cut)].iter().filter(|token| token.content()).count();
                let has = tokens[begin..next.first].iter().any(|token| token.content());
                if piece > PIECE && has {
                    break;
                }
                begin = cut;
            }
        }
        found.push(Stretch { range: start..end, figure });
        start = begin;
    }
    if found.len() > MOST { Vec::new() } else { found }
}

/// Whether a figure without a unit is part of a name or an order: "Method 2", "19th", "severity 2", where the sentence has
/// "severity 1" too.
fn labels(words: &Analysed, figure: &Quantity) -> bool {
    if figure.unit.is_some() {
        return false;
    }
    let tokens = &words.tokens;
    let ordinal = matches!(tokens[figure.last].norm.as_str(), "st" | "nd" | "rd" | "th" | "º" | "ª");
    let Some(before) = figure.first.checked_sub(1).map(|at| &tokens[at]) else { return ordinal };
    let named = before.content() && before.kind == TokenKind::Word && !tokens[figure.first].after_break;
    let refers = tokens[..figure.first].iter().rev().take(4).any(|token| token.is(flags::REFERENCE));
    if ordinal || refers || (named && before.capital) {
        return true;
    }
    named
        && tokens.iter().enumerate().any(|(at, token)| {
            at + 1 != figure.first
                && token.stem == before.stem
                && tokens.get(at + 1).is_some_and(|next| matches!(next.kind, TokenKind::Number(_)))
        })
}

/// Content words of a stretch without its figure, and without those that another stretch has.
fn own<'a>(words: &'a Analysed, stretch: &Stretch<'_>, other: &Stretch<'_>) -> Vec<(usize, &'a Token)> {
    let content = |range: &Range<usize>, figure: &Quantity| -> Vec<(usize, &'a Token)> {
        range
            .clone()
            .filter(|at| !(figure.first..=figure.last).contains(at))
            .map(|at| (at, &words.tokens[at]))
            .filter(|(_, token)| token.content())
            .collect()
    };
    let theirs = content(&other.range, other.figure);
    content(&stretch.range, stretch.figure)
        .into_iter()
        .filter(|(_, token)| !theirs.iter().any(|(_, other)| other.stem == token.stem))
        .collect()
}

/// Whether two words stand in the same way in their stretches: after the same word, before the same word, both as names, or
/// both first.
fn parallel(words: &Analysed, one: (usize, &Stretch<'_>), two: (usize, &Stretch<'_>)) -> bool {
    let tokens = &words.tokens;
    let (first, second) = (&tokens[one.0], &tokens[two.0]);
    let beside = |step: isize, tells: fn(&Token) -> bool| {
        let at = |place: usize, range: &Range<usize>| {
            place.checked_add_signed(step).filter(|at| range.contains(at)).map(|at| &tokens[at])
        };
        at(one.0, &one.1.range).is_some_and(|token| {
            tells(token) && at(two.0, &two.1.range).is_some_and(|other| other.stem == token.stem)
        })
    };
    let named = |at: usize| is_entity(tokens, at) || tokens[at].named();
    let leads = |place: usize, stretch: &Stretch<'_>| {
        stretch.range.clone().find(|at| tokens[*at].content()) == Some(place) && place < stretch.figure.first
    };
    let numeric = |token: &Token| matches!(token.kind, TokenKind::Number(_));
    numeric(first) == numeric(second)
        && (beside(-1, |token| !ARTICLES.contains(&token.norm.as_str()))
            || beside(1, Token::content)
            || (named(one.0) && named(two.0))
            || (leads(one.0, one.1) && leads(two.0, two.1)))
}

/// Words that stand before any noun.
const ARTICLES: &[&str] = &["a", "an", "the", "el", "la", "los", "las", "un", "una", "and", "y", "or", "o"];

/// Weight of the words of a claim's stretch that are among some words.
fn said_of(claim: &Analysed, range: &Range<usize>, figure: &Quantity, words: &[(usize, &Token)]) -> f64 {
    range
        .clone()
        .filter(|at| !(figure.first..=figure.last).contains(at) && claim.tokens[*at].content())
        .filter(|at| words.iter().any(|(_, word)| word.means(&claim.tokens[*at])))
        .map(|at| claim.weights[at])
        .sum()
}

/// A claim's figure that stands with another label than in the sentences that hold it.
pub(super) fn values(case: &Case<'_>, found: &mut Vec<Mismatch>) {
    let claim = case.claim;
    if claim.tokens.len() > LONGEST || claim.quantities.is_empty() || found.iter().any(|other| other.sure) {
        return;
    }
    for figure in &claim.quantities {
        if is_reference(&claim.tokens, figure) || is_conversion(claim, figure) || labels(claim, figure) {
            continue;
        }
        let parts = stretches(claim, figure);
        let Some(part) = parts.iter().find(|part| part.figure.first == figure.first) else { continue };
        let range = &clause(claim, part);
        let mut wrong: Option<(f64, &Analysed, &Quantity)> = None;
        let mut right = false;
        for sentence in &case.evidence {
            match stands(claim, &parts, range, figure, sentence) {
                Stands::Right => right = true,
                Stands::Wrong(weight, other) if wrong.is_none_or(|(most, ..)| weight > most) => {
                    wrong = Some((weight, sentence, other));
                }
                _ => {}
            }
        }
        // What the one denies of another figure the other may well affirm of this one.
        let clock = matches!(figure.unit, Some((Dimension::Clock, _)));
        let turned = clock && wrong.is_some_and(|(_, sentence, _)| !super::deny_alike(claim, sentence));
        if wrong.is_none() || turned || derived(case, figure) {
            continue;
        }
        if let Some((_, sentence, other)) = wrong.filter(|_| !right && !held_elsewhere(case, figure)) {
            found.push(sure("number", &said(claim, figure), &said(sentence, other)));
            return;
        }
    }
}

/// The content word before a figure in its clause, 0 if none.
fn before(words: &Analysed, figure: &Quantity) -> u64 {
    let tokens = &words.tokens;
    let near = (0..figure.first).rev().take(3).take_while(|at| !tokens[*at + 1].after_break);
    near.map(|at| &tokens[at]).find(|token| token.content()).map_or(0, |token| token.stem)
}

/// The part of a claim's stretch between joining words that its figure stands in, with what is set before it.
fn clause(claim: &Analysed, part: &Stretch<'_>) -> Range<usize> {
    let joins = |at: &usize| {
        let word = claim.tokens[*at].norm.as_str();
        matches!(
            word,
            "and"
                | "but"
                | "while"
                | "whereas"
                | "before"
                | "because"
                | "until"
                | "y"
                | "pero"
                | "mientras"
                | "antes"
                | "porque"
                | "hasta"
        )
    };
    let content =
        |range: Range<usize>| claim.tokens[range].iter().filter(|token| token.content()).count() >= 2;
    let start = (part.range.start + 1..part.figure.first)
        .rev()
        .find(joins)
        .filter(|at| content(*at..part.figure.first));
    // "Two days before the exam" says how long before what.
    let measures = |at: &usize| {
        *at == part.figure.last + 1 && matches!(claim.tokens[*at].norm.as_str(), "before" | "antes")
    };
    let mut behind = (part.figure.last + 1..part.range.end).filter(|at| !measures(at));
    let end = behind.find(joins).filter(|at| content(*at..part.range.end));
    start.unwrap_or(part.range.start)..end.unwrap_or(part.range.end)
}

/// Whether a sentence has all figures of a kind that a claim has, in their order.
fn in_order(claim: &[Stretch<'_>], sentence: &[Stretch<'_>]) -> bool {
    let mut next = sentence.iter();
    claim.len() > 1 && claim.iter().all(|own| next.any(|other| same(own.figure, other.figure)))
}

/// How a claim's figure stands in a sentence.
enum Stands<'a> {
    /// Not at all, or nobody can tell.
    Unknown,
    /// With the words that the claim has it with.
    Right,
    /// With other words; the weight of those that lead to the figure that it should be.
    Wrong(f64, &'a Quantity),
}

fn stands<'a>(
    claim: &Analysed,
    claimed: &[Stretch<'_>],
    range: &Range<usize>,
    figure: &Quantity,
    sentence: &'a Analysed,
) -> Stands<'a> {
    let parts = stretches(sentence, figure);
    if !parts.iter().any(|part| same(part.figure, figure)) {
        return Stands::Unknown;
    }
    if parts.len() < 2 || in_order(claimed, &parts) {
        return Stands::Right;
    }
    let mut best = Stands::Unknown;
    for (place, held) in parts.iter().enumerate().filter(|(_, part)| same(part.figure, figure)) {
        let mut wrong: Option<(f64, &'a Quantity)> = None;
        for (other_place, other) in parts.iter().enumerate().filter(|(_, part)| !same(part.figure, figure)) {
            let told = claim
                .quantities
                .iter()
                .any(|own| own.first != figure.first && (own.value - other.figure.value).abs() < 1e-9);
            if told && claimed.len() < 2 {
                continue;
            }
            let bounded = figure.bound.is_some() && figure.bound == held.figure.bound;
            if bounded && held.figure.bound != other.figure.bound {
                return Stands::Right;
            }
            let (mine, theirs) = (own(sentence, held, other), own(sentence, other, held));
            // "If it was not approved" leads nobody there who says that it was.
            let open = |at: usize| {
                claim.tokens.iter().any(|token| token.negates)
                    || !(at.saturating_sub(3)..at).any(|before| is_negator(&sentence.tokens, before))
            };
            let theirs: Vec<(usize, &Token)> = theirs.into_iter().filter(|(at, _)| open(*at)).collect();
            // The first stretch begins with what is said of all of them: only what stands against a word of the other tells.
            let against = |words: &[(usize, &'a Token)],
                           one: &Stretch<'_>,
                           others: &[(usize, &'a Token)],
                           two: &Stretch<'_>| {
                words
                    .iter()
                    .filter(|(at, _)| {
                        others.iter().any(|(place, _)| parallel(sentence, (*at, one), (*place, two)))
                    })
                    .copied()
                    .collect::<Vec<_>>()
            };
            let mine_tell = if place == 0 { against(&mine, held, &theirs, other) } else { mine.clone() };
            let theirs_tell =
                if other_place == 0 { against(&theirs, other, &mine, held) } else { theirs.clone() };
            if mine.is_empty() || theirs_tell.is_empty() {
                continue;
            }
            let leads = said_of(claim, range, figure, &theirs_tell);
            let mut keeps = said_of(claim, range, figure, &mine_tell);
            // What stands right beside the figure in both goes with it, where the other has something else there.
            let beside =
                |one: u64, two: u64, three: u64| one != 0 && one == two && three != 0 && one != three;
            let led =
                beside(before(claim, figure), before(sentence, held.figure), before(sentence, other.figure));
            if led || beside(figure.head, held.figure.head, other.figure.head) {
                keeps += BESIDE;
            }
            if leads >= LEADS && leads > OUTWEIGHS * keeps {
                if wrong.is_none_or(|(most, _)| leads > most) {
                    wrong = Some((leads, other.figure));
                }
            } else if keeps > leads {
                return Stands::Right;
            }
        }
        match wrong {
            Some((weight, other)) => best = Stands::Wrong(weight, other),
            None => return Stands::Right,
        }
    }
    best
}

/// Whether a sentence beside the evidence holds the figure too.
pub(super) fn held_elsewhere(case: &Case<'_>, figure: &Quantity) -> bool {
    case.index
        .places(crate::numbers::hash(figure.value))
        .iter()
        .take(ELSEWHERE)
        .filter_map(|place| case.index.sentences.get(usize::try_from(*place).ok()?))
        .filter(|sentence| case.scope.holds(sentence))
        .filter(|sentence| !case.evidence.iter().any(|words| std::ptr::eq(*words, &sentence.words)))
        .any(|sentence| {
            super::plain_share(case.claim, &sentence.words) >= super::SAME_SUBJECT
                && sentence.words.quantities.iter().any(|other| other.equals(figure))
        })
}
