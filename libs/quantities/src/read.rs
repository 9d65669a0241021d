//! Finds the figures of a token sequence.

use super::Quantity;
use super::around::{beside, bound, bound_behind, one_of, per};
use super::digits::is_part;
use super::units::{self, Dimension, cased_unit, raises, unit};
use super::words::{article, lowest, word};
use crate::Token;
use assay_text::shape::TokenKind;

/// Figures of a token sequence, in digits and spelled out, with their units and neighbours.
pub fn quantities<T: Token>(tokens: &[T]) -> Vec<Quantity> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if !tokens[at].counts() {
            at += 1;
            continue;
        }
        let spoken = if one_of(tokens, at) { Some((1.0, at + 1, true)) } else { read(tokens, at) };
        let Some((mut value, mut behind, spelled)) = spoken else {
            at += 1;
            continue;
        };
        let named = |at: usize| tokens.get(at).map_or("", |token| token.norm());
        let halved = |at: usize| match (named(at), named(at + 1), named(at + 2)) {
            ("and", "a", "half") => Some((0.5, 3)),
            ("y", "media" | "medio", _) => Some((0.5, 2)),
            ("y", "cuarto", _) => Some((0.25, 2)),
            _ => None,
        };
        if let Some((part, words)) = halved(behind).or_else(|| and_part(tokens, at, behind)) {
            (value, behind) = (value + part, behind + words);
            // "One and a half million".
            if let Some((times, true)) = word(named(behind)) {
                (value, behind) = (value * times, behind + 1);
            }
        }
        let mut last = behind - 1;
        let mut measure = None;
        if tokens[at].text().starts_with(['$', '€']) {
            measure = Some((Dimension::Money, 1.0));
        } else if !spelled && tokens[at].text().contains([':', 'h']) {
            measure = Some((Dimension::Clock, 1.0));
        }
        if let Some(next) = tokens.get(behind) {
            if matches!(next.norm(), "st" | "nd" | "rd" | "th" | "º" | "ª") {
                last = behind;
            } else if let Some(found) = squared(tokens, behind) {
                // "$7 sq ft" is the price of one.
                if measure.is_none() {
                    (measure, last) = (Some(found), behind + 1);
                }
            } else if let Some(found) =
                cased_unit(next.text()).or_else(|| unit(next.norm())).or_else(|| joined_unit(next))
            {
                // "5 min" is a measure; "5 s" too, but "5 m" and "5 d" only where written together.
                let price = matches!(measure, Some((Dimension::Money, _))) && found.0 == Dimension::Area;
                if !next.after_break() && !price {
                    measure = Some(found);
                    last = behind;
                    // "20 degrees Celsius".
                    let scale = match named(behind + 1) {
                        "c" => Some((Dimension::Degree(0), 1.0)),
                        "f" => Some((Dimension::Degree(1), 1.0)),
                        name => unit(name),
                    };
                    if let (Dimension::Degree(2), Some(scale @ (Dimension::Degree(_), _))) = (found.0, scale)
                    {
                        (measure, last) = (Some(scale), behind + 1);
                    }
                    if let Some((part, words)) = halved(behind + 1) {
                        (value, last) = (value + part, behind + words);
                    }
                }
            } else if matches!((next.norm(), named(behind + 1)), ("por", "ciento") | ("per", "cent")) {
                measure = Some((Dimension::Percent, 1.0));
                last = behind + 1;
            }
        }
        // "Minus 15 degrees", "15 grados bajo cero".
        let cold = at > 0 && matches!(tokens[at - 1].norm(), "minus" | "menos") && !tokens[at].after_break()
            || matches!((named(last + 1), named(last + 2)), ("below", "zero") | ("bajo", "cero"));
        if cold && matches!(measure, Some((Dimension::Degree(_), _))) {
            value = -value;
        }
        // "Three working days".
        let days = |at: usize| matches!(unit(named(at)), Some((Dimension::Time, _)));
        if measure.is_none()
            && matches!(
                named(behind),
                "working" | "business" | "calendar" | "consecutive" | "full" | "school"
            )
            && days(behind + 1)
        {
            (measure, last) = (unit(named(behind + 1)), behind + 1);
        }
        let (mut head, before) = beside(tokens, at, last);
        if matches!(tokens[at].norm(), "twice" | "thrice") {
            head = assay_text::hash::hash("time");
        }
        let soft = spelled && measure.is_none() && value < 13.0;
        let bound = bound(tokens, at).or_else(|| bound_behind(tokens, last + 1));
        let per = per(tokens, last + 1);
        let grouped = tokens[at]
            .text()
            .split_once('.')
            .filter(|(head, tail)| {
                (1..=3).contains(&head.len()) && !head.starts_with('0') && tail.len() == 3 && !spelled
            })
            .map(|_| value * 1e3);
        found.push(Quantity {
            value,
            unit: measure,
            first: at,
            last,
            soft,
            grouped,
            bound,
            per,
            implied: false,
            head,
            before,
        });
        at = last + 1;
    }
    super::implied::imply(tokens, &mut found);
    found
}

