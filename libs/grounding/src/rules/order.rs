//! What comes before what, what leads to what, and which of two things is more: "first A, then B", "if A, B", "A is faster
//! than B", "from A to B".
//!
//! Each such phrase joins two stretches in an order. A claim that has what is said of the one in the stretch of the other,
//! and the other way round, has turned it round.

use super::sequence::{Kind, Order, joins, orders_of};
use super::{Case, Mismatch, contradiction, phrase};
use crate::index::Analysed;
use crate::lexicon::synonymous;
use std::ops::Range;

/// Words that name where something comes from, and where it leads.
const FROM: &[&str] = &["from", "desde", "de"];
const TO: &[&str] = &["to", "until", "into", "hasta", "a"];
/// Sentences that are looked at.
const SENTENCES: usize = 3;
/// Least share of the weight of a side that must stand on the other side; a verb that both share may stand on its own.
const CROSSED: f64 = 0.6;
/// Least weight of what tells a side from the other.
const TELLS: f64 = 2.5;

/// Weight of the words of one stretch that another holds, and of all of them, leaving out what stands on both sides of either.
fn met(
    claim: &Analysed,
    mine: &Range<usize>,
    besides: &Range<usize>,
    source: &Analysed,
    theirs: &Range<usize>,
    others: &Range<usize>,
    timed: bool,
) -> (f64, f64) {
    let has = |words: &Analysed, range: &Range<usize>, stem: u64| {
        words.tokens[range.clone()].iter().any(|token| token.content() && synonymous(token.stem, stem))
    };
    let points = |at: usize| {
        matches!(
            source.tokens[at].norm.as_str(),
            "it" | "they" | "them" | "this" | "those" | "ellos" | "esto"
        )
    };
    let mut pointing = timed && theirs.clone().any(points);
    let (mut all, mut held) = (0.0, 0.0);
    let figure = |at: usize| {
        let counts = |at: usize| matches!(claim.tokens[at].kind, crate::tokens::TokenKind::Number(_));
        counts(at) || at > 0 && counts(at - 1)
    };
    for at in mine.clone().filter(|at| claim.weights[*at] > 0.0 && !joins(&claim.tokens[*at].norm)) {
        // How long it is from the one to the other belongs to neither.
        if timed && figure(at) {
            continue;
        }
        let stem = claim.tokens[at].stem;
        let (there, elsewhere) = (has(source, theirs, stem), has(source, others, stem));
        // What stands on both sides tells nothing, nor does what the sentence does not have, or
        // one word that it has by a pronoun there.
        if has(claim, besides, stem) || there == elsewhere {
            continue;
        }
        if elsewhere && pointing {
            pointing = false;
            continue;
        }
        all += claim.weights[at];
        if there {
            held += claim.weights[at];
        }
    }
    (held, all)
}

/// A stretch behind a "from" and the one behind its "to", up to three tokens each, and what joins them.
struct Journey {
    from: Range<usize>,
    to: Range<usize>,
    by: [u64; 2],
}

/// The journeys of a sentence, in order.
fn journeys_of(words: &Analysed) -> Vec<Journey> {
    let tokens = &words.tokens;
    let is =
        |at: usize, list: &[&str]| tokens.get(at).is_some_and(|token| list.contains(&token.norm.as_str()));
    let content = |range: &Range<usize>| tokens[range.clone()].iter().any(|token| token.content());
    let mut found: Vec<Journey> = Vec::new();
    for start in (0..tokens.len()).filter(|at| is(*at, FROM)) {
        let journey = (start + 2..tokens.len().min(start + 6)).filter(|at| is(*at, TO)).find_map(|middle| {
            let (from, to) = (start + 1..middle, middle + 1..(middle + 4).min(tokens.len()));
            let whole = !tokens[from.clone()].iter().any(|token| token.after_break);
            let by = [tokens[start].stem, tokens[middle].stem];
            (whole && content(&from) && content(&to)).then_some(Journey { from, to, by })
        });
        found.extend(journey);
    }
    found
}

/// Weight of the content of one stretch that another holds.
fn shared(claim: &Analysed, mine: &Range<usize>, source: &Analysed, theirs: &Range<usize>) -> f64 {
    let held = |at: &usize| {
        let stem = claim.tokens[*at].stem;
        claim.tokens[*at].content()
            && source.tokens[theirs.clone()]
                .iter()
                .any(|other| other.content() && synonymous(other.stem, stem))
    };
    mine.clone().filter(held).map(|at| claim.weights[at]).sum()
}

/// "From B to A" where a sentence says "from A to B" and none says it the claim's way.
pub(super) fn journeys(case: &Case<'_>, found: &mut Vec<Mismatch>) {
    let claim = case.claim;
    for mine in journeys_of(claim) {
        let mut turned = None;
        for source in case.evidence.iter().take(2) {
            for theirs in journeys_of(source).into_iter().filter(|theirs| theirs.by == mine.by) {
                let meet = |one: &Range<usize>, two: &Range<usize>| shared(claim, one, source, two);
                let straight = [meet(&mine.from, &theirs.from), meet(&mine.to, &theirs.to)];
                let crossed = [meet(&mine.from, &theirs.to), meet(&mine.to, &theirs.from)];
                let both = |ends: [f64; 2]| ends.iter().all(|weight| *weight > 0.0);
                let more = crossed.iter().sum::<f64>() > straight.iter().sum();
                if both(straight) && !more {
                    return;
                }
                if both(crossed) && more {
                    let quote = |words: &Analysed, journey: &Journey| {
                        phrase(&words.tokens, journey.from.start.saturating_sub(1)..=journey.to.end - 1)
                    };
                    turned.get_or_insert_with(|| {
                        contradiction("direction", &quote(claim, &mine), &quote(source, &theirs))
                    });
                }
            }
        }
        if turned.is_some() {
            found.extend(turned);
            return;
        }
    }
}

