//! Times of day as they are said: "2 pm", "a quarter past five", "las seis y media".

use super::Quantity;
use super::loose::{digits, figure, norm};
use super::units::Dimension;
use super::words::word;
use crate::Token;

/// "2 pm", "9:30 a.m.".
pub(crate) fn clock<T: Token>(tokens: &[T], at: usize) -> Option<Quantity> {
    let hours = digits(tokens, at).filter(|hours| (1.0..13.0).contains(hours))?;
    let (half, last) = match (norm(tokens, at + 1), norm(tokens, at + 2)) {
        ("pm", _) => (12.0, at + 1),
        ("am", _) => (0.0, at + 1),
        ("p", "m") => (12.0, at + 2),
        ("a", "m") => (0.0, at + 2),
        _ => return None,
    };
    let hours = if hours >= 12.0 { hours - 12.0 } else { hours };
    Some(figure(hours + half, Some((Dimension::Clock, 1.0)), at, last))
}

/// The hour at a place, from one to twelve.
fn hour<T: Token>(tokens: &[T], at: usize) -> Option<f64> {
    let hours = digits(tokens, at).or_else(|| word(norm(tokens, at)).map(|(value, _)| value))?;
    (hours.fract() == 0.0 && (1.0..13.0).contains(&hours)).then_some(hours)
}

/// What a part of the day that is named at a place adds to an hour before noon or after midnight (twelve is none), with where
/// it ends: "in the evening", "de la tarde". The night has hours on either side of midnight.
fn daytime<T: Token>(tokens: &[T], at: usize, hours: f64) -> Option<(f64, usize)> {
    let night = if hours % 12.0 < 6.0 { 0.0 } else { 12.0 };
    let late = match (norm(tokens, at), norm(tokens, at + 1), norm(tokens, at + 2)) {
        ("in", "the", "morning") | ("de", "la", "manana" | "madrugada") => (0.0, at + 2),
        ("in", "the", "afternoon" | "evening") | ("de", "la", "tarde") => (12.0, at + 2),
        ("de", "la", "noche") => (night, at + 2),
        ("at", "night", _) => (night, at + 1),
        ("pm", _, _) => (12.0, at),
        ("am", _, _) => (0.0, at),
        _ => return None,
    };
    Some(late)
}

/// A time of day in words: "a quarter past five", "five past four in the afternoon", "las seis y media", "seven in the evening".
/// Where the part of the day is not named it is read both ways.
pub(crate) fn spoken_clock<T: Token>(tokens: &[T], at: usize, found: &mut Vec<Quantity>) {
    let before = at.checked_sub(1).map_or("", |before| norm(tokens, before));
    let minutes = |at: usize| match norm(tokens, at) {
        "quarter" | "cuarto" => Some(15.0),
        "half" | "media" => Some(30.0),
        _ => word(norm(tokens, at))
            .map(|(value, _)| value)
            .or_else(|| digits(tokens, at))
            .filter(|value| *value < 60.0),
    };
    let article = matches!(before, "las" | "la");
    let read = || {
        let english = match norm(tokens, at + 1) {
            "past" => minutes(at).zip(hour(tokens, at + 2)),
            // "From five to ten" is a range.
            "to" if matches!(norm(tokens, at), "quarter")
                || minutes(at).is_some_and(|value| value == 20.0) =>
            {
                minutes(at).map(|value| -value).zip(hour(tokens, at + 2))
            }
            _ => None,
        };
        if let Some((minutes, hours)) = english {
            return Some((hours + minutes / 60.0, at + 2));
        }
        let hours = hour(tokens, at)?;
        let spanish = match norm(tokens, at + 1) {
            "y" if article => minutes(at + 2).filter(|value| *value >= 5.0),
            "menos" if article => minutes(at + 2).map(|value| -value),
            _ => None,
        };
        match spanish {
            Some(minutes) => Some((hours + minutes / 60.0, at + 2)),
            None => daytime(tokens, at + 1, hours)
                .filter(|_| norm(tokens, at + 1) != "de" || article)
                .map(|_| (hours, at)),
        }
    };
    let Some((hours, last)) = read() else { return };
    let whole = |hours: f64| (hours * 60.0).round() / 60.0;
    let half = |hours: f64, late: f64| whole(if hours >= 12.0 { hours - 12.0 + late } else { hours + late });
    let mut push = |hours: f64, last: usize| {
        found.push(figure(hours, Some((Dimension::Clock, 1.0)), at, last));
    };
    match daytime(tokens, last + 1, hours) {
        Some((late, last)) => push(half(hours, late), last),
        None => {
            push(whole(hours), last);
            push(half(hours, 12.0), last);
        }
    }
}
