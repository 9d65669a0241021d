//! Reads figures with their units: `1,200` = `1200` = `1.2k` = "one thousand two hundred", `30 s` = `0.5 min`.
//!
//! English and Spanish, in digits, in words and roundabout ("three quarters of an hour"). Works on tokens of whatever
//! type implements [`Token`]. Pure and total. Absent: cutting a text into tokens, and judging a figure against another
//! text; both are `assay-grounding`'s.

mod around;
mod clock;
mod dates;
mod digits;
mod implied;
mod loose;
mod read;
mod token;
mod units;
mod words;

pub use around::{bounds_by_denying, compares, passes, placed};
pub use digits::{cut, degrees, hash, is_part, parse, parts};
pub use loose::{begins, figure, loose};
pub use read::{names_unit, part_of_one, quantities};
pub use token::{Begins, Token};
pub use units::{Dimension, raises};
pub use words::is_word;

/// On which side a figure bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// "at most", "up to".
    Most,
    /// "at least".
    Least,
}

impl Bound {
    /// The other side.
    pub fn other(self) -> Self {
        match self {
            Self::Most => Self::Least,
            Self::Least => Self::Most,
        }
    }
}

/// A figure of a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Quantity {
    /// As a plain number, multipliers applied, units not.
    pub value: f64,
    /// What it measures and the factor to its base unit.
    pub unit: Option<(Dimension, f64)>,
    /// First and last token.
    pub first: usize,
    /// Last token, unit included.
    pub last: usize,
    /// Whether it was spelled out and so small that it may be no figure at all.
    pub soft: bool,
    /// The value where a point groups its thousands, as in the Spanish `1.400`.
    pub grouped: Option<f64>,
    /// Whether it bounds what it measures.
    pub bound: Option<Bound>,
    /// Seconds of the time that it is counted in, as in "60 a minute".
    pub per: Option<f64>,
    /// Whether it has its unit from its surroundings.
    pub implied: bool,
    /// Stem of the content word behind it, 0 if none.
    pub head: u64,
    /// Stem of the content word before it, 0 if none.
    pub before: u64,
}

impl Quantity {
    /// Whether two figures say the same.
    pub fn equals(&self, other: &Self) -> bool {
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
    pub fn of_another_power(&self, other: &Self) -> bool {
        let power = |figure: &Self| match figure.unit {
            Some((Dimension::Length, _)) => 1,
            Some((Dimension::Area, _)) => 2,
            Some((Dimension::Volume, _)) => 3,
            // A bare "m" may be a length as well as minutes or millions, and is no area.
            None if figure.head == assay_text::hash::hash("m") => 1,
            _ => 0,
        };
        let (one, two) = (power(self), power(other));
        one * two > 0 && one != two
    }

    /// Whether both measure the same thing in units that can be compared.
    pub fn comparable(&self, other: &Self) -> bool {
        matches!((self.unit, other.unit), (Some((one, _)), Some((two, _))) if one == two || alike(one, two))
    }
}

/// Whether one is given in degrees of whatever scale the other has.
fn alike(one: Dimension, two: Dimension) -> bool {
    matches!((one, two), (Dimension::Degree(one), Dimension::Degree(two)) if one.max(two) == 2)
}

/// Length of a month in seconds.
pub const MONTH: f64 = 2_629_800.0;

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
