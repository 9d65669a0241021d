//! The text under the lean reader: bytes by class, white space and comments, strings and numbers. Everything that is
//! not entirely regular makes the reader decline.

use super::Reader;
use super::keys::{Key, key_at, key_of};
use super::names::Symbol;
use crate::syntax::Span;

/// Classes of bytes.
pub(super) mod class {
    pub(in crate::lean) const LETTER: u8 = 1;
    pub(in crate::lean) const DIGIT: u8 = 2;
}

const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'A'..=b'Z' | b'a'..=b'z' | b'_' => class::LETTER,
            b'0'..=b'9' => class::DIGIT,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

/// Whether a byte is of one of the classes.
#[inline]
pub(super) fn is(byte: u8, classes: u8) -> bool {
    CLASSES[byte as usize] & classes != 0
}

/// The eight bytes from a place on, the first one lowest; zeros stand for what is behind the end.
#[inline]
pub(super) fn eight(bytes: &[u8], at: usize) -> u64 {
    match bytes.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        Some(chunk) => u64::from_le_bytes(*chunk),
        None => last(bytes, at),
    }
}

/// Fewer than eight bytes, without a loop.
#[inline(never)]
fn last(bytes: &[u8], at: usize) -> u64 {
    let rest = bytes.get(at..).unwrap_or_default();
    let byte = |at: usize| rest.get(at).map_or(0, |byte| u64::from(*byte) << (8 * at));
    match (rest.first_chunk::<4>(), rest.last_chunk::<4>()) {
        // Two halves that may overlap.
        (Some(first), Some(last)) => {
            u64::from(u32::from_le_bytes(*first))
                | u64::from(u32::from_le_bytes(*last)) << (8 * (rest.len() - 4))
        }
        _ => byte(0) | byte(1) | byte(2),
    }
}

/// A byte in each of the eight places of a word.
pub(super) const fn each(byte: u8) -> u64 {
    0x0101_0101_0101_0101 * byte as u64
}

/// Marks by their highest bit those of eight bytes that are no letter, digit or underscore. All eight are looked at in
/// one step: a loop that ends after a few bytes, now sooner and now later, is what a processor predicts worst.
#[inline]
pub(super) fn word_ends(bytes: u64) -> u64 {
    // The highest bit of each byte tells; sums of two numbers below 128 do not reach the next byte.
    let low = bytes & each(0x7F);
    let lower_case = low | each(0x20);
    // Set from 'a' on, and from behind 'z' on: one of the two is what a letter has. So with digits. No byte is two of
    // letter, digit and underscore, so that the marks of all can be taken together.
    let letter = (lower_case + each(0x80 - b'a')) ^ (lower_case + each(0x7F - b'z'));
    let digit = (low + each(0x80 - b'0')) ^ (low + each(0x7F - b'9'));
    let no_underscore = (low ^ each(b'_')) + each(0x7F);
    (letter ^ digit ^ no_underscore | bytes) & each(0x80)
}

/// Of eight bytes those before the first one that is marked by its highest bit, the others zero, and how many they are.
#[inline]
pub(super) fn before(bytes: u64, marked: u64) -> (u64, usize) {
    let first = marked & marked.wrapping_neg();
    (bytes & (first >> 7).wrapping_sub(1), (marked.trailing_zeros() / 8) as usize)
}

/// How many of eight bytes, from the first one on, are spaces or tabs.
#[inline]
fn blank_length(bytes: u64) -> usize {
    let differs = |byte: u8| {
        let other = bytes ^ each(byte);
        ((other & each(0x7F)) + each(0x7F)) | other
    };
    ((differs(b' ') & differs(b'\t') & each(0x80)).trailing_zeros() / 8) as usize
}

/// Marks the places where a byte stands among eight by the highest bit; right up to the first one.
#[inline]
fn marks(bytes: u64, byte: u8) -> u64 {
    let zero = bytes ^ each(byte);
    zero.wrapping_sub(each(1)) & !zero & each(0x80)
}

/// A name that was read.
#[derive(Clone, Copy)]
pub(super) struct Word {
    pub(super) span: Span,
    pub(super) key: Key,
}

/// A place in the source.
#[inline]
pub(super) fn offset(at: usize) -> u32 {
    at as u32
}

impl<'a> Reader<'a> {
    /// The next byte; 0 at the end. A NUL in the text is irregular, so the two need not be told apart before a line
    /// ends.
    #[inline]
    pub(super) fn peek(&self) -> u8 {
        self.byte(self.at)
    }

    #[inline]
    pub(super) fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    /// Skips white space and comments inside of a statement; gives the byte behind.
    #[inline]
    pub(super) fn space(&mut self) -> Option<u8> {
        let mut byte = self.peek();
        // Nearly always there is no space or one.
        if byte == b' ' {
            self.at += 1;
            byte = self.peek();
        }
        if matches!(byte, b' ' | b'\t' | b'/') { self.more_space(false) } else { Some(byte) }
    }

    /// Skips white space and comments before a statement, where a block comment may span lines; gives the byte behind.
    #[inline]
    pub(super) fn margin(&mut self) -> Option<u8> {
        let byte = self.peek();
        if matches!(byte, b' ' | b'\t' | b'/') { self.more_space(true) } else { Some(byte) }
    }

    #[inline(never)]
    fn more_space(&mut self, before_statement: bool) -> Option<u8> {
        self.blanks();
        if self.peek() == b'/' {
            self.comments(before_statement)?;
        }
        Some(self.peek())
    }