/// The part of one in "1 and 1/2 hours", with how many tokens it takes; not in a list or between two bounds, where both are figures.
fn and_part<T: Token>(tokens: &[T], at: usize, behind: usize) -> Option<(f64, usize)> {
    let (and, token, counted) = (tokens.get(behind)?, tokens.get(behind + 1)?, tokens.get(behind + 2)?);
    let TokenKind::Number(whole) = tokens[at].kind() else { return None };
    let before = at.checked_sub(1).map_or("", |before| tokens[before].norm());
    let alone = !tokens[at].after_break() && !matches!(before, "between" | "from" | "entre" | "de");
    let small = whole.fract() == 0.0 && (1.0..100.0).contains(&whole);
    let joined = matches!(and.norm(), "and" | "y") && !and.after_break() && !token.after_break();
    let part = part_of_one(token)?;
    (alone && small && joined && names_unit(counted)).then_some((part, 2))
}

/// The area or volume that two tokens name: "square metres", "sq m", "metros cúbicos". Ten metres square are none.
fn squared<T: Token>(tokens: &[T], at: usize) -> Option<(Dimension, f64)> {
    let (one, two) = (tokens.get(at)?, tokens.get(at + 1)?);
    let (power, length) = if raises(two.norm()) { (two, one) } else { (one, two) };
    let factor = match unit(length.norm()) {
        Some((Dimension::Length, factor)) => factor,
        _ if length.text() == "m" => 1.0,
        _ => return None,
    };
    units::power(power.norm(), factor).filter(|_| !one.after_break() && !two.after_break())
}

/// The part of one that a token is written as, of those that go on from a whole number: "1/2", "3/4", "½".
pub fn part_of_one(token: &impl Token) -> Option<f64> {
    let TokenKind::Number(part) = token.kind() else { return None };
    // Halves, thirds, quarters, fifths, sixths, eighths and twelfths; 3/31 is a day.
    let whole = |times: f64| ((part * times).round() - part * times).abs() < 1e-9;
    let written = is_part(token.text());
    (written && (whole(24.0) || whole(5.0)) && part > 0.0 && part < 1.0).then_some(part)
}

/// Whether a token is written as a unit.
pub fn names_unit(token: &impl Token) -> bool {
    cased_unit(token.text()).or_else(|| unit(token.norm())).is_some()
}

/// The unit of a letter that is written to its figure: "7d".
fn joined_unit(token: &impl Token) -> Option<(Dimension, f64)> {
    let full = match token.norm() {
        "d" => "day",
        "w" => "week",
        "y" => "year",
        _ => return None,
    };
    unit(full).filter(|_| token.joined())
}

/// A figure that begins at a token: value, token behind it, whether it was spelled out.
pub(crate) fn read<T: Token>(tokens: &[T], at: usize) -> Option<(f64, usize, bool)> {
    let (mut total, mut current, mut behind, spelled);
    let named = |at: usize| tokens.get(at).map_or("", |token| token.norm());
    match (named(at), named(at + 1), named(at + 2)) {
        // "half an hour", "media hora".
        ("half", next, measure) if article(next) && unit(measure).is_some() => {
            return Some((0.5, at + 2, true));
        }
        ("one", "half", _) => return Some((0.5, at + 2, true)),
        ("media" | "medio", measure, _) if matches!(unit(measure), Some((Dimension::Time, _))) => {
            return Some((0.5, at + 1, true));
        }
        _ => {}
    }
    match tokens[at].kind() {
        TokenKind::Number(value) => {
            (total, current, behind, spelled) = (0.0, value, at + 1, false);
            while tokens.get(behind).is_some_and(|next| next.continues()) {
                behind += 1;
            }
        }
        TokenKind::Word => {
            let (value, _) = word(tokens[at].norm())?;
            (total, current, behind, spelled) = (0.0, value, at + 1, true);
        }
        _ => return None,
    }
    while let Some(token) = tokens.get(behind) {
        if token.after_break() || token.kind() != TokenKind::Word {
            break;
        }
        let joining = matches!(token.norm(), "and" | "y");
        let next = if joining { tokens.get(behind + 1) } else { Some(token) };
        let Some((value, multiplies)) = next.and_then(|token| word(token.norm())) else { break };
        if joining && (!spelled || multiplies || value >= current.max(total)) {
            break;
        }
        if multiplies {
            current = current.max(1.0) * value;
            if value >= 1e3 {
                total += current;
                current = 0.0;
            }
        } else if spelled && (value < lowest(current) || current == 0.0) && total + current > 0.0 {
            current += value;
        } else {
            break;
        }
        behind += if joining { 2 } else { 1 };
    }
    total += current;
    Some((total, behind, spelled))
}
