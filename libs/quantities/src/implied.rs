//! Units that a figure has from its surroundings: from the other end of a range ("1.71 to 3.6 V"), from the name of what it
//! is the value of ("`idle_seconds` (default 300)"), or from the figure before it ("after 20 minutes, the others after 30").

use super::Quantity;
use super::units::{Dimension, unit};
use crate::Token;
use assay_text::shape::TokenKind;

/// Words between the two ends of a range or the parts of a list.
const JOINS: &[&str] = &["to", "and", "or", "a", "y", "o", "hasta", "through"];
/// Words between a name and its value.
const GIVES: &[&str] = &[
    "default", "defaults", "to", "is", "of", "by", "be", "value", "por", "defecto", "es", "de", "set", "at",
];
/// Words before a figure that leaves its unit out.
const LEADS: &[&str] = &["after", "for", "within", "until", "tras", "durante", "hasta"];
/// How many words may stand between a name and its value.
const NEAR: usize = 4;

/// Gives figures without a unit the one that they are meant in.
pub(crate) fn imply<T: Token>(tokens: &[T], found: &mut [Quantity]) {
    for at in 0..found.len() {
        if found[at].unit.is_some() {
            continue;
        }
        let measure = range(tokens, found, at)
            .or_else(|| named(tokens, &found[at]))
            .or_else(|| left_out(tokens, found, at));
        if measure.is_some() {
            // The word of the unit as well, where it was left out.
            let head = found[..at].iter().rev().find(|other| other.unit == measure).map(|other| other.head);
            let figure = &mut found[at];
            if figure.head == 0 {
                figure.head = head.unwrap_or_default();
            }
            (figure.unit, figure.implied, figure.soft) = (measure, true, false);
        }
    }
}

/// The unit of the figure that a range ends with, or that stands next in a list.
fn range<T: Token>(tokens: &[T], found: &[Quantity], at: usize) -> Option<(Dimension, f64)> {
    let (figure, next) = (&found[at], found.get(at + 1)?);
    let measure = next.unit.filter(|(dimension, _)| *dimension != Dimension::Clock && !next.implied)?;
    let word = tokens[figure.last + 1].norm();
    let list = next.first == figure.last + 2 && matches!(word, "and" | "or" | "y" | "o");
    // "From half a minute to four seconds", "30 to one minute": no range of one unit.
    if figure.value < 1.0 && figure.soft || (!list && figure.value >= next.value) {
        return None;
    }
    let joined = match next.first.checked_sub(figure.last)? {
        2 => JOINS.contains(&word),
        1 => {
            let digits = |at: usize| matches!(tokens[at].kind(), TokenKind::Number(_));
            tokens[next.first].joined() && digits(figure.last) && digits(next.first)
        }
        _ => false,
    };
    let money = tokens[next.first].text().starts_with(['$', '€']);
    (joined && !money && !tokens[next.first].after_break() && !numbers(tokens, figure)).then_some(measure)
}

/// Whether a figure tells one thing of a kind from the others: "severity 1", "version 3".
fn numbers<T: Token>(tokens: &[T], figure: &Quantity) -> bool {
    let Some(before) = figure.first.checked_sub(1).map(|at| &tokens[at]) else { return false };
    before.content()
        && !tokens[figure.first].after_break()
        && before.kind() == TokenKind::Word
        && tokens.iter().enumerate().any(|(at, token)| {
            token.stem() == before.stem()
                && at + 1 != figure.first
                && tokens.get(at + 1).is_some_and(|next| matches!(next.kind(), TokenKind::Number(_)))
        })
}

/// The unit in the name of what the figure is the value of.
fn named<T: Token>(tokens: &[T], figure: &Quantity) -> Option<(Dimension, f64)> {
    let goes_on = tokens.get(figure.last + 1).is_some_and(|next| next.content() && !next.after_break());
    if goes_on || !matches!(tokens[figure.first].kind(), TokenKind::Number(_)) {
        return None;
    }
    let mut apart = false;
    for at in (0..figure.first).rev().take(NEAR) {
        let token = &tokens[at];
        apart |= tokens[at + 1].after_break() || GIVES.contains(&tokens[at + 1].norm());
        if token.kind() == TokenKind::Name {
            let name = token.text().trim_end_matches("()");
            let start = name.rfind(['_', '-']).map(|at| at + 1).or_else(|| name.rfind(char::is_uppercase))?;
            return unit(&name.get(start..)?.to_lowercase()).filter(measured);
        }
        if token.kind() == TokenKind::Word
            && apart
            && token.norm().len() > 4
            && let Some(measure) = unit(token.norm()).filter(measured)
        {
            return Some(measure);
        }
        if !GIVES.contains(&token.norm()) {
            return None;
        }
    }
    None
}

/// Whether settings are counted in a unit.
fn measured(unit: &(Dimension, f64)) -> bool {
    matches!(unit.0, Dimension::Time | Dimension::Size | Dimension::Percent)
}

/// The unit of the figure before, where a figure stands in the same way at the end of a clause.
fn left_out<T: Token>(tokens: &[T], found: &[Quantity], at: usize) -> Option<(Dimension, f64)> {
    let figure = &found[at];
    let ends = tokens.get(figure.last + 1).is_none_or(|next| {
        next.after_break() || matches!(next.norm(), "and" | "y" | "but" | "if" | "si" | "for" | "para")
    });
    if !ends || numbers(tokens, figure) {
        return None;
    }
    let before = |figure: &Quantity| figure.first.checked_sub(1).map_or("", |at| tokens[at].norm());
    let word = before(figure);
    let other = found[..at].iter().rev().find(|other| other.unit.is_some())?;
    let alike = !word.is_empty() && before(other) == word && !tokens[figure.first].after_break();
    let measure = other.unit.filter(|(dimension, _)| *dimension != Dimension::Clock)?;
    (alike || LEADS.contains(&word)).then_some(measure)
}
