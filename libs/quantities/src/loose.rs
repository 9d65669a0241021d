//! Figures that a text says in a roundabout way: "a week", "three quarters of an hour", "an hour and 35 minutes", "one in four",
//! "2 pm", "16 June 2024". They are read to find what says the same as a figure in digits; nothing is held against a claim
//! because of them.

use super::Quantity;
use super::clock::{clock, spoken_clock};
use super::dates::{LONGEST_MONTH, dates};
use super::units::{Dimension, cased_unit, unit};
use super::words::{article, counts, word};
use crate::{Begins, Token};
use assay_text::shape::TokenKind;

pub(crate) fn norm<T: Token>(tokens: &[T], at: usize) -> &str {
    tokens.get(at).map_or("", |token| token.norm())
}

pub(crate) fn digits<T: Token>(tokens: &[T], at: usize) -> Option<f64> {
    match tokens.get(at)?.kind() {
        TokenKind::Number(value) => Some(value),
        _ => None,
    }
}

/// The unit at a place, behind something of the same clause.
fn measure<T: Token>(tokens: &[T], at: usize) -> Option<(Dimension, f64)> {
    tokens.get(at).filter(|token| !token.after_break() && token.kind() == TokenKind::Word).and_then(unit_of)
}

fn unit_of(token: &impl Token) -> Option<(Dimension, f64)> {
    // A word that may begin no roundabout figure is no unit either.
    if token.kind() == TokenKind::Word && !token.measures() {
        return None;
    }
    cased_unit(token.text()).or_else(|| unit(token.norm()))
}

/// A part by its word: a half, a quarter, a third.
fn part(word: &str) -> Option<f64> {
    Some(match word {
        "half" | "mitad" | "medio" | "media" => 0.5,
        "third" | "thirds" | "tercio" | "tercios" => 1.0 / 3.0,
        "quarter" | "quarters" | "cuarto" | "cuartos" => 0.25,
        "fifth" | "fifths" | "quinto" | "quintos" => 0.2,
        "eighth" | "eighths" | "octavo" | "octavos" => 0.125,
        "tenth" | "tenths" | "decimo" | "decimos" => 0.1,
        "hundredth" | "hundredths" | "centesimo" | "centesima" => 0.01,
        _ => return None,
    })
}

/// Which figures may begin with a word of a kind, as written and folded.
#[must_use]
pub fn begins(kind: TokenKind, text: &str, norm: &str) -> Begins {
    let measure = kind == TokenKind::Word
        && (part(norm).is_some() || cased_unit(text).is_some() || unit(norm).is_some());
    let counts = counts(kind, norm);
    // Also a name of code may be read as a number or a part behind an article.
    let number = matches!(kind, TokenKind::Number(_)) || word(norm).is_some() || part(norm).is_some();
    Begins { counts, measures: measure || counts, amount: measure || number }
}

/// Whether a word that may be a part numbers the word behind it: "third party", "quinto piso".
fn ordinal<T: Token>(tokens: &[T], at: usize) -> bool {
    let numbers = matches!(
        norm(tokens, at),
        "third"
            | "fifth"
            | "eighth"
            | "tenth"
            | "hundredth"
            | "quinto"
            | "octavo"
            | "decimo"
            | "centesimo"
            | "centesima"
    );
    numbers
        && tokens.get(at + 1).is_some_and(|next| {
            !next.after_break() && next.content() && !matches!(next.norm(), "of" | "de" | "del")
        })
}

/// A small count before a part: "three" quarters, "un" cuarto.
fn count<T: Token>(tokens: &[T], at: usize) -> Option<f64> {
    digits(tokens, at).or_else(|| {
        let value = word(norm(tokens, at)).map(|(value, _)| value);
        value
            .or_else(|| article(norm(tokens, at)).then_some(1.0))
            .filter(|value| *value >= 1.0 && *value <= 12.0)
    })
}

/// A figure of a stretch of tokens, by its value and unit alone.
pub fn figure(value: f64, unit: Option<(Dimension, f64)>, first: usize, last: usize) -> Quantity {
    Quantity {
        value,
        unit,
        first,
        last,
        soft: false,
        grouped: None,
        bound: None,
        per: None,
        implied: false,
        head: 0,
        before: 0,
    }
}

/// What is added behind a unit: "and a half", "y media", "y cuarto"; with the number of words.
fn and_a_part<T: Token>(tokens: &[T], at: usize) -> Option<(f64, usize)> {
    match (norm(tokens, at), norm(tokens, at + 1), norm(tokens, at + 2)) {
        ("and", "a", next) => part(next).map(|value| (value, 3)),
        ("y", "medio" | "media", _) => Some((0.5, 2)),
        ("y", "cuarto", _) => Some((0.25, 2)),
        _ => None,
    }
}

