//! Figures with their units: `1,200` = `1200` = `1.2k` = "one thousand two hundred", `30 s` = `0.5 min`.

use crate::tokens::{Token, TokenKind};

/// What a unit measures; figures of different dimensions are never compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dimension {
    /// In seconds.
    Time,
    /// In bytes.
    Size,
    /// In hundredths.
    Percent,
    /// In metres.
    Length,
    /// In grams.
    Mass,
    /// Money; the currency is not converted.
    Money,
    /// Degrees Celsius or Fahrenheit, not converted.
    Degree(u8),
    /// In hertz.
    Frequency,
    /// In litres.
    Volume,
    /// In amperes.
    Current,
    /// In volts.
    Voltage,
    /// In watts.
    Power,
    /// A time of day, in hours.
    Clock,
}

/// On which side a figure bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    /// "at most", "up to".
    Most,
    /// "at least".
    Least,
}

/// A figure of a text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Quantity {
    /// As a plain number, multipliers applied, units not.
    pub(crate) value: f64,
    /// What it measures and the factor to its base unit.
    pub(crate) unit: Option<(Dimension, f64)>,
    /// First and last token.
    pub(crate) first: usize,
    /// Last token, unit included.
    pub(crate) last: usize,
    /// Whether it was spelled out and so small that it may be no figure at all.
    pub(crate) soft: bool,
    /// The value where a point groups its thousands, as in the Spanish `1.400`.
    pub(crate) grouped: Option<f64>,
    /// Whether it bounds what it measures.
    pub(crate) bound: Option<Bound>,
    /// Seconds of the time that it is counted in, as in "60 a minute".
    pub(crate) per: Option<f64>,
    /// Stem of the content word behind it, 0 if none.
    pub(crate) head: u64,
    /// Stem of the content word before it, 0 if none.
    pub(crate) before: u64,
}

impl Quantity {
    /// Whether two figures say the same.
    pub(crate) fn equals(&self, other: &Self) -> bool {
        let read = |figure: &Self, value: f64| Self { value, grouped: None, ..figure.clone() };
        match (self.grouped, other.grouped) {
            (Some(value), None) if read(self, value).equals(other) => return true,
            (None, Some(value)) if self.equals(&read(other, value)) => return true,
            _ => {}
        }
        if let (Some(one), Some(two)) = (self.per, other.per)
            && !near(one, two)
        {
            return false;
        }
        match (self.unit, other.unit) {
            (Some((one, factor)), Some((two, times))) if one == two => {
                let (mine, theirs) = (self.value * factor, other.value * times);
                near(mine, theirs) || loosely(one, mine, theirs, factor, times)
            }
            // "half" and "50 %".
            (Some((Dimension::Percent, _)), None) => {
                near(self.value, other.value) || near(self.value / 100.0, other.value)
            }
            (None, Some((Dimension::Percent, _))) => {
                near(self.value, other.value) || near(self.value, other.value / 100.0)
            }
            (Some((one, _)), Some((two, _))) => {
                // "at 2" and "at 2:00"; anything else measures something else.
                (one == Dimension::Clock) != (two == Dimension::Clock) && near(self.value, other.value)
            }
            _ => near(self.value, other.value),
        }
    }

    /// Whether both measure the same thing in units that can be compared.
    pub(crate) fn comparable(&self, other: &Self) -> bool {
        matches!((self.unit, other.unit), (Some((one, _)), Some((two, _))) if one == two)
    }
}

/// Whether two measures are one another by the custom of their kind: a kilobyte of 1,024 bytes, a month of 30 or 31 days.
fn loosely(dimension: Dimension, one: f64, two: f64, factor: f64, times: f64) -> bool {
    let ratio = if one > two { one / two } else { two / one };
    match dimension {
        Dimension::Size if (factor - times).abs() > f64::EPSILON => {
            (1..=4).any(|power| (ratio - 1.024_f64.powi(power)).abs() < 1e-6)
        }
        Dimension::Time => {
            const MONTH: f64 = 2_629_800.0;
            let long =
                factor.max(times) >= MONTH && factor.min(times) < MONTH && factor.min(times) >= 86_400.0;
            long && ratio < 1.02
        }
        _ => false,
    }
}

fn near(one: f64, two: f64) -> bool {
    (one - two).abs() <= 1e-9 * one.abs().max(two.abs()).max(1e-9)
}

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

