//! Reads figures in digits: `1,200`, `1.2k`, `3/4`, `10:30`, with a unit written to them.

use super::units::{Dimension, cased_unit, unit};

/// Hash of a value, so that `1,000` and `1000` are the same word.
pub fn hash(value: f64) -> u64 {
    // Written as a whole number where it is one; the general way takes ten times as long.
    if value.fract() == 0.0 && (1.0..1e15).contains(&value) {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let mut rest = value as u64;
        let (mut digits, mut from) = ([b'#'; 17], 17);
        while rest > 0 {
            from -= 1;
            digits[from] = b'0' + u8::try_from(rest % 10).unwrap_or_default();
            rest /= 10;
        }
        return assay_text::hash::hash_bytes(&digits[from - 1..]);
    }
    assay_text::hash::hash(&format!("#{value}"))
}

/// Reads digits with separators and an attached unit: the value and the rest. `None` if it is no plain number.
pub fn parse(text: &str) -> Option<(f64, &str)> {
    // Round the clock, and no fraction.
    if text == "24/7" {
        return None;
    }
    if let Some((above, below)) = text.split_once(['/', '⁄']) {
        let part = |digits: &str| {
            (digits.len() <= 3 && digits.bytes().all(|b| b.is_ascii_digit()))
                .then(|| digits.parse::<f64>().ok())
        };
        let (above, below) = (part(above).flatten()?, part(below).flatten()?);
        return (below > 0.0).then(|| (above / below, ""));
    }
    if let Some((hours, minutes)) = text.split_once(':').or_else(|| said_with_h(text)) {
        let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        let (minutes, rest) =
            minutes.split_at(minutes.find(|c: char| !c.is_ascii_digit()).unwrap_or(minutes.len()));
        if !matches!(rest, "" | "am" | "pm" | "AM" | "PM" | "h") {
            return None;
        }
        if !((1..=2).contains(&hours.len()) && minutes.len() == 2 && digits(hours) && digits(minutes)) {
            return None;
        }
        let (hours, minutes): (f64, f64) = (hours.parse().ok()?, minutes.parse().ok()?);
        return (hours <= 24.0 && minutes < 60.0).then_some((hours + minutes / 60.0, rest));
    }
    let unsigned = text.strip_prefix(['-', '−', '$', '€']).unwrap_or(text);
    let point = unsigned.strip_prefix('.').unwrap_or(unsigned);
    if !point.starts_with(|c: char| c.is_ascii_digit()) {
        return part_sign(unsigned);
    }
    let end =
        unsigned.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ',')).unwrap_or(unsigned.len());
    let (digits, rest) = unsigned.split_at(end);
    let digits_end = digits.trim_end_matches(['.', ',']).len();
    if digits_end < digits.len() && !rest.is_empty() {
        return None;
    }
    let digits = &digits[..digits_end];
    let value = separated(digits)?;
    // "4½".
    let (value, rest) = match part_sign(rest) {
        Some((part, rest)) => (value + part, rest),
        None => (value, rest),
    };
    let value = if text.starts_with(['-', '−']) { -value } else { value };
    match rest {
        "" | "%" | "°" => Some((value, rest)),
        // "350F", as ovens have it; a single digit before it is a grade.
        "F" | "C" if digits.len() > 1 => Some((value, rest)),
        _ if degrees(rest).is_some() => Some((value, rest)),
        "st" | "nd" | "rd" | "th" | "º" | "ª" => Some((value, rest)),
        // "the 1990s" are years.
        "s" if digits.len() == 4 && (1100.0..2200.0).contains(&value) => Some((value, "")),
        "k" | "K" => Some((value * 1e3, "")),
        "M" => Some((value * 1e6, "")),
        "bn" => Some((value * 1e9, "")),
        "am" | "pm" | "AM" | "PM" if value <= 12.0 => Some((value, rest)),
        _ if cased_unit(rest).is_some()
            || unit(&rest.to_lowercase()).is_some()
            || matches!(rest, "x" | "s" | "m" | "h" | "d" | "w" | "y") =>
        {
            Some((value, rest))
        }
        _ => None,
    }
}

/// Hours and minutes of "23h15"; of a small figure nobody knows whether it is a time of day or how long something takes.
fn said_with_h(text: &str) -> Option<(&str, &str)> {
    let (hours, minutes) = text.split_once('h')?;
    let late = hours.parse::<u8>().is_ok_and(|hours| (7..24).contains(&hours));
    (late && minutes.starts_with(|c: char| c.is_ascii_digit())).then_some((hours, minutes))
}

