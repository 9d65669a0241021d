//! When something is done, by a word that says before or after what: "two minutes before the end" for "two minutes after the
//! end", and by its place among all: "salt goes in first" for "salt is added at the end".

use super::{Case, Mismatch, Strength, phrase, sure};
use crate::flags;
use crate::index::Analysed;
use crate::tokens::TokenKind;
use std::ops::Range;

/// Longest claim that is looked at, in tokens.
const LONGEST: usize = 24;
/// Words behind a "before" or "after" that say of what.
const OBJECT: usize = 4;
/// Least weight of a word of that.
const TELLS: f64 = 2.0;
/// Least share of a claim that the sentence must hold.
const REST: f64 = 0.5;
/// Sentences that are looked at.
const SENTENCES: usize = 2;

/// On which side of what follows something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Before,
    After,
}

/// A "before" or "after" of a sentence.
struct Moment {
    side: Side,
    at: usize,
    /// What it is before or after; empty where that is not said.
    object: Range<usize>,
    /// The figure in front of it, with its unit: how long.
    figure: Option<u64>,
}

/// Words that say what is before or after what.
pub(crate) const WORDS: &[&str] = &["before", "antes", "after", "despues", "tras"];

fn moments_of(words: &Analysed) -> Vec<Moment> {
    let tokens = &words.tokens;
    let norm = |at: usize| tokens.get(at).map_or("", |token| token.norm.as_str());
    let mut found = Vec::new();
    for at in (0..tokens.len()).filter(|at| tokens[*at].is(flags::MOMENT)) {
        let side = match norm(at) {
            "before" | "antes" => Side::Before,
            "after" | "despues" | "tras" => Side::After,
            _ => continue,
        };
        let end = (at + 1..tokens.len()).find(|place| tokens[*place].after_break).unwrap_or(tokens.len());
        // In Spanish nothing but "de" or "que" joins it to what follows.
        let joined = !matches!(norm(at), "antes" | "despues") || matches!(norm(at + 1), "de" | "del" | "que");
        let object = if joined { at + 1..end.min(at + 1 + OBJECT) } else { at + 1..at + 1 };
        let number = words
            .quantities
            .iter()
            .find(|figure| figure.last + 1 == at || figure.last + 2 == at && tokens[at - 1].content());
        found.push(Moment {
            side,
            at,
            object,
            figure: number.map(|figure| crate::numbers::hash(figure.value)),
        });
    }
    found
}

/// Whether two stretches share a word that tells.
fn share(claim: &Analysed, one: &Range<usize>, source: &Analysed, two: &Range<usize>) -> bool {
    one.clone().any(|at| {
        let token = &claim.tokens[at];
        token.content()
            && claim.weights[at] >= TELLS
            && source.tokens[two.clone()].iter().any(|other| other.content() && token.means(other))
    })
}

/// Denials of a text; what is not until a time is from then on.
fn denials(words: &Analysed) -> usize {
    let until = words.tokens.iter().any(|token| matches!(token.norm.as_str(), "until" | "till" | "hasta"));
    (super::denials(words) % 2) ^ usize::from(until)
}

/// Share of the weight of a claim that a sentence says.
fn said(claim: &Analysed, source: &Analysed) -> f64 {
    let held: f64 = claim
        .tokens
        .iter()
        .zip(&claim.weights)
        .filter(|(token, weight)| **weight > 0.0 && source.says_token(token))
        .map(|(_, weight)| weight)
        .sum();
    if claim.mass > 0.0 { held / claim.mass } else { 0.0 }
}

pub(super) fn moments(case: &Case<'_>, found: &mut Vec<Mismatch>) {
    let claim = case.claim;
    if claim.tokens.len() > LONGEST || found.iter().any(|other| other.strength == Strength::Contradicts) {
        return;
    }
    let mismatch = beside(case).or_else(|| placed(case));
    found.extend(mismatch);
}

/// Before what the source has it after.
fn beside(case: &Case<'_>) -> Option<Mismatch> {
    let claim = case.claim;
    if !claim.any_is(flags::MOMENT) {
        return None;
    }
    let own = moments_of(claim);
    let [mine] = own.as_slice() else { return None };
    let mut turned = None;
    for source in case.evidence.iter().take(SENTENCES) {
        let told = moments_of(source);
        // Said of another thing, or both ways.
        if told.iter().any(|other| other.side == mine.side) {
            return None;
        }
        for theirs in &told {
            let figure = mine.figure.is_some() && mine.figure == theirs.figure;
            let object = share(claim, &mine.object, source, &theirs.object);
            // What the claim is before stands behind the word of the source, or nowhere in it.
            let bare =
                theirs.object.is_empty() && !share(claim, &mine.object, source, &(0..source.tokens.len()));
            let met = object && (mine.figure == theirs.figure || mine.figure.is_none()) || figure && bare;
            let opposed = !super::opposites::pairs(claim, source).iter().all(|(at, _)| *at == mine.at);
            if met && !opposed && denials(claim) == denials(source) && said(claim, source) >= REST {
                let quote = |words: &Analysed, one: &Moment| {
                    phrase(&words.tokens, one.at.saturating_sub(2)..=(one.at + 3).min(words.tokens.len() - 1))
                };
                turned.get_or_insert_with(|| sure("order", &quote(claim, mine), &quote(source, theirs)));
            }
        }
    }
    turned
}

