//! Lines of a text, so that a range of lines always means the same bytes: what is cited, hashed and resolved.
//!
//! Lines end at `\n` (a `\r` before it belongs to the ending) and are counted from 1. The text of a range runs from
//! the first byte of its first line to the last byte of its last line, without that line's ending.

use assay_domain::LineRange;

/// Byte places of the lines of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines {
    /// Start and end (without the line ending) of each line.
    spans: Vec<(usize, usize)>,
}

impl Lines {
    /// Finds the lines of a text; an empty text has none.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut spans = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let body = line.strip_suffix('\n').unwrap_or(line);
            let body = body.strip_suffix('\r').unwrap_or(body);
            spans.push((start, start + body.len()));
            start += line.len();
        }
        Self { spans }
    }

    /// How many lines there are.
    #[must_use]
    pub fn count(&self) -> u32 {
        u32::try_from(self.spans.len()).unwrap_or(u32::MAX)
    }

    /// Bytes of a range; `None` if it is not well formed or runs beyond the end.
    #[must_use]
    pub fn bytes(&self, range: LineRange) -> Option<std::ops::Range<usize>> {
        if !range.is_well_formed() {
            return None;
        }
        let (start, _) = *self.spans.get(range.first as usize - 1)?;
        let (_, end) = *self.spans.get(range.last as usize - 1)?;
        Some(start..end)
    }

    /// The line, counted from 0, that holds a byte; the last line for a byte beyond the end.
    #[must_use]
    pub fn line_of(&self, byte: usize) -> usize {
        self.spans.partition_point(|(start, _)| *start <= byte).saturating_sub(1)
    }

    /// Bytes from the start of one line to the start of a later one, both counted from 0.
    #[must_use]
    pub fn between(&self, first: usize, last: usize) -> usize {
        let start = |line: usize| self.spans.get(line).map_or(0, |(start, _)| *start);
        start(last).saturating_sub(start(first))
    }

    /// Text of a line counted from 0, without its ending; empty beyond the end.
    #[must_use]
    pub fn line<'t>(&self, text: &'t str, index: usize) -> &'t str {
        self.spans.get(index).and_then(|(start, end)| text.get(*start..*end)).unwrap_or("")
    }

    /// Number of lines.
    #[must_use]
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_domain::{Source, SourceKind};

    #[test]
    fn a_range_is_the_bytes_between_its_line_ends() {
        let text = "one\r\ntwo\n\nfour";
        let lines = Lines::of(text);
        let slice = |first, last| lines.bytes(LineRange::new(first, last)).map(|range| &text[range]);
        assert_eq!(lines.count(), 4);
        assert_eq!(slice(1, 2), Some("one\r\ntwo"));
        assert_eq!(slice(2, 4), Some("two\n\nfour"));
        assert_eq!(slice(4, 4), Some("four"));
        assert_eq!(slice(0, 1), None);
        assert_eq!(slice(3, 2), None);
        assert_eq!(slice(4, 5), None);
    }

    #[test]
    fn a_byte_knows_its_line() {
        let lines = Lines::of("ab\ncd\n");
        assert_eq!([0, 2, 3, 5, 99].map(|byte| lines.line_of(byte)), [0, 0, 1, 1, 1]);
    }

    proptest::proptest! {
        #[test]
        fn a_source_has_the_same_lines(text in "[ab\r\n]{0,20}", first in 1_u32..8, last in 1_u32..8, above in 1_u32..5) {
            let bytes = Lines::of(&text).bytes(LineRange::new(first, last));
            let source = Source::given("id", SourceKind::Doc, text.clone(), above);
            let shifted = LineRange::new(first + above - 1, last + above - 1);
            proptest::prop_assert_eq!(source.text_of(shifted), bytes.and_then(|bytes| text.get(bytes)));
        }
    }
}
