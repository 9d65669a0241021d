//! What stands around a figure: what bounds it, and the time that it is counted in.

use super::units::{Dimension, unit};
use super::words::article;
use super::{Bound, Quantity};
use crate::Token;
use assay_text::shape::TokenKind;

/// Words before a figure that may stand between it and what bounds it.
const BETWEEN: &[&str] =
    &["of", "a", "an", "the", "about", "de", "un", "una", "unos", "unas", "el", "los", "las"];

/// Words before "a week" that make it a figure: "after a week".
const BEFORE_ONE: &[&str] = &[
    "after", "for", "within", "until", "lasts", "takes", "than", "about", "around", "over", "durante",
    "tras", "dura", "tarda", "hasta", "in", "remains", "valid", "least", "most", "exactly", "nearly",
    "almost", "menos", "mas", "by", "only", "casi",
];

/// Whether a folded word says that something goes beyond a figure.
pub fn passes(word: &str) -> bool {
    matches!(
        word,
        "exceed"
            | "exceeds"
            | "exceeded"
            | "supera"
            | "superan"
            | "superar"
            | "supere"
            | "superen"
            | "excede"
            | "exceden"
            | "exceder"
            | "exceda"
            | "sobrepasa"
            | "sobrepasar"
            | "rebasa"
            | "rebasar"
    )
}

/// On which side a comparative before "than" puts a figure: "longer than 5 m" is at least that.
pub fn compares(word: &str) -> Option<Bound> {
    Some(match word {
        "more" | "greater" | "longer" | "larger" | "older" | "higher" | "bigger" | "heavier" | "taller"
        | "deeper" | "wider" | "thicker" | "mas" | "mayor" | "mayores" | "pasa" | "pasan" | "pasar"
        | "pase" => Bound::Least,
        "less" | "fewer" | "shorter" | "smaller" | "younger" | "lower" | "newer" | "lighter" | "thinner"
        | "narrower" | "cheaper" | "menos" | "menor" | "menores" => Bound::Most,
        _ => return None,
    })
}

/// Words that turn a comparative behind them into the bound of the other side: "no longer than", "cannot be larger than".
const TURNING: &[&str] = &["no", "not", "never", "nunca", "cannot"];

/// Whether a token turns a comparative behind it.
fn turns(token: &impl Token) -> bool {
    TURNING.contains(&token.norm()) || token.norm().ends_with("n't")
}

/// Whether what is denied at a token is that something goes beyond a figure: "no longer than 90 minutes", "must not be larger than
/// 5 MB". Those who compare with a thing ("no larger than a dog"), and others who deny ("nobody taller than 2 m"), deny.
pub fn bounds_by_denying<T: Token>(tokens: &[T], at: usize) -> bool {
    let norm = |at: usize| tokens.get(at).map_or("", |token| token.norm());
    let place = at + 1 + usize::from(norm(at + 1) == "be");
    let Some(said) = tokens.get(at..place + 3) else { return false };
    let figure = |token: &T| token.counts() && !article(token.norm());
    turns(&tokens[at])
        && compares(norm(place)).is_some()
        && matches!(norm(place + 1), "than" | "de")
        && said[1..].iter().all(|next| !next.after_break())
        && said.last().is_some_and(figure)
}

/// What bounds the figure that begins at a token.
pub(crate) fn bound<T: Token>(tokens: &[T], at: usize) -> Option<Bound> {
    let mut seen = at;
    for _ in 0..4 {
        seen = seen.checked_sub(1)?;
        let (word, before) = (tokens[seen].norm(), seen.checked_sub(1).map_or("", |at| tokens[at].norm()));
        let two = (before, word);
        let than = matches!(word, "than" | "de" | "que");
        let comparative = if than { before } else { "" };
        let denies = |back: usize, says: &dyn Fn(&T) -> bool| {
            let near = seen.checked_sub(back).filter(|at| says(&tokens[*at]));
            near.is_some_and(|at| !tokens[at + 1..=seen].iter().any(|token| token.after_break()))
        };
        // "No hay más de ocho" as well as "no más de ocho".
        let denied = than
            && (denies(2, &turns)
                || denies(3, &turns) && seen.checked_sub(2).is_some_and(|at| tokens[at].norm() == "be")
                || word == "de" && (3..5).any(|back| denies(back, &|token| token.norm() == "no")));
        if let Some(side) = compares(comparative) {
            return Some(if denied { side.other() } else { side });
        }
        return match two {
            ("at" | "the", "most") | ("up", "to") | ("como", "maximo" | "mucho") => Some(Bound::Most),
            ("at", "least") | ("al" | "por" | "lo", "menos") | ("como", "minimo" | "poco") => {
                Some(Bound::Least)
            }
            ("capped", "at") | ("limited" | "restricted", "to") | ("limitado" | "limitada", "a") => {
                Some(Bound::Most)
            }
            ("debajo", "de") => Some(Bound::Most),
            ("encima", "de") => Some(Bound::Least),
            (_, "from" | "desde" | "since")
                if !tokens[at..]
                    .iter()
                    .take(5)
                    .any(|token| matches!(token.norm(), "to" | "a" | "hasta" | "and" | "y")) =>
            {
                Some(Bound::Least)
            }
            ("partir", "de" | "del") | ("starting", "at" | "with") => Some(Bound::Least),
            // "Never exceed 32", "no supera los 30".
            _ if passes(word) => {
                let denied = (1..4).any(|back| seen.checked_sub(back).is_some_and(|at| tokens[at].denies()));
                Some(if denied { Bound::Most } else { Bound::Least })
            }
            (_, "maximum" | "max" | "below" | "under" | "within" | "hasta" | "maximo" | "until" | "till") => {
                Some(Bound::Most)
            }
            (_, "minimum" | "min" | "minimo" | "over" | "above" | "beyond" | "exceeding") => {
                Some(Bound::Least)
            }
            _ if BETWEEN.contains(&word) => continue,
            _ => None,
        };
    }
    None
}

