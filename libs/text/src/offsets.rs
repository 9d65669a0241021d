//! Turns byte offsets of a text into UTF-16 and code-point offsets.

use assay_domain::report::Span;
use std::ops::Range;
use std::sync::Arc;

/// Distance between check points, in bytes; a look-up reads at most this much.
const STEP: usize = 64;

/// Offsets of one text in three units.
#[derive(Debug, Clone)]
pub struct Offsets {
    text: Arc<str>,
    /// For every multiple of [`STEP`], rounded up to a character boundary: bytes, UTF-16 units, characters before it.
    points: Vec<(usize, usize, usize)>,
    /// Whether all three units are the same.
    ascii: bool,
}

impl Offsets {
    /// Reads the text once.
    #[must_use]
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        let mut points = vec![(0, 0, 0)];
        if text.is_ascii() {
            return Self { text, points, ascii: true };
        }
        let (mut utf16, mut chars) = (0, 0);
        for (byte, c) in text.char_indices() {
            if byte >= points.len() * STEP {
                points.push((byte, utf16, chars));
            }
            utf16 += c.len_utf16();
            chars += 1;
        }
        Self { text, points, ascii: false }
    }

    /// UTF-16 units and code points before a byte; a byte inside a character counts as its start.
    #[must_use]
    pub fn at(&self, byte: usize) -> (usize, usize) {
        let byte = byte.min(self.text.len());
        if self.ascii {
            return (byte, byte);
        }
        let place = (byte / STEP).min(self.points.len() - 1);
        // A point may lie a few bytes behind its multiple; step back until it is not after the byte.
        let point = self.points[..=place].iter().rev().find(|point| point.0 <= byte);
        let (start, mut utf16, mut chars) = point.copied().unwrap_or((0, 0, 0));
        for (offset, c) in self.text[start..].char_indices() {
            if start + offset + c.len_utf8() > byte {
                break;
            }
            utf16 += c.len_utf16();
            chars += 1;
        }
        (utf16, chars)
    }

    /// A span in all three units.
    #[must_use]
    pub fn span(&self, bytes: Range<usize>) -> Span {
        let (utf16_start, char_start) = self.at(bytes.start);
        let (utf16_end, char_end) = self.at(bytes.end);
        Span { byte_start: bytes.start, byte_end: bytes.end, utf16_start, utf16_end, char_start, char_end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn offsets_agree_with_counting_from_the_start(text in "[a-zñ🙂\u{feff}\n]{0,900}") {
            let offsets = Offsets::new(text.as_str());
            for (byte, _) in text.char_indices() {
                let before = &text[..byte];
                prop_assert_eq!(offsets.at(byte), (before.encode_utf16().count(), before.chars().count()));
            }
        }
    }
}
