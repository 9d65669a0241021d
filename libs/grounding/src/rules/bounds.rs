//! The same figure bounded from the other side, in a claim worded anew: "more than six fit" where the sources say "a
//! maximum of six".

use super::extent::{Core, Statement, said};
use super::negation::is_negator;
use super::{Mismatch, denials, opposites};
use crate::flags;
use crate::index::Analysed;
use crate::numbers::{Bound, Quantity};

/// Least likeness where the source limits something: "at most six".
const LIMIT: f64 = 0.55;
/// The same where it says what happens beyond a figure: what happens below it may be said as well.
const BEYOND: f64 = 0.85;
/// Tokens before a figure in which a denial turns its bound round.
const REACH: usize = 6;

/// The side on which a figure bounds, with how many denials of the text say nothing of it.
fn side(words: &Analysed, figure: &Quantity) -> Option<(Bound, usize)> {
    let bound = figure.bound.or_else(|| named(words, figure))?;
    let near = || {
        (figure.first.saturating_sub(REACH)..figure.first)
            .rev()
            .take_while(|at| !words.tokens[*at + 1].after_break)
    };
    // "No fee for 48 hours or more" denies the fee, not the bound.
    if near().any(|at| words.tokens[at].norm == "no" && words.tokens[at + 1].content()) {
        return None;
    }
    let turned = near().any(|at| is_negator(&words.tokens, at));
    // "Does not answer within 20 s" bounds nothing.
    let lasts = (1..=2).filter_map(|back| figure.first.checked_sub(back)).any(|at| {
        matches!(
            words.tokens[at].norm.as_str(),
            "within" | "until" | "till" | "hasta" | "from" | "desde" | "partir"
        )
    });
    if turned && lasts {
        return None;
    }
    Some((if turned { bound.other() } else { bound }, denials(words) - usize::from(turned)))
}

/// Whether a text turns away what it bounds, or speaks of what lies beyond: "fewer than 12 characters are rejected" is said by
/// "at least 12 characters".
pub(super) fn refuses(words: &Analysed) -> bool {
    words.any_is(flags::REFUSES)
}

/// Whether a folded word turns something away, or names what lies beyond.
pub(crate) fn turns_away(word: &str) -> bool {
    const BEGINNINGS: &[&str] =
        &["reject", "refus", "exclu", "disqualif", "forbid", "invalid", "rechaz", "prohib"];
    const WORDS: &[&str] = &["too", "others", "otherwise", "rest", "demasiado", "demas", "resto"];
    WORDS.contains(&word) || BEGINNINGS.iter().any(|begins| word.starts_with(begins))
}

/// The side that a noun before a figure puts it on: "the least length is 12 characters".
fn named(words: &Analysed, figure: &Quantity) -> Option<Bound> {
    let measures = |at: usize| {
        words.tokens.get(at).is_some_and(|next| {
            matches!(
                next.norm.as_str(),
                "length"
                    | "size"
                    | "number"
                    | "age"
                    | "time"
                    | "distance"
                    | "duration"
                    | "amount"
                    | "height"
                    | "speed"
                    | "temperature"
                    | "longitud"
                    | "tamano"
                    | "numero"
                    | "edad"
                    | "tiempo"
                    | "distancia"
                    | "duracion"
                    | "altura"
                    | "velocidad"
                    | "temperatura"
                    | "importe"
                    | "value"
                    | "valor"
            )
        })
    };
    let before = (figure.first.saturating_sub(8)..figure.first).rev();
    before.into_iter().find_map(|at| match words.tokens[at].norm.as_str() {
        "least" | "minimum" | "smallest" | "shortest" if measures(at + 1) => Some(Bound::Least),
        "maximum" | "largest" | "longest" | "greatest" if measures(at + 1) => Some(Bound::Most),
        "minimo" | "minima" if at > 0 && measures(at - 1) => Some(Bound::Least),
        "maximo" | "maxima" if at > 0 && measures(at - 1) => Some(Bound::Most),
        _ => None,
    })
}

/// Whether a figure is a limit that holds, and not one from which something else holds.
fn limits(words: &Analysed, figure: &Quantity) -> bool {
    let before = figure.first.saturating_sub(4)..figure.first;
    let behind = figure.last + 1..(figure.last + 4).min(words.tokens.len());
    before.chain(behind).any(|at| {
        matches!(
            words.tokens[at].norm.as_str(),
            "least"
                | "most"
                | "maximum"
                | "minimum"
                | "max"
                | "min"
                | "maximo"
                | "minimo"
                | "hasta"
                | "up"
                | "no"
                | "not"
                | "latest"
                | "earliest"
                | "fewer"
                | "within"
                | "never"
                | "nunca"
                | "mucho"
                | "poco"
        )
    })
}

/// A figure of the claim whose bound is turned round.
pub(super) fn bounds(core: &Core<'_>) -> Option<Mismatch> {
    let claim = core.claim;
    claim.quantities.iter().find_map(|figure| {
        let (own, others) = side(claim, figure)?;
        let without = figure.first..figure.last + 1;
        let judge = |statement: Statement<'_>, place: usize| {
            let held =
                statement.words.quantities.iter().find(|held| held.first == place && held.equals(figure))?;
            let Some((theirs, denied)) = side(statement.words, held) else { return Some(true) };
            if own == theirs
                || denied % 2 != others % 2
                || opposites::opposed(claim, statement.words)
                || refuses(claim) != refuses(statement.words)
                || super::except::speaks_of_exception(claim, statement.words)
            {
                return Some(true);
            }
            let least = if limits(statement.words, held) { LIMIT } else { BEYOND };
            (core.likeness(statement, place, &without) >= least).then_some(false)
        };
        let (statement, place) = core.otherwise(&without, LIMIT, judge)?;
        let from = |words: &Analysed, at: usize| {
            (at.saturating_sub(2)..at).find(|at| !words.tokens[at + 1].after_break)
        };
        let at = from(claim, figure.first).unwrap_or(figure.first);
        let place = from(statement.words, place).unwrap_or(place);
        Some(said(claim, at, statement.words, place))
    })
}