/// Whether a figure is written as a part: "1/2", "½".
pub fn is_part(text: &str) -> bool {
    text.contains(['/', '⁄']) || part_sign(text).is_some()
}

/// A sign that is a part of one, with what stands behind it: "½", "¾".
fn part_sign(text: &str) -> Option<(f64, &str)> {
    let mut chars = text.chars();
    let part = match chars.next()? {
        '½' => 1.0 / 2.0,
        '⅓' => 1.0 / 3.0,
        '⅔' => 2.0 / 3.0,
        '¼' => 1.0 / 4.0,
        '¾' => 3.0 / 4.0,
        '⅕' => 1.0 / 5.0,
        '⅛' => 1.0 / 8.0,
        '⅜' => 3.0 / 8.0,
        '⅝' => 5.0 / 8.0,
        '⅞' => 7.0 / 8.0,
        _ => return None,
    };
    Some((part, chars.as_str()))
}

/// Degrees of a scale as they are written to a figure, in the one way that is a unit here.
pub fn degrees(written: &str) -> Option<&'static str> {
    match written {
        "°C" | "ºC" | "˚C" | "℃" => Some("°C"),
        "°F" | "ºF" | "˚F" | "℉" => Some("°F"),
        _ => None,
    }
}

/// The figures that one piece of a run joins, with their places in it: the ends of "6.2-6.5" and "64-88°F", all of "7/8/8.1"
/// and "8x10", a date; and a figure with the time that it is counted by, as "$5,500/year". `None` where anything else is in it.
pub fn parts(run: &str) -> Option<Vec<(usize, &str)>> {
    if run.starts_with("0x") {
        return None;
    }
    let mut found = cut(run, 0, &['-', 'x']);
    // "2x-3" and "5--10" are something else.
    if found.iter().skip(1).any(|(_, piece)| piece.starts_with(['-', 'x'])) {
        return None;
    }
    // A stroke joins as well, but in "1/2-2" it is that of a part.
    found = found
        .into_iter()
        .flat_map(
            |(at, piece)| if parse(piece).is_some() { vec![(at, piece)] } else { cut(piece, at, &['/']) },
        )
        .collect();
    let ((at, last), figures) = found.split_last()?;
    let time = matches!(unit(last), Some((Dimension::Time, _)));
    let counted = run[..*at].ends_with('/') && last.len() > 2 && time;
    let plain = |part: &str| parse(part).is_some();
    let every = figures.iter().all(|(_, part)| plain(part)) && (counted || plain(last));
    (every && !figures.is_empty()).then_some(found)
}

/// The pieces of a text between marks, with their places; one that stands in front of all is part of the first.
pub fn cut<'t>(text: &'t str, start: usize, marks: &[char]) -> Vec<(usize, &'t str)> {
    let mut found = Vec::new();
    let mut from = 0;
    for (at, c) in text.char_indices() {
        if at > from && marks.contains(&c) {
            found.push((start + from, &text[from..at]));
            from = at + c.len_utf8();
        }
    }
    found.push((start + from, &text[from..]));
    found
}

/// A number with group or decimal separators.
fn separated(digits: &str) -> Option<f64> {
    let commas = digits.matches(',').count();
    let points = digits.matches('.').count();
    let groups = |separator: char| {
        let mut parts = digits.split(separator);
        let head = parts.next().is_some_and(|part| (1..=3).contains(&part.len()) && part != "0");
        head && parts.all(|part| part.split(['.', ',']).next().is_some_and(|part| part.len() == 3))
    };
    let plain = match (commas, points) {
        (0, 0) => digits.to_owned(),
        (0, 1) => digits.to_owned(),
        (0, _) if groups('.') => digits.replace('.', ""),
        (0, _) => return None,
        (1, 0) if !groups(',') => digits.replace(',', "."),
        (_, 0) if groups(',') => digits.replace(',', ""),
        (_, 1) if digits.rfind(',') < digits.rfind('.') => digits.replace(',', ""),
        (1, _) if digits.rfind('.') < digits.rfind(',') => digits.replace('.', "").replace(',', "."),
        _ => return None,
    };
    plain.parse().ok().filter(|value: &f64| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_has_one_hash_however_it_is_made() {
        for value in
            [1.0, 7.0, 10.0, 909.0, 123_456_789_012_345.0, 999_999_999_999_999.0, 1e15, 0.0, -3.0, 2.5]
        {
            assert_eq!(hash(value), assay_text::hash::hash(&format!("#{value}")), "{value}");
        }
    }
}