/// "A week", "an hour and a half", "hora y media", "half a kilo", "three quarters of an hour", "medio mega"; and parts without a
/// unit: "two thirds".
fn parts_and_ones<T: Token>(tokens: &[T], at: usize) -> Option<Quantity> {
    // "The tenth order", "a third party" count and are no parts.
    if ordinal(tokens, at) || (article(norm(tokens, at)) && ordinal(tokens, at + 1)) {
        return None;
    }
    // A number of parts, or a part by itself.
    let counted = count(tokens, at).filter(|_| part(norm(tokens, at + 1)).is_some());
    let share = counted
        .and_then(|count| Some((count * part(norm(tokens, at + 1))?, at + 1)))
        .or_else(|| part(norm(tokens, at)).map(|value| (value, at)));
    if let Some((value, behind)) = share {
        let mut next = behind + 1;
        next += usize::from(matches!(norm(tokens, next), "of" | "de"));
        next += usize::from(article(norm(tokens, next)));
        return match measure(tokens, next) {
            Some(unit) => Some(figure(value, Some(unit), at, next)),
            // "A quarter of a million".
            None if word(norm(tokens, next)).is_some_and(|(_, multiplies)| multiplies) => {
                let times = word(norm(tokens, next)).map_or(1.0, |(times, _)| times);
                Some(figure(value * times, None, at, next))
            }
            None if value < 1.0 => Some(figure(value, None, at, behind)),
            None => None,
        };
    }
    let one = article(norm(tokens, at)) || matches!(norm(tokens, at), "one" | "single");
    // "A whole week".
    let whole = one && matches!(norm(tokens, at + 1), "whole" | "full" | "entire" | "good");
    let place = if one { at + 1 + usize::from(whole) } else { at };
    let unit = if one { measure(tokens, place) } else { tokens.get(place).and_then(unit_of) };
    let unit = unit.filter(|(dimension, _)| {
        matches!(
            dimension,
            Dimension::Time | Dimension::Size | Dimension::Mass | Dimension::Length | Dimension::Volume
        )
    })?;
    // "A second server" is one more.
    let further = norm(tokens, place) == "second"
        && tokens.get(place + 1).is_some_and(|next| !next.after_break() && next.content());
    if further {
        return None;
    }
    match and_a_part(tokens, place + 1) {
        Some((more, words)) => Some(figure(1.0 + more, Some(unit), at, place + words)),
        None if one => Some(figure(1.0, Some(unit), at, place)),
        None => None,
    }
}

/// "One in four", "3 out of 10", "uno de cada cinco".
fn one_in<T: Token>(tokens: &[T], at: usize) -> Option<Quantity> {
    let above = count(tokens, at)?;
    let behind = match (norm(tokens, at + 1), norm(tokens, at + 2)) {
        ("in", _) => at + 2,
        ("out", "of") | ("de", "cada") => at + 3,
        _ => return None,
    };
    let below = count(tokens, behind).filter(|below| above < *below && *below <= 100.0)?;
    Some(figure(above / below, None, at, behind))
}

/// "2.5 M", "10 k": with a space between.
fn multiplied<T: Token>(tokens: &[T], at: usize) -> Option<Quantity> {
    let value = digits(tokens, at)?;
    let next = tokens.get(at + 1).filter(|next| !next.after_break())?;
    let factor = match next.text() {
        "k" | "K" => 1e3,
        "M" | "mn" => 1e6,
        "bn" => 1e9,
        _ => return None,
    };
    Some(figure(value * factor, None, at, at + 1))
}

/// The roundabout figures of a token sequence, beside those that [`crate::quantities`] found.
pub fn loose<T: Token>(tokens: &[T], strict: &[Quantity]) -> Vec<Quantity> {
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        let token = &tokens[at];
        let digit = matches!(token.kind(), TokenKind::Number(_));
        if !digit && token.kind() != TokenKind::Word {
            continue;
        }
        if token.measures() && (token.counts() || token.content()) {
            found.extend(parts_and_ones(tokens, at));
        }
        if token.counts() {
            found.extend(one_in(tokens, at));
        }
        if token.counts() || token.measures() {
            spoken_clock(tokens, at, &mut found);
        }
        if digit {
            found.extend(clock(tokens, at));
            found.extend(multiplied(tokens, at));
        }
        if digit || token.norm().len() <= LONGEST_MONTH && token.capital() {
            dates(tokens, at, &mut found);
        }
    }
    compounds(tokens, strict, &mut found);
    found
}

/// "An hour and 35 minutes", "3 horas y 40 minutos", "2 h 5 min".
fn compounds<T: Token>(tokens: &[T], strict: &[Quantity], found: &mut Vec<Quantity>) {
    let mut sums = Vec::new();
    let all = || strict.iter().chain(found.iter());
    for one in all() {
        let Some((dimension, factor)) = one.unit else { continue };
        for two in all().filter(|two| two.first > one.last && two.first <= one.last + 2) {
            let Some((other, smaller)) = two.unit else { continue };
            let between = two.first == one.last + 1 || matches!(norm(tokens, one.last + 1), "and" | "y");
            let kind =
                matches!(dimension, Dimension::Time | Dimension::Length | Dimension::Mass | Dimension::Money);
            // "1/4 inch (0.6 cm)" is said twice, and no sum.
            let between = between && !tokens[two.first].after_break();
            if between && kind && other == dimension && smaller < factor && two.value * smaller < factor {
                sums.push(figure(
                    one.value * factor + two.value * smaller,
                    Some((dimension, 1.0)),
                    one.first,
                    two.last,
                ));
            }
        }
    }
    found.extend(sums);
}