/// Dimension and factor of a unit whose case tells it from a word.
fn cased_unit(text: &str) -> Option<(Dimension, f64)> {
    use Dimension::{Current, Power, Voltage};
    Some(match text {
        "A" | "amps" | "amperes" | "amperios" => (Current, 1.0),
        "mA" | "milliamps" => (Current, 1e-3),
        "µA" | "μA" => (Current, 1e-6),
        "V" | "volts" | "voltios" => (Voltage, 1.0),
        "mV" => (Voltage, 1e-3),
        "kV" => (Voltage, 1e3),
        "W" | "watts" | "vatios" => (Power, 1.0),
        "mW" => (Power, 1e-3),
        "kW" => (Power, 1e3),
        "MW" => (Power, 1e6),
        _ => return None,
    })
}

/// Dimension and factor of a folded unit word.
fn unit(word: &str) -> Option<(Dimension, f64)> {
    use Dimension::{Degree, Frequency, Length, Mass, Money, Percent, Size, Time, Volume};
    Some(match word {
        "ns" | "nanosecond" | "nanoseconds" => (Time, 1e-9),
        "µs" | "μs" | "us" | "microsecond" | "microseconds" => (Time, 1e-6),
        "ms" | "millisecond" | "milliseconds" | "milisegundo" | "milisegundos" => (Time, 1e-3),
        "s" | "sec" | "secs" | "second" | "seconds" | "segundo" | "segundos" => (Time, 1.0),
        "min" | "mins" | "minute" | "minutes" | "minuto" | "minutos" => (Time, 60.0),
        "h" | "hr" | "hrs" | "hour" | "hours" | "hora" | "horas" => (Time, 3600.0),
        "day" | "days" | "dia" | "dias" => (Time, 86_400.0),
        "week" | "weeks" | "semana" | "semanas" => (Time, 604_800.0),
        "month" | "months" | "mes" | "meses" => (Time, 2_629_800.0),
        "year" | "years" | "yr" | "yrs" | "ano" | "anos" => (Time, 31_557_600.0),
        "b" | "byte" | "bytes" => (Size, 1.0),
        "kb" | "kilobyte" | "kilobytes" => (Size, 1e3),
        "mb" | "megabyte" | "megabytes" => (Size, 1e6),
        "gb" | "gigabyte" | "gigabytes" => (Size, 1e9),
        "tb" | "terabyte" | "terabytes" => (Size, 1e12),
        "kib" => (Size, 1024.0),
        "mib" => (Size, 1_048_576.0),
        "gib" => (Size, 1_073_741_824.0),
        "bit" | "bits" => (Size, 0.125),
        "%" | "percent" | "pct" => (Percent, 1.0),
        "mm" | "millimeter" | "millimeters" | "millimetre" | "millimetres" => (Length, 1e-3),
        "cm" | "centimeter" | "centimeters" | "centimetre" | "centimetres" => (Length, 1e-2),
        "meter" | "meters" | "metre" | "metres" | "metro" | "metros" => (Length, 1.0),
        "km" | "kilometer" | "kilometers" | "kilometre" | "kilometres" | "kilometros" => (Length, 1e3),
        "inch" | "inches" => (Length, 0.0254),
        "foot" | "feet" | "ft" => (Length, 0.3048),
        "mile" | "miles" => (Length, 1609.344),
        "mg" | "milligram" | "milligrams" => (Mass, 1e-3),
        "g" | "gram" | "grams" | "gramos" => (Mass, 1.0),
        "kg" | "kilogram" | "kilograms" | "kilos" => (Mass, 1e3),
        "lb" | "lbs" | "pound" | "pounds" => (Mass, 453.592),
        "oz" | "ounce" | "ounces" => (Mass, 28.3495),
        "dollar" | "dollars" | "usd" | "euro" | "euros" | "eur" | "€" => (Money, 1.0),
        "°c" | "celsius" => (Degree(0), 1.0),
        "°f" | "fahrenheit" => (Degree(1), 1.0),
        "cent" | "cents" | "centimo" | "centimos" | "penny" | "pence" => (Money, 0.01),
        "ml" | "milliliter" | "milliliters" | "millilitre" | "millilitres" | "mililitros" => (Volume, 1e-3),
        "cl" => (Volume, 1e-2),
        "liter" | "liters" | "litre" | "litres" | "litro" | "litros" => (Volume, 1.0),
        "gallon" | "gallons" => (Volume, 3.785),
        "pint" | "pints" => (Volume, 0.473),
        "quart" | "quarts" => (Volume, 0.946),
        "decade" | "decades" => (Time, 315_576_000.0),
        "century" | "centuries" | "siglo" | "siglos" => (Time, 3_155_760_000.0),
        "quarter" | "quarters" | "trimestre" | "trimestres" => (Time, 7_889_400.0),
        "hz" => (Frequency, 1.0),
        "khz" => (Frequency, 1e3),
        "mhz" => (Frequency, 1e6),
        "ghz" => (Frequency, 1e9),
        _ => return None,
    })
}