/// What bounds the figure that ends before a token: "twelve or fewer", "2 s at the latest", "30 días como máximo".
pub(crate) fn bound_behind<T: Token>(tokens: &[T], at: usize) -> Option<Bound> {
    let named = |at: usize| tokens.get(at).map_or("", |token| token.norm());
    let ends = |at: usize| tokens.get(at).is_none_or(|token| token.after_break() || !token.content());
    // What is counted may stand between: "twelve characters or fewer", "64 MB of free memory at the most".
    for place in at..at + 4 {
        let found = match (named(place), named(place + 1), named(place + 2)) {
            ("at", "the", "latest" | "most") | ("as", "a", "maximum") | ("a", "lo", "sumo") => {
                Some(Bound::Most)
            }
            ("at", "the", "earliest" | "least") | ("as", "a", "minimum") => Some(Bound::Least),
            ("at", "most", _) | ("como", "maximo" | "mucho", _) if ends(place + 2) => Some(Bound::Most),
            ("at", "least", _) | ("como", "minimo" | "poco", _) if ends(place + 2) => Some(Bound::Least),
            _ if place > at + 1 => None,
            (
                "or" | "and",
                "fewer" | "less" | "under" | "below" | "shorter" | "smaller" | "lower" | "earlier",
                _,
            )
            | ("o" | "y", "menos" | "menor", _) => Some(Bound::Most),
            (
                "or" | "and",
                "more" | "over" | "above" | "longer" | "larger" | "higher" | "up" | "older" | "later",
                _,
            )
            | ("o" | "y", "mas" | "mayor", _) => Some(Bound::Least),
            _ => None,
        };
        let other = tokens
            .get(place)
            .is_none_or(|token| token.after_break() || token.counts() && token.norm() != "a");
        if found.is_some() || other {
            return found;
        }
    }
    None
}

/// Seconds of the time behind "per", "a" or "every" at a token, of a unit behind a stroke ("ml/h"), or of "daily".
pub(crate) fn per<T: Token>(tokens: &[T], at: usize) -> Option<f64> {
    for start in at..at + 3 {
        let word = tokens.get(start)?;
        let time = |at: usize| match tokens.get(at).and_then(|token| unit(token.norm())) {
            Some((Dimension::Time, seconds)) => Some(seconds),
            _ => None,
        };
        if matches!(word.norm(), "per" | "a" | "an" | "each" | "every" | "por" | "al" | "cada")
            && let Some(seconds) = time(start + 1)
        {
            return Some(seconds);
        }
        if word.after_break() || matches!(word.kind(), TokenKind::Number(_)) {
            return None;
        }
        let joined =
            tokens[..start].last().is_some_and(|last| last.start() + last.text().len() + 1 == word.start());
        if start < at + 2 && joined && matches!(word.norm(), "s" | "sec" | "min" | "h" | "hr") {
            return time(start);
        }
        if start < at + 2
            && let Some(seconds) = daily(word.norm())
        {
            return Some(seconds);
        }
    }
    None
}

/// Seconds between two of what a word says is done again and again.
fn daily(word: &str) -> Option<f64> {
    let length = match word {
        "hourly" => "hour",
        "daily" | "diario" | "diaria" | "diarios" | "diarias" => "day",
        "weekly" | "semanal" | "semanales" => "week",
        "monthly" | "mensual" | "mensuales" => "month",
        "yearly" | "annually" | "anual" | "anuales" => "year",
        _ => return None,
    };
    unit(length).map(|(_, seconds)| seconds)
}

/// Stems of the content words behind and before a figure, 0 if none.
pub(crate) fn beside<T: Token>(tokens: &[T], first: usize, last: usize) -> (u64, u64) {
    let goes_on =
        |token: &&T| !token.after_break() && !matches!(token.norm(), "and" | "or" | "y" | "o" | "but");
    let behind = tokens[last + 1..].iter().take(4).take_while(goes_on).find(|token| token.content());
    let before = tokens[..first].iter().rev().take(4).find(|token| token.content());
    (behind.map_or(0, |token| token.stem()), before.map_or(0, |token| token.stem()))
}

/// A roundabout figure with what stands around it in a text.
pub fn placed<T: Token>(tokens: &[T], figure: &Quantity) -> Quantity {
    let (head, before) = beside(tokens, figure.first, figure.last);
    let bound = bound(tokens, figure.first).or_else(|| bound_behind(tokens, figure.last + 1));
    let per = per(tokens, figure.last + 1);
    Quantity { bound, per, head, before, ..figure.clone() }
}

/// "an hour", "una semana": one of a unit.
pub(crate) fn one_of<T: Token>(tokens: &[T], at: usize) -> bool {
    let named = |at: usize| tokens.get(at).map_or("", |token| token.norm());
    article(named(at))
        && at > 0
        && BEFORE_ONE.contains(&named(at - 1))
        && matches!(unit(named(at + 1)), Some((Dimension::Time, _)))
        && !matches!(named(at + 2), "of" | "de")
}
