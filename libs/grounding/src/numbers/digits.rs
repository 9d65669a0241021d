//! Reads figures in digits: `1,200`, `1.2k`, `3/4`, `10:30`, with a unit written to them.

use super::units::{cased_unit, unit};

/// Hash of a value, so that `1,000` and `1000` are the same word.
pub(crate) fn hash(value: f64) -> u64 {
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
        return crate::tokens::hash_bytes(&digits[from - 1..]);
    }
    crate::tokens::hash(&format!("#{value}"))
}

/// Reads digits with separators and an attached unit: the value and the rest. `None` if it is no plain number.
pub(crate) fn parse(text: &str) -> Option<(f64, &str)> {
    if let Some((above, below)) = text.split_once('/') {
        let part = |digits: &str| {
            (digits.len() <= 3 && digits.bytes().all(|b| b.is_ascii_digit()))
                .then(|| digits.parse::<f64>().ok())
        };
        let (above, below) = (part(above).flatten()?, part(below).flatten()?);
        return (below > 0.0).then(|| (above / below, ""));
    }
    if let Some((hours, minutes)) = text.split_once(':') {
        let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        if !((1..=2).contains(&hours.len()) && minutes.len() == 2 && digits(hours) && digits(minutes)) {
            return None;
        }
        let (hours, minutes): (f64, f64) = (hours.parse().ok()?, minutes.parse().ok()?);
        return (hours <= 24.0 && minutes < 60.0).then(|| (hours + minutes / 60.0, ""));
    }
    let unsigned = text.strip_prefix(['-', '$', '€']).unwrap_or(text);
    if !unsigned.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
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
    let value = if text.starts_with('-') { -value } else { value };
    match rest {
        "" | "%" | "°" => Some((value, rest)),
        "st" | "nd" | "rd" | "th" | "º" | "ª" => Some((value, rest)),
        // "the 1990s" are years.
        "s" if digits.len() == 4 && (1100.0..2200.0).contains(&value) => Some((value, "")),
        "k" | "K" => Some((value * 1e3, "")),
        "M" => Some((value * 1e6, "")),
        _ if cased_unit(rest).is_some()
            || unit(&rest.to_lowercase()).is_some()
            || matches!(rest, "x" | "s" | "m" | "h" | "d") =>
        {
            Some((value, rest))
        }
        _ => None,
    }
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
    plain.parse().ok()
}