/// Whether a word of the claim turns what it joins, and its sides are turned as well: "after A, B" and "before B, A"; "A is
/// louder than B" and "B is quieter than A".
pub(super) fn inverted(claim: &Analysed, at: usize, source: &Analysed) -> bool {
    let joined = |words: &Analysed| words.tokens.iter().any(|token| joins(&token.norm));
    if !joined(claim) || !joined(source) {
        return false;
    }
    let (own, theirs) = (orders_of(claim), orders_of(source));
    let turns = joins(&claim.tokens[at].norm);
    own.iter().any(|mine| {
        theirs.iter().any(|other| match (mine.kind, other.kind) {
            (Kind::More(_), Kind::More(_)) => mine.first.contains(&at) && crossed(claim, mine, source, other),
            (Kind::Time, Kind::Time) => turns && straight(claim, mine, source, other),
            _ => false,
        })
    })
}

/// Whether each side of an order has most of what tells it from the other on the same side of another order.
fn straight(claim: &Analysed, mine: &Order, source: &Analysed, theirs: &Order) -> bool {
    let meets = |one: &Range<usize>, besides: &Range<usize>, two: &Range<usize>, others: &Range<usize>| {
        let (held, all) = met(claim, one, besides, source, two, others, false);
        held >= TELLS && held >= CROSSED * all
    };
    meets(&mine.first, &mine.second, &theirs.first, &theirs.second)
        && meets(&mine.second, &mine.first, &theirs.second, &theirs.first)
}

/// Whether what each of two comparisons has behind its "than" stands before that of the other one.
fn crossed(claim: &Analysed, mine: &Order, source: &Analysed, theirs: &Order) -> bool {
    let has = |words: &Analysed, range: &Range<usize>, stem: u64| {
        words.tokens[range.clone()].iter().any(|token| token.content() && synonymous(token.stem, stem))
    };
    let stands = |words: &Analysed, order: &Order, other: &Analysed, others: &Order| {
        let own = || {
            order.second.clone().filter(|at| {
                let token = &words.tokens[*at];
                token.content() && !has(words, &order.first, token.stem)
            })
        };
        let there = |at: usize| {
            let stem = words.tokens[at].stem;
            has(other, &others.first, stem) && !has(other, &others.second, stem)
        };
        own().next().is_some_and(there)
    };
    stands(claim, mine, source, theirs) && stands(source, theirs, claim, mine)
}

pub(super) fn orders(case: &Case<'_>, found: &mut Vec<Mismatch>) {
    let claim = case.claim;
    if !claim.tokens.iter().any(|token| joins(&token.norm)) {
        return;
    }
    let own = orders_of(claim);
    let mut turned = None;
    for source in case.evidence.iter().take(SENTENCES) {
        if own.is_empty() || !source.tokens.iter().any(|token| joins(&token.norm)) {
            continue;
        }
        for theirs in orders_of(source) {
            for mine in &own {
                let opposes = mine.kind.opposes(theirs.kind);
                if !opposes && !mine.kind.meets(theirs.kind) {
                    continue;
                }
                let timed = mine.kind == Kind::Time;
                let (one, all) =
                    met(claim, &mine.first, &mine.second, source, &theirs.second, &theirs.first, timed);
                let (two, every) =
                    met(claim, &mine.second, &mine.first, source, &theirs.first, &theirs.second, timed);
                let apart = |held: f64, all: f64| held >= TELLS && held >= CROSSED * all;
                let compared = matches!(mine.kind, Kind::More(_)) && crossed(claim, mine, source, &theirs);
                let kept = apart(all - one, all) && apart(every - two, every);
                let crossed = compared || apart(one, all) && apart(two, every);
                // Another sentence, or another phrase of this one, has it the claim's way round.
                if (kept && !opposes) || (crossed && opposes) {
                    return;
                }
                // "Only before it starts" and "not after it has started".
                let only = |words: &Analysed| {
                    words.tokens.iter().any(|token| token.class == Some(crate::quantifiers::Quantifier::Only))
                };
                let denied = |words: &Analysed| super::denials(words) > 0;
                let alike =
                    |one: &Analysed, two: &Analysed| only(one) && !denied(one) && !only(two) && denied(two);
                if alike(claim, source) || alike(source, claim) {
                    return;
                }
                if kept || crossed {
                    let around = |words: &Analysed, order: &Order| {
                        let (start, end) = (
                            order.first.start.min(order.second.start),
                            order.first.end.max(order.second.end),
                        );
                        phrase(&words.tokens, start..=end - 1)
                    };
                    turned.get_or_insert_with(|| {
                        super::sure("order", &around(claim, mine), &around(source, &theirs))
                    });
                }
            }
        }
    }
    found.extend(turned);
}