/// Words that may put something before all else, or behind it; see [`ends_of`].
pub(crate) const OUTERMOST: &[&str] = &[
    "first",
    "primero",
    "last",
    "end",
    "beginning",
    "start",
    "final",
    "principio",
    "comienzo",
    "inicio",
    "finally",
    "finalmente",
    "ultimo",
    "initially",
    "inicialmente",
];

/// Places of words that put something before all else, or behind it.
fn ends_of(words: &Analysed) -> Vec<(usize, Side)> {
    let tokens = &words.tokens;
    let norm = |at: usize| tokens.get(at).map_or("", |token| token.norm.as_str());
    (0..tokens.len())
        .filter(|at| tokens[*at].is(flags::OUTERMOST))
        .filter_map(|at| {
            let before = if at > 0 { norm(at - 1) } else { "" };
            let closed = tokens.get(at + 1).is_none_or(|next| {
                next.after_break || matches!(next.norm.as_str(), "and" | "y" | "to" | "then" | "e")
            });
            let led =
                matches!(before, "comes" | "come" | "goes" | "go" | "is" | "are" | "added" | "in" | "done");
            let time = |list: &[&str]| list.contains(&before) && !matches!(norm(at + 1), "of" | "de" | "del");
            match norm(at) {
                "first" | "primero" if closed && (led || !tokens[at].opens) => Some((at, Side::Before)),
                "last" if closed && !matches!(before, "the" | "at") => Some((at, Side::After)),
                "end" if time(&["the"]) && at > 1 && norm(at - 2) == "at" => Some((at, Side::After)),
                "beginning" | "start" if time(&["the"]) && at > 1 && norm(at - 2) == "at" => {
                    Some((at, Side::Before))
                }
                "final" if time(&["al"]) => Some((at, Side::After)),
                "principio" | "comienzo" | "inicio" if time(&["al"]) => Some((at, Side::Before)),
                "finally" | "finalmente" => Some((at, Side::After)),
                "ultimo" if before == "por" => Some((at, Side::After)),
                "initially" | "inicialmente" => Some((at, Side::Before)),
                _ => None,
            }
        })
        .collect()
}

/// First what the source has last.
fn placed(case: &Case<'_>) -> Option<Mismatch> {
    let (claim, best) = (case.claim, case.evidence.first()?);
    if ![claim, best].iter().all(|words| words.any_is(flags::OUTERMOST)) {
        return None;
    }
    let (own, theirs) = (ends_of(claim), ends_of(best));
    let [(at, mine)] = own.as_slice() else { return None };
    let clause = |words: &Analysed, at: usize| {
        let cut = |place: &usize| {
            words.tokens[*place].after_break
                || matches!(words.tokens[*place].norm.as_str(), "and" | "y" | "but" | "pero")
        };
        let start = (0..=at).rev().find(cut).unwrap_or(0);
        start..(at + 1..words.tokens.len()).find(cut).unwrap_or(words.tokens.len())
    };
    let here = clause(claim, *at);
    let held = |range: &Range<usize>| -> f64 {
        here.clone()
            .filter(|place| place != at && claim.tokens[*place].content())
            .filter(|place| {
                best.tokens[range.clone()]
                    .iter()
                    .any(|other| other.content() && claim.tokens[*place].means(other))
            })
            .map(|place| claim.weights[place])
            .sum()
    };
    let of = |side: Side| -> Option<(f64, Range<usize>)> {
        theirs
            .iter()
            .filter(|(_, other)| *other == side)
            .map(|(place, _)| clause(best, *place))
            .map(|range| (held(&range), range))
            .max_by(|one, two| one.0.total_cmp(&two.0))
    };
    let other = if *mine == Side::Before { Side::After } else { Side::Before };
    let (crossed, range) = of(other)?;
    let straight = of(*mine).map_or(0.0, |(held, _)| held);
    let all: f64 = here
        .clone()
        .filter(|place| place != at && claim.tokens[*place].kind == TokenKind::Word)
        .map(|place| claim.weights[place])
        .sum();
    let turned = crossed >= TELLS
        && crossed > 1.5 * straight
        && crossed >= REST * all
        && super::deny_alike(claim, best);
    turned.then(|| {
        sure(
            "order",
            &phrase(&claim.tokens, here.start..=here.end - 1),
            &phrase(&best.tokens, range.start..=range.end - 1),
        )
    })
}