/// Value of a number word; `true` for words that multiply what stands before them.
fn word(text: &str) -> Option<(f64, bool)> {
    let value = match text {
        "zero" | "cero" => 0.0,
        "half" | "mitad" => 0.5,
        "one" | "un" | "una" | "uno" => 1.0,
        "single" => 1.0,
        "two" | "dos" | "twice" => 2.0,
        "thrice" => 3.0,
        "three" | "tres" => 3.0,
        "four" | "cuatro" => 4.0,
        "five" | "cinco" => 5.0,
        "six" | "seis" => 6.0,
        "seven" | "siete" => 7.0,
        "eight" | "ocho" => 8.0,
        "nine" | "nueve" => 9.0,
        "ten" | "diez" => 10.0,
        "eleven" | "once" if text == "eleven" => 11.0,
        "twelve" | "doce" => 12.0,
        "thirteen" | "trece" => 13.0,
        "fourteen" | "catorce" => 14.0,
        "fifteen" | "quince" => 15.0,
        "sixteen" | "dieciseis" => 16.0,
        "seventeen" | "diecisiete" => 17.0,
        "eighteen" | "dieciocho" => 18.0,
        "nineteen" | "diecinueve" => 19.0,
        "twenty" | "veinte" => 20.0,
        "thirty" | "treinta" => 30.0,
        "forty" | "cuarenta" => 40.0,
        "fifty" | "cincuenta" => 50.0,
        "sixty" | "sesenta" => 60.0,
        "seventy" | "setenta" => 70.0,
        "eighty" | "ochenta" => 80.0,
        "ninety" | "noventa" => 90.0,
        "dozen" | "docena" => return Some((12.0, true)),
        "hundred" | "cien" | "ciento" | "hundreds" => return Some((100.0, true)),
        "doscientos" | "doscientas" => 200.0,
        "trescientos" | "trescientas" => 300.0,
        "cuatrocientos" | "cuatrocientas" => 400.0,
        "quinientos" | "quinientas" => 500.0,
        "thousand" | "mil" => return Some((1e3, true)),
        "million" | "millions" | "millon" | "millones" => return Some((1e6, true)),
        "billion" | "billions" => return Some((1e9, true)),
        _ => return None,
    };
    Some((value, false))
}

/// Whether a folded word is a figure by itself.
pub(crate) fn is_word(text: &str) -> bool {
    word(text).is_some()
}

/// Words before a figure that may stand between it and what bounds it.
const BETWEEN: &[&str] = &["of", "a", "an", "the", "about", "de", "un", "una", "unos", "unas", "el"];
/// Words before "a week" that make it a figure: "after a week".
const BEFORE_ONE: &[&str] = &[
    "after", "for", "within", "until", "lasts", "takes", "than", "about", "around", "over", "durante",
    "tras", "dura", "tarda", "hasta", "in", "remains", "valid",
];

/// What bounds the figure that begins at a token.
fn bound(tokens: &[Token], at: usize) -> Option<Bound> {
    let mut seen = at;
    for _ in 0..4 {
        seen = seen.checked_sub(1)?;
        let (word, before) =
            (tokens[seen].norm.as_str(), seen.checked_sub(1).map_or("", |at| tokens[at].norm.as_str()));
        let two = (before, word);
        let than = matches!(word, "than" | "de" | "que");
        let comparative = if than { before } else { "" };
        let denied = than
            && seen
                .checked_sub(2)
                .is_some_and(|at| matches!(tokens[at].norm.as_str(), "no" | "not" | "never" | "nunca"));
        let more = matches!(
            comparative,
            "more" | "greater" | "longer" | "larger" | "older" | "higher" | "bigger" | "mas" | "mayor"
        );
        let less = matches!(
            comparative,
            "less" | "fewer" | "shorter" | "smaller" | "younger" | "lower" | "newer" | "menos" | "menor"
        );
        return match two {
            _ if more || less => Some(if more == denied { Bound::Most } else { Bound::Least }),
            ("at" | "the", "most") | ("up", "to") | ("como", "maximo" | "mucho") => Some(Bound::Most),
            ("at", "least") | ("al" | "por", "menos") | ("como", "minimo") => Some(Bound::Least),
            (_, "from" | "desde" | "since")
                if !tokens[at..]
                    .iter()
                    .take(5)
                    .any(|token| matches!(token.norm.as_str(), "to" | "a" | "hasta" | "and" | "y")) =>
            {
                Some(Bound::Least)
            }
            ("partir", "de" | "del") | ("starting", "at" | "with") => Some(Bound::Least),
            (_, "maximum" | "max" | "below" | "under" | "within" | "hasta" | "maximo" | "until" | "till") => {
                Some(Bound::Most)
            }
            (_, "minimum" | "min" | "minimo" | "over" | "above" | "exceeds" | "exceeding") => {
                Some(Bound::Least)
            }
            _ if BETWEEN.contains(&word) => continue,
            _ => None,
        };
    }
    None
}

