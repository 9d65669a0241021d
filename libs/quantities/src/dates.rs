//! Dates: "16 June 2024", "16 de junio de 2024", "2024-06-16".

use super::Quantity;
use super::loose::{digits, figure, norm};
use super::units::Dimension;
use crate::Token;

/// Longest name of a month.
pub(crate) const LONGEST_MONTH: usize = 10;

/// Number of a month by its name, whole or cut to three letters.
fn month(name: &str) -> Option<f64> {
    const WHOLE: &[&str] = &[
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "enero",
        "febrero",
        "marzo",
        "abril",
        "mayo",
        "junio",
        "julio",
        "agosto",
        "septiembre",
        "setiembre",
        "octubre",
        "noviembre",
        "diciembre",
        "sept",
    ];
    let number = match name.get(..3)? {
        "jan" | "ene" => 1.0,
        "feb" => 2.0,
        "mar" => 3.0,
        "apr" | "abr" => 4.0,
        "may" => 5.0,
        "jun" => 6.0,
        "jul" => 7.0,
        "aug" | "ago" => 8.0,
        "sep" | "set" => 9.0,
        "oct" => 10.0,
        "nov" => 11.0,
        "dec" | "dic" => 12.0,
        _ => return None,
    };
    (name.len() == 3 || WHOLE.contains(&name)).then_some(number)
}

/// A date in digits or with the month's name, in any usual order; one in digits is read both ways round.
pub(crate) fn dates<T: Token>(tokens: &[T], at: usize, found: &mut Vec<Quantity>) {
    let whole = |value: Option<f64>, top: f64| {
        value.filter(|value| value.fract() == 0.0 && *value >= 1.0 && *value <= top)
    };
    let (day, year) = (
        |at| whole(digits(tokens, at), 31.0),
        |at| whole(digits(tokens, at), 2999.0).filter(|year| *year > 1000.0),
    );
    let name = |at: usize| month(norm(tokens, at));
    let of = |at: usize| {
        at + usize::from(matches!(norm(tokens, at), "of" | "de" | "del" | "st" | "nd" | "rd" | "th"))
    };
    let mut push = |year: f64, month: f64, day: f64, last: usize| {
        found.push(figure(year * 1e4 + month * 100.0 + day, Some((Dimension::Date, 1.0)), at, last));
    };
    // 16 June 2024, 16 de junio de 2024, June 16, 2024.
    if let Some(day) = day(at)
        && let Some(month) = name(of(at + 1))
        && let Some(year) = year(of(of(at + 1) + 1))
    {
        push(year, month, day, of(of(at + 1) + 1));
    }
    if let Some(month) = name(at)
        && let Some(day) = day(at + 1)
        && let Some(year) = year(of(at + 2))
    {
        push(year, month, day, of(at + 2));
    }
    // 2024-06-16, 16/06/2024.
    let joined = |at: usize| {
        tokens.get(at).is_some_and(|token| {
            tokens.get(at - 1).is_some_and(|before| before.start() + before.text().len() + 1 == token.start())
        })
    };
    if at + 2 < tokens.len() && joined(at + 1) && joined(at + 2) {
        if let (Some(year), Some(month), Some(day)) =
            (year(at), whole(digits(tokens, at + 1), 12.0), day(at + 2))
        {
            push(year, month, day, at + 2);
        }
        if let (Some(one), Some(two), Some(year)) = (day(at), day(at + 1), year(at + 2)) {
            for (month, day) in [(two, one), (one, two)].into_iter().filter(|(month, _)| *month <= 12.0) {
                push(year, month, day, at + 2);
            }
        }
    }
}
