//! Places in a text: bytes as lines and columns, through a table that is built once, and the words around a place.

use std::ops::Range;

use assay_domain::code::{Category, Diagnostic, Severity};

/// A text with the places where its lines begin. A line ends at a line feed, and at a carriage return that no line feed
/// follows.
pub(super) struct Source<'a> {
    code: &'a str,
    starts: Vec<usize>,
}

impl<'a> Source<'a> {
    pub(super) fn new(code: &'a str) -> Self {
        let bytes = code.as_bytes();
        let ends = bytes.iter().enumerate().filter(|(at, byte)| match **byte {
            b'\n' => true,
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        });
        let mut starts = vec![0];
        starts.extend(ends.map(|(at, _)| at + 1));
        Self { code, starts }
    }

    pub(super) fn code(&self) -> &'a str {
        self.code
    }

    /// The text of a range; empty for one that cuts a character.
    pub(super) fn text(&self, range: Range<usize>) -> &'a str {
        self.code.get(range).unwrap_or_default()
    }

    /// The line that holds a byte, from 0.
    pub(super) fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    /// The text of a line, counted from 0, with its end.
    pub(super) fn line(&self, line: usize) -> &'a str {
        let start = self.starts.get(line).copied().unwrap_or(self.code.len());
        let end = self.starts.get(line + 1).copied().unwrap_or(self.code.len());
        self.text(start..end)
    }

    /// The first byte of a line, counted from 0.
    pub(super) fn start(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.code.len())
    }

    /// The blanks that a line, counted from 0, begins with.
    pub(super) fn indent(&self, line: usize) -> usize {
        self.line(line).bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
    }

    /// How far a byte stands behind the beginning of its line.
    pub(super) fn offset_in_line(&self, offset: usize) -> usize {
        offset - self.starts.get(self.line_of(offset)).copied().unwrap_or(0).min(offset)
    }

    /// A byte as line and column, both from 1, the column in Unicode scalar values.
    pub(super) fn position(&self, offset: usize) -> (u32, u32) {
        let mut offset = offset.min(self.code.len());
        while !self.code.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line_of(offset);
        let start = offset - self.offset_in_line(offset);
        let column = self.text(start..offset).chars().count() + 1;
        (u32::try_from(line + 1).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
    }

    /// An error over a byte range; its end is cut to the first line.
    pub(super) fn error(
        &self,
        range: Range<usize>,
        id: impl Into<String>,
        category: Category,
        message: String,
    ) -> Diagnostic {
        let (line, column) = self.position(range.start);
        let width = self.text(range).chars().take_while(|c| !matches!(c, '\n' | '\r')).count();
        Diagnostic {
            line,
            column,
            end_column: column.saturating_add(u32::try_from(width).unwrap_or(u32::MAX)),
            severity: Severity::Error,
            category,
            code: id.into(),
            message,
            suggestion: None,
            help: None,
        }
    }

    /// The end of the line before a place, at most 30 characters of it; the line before that one where the place begins
    /// its own.
    pub(super) fn before(&self, offset: usize) -> &'a str {
        last_words(self.code.get(..offset).unwrap_or_default())
    }
}

/// The end of the last line of a text that holds something, at most 30 characters of it.
pub(super) fn last_words(text: &str) -> &str {
    let text = text.trim_end();
    let window = tail(text, 4 * 31);
    let line = window.rsplit(['\n', '\r']).next().unwrap_or_default().trim_start();
    let start = line.char_indices().rev().nth(29).map_or(0, |(at, _)| at);
    &line[start..]
}

/// The end of a text, at most about this many bytes.
pub(super) fn tail(text: &str, bytes: usize) -> &str {
    let mut start = text.len().saturating_sub(bytes);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}

/// The first line of a text, at most 40 characters of it, for messages.
pub(super) fn clip(text: &str) -> String {
    const MOST: usize = 40;
    let text = text.trim_start();
    let end = text.char_indices().nth(MOST + 1).map_or(text.len(), |(at, _)| at);
    let line = text[..end].split(['\n', '\r']).next().unwrap_or_default().trim_end();
    if line.chars().count() <= MOST {
        return line.to_owned();
    }
    let mut out: String = line.chars().take(MOST - 1).collect();
    out.push('…');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_told_alike_for_every_line_end() {
        for end in ["\n", "\r\n", "\r"] {
            let code = format!("a{end}{end}éb = 1{end}c");
            let source = Source::new(&code);
            let at = |text: &str| source.position(code.find(text).unwrap_or(0));
            assert_eq!((at("a"), at("b"), at("c")), ((1, 1), (3, 2), (4, 1)), "{end:?}");
            assert_eq!(source.position(code.len() + 9), (4, 2));
        }
    }

    #[test]
    fn words_are_cut_to_what_a_message_holds() {
        assert_eq!(clip("  a b \r\nc"), "a b");
        assert_eq!(clip(&"x".repeat(40)), "x".repeat(40));
        assert_eq!(clip(&"é".repeat(41)), format!("{}…", "é".repeat(39)));
        assert_eq!(last_words("a\n  let x = é  \n "), "let x = é");
        assert_eq!(last_words(&"é".repeat(500)), "é".repeat(30));
    }
}
