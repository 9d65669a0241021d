//! Figures with their units: `1,200` = `1200` = `1.2k` = "one thousand two hundred", `30 s` = `0.5 min`.

mod around;
mod clock;
mod dates;
mod digits;
mod implied;
mod loose;
mod read;
mod units;
mod words;

pub(crate) use around::{bounds_by_denying, compares, passes, placed};
pub(crate) use digits::{cut, degrees, hash, is_part, parse, parts};
pub(crate) use loose::{figure, figure_flags, loose};
pub(crate) use read::{names_unit, quantities};
pub(crate) use units::{Dimension, raises};
pub(crate) use words::is_word;

/// On which side a figure bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    /// "at most", "up to".
    Most,
    /// "at least".
    Least,
}

impl Bound {
    /// The other side.
    pub(crate) fn other(self) -> Self {
        match self {
            Self::Most => Self::Least,
            Self::Least => Self::Most,
        }
    }
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
    /// Whether it has its unit from its surroundings.
    pub(crate) implied: bool,
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
        // "60 a minute" and "3600 an hour".
        if let (Some(one), Some(two)) = (self.per, other.per)
            && !near(one, two)
        {
            let dimension = |figure: &Self| figure.unit.map(|(dimension, _)| dimension);
            let rate =
                |figure: &Self, per: f64| figure.value * figure.unit.map_or(1.0, |(_, factor)| factor) / per;
            return dimension(self) == dimension(other) && near(rate(self, one), rate(other, two));
        }
        match (self.unit, other.unit) {
            (Some((one, factor)), Some((two, times))) if one == two => {
                let (mine, theirs) = (self.value * factor, other.value * times);
                near(mine, theirs) || loosely(one, mine, theirs, factor, times)
            }
            // "half" and "50 %".
            (Some((Dimension::Percent, _)), None) => {
                near(self.value, other.value) || is_share(self.value, other.value)
            }
            (None, Some((Dimension::Percent, _))) => {
                near(self.value, other.value) || is_share(other.value, self.value)
            }
            (Some((one, _)), Some((two, _))) => {
                // "at 2" and "at 2:00", or a unit that was only read into it; anything else measures something else.
                let clock = (one == Dimension::Clock) != (two == Dimension::Clock);
                (clock || self.implied || other.implied || alike(one, two)) && near(self.value, other.value)
            }
            _ => near(self.value, other.value) && !self.of_another_power(other),
        }
    }

    /// Whether the one is a length, an area or a volume and the other another of these: 50 m and 50 m².
    pub(crate) fn of_another_power(&self, other: &Self) -> bool {
        let power = |figure: &Self| match figure.unit {
            Some((Dimension::Length, _)) => 1,
            Some((Dimension::Area, _)) => 2,
            Some((Dimension::Volume, _)) => 3,
            // A bare "m" may be a length as well as minutes or millions, and is no area.
            None if figure.head == crate::tokens::hash("m") => 1,
            _ => 0,
        };
        let (one, two) = (power(self), power(other));
        one * two > 0 && one != two
    }

    /// Whether both measure the same thing in units that can be compared.
    pub(crate) fn comparable(&self, other: &Self) -> bool {
        matches!((self.unit, other.unit), (Some((one, _)), Some((two, _))) if one == two || alike(one, two))
    }
}

/// Whether one is given in degrees of whatever scale the other has.
fn alike(one: Dimension, two: Dimension) -> bool {
    matches!((one, two), (Dimension::Degree(one), Dimension::Degree(two)) if one.max(two) == 2)
}

/// Length of a month in seconds.
pub(crate) const MONTH: f64 = 2_629_800.0;

/// Whether two measures are one another by the custom of their kind: a kilobyte of 1,024 bytes, a month of 30 or 31 days.
fn loosely(dimension: Dimension, one: f64, two: f64, factor: f64, times: f64) -> bool {
    let ratio = if one > two { one / two } else { two / one };
    match dimension {
        Dimension::Size if (factor - times).abs() > f64::EPSILON => {
            (1..=4).any(|power| (ratio - 1.024_f64.powi(power)).abs() < 1e-6)
        }
        Dimension::Time => {
            let long =
                factor.max(times) >= MONTH && factor.min(times) < MONTH && factor.min(times) >= 86_400.0;
            // "Eight weeks" are two months.
            let weeks = (factor.min(times) - 604_800.0).abs() < 1.0;
            long && ratio < if weeks { 1.09 } else { 1.02 }
        }
        // Every four weeks is monthly.
        Dimension::Rate => ratio < if one.max(two) * MONTH < 6.5 { 1.1 } else { 1.04 },
        _ => false,
    }
}

/// Whether hundredths are a part: 25 and a quarter, 67 and two thirds, which no whole number of them is.
fn is_share(hundredths: f64, part: f64) -> bool {
    let uneven = (part * 100.0 - (part * 100.0).round()).abs() > 1e-6;
    near(hundredths / 100.0, part) || (uneven && (hundredths / 100.0 - part).abs() < 0.007)
}

fn near(one: f64, two: f64) -> bool {
    (one - two).abs() <= 1e-9 * one.abs().max(two.abs()).max(1e-9)
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
