//! Reads a text as a person sees it: without invisible characters, digits in ASCII, one apostrophe; lines stay lines.

use regex::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization;

/// Decimal digits of any alphabet; compiled on first use.
static DECIMAL: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\p{Nd}$").ok());

/// The text as it is seen; borrowed where nothing differs.
#[must_use]
pub fn readable(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.chars().any(|c| shows_nothing(c) || is_apostrophe(c) || is_figure(c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().filter(|c| !shows_nothing(*c)).peekable();
    while let Some(c) = rest.next() {
        let behind = out.chars().next_back();
        if is_apostrophe(c) {
            let inside =
                behind.is_some_and(char::is_alphabetic) && rest.peek().is_some_and(|c| c.is_alphabetic());
            out.push(if inside { '\'' } else { c });
        } else if is_figure(c) {
            push_figure(&mut out, behind, c);
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Whether a character is invisible: the property `Default_Ignorable_Code_Point` of Unicode.
#[must_use]
pub const fn shows_nothing(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether a character is a letter of another alphabet than the Latin one.
#[must_use]
pub fn beyond_latin(c: char) -> bool {
    c > 'ɏ' && c.is_alphabetic() && !('Ḁ'..='ỿ').contains(&c)
}

/// Whether a character is used as the apostrophe of "isn't"; U+2019 is left to the tokenizer.
const fn is_apostrophe(c: char) -> bool {
    matches!(
        c,
        '´' | 'ʹ'
            | 'ʻ'
            | 'ʼ'
            | 'ʽ'
            | 'ʾ'
            | 'ˈ'
            | 'ˊ'
            | '՚'
            | '׳'
            | '‘'
            | '‛'
            | '′'
            | '＇'
            | 'Ꞌ'
            | 'ꞌ'
    )
}

/// Whether a character is a number outside ASCII; fractions are left to the reader of figures.
fn is_figure(c: char) -> bool {
    !c.is_ascii() && c.is_numeric() && !matches!(c, '¼'..='¾' | '⅐'..='⅟' | '↉')
}

/// Appends a number character: a power behind a digit ("10^2"), unchanged behind a letter ("m²", "H₂O").
fn push_figure(out: &mut String, behind: Option<char>, c: char) {
    let raised = matches!(c, '²' | '³' | '¹' | '⁰'..='⁹' | '₀'..='₉');
    if raised && behind.is_some_and(char::is_alphabetic) {
        return out.push(c);
    }
    let first = out.len();
    let digits = c.nfkc().filter(char::is_ascii_digit);
    if raised && behind.is_some_and(|c| c.is_ascii_digit()) && !in_power(out) {
        out.push('^');
    }
    let before = out.len();
    out.extend(digits);
    if out.len() == before {
        out.truncate(first);
        out.push(decimal(c).unwrap_or(c));
    }
}

/// Whether a text ends in a power.
fn in_power(text: &str) -> bool {
    text.trim_end_matches(|c: char| c.is_ascii_digit()).ends_with('^')
}

/// The ASCII digit of a decimal digit; an alphabet's digits are ten consecutive code points from zero.
fn decimal(c: char) -> Option<char> {
    let is_decimal = |code: u32| {
        let c = char::from_u32(code)?;
        DECIMAL.as_ref().map(|pattern| pattern.is_match(c.encode_utf8(&mut [0; 4])))
    };
    let code = u32::from(c);
    is_decimal(code)?.then_some(())?;
    let before =
        (1..).take_while(|back| code.checked_sub(*back).and_then(is_decimal).unwrap_or(false)).count();
    char::from_digit(u32::try_from(before % 10).ok()?, 10)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_shows_nothing_is_the_property_of_unicode() {
        let property = Regex::new(r"^\p{Default_Ignorable_Code_Point}$").unwrap();
        for c in '\0'..=char::MAX {
            assert_eq!(shows_nothing(c), property.is_match(c.encode_utf8(&mut [0; 4])), "{c:?}");
        }
    }

    #[test]
    fn every_decimal_digit_reads_as_one() {
        let digit = Regex::new(r"^\p{Nd}$").unwrap();
        let all: Vec<char> =
            ('\0'..=char::MAX).filter(|c| digit.is_match(c.encode_utf8(&mut [0; 4]))).collect();
        for ten in all.chunks(10) {
            let text: String = ten.iter().flat_map(|c| [' ', *c]).collect();
            assert_eq!(readable(&text), " 0 1 2 3 4 5 6 7 8 9", "{ten:?}");
        }
    }

    #[test]
    fn a_text_reads_as_it_is_seen() {
        for (text, read) in [
            ("se\u{200b}ven \u{feff}MB\u{ad}s", "seven MBs"),
            ("5⁹ MB, 10¹² of 10^6", "5^9 MB, 10^12 of 10^6"),
            ("⑦ ⑫ 𝟕 ５０ ⁷ MB", "7 12 7 50 7 MB"),
            ("isnꞌt, donʼt, isn´t", "isn't, don't, isn't"),
            ("5′ long, ½ of 20 m² H₂O, Ⅶ, 七", "5′ long, ½ of 20 m² H₂O, Ⅶ, 七"),
            ("one\ntwo\r\n", "one\ntwo\r\n"),
        ] {
            assert_eq!(readable(text), read);
        }
    }
}
