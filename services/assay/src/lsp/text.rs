//! A document as an editor sees it: lines that end in LF, CRLF or CR, and columns counted in the units that editor and
//! server have agreed on.

use lsp_types::{Position, PositionEncodingKind, Range};

/// What a column counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// Code units of UTF-16, what every editor can.
    Utf16,
    /// Unicode scalar values.
    Utf32,
}

impl Encoding {
    /// The first that an editor offers and this server knows; UTF-16 if it offers none.
    #[must_use]
    pub fn agreed(offered: &[PositionEncodingKind]) -> Self {
        let known = |kind: &PositionEncodingKind| match kind.as_str() {
            "utf-8" => Some(Self::Utf8),
            "utf-16" => Some(Self::Utf16),
            "utf-32" => Some(Self::Utf32),
            _ => None,
        };
        offered.iter().find_map(known).unwrap_or(Self::Utf16)
    }

    /// Its name in the protocol.
    #[must_use]
    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    fn width(self, c: char) -> usize {
        match self {
            Self::Utf8 => c.len_utf8(),
            Self::Utf16 => c.len_utf16(),
            Self::Utf32 => 1,
        }
    }
}

/// A text with its line starts.
#[derive(Debug, Clone)]
pub struct Document {
    text: String,
    starts: Vec<usize>,
    encoding: Encoding,
}

impl Document {
    /// A document with this text.
    #[must_use]
    pub fn new(text: String, encoding: Encoding) -> Self {
        let starts = starts(&text);
        Self { text, starts, encoding }
    }

    /// Its text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The byte range of a line without its end.
    fn line(&self, line: usize) -> std::ops::Range<usize> {
        let Some(start) = self.starts.get(line).copied() else { return self.text.len()..self.text.len() };
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        let content = self.text.get(start..end).unwrap_or_default().trim_end_matches(['\n', '\r']);
        start..start + content.len()
    }

    /// The byte offset of a place; one beyond the end of its line is the end of the line.
    #[must_use]
    pub fn offset(&self, position: Position) -> usize {
        let range = self.line(usize::try_from(position.line).unwrap_or(usize::MAX));
        let wanted = usize::try_from(position.character).unwrap_or(usize::MAX);
        let mut column = 0;
        for (at, c) in self.text.get(range.clone()).unwrap_or_default().char_indices() {
            if column >= wanted {
                return range.start + at;
            }
            column += self.encoding.width(c);
        }
        range.end
    }

    /// The place of a byte offset.
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        let line = self.starts.partition_point(|start| *start <= offset).saturating_sub(1);
        let range = self.line(line);
        let before = self.text.get(range.start..offset.min(range.end)).unwrap_or_default();
        let column = before.chars().map(|c| self.encoding.width(c)).sum::<usize>();
        Position::new(u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
    }

    /// The range of a span of bytes.
    #[must_use]
    pub fn range(&self, span: (u32, u32)) -> Range {
        let place = |offset: u32| self.position(usize::try_from(offset).unwrap_or(usize::MAX));
        Range::new(place(span.0), place(span.1))
    }

    /// The place of a line and a column as diagnostics count them: from 1, in Unicode scalar values, a byte order mark
    /// at the start of the text aside.
    #[must_use]
    pub fn located(&self, line: u32, column: u32) -> Position {
        let line = usize::try_from(line.saturating_sub(1)).unwrap_or(usize::MAX);
        let range = self.line(line);
        let text = self.text.get(range.clone()).unwrap_or_default();
        let mark = usize::from(line == 0 && text.starts_with('\u{feff}'));
        let skip = usize::try_from(column.saturating_sub(1)).unwrap_or(usize::MAX).saturating_add(mark);
        let at = text.char_indices().nth(skip).map_or(text.len(), |(at, _)| at);
        self.position(range.start + at)
    }

    /// Everything.
    #[must_use]
    pub fn whole(&self) -> Range {
        let last = self.starts.len().saturating_sub(1);
        Range::new(Position::new(0, 0), Position::new(u32::try_from(last).unwrap_or(u32::MAX), u32::MAX >> 1))
    }

    /// Puts a text in the place of a range, or of everything.
    pub fn change(&mut self, range: Option<Range>, text: &str) {
        match range {
            None => text.clone_into(&mut self.text),
            Some(range) => {
                let (from, to) = (self.offset(range.start), self.offset(range.end));
                self.text.replace_range(from.min(to)..to.max(from), text);
            }
        }
        self.starts = starts(&self.text);
    }
}

/// Where the lines of a text start.
fn starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let mut starts = vec![0];
    for (at, byte) in bytes.iter().enumerate() {
        if *byte == b'\n' || (*byte == b'\r' && bytes.get(at + 1) != Some(&b'\n')) {
            starts.push(at + 1);
        }
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_offsets_agree_in_every_unit() {
        let text = "a😀b\r\né\rz\n";
        for (encoding, end_of_first) in [(Encoding::Utf8, 6), (Encoding::Utf16, 4), (Encoding::Utf32, 3)] {
            let document = Document::new(text.to_owned(), encoding);
            assert_eq!(document.position(6), Position::new(0, end_of_first));
            assert_eq!(document.position(text.len()), Position::new(3, 0));
            for (at, _) in text.char_indices().filter(|(at, c)| !matches!(c, '\n' | '\r') || *at == 0) {
                assert_eq!(document.offset(document.position(at)), at, "{encoding:?} {at}");
            }
            assert_eq!(document.offset(Position::new(0, 99)), 6);
            assert_eq!(document.offset(Position::new(99, 0)), text.len());
        }
    }

    #[test]
    fn changes_are_put_in_their_place() {
        let mut document = Document::new("x = 1\ny = 2\n".to_owned(), Encoding::Utf16);
        document.change(Some(Range::new(Position::new(0, 4), Position::new(1, 0))), "3\n");
        assert_eq!(document.text(), "x = 3\ny = 2\n");
        document.change(None, "z");
        assert_eq!(document.text(), "z");
        assert_eq!(document.located(1, 9), Position::new(0, 1));
    }
}
