//! The text under the lean reader: bytes by class, white space and comments, strings and numbers. Everything that is
//! not entirely regular makes the reader decline.

use super::Reader;

/// Classes of bytes.
pub(super) mod class {
    pub(in crate::lean) const LETTER: u8 = 1;
    pub(in crate::lean) const DIGIT: u8 = 2;
    /// May end a string or needs a closer look inside of one.
    pub(in crate::lean) const STOPS_TEXT: u8 = 4;
}

const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'A'..=b'Z' | b'a'..=b'z' | b'_' => class::LETTER,
            b'0'..=b'9' => class::DIGIT,
            b'"' | b'\'' | b'`' | b'\\' | b'\n' | b'\r' => class::STOPS_TEXT,
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

    /// Skips white space and comments inside of a statement.
    #[inline]
    pub(super) fn space(&mut self) -> Option<()> {
        while matches!(self.peek(), b' ' | b'\t') {
            self.at += 1;
        }
        if self.peek() == b'/' { self.comments(false) } else { Some(()) }
    }

    /// Skips white space and comments before a statement, where a block comment may span lines.
    #[inline]
    pub(super) fn margin(&mut self) -> Option<()> {
        while matches!(self.peek(), b' ' | b'\t') {
            self.at += 1;
        }
        if self.peek() == b'/' { self.comments(true) } else { Some(()) }
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
                    let lines = crate::line_ends(rest.get(..length)?);
                    if lines > 0 && !before_statement {
                        return None;
                    }
                    self.line += lines;
                    length
                }
                _ => return Some(()),
            };
            self.comments.push((offset(self.at), offset(self.at + length)));
            self.at += length;
            while matches!(self.peek(), b' ' | b'\t') {
                self.at += 1;
            }
            if self.peek() != b'/' {
                return Some(());
            }
        }
    }

    /// Takes the name that starts here.
    #[inline]
    pub(super) fn word(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let more = |byte: &u8| !is(*byte, class::LETTER | class::DIGIT);
        let length = rest.iter().position(more).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
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
            let byte = *self.bytes.get(at)?;
            at += 1;
            if !is(byte, class::STOPS_TEXT) {
                continue;
            }
            match byte {
                b'\n' | b'\r' => return None,
                b'\\' => {
                    if matches!(self.byte(at), b'\n' | b'\r') {
                        return None;
                    }
                    at += 1;
                }
                _ if byte == quote => {
                    self.at = at;
                    return Some(());
                }
                _ => {}
            }
        }
    }

    /// The text between two places.
    #[inline]
    pub(super) fn text(&self, span: (u32, u32)) -> &'a str {
        self.source.get(span.0 as usize..span.1 as usize).unwrap_or_default()
    }
}