    /// Skips white space.
    fn blanks(&mut self) {
        loop {
            let count = blank_length(eight(self.bytes, self.at));
            self.at += count;
            if count < 8 {
                return;
            }
        }
    }

    /// Skips comments that start here, if it is comments and not a slash.
    fn comments(&mut self, before_statement: bool) -> Option<()> {
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let length = match rest.get(1) {
                // A condition's text is rarely commented.
                Some(b'/' | b'*') if self.in_text => return None,
                Some(b'/') => {
                    rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len())
                }
                Some(b'*') => {
                    let length = 4 + rest.get(2..)?.windows(2).position(|pair| pair == b"*/")?;
                    if !before_statement
                        && rest.get(..length)?.iter().any(|byte| matches!(byte, b'\n' | b'\r'))
                    {
                        return None;
                    }
                    length
                }
                _ => return Some(()),
            };
            self.comments.push((offset(self.at), offset(self.at + length)));
            self.at += length;
            self.blanks();
            if self.peek() != b'/' {
                return Some(());
            }
        }
    }

    /// Takes the name that starts here.
    #[inline(always)]
    pub(super) fn word(&mut self) -> Word {
        let start = self.at;
        // Behind a condition's text stands its quote, which is part of no name.
        let (key, length) = key_at(self.source.as_bytes(), start);
        self.at = start + length;
        Word { span: (offset(start), offset(self.at)), key }
    }

    /// The number of the name between two places, which may be any text.
    #[inline(never)]
    pub(super) fn symbol_between(&mut self, span: Span) -> Symbol {
        let key = key_of(self.text(span).as_bytes());
        self.names.symbol(key, span)
    }

    /// Takes the name that starts here, by its number; the span of a name goes from here to where the reader is then.
    #[inline(never)]
    pub(super) fn name_here(&mut self) -> Symbol {
        let word = self.word();
        self.names.symbol(word.key, word.span)
    }

    /// Takes the name that starts here, by its number, with its place.
    #[inline(always)]
    pub(super) fn name_with_span(&mut self) -> (Symbol, Span) {
        let start = offset(self.at);
        let symbol = self.name_here();
        (symbol, (start, offset(self.at)))
    }

    /// Takes the number that starts here: digits, or digits, point and digits, of less than 64 bits.
    #[inline]
    pub(super) fn number(&mut self) -> Option<()> {
        let start = self.at;
        while is(self.peek(), class::DIGIT) {
            self.at += 1;
        }
        if self.at - start > 18 {
            return None;
        }
        if self.peek() == b'.' && is(self.byte(self.at + 1), class::DIGIT) {
            self.at += 1;
            while is(self.peek(), class::DIGIT) {
                self.at += 1;
            }
        }
        (self.peek() != b'.' && !is(self.peek(), class::LETTER)).then_some(())
    }

    /// Takes the string or template that starts here.
    #[inline]
    pub(super) fn quoted(&mut self) -> Option<()> {
        let quote = self.peek();
        if self.byte(self.at + 1) == quote && self.byte(self.at + 2) == quote {
            return None;
        }
        let mut at = self.at + 1;
        loop {
            let next = eight(self.bytes, at);
            let stops = marks(next, quote) | marks(next, b'\\') | marks(next, b'\n') | marks(next, b'\r');
            at += (stops.trailing_zeros() / 8) as usize;
            if stops == 0 {
                if at >= self.bytes.len() {
                    return None;
                }
                continue;
            }
            match self.byte(at) {
                b'\\' if !matches!(self.byte(at + 1), b'\n' | b'\r') => at += 2,
                byte if byte == quote => {
                    self.at = at + 1;
                    return Some(());
                }
                _ => return None,
            }
        }
    }

    /// The text between two places.
    #[inline]
    pub(super) fn text(&self, span: (u32, u32)) -> &'a str {
        self.source.get(span.0 as usize..span.1 as usize).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_bytes_are_told_apart_as_one_by_one() {
        for at in 0..8 {
            for byte in 0..=u8::MAX {
                let with = |around: u8| {
                    let mut bytes = [around; 8];
                    bytes[at] = byte;
                    bytes
                };
                let first = |bytes: [u8; 8], ends: &dyn Fn(u8) -> bool| {
                    bytes.iter().position(|byte| ends(*byte)).unwrap_or(8)
                };
                let word = with(b'Z');
                let ends = |byte| !is(byte, class::LETTER | class::DIGIT);
                let found = word_ends(u64::from_le_bytes(word)).trailing_zeros() / 8;
                assert_eq!(found as usize, first(word, &ends), "{byte}");
                let blank = with(b'\t');
                let ends = |byte| !matches!(byte, b' ' | b'\t');
                assert_eq!(blank_length(u64::from_le_bytes(blank)), first(blank, &ends), "{byte}");
                let text = with(b'"' - 1);
                let place = marks(u64::from_le_bytes(text), b'"').trailing_zeros() / 8;
                assert_eq!(place as usize, first(text, &|byte| byte == b'"'), "{byte}");
            }
        }
    }

    #[test]
    fn what_is_behind_the_end_is_zero() {
        let bytes = b"abcdefgh";
        for at in 0..10 {
            let mut expected = [0; 8];
            let rest = bytes.get(at..).unwrap_or_default();
            expected[..rest.len()].copy_from_slice(rest);
            assert_eq!(eight(bytes, at), u64::from_le_bytes(expected));
        }
    }
}