/// Seconds of the time behind "per", "a" or "every" at a token.
fn per(tokens: &[Token], at: usize) -> Option<f64> {
    for start in at..at + 3 {
        let word = tokens.get(start)?;
        if matches!(word.norm.as_str(), "per" | "a" | "an" | "each" | "every" | "por" | "al" | "cada")
            && let Some((Dimension::Time, seconds)) =
                tokens.get(start + 1).and_then(|token| unit(&token.norm))
        {
            return Some(seconds);
        }
        if word.after_break || matches!(word.kind, TokenKind::Number(_)) {
            return None;
        }
    }
    None
}

/// "an hour", "una semana": one of a unit.
fn one_of(tokens: &[Token], at: usize) -> bool {
    let named = |at: usize| tokens.get(at).map_or("", |token| token.norm.as_str());
    article(named(at))
        && at > 0
        && BEFORE_ONE.contains(&named(at - 1))
        && matches!(unit(named(at + 1)), Some((Dimension::Time, _)))
}

/// Whether a figure may begin with a folded word: digits, a number word, or the article of "an hour".
pub(crate) fn counts(kind: TokenKind, norm: &str) -> bool {
    match kind {
        TokenKind::Number(_) => true,
        TokenKind::Word => word(norm).is_some() || article(norm) || matches!(norm, "media" | "medio"),
        _ => article(norm),
    }
}

fn article(word: &str) -> bool {
    matches!(word, "a" | "an" | "un" | "una")
}

/// Figures of a token sequence, in digits and spelled out, with their units and neighbours.
pub(crate) fn quantities(tokens: &[Token]) -> Vec<Quantity> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if !tokens[at].counts {
            at += 1;
            continue;
        }
        let spoken = if one_of(tokens, at) { Some((1.0, at + 1, true)) } else { read(tokens, at) };
        let Some((mut value, mut behind, spelled)) = spoken else {
            at += 1;
            continue;
        };
        let named = |at: usize| tokens.get(at).map_or("", |token| token.norm.as_str());
        let halved = |at: usize| match (named(at), named(at + 1), named(at + 2)) {
            ("and", "a", "half") => Some((0.5, 3)),
            ("y", "media" | "medio", _) => Some((0.5, 2)),
            ("y", "cuarto", _) => Some((0.25, 2)),
            _ => None,
        };
        if let Some((part, words)) = halved(behind) {
            (value, behind) = (value + part, behind + words);
        }
        let mut last = behind - 1;
        let mut measure = None;
        if tokens[at].text.starts_with(['$', '€']) {
            measure = Some((Dimension::Money, 1.0));
        } else if tokens[at].text.contains(':') {
            measure = Some((Dimension::Clock, 1.0));
        }
        if let Some(next) = tokens.get(behind) {
            if matches!(next.norm.as_str(), "st" | "nd" | "rd" | "th" | "º" | "ª") {
                last = behind;
            } else if let Some(found) = cased_unit(&next.text).or_else(|| unit(&next.norm)) {
                // "5 min" is a measure; "5 s" too, but "5 m" and "5 d" only where written together.
                if !next.after_break {
                    measure = Some(found);
                    last = behind;
                    if let Some((part, words)) = halved(behind + 1) {
                        (value, last) = (value + part, behind + words);
                    }
                }
            } else if next.norm == "por" && tokens.get(behind + 1).is_some_and(|token| token.norm == "ciento")
            {
                measure = Some((Dimension::Percent, 1.0));
                last = behind + 1;
            }
        }
        let goes_on = |token: &&Token| {
            !token.after_break && !matches!(token.norm.as_str(), "and" | "or" | "y" | "o" | "but")
        };
        let head = tokens[last + 1..]
            .iter()
            .take(4)
            .take_while(goes_on)
            .find(|token| token.content())
            .map_or(0, |token| token.stem);
        let head = if matches!(tokens[at].norm.as_str(), "twice" | "thrice") {
            crate::tokens::hash("time")
        } else {
            head
        };
        let before =
            tokens[..at].iter().rev().take(4).find(|token| token.content()).map_or(0, |token| token.stem);
        let soft = spelled && measure.is_none() && value < 13.0;
        let (bound, per) = (bound(tokens, at), per(tokens, last + 1));
        let grouped = tokens[at]
            .text
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
            head,
            before,
        });
        at = last + 1;
    }
    found
}

/// A figure that begins at a token: value, token behind it, whether it was spelled out.
fn read(tokens: &[Token], at: usize) -> Option<(f64, usize, bool)> {
    let (mut total, mut current, mut behind, spelled);
    let named = |at: usize| tokens.get(at).map_or("", |token| token.norm.as_str());
    match (named(at), named(at + 1), named(at + 2)) {
        // "half an hour", "media hora".
        ("half", next, measure) if article(next) && unit(measure).is_some() => {
            return Some((0.5, at + 2, true));
        }
        ("media" | "medio", measure, _) if matches!(unit(measure), Some((Dimension::Time, _))) => {
            return Some((0.5, at + 1, true));
        }
        _ => {}
    }
    match tokens[at].kind {
        TokenKind::Number(value) => {
            (total, current, behind, spelled) = (0.0, value, at + 1, false);
            // "50 000": groups of three digits with spaces between them.
            let digits = |token: &Token| token.text.bytes().all(|b| b.is_ascii_digit());
            if tokens[at].text.len() <= 3 && digits(&tokens[at]) && value >= 1.0 {
                while let Some(next) = tokens.get(behind)
                    && let TokenKind::Number(group) = next.kind
                    && next.text.len() == 3
                    && digits(next)
                    && !next.after_break
                    && next.start == tokens[behind - 1].start + tokens[behind - 1].text.len() + 1
                {
                    (current, behind) = (current * 1e3 + group, behind + 1);
                }
            }
        }
        TokenKind::Word => {
            let (value, _) = word(&tokens[at].norm)?;
            (total, current, behind, spelled) = (0.0, value, at + 1, true);
        }
        _ => return None,
    }
    while let Some(token) = tokens.get(behind) {
        if token.after_break || token.kind != TokenKind::Word {
            break;
        }
        let joining = matches!(token.norm.as_str(), "and" | "y");
        let next = if joining { tokens.get(behind + 1) } else { Some(token) };
        let Some((value, multiplies)) = next.and_then(|token| word(&token.norm)) else { break };
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

/// The last non-zero decimal place of a whole number: what may still be added to it.
fn lowest(value: f64) -> f64 {
    let mut place = 1.0;
    while place < 1e12 && value > 0.0 && (value / (place * 10.0)).fract() == 0.0 {
        place *= 10.0;
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use crate::tokens::Tokenizer;

    fn values(text: &str, language: Language) -> Vec<f64> {
        quantities(&Tokenizer::new(Some(language)).tokens(text))
            .into_iter()
            .map(|quantity| quantity.value)
            .collect()
    }

    #[test]
    fn digits_and_words_are_the_same_figure() {
        for text in ["1,200 rows", "1200 rows", "1.2k rows", "one thousand two hundred rows"] {
            assert_eq!(values(text, Language::English), [1200.0], "{text}");
        }
        assert_eq!(values("one hundred and twenty-five errors", Language::English), [125.0]);
        assert_eq!(values("ten errors and two rows", Language::English), [10.0, 2.0]);
        assert_eq!(values("2.5 million", Language::English), [2_500_000.0]);
        assert_eq!(values("one thousand errors", Language::English), [1000.0]);
        assert_eq!(values("dos mil filas", Language::Spanish), [2000.0]);
        assert_eq!(values("cuarenta y dos", Language::Spanish), [42.0]);
        assert_eq!(values("1.200.000,50 euros", Language::Spanish), [1_200_000.5]);
    }

    #[test]
    fn a_value_has_one_hash_however_it_is_made() {
        for value in
            [1.0, 7.0, 10.0, 909.0, 123_456_789_012_345.0, 999_999_999_999_999.0, 1e15, 0.0, -3.0, 2.5]
        {
            assert_eq!(hash(value), crate::tokens::hash(&format!("#{value}")), "{value}");
        }
    }

    #[test]
    fn units_are_compared_in_their_base() {
        let one = |text: &str| quantities(&Tokenizer::new(None).tokens(text)).remove(0);
        assert!(one("30 s").equals(&one("0.5 minutes")));
        assert!(one("30s").equals(&one("30 seconds")));
        assert!(!one("30 seconds").equals(&one("30 minutes")));
        assert!(one("50%").equals(&one("50 percent")));
        assert!(!one("30 MB").equals(&one("30 seconds")));
        assert!(one("30 MB").comparable(&one("30 GB")));
        assert!(one("$20").equals(&one("20 dollars")));
    }
}
