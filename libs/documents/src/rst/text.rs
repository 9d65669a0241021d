//! Lines of a paragraph as one text that knows the line of each byte.

use std::ops::Range;

use super::line::Line;
use crate::inline::Inline;

/// A text to find inline markup in.
#[derive(Debug, Clone, Default)]
pub(super) struct Text {
    pub(super) text: String,
    starts: Vec<(usize, u32)>,
    /// Whether white space is kept: a parsed literal.
    pub(super) verbatim: bool,
}

impl Text {
    /// Joins lines by line breaks.
    pub(super) fn of(lines: &[Line<'_>]) -> Self {
        let mut all = Self::default();
        for line in lines {
            if !all.starts.is_empty() {
                all.text.push('\n');
            }
            all.starts.push((all.text.len(), line.number));
            all.text.push_str(line.text);
        }
        all
    }

    /// A text that a line stands for.
    pub(super) fn at(text: String, line: u32) -> Self {
        Self { text, starts: vec![(0, line)], verbatim: false }
    }

    /// A part of the text.
    pub(super) fn get(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or("")
    }

    /// The line of a byte.
    pub(super) fn line(&self, byte: usize) -> u32 {
        let after = self.starts.partition_point(|(start, _)| *start <= byte);
        after.checked_sub(1).and_then(|at| self.starts.get(at)).map_or(1, |(_, line)| *line)
    }

    /// The character before a byte.
    pub(super) fn before(&self, at: usize) -> Option<char> {
        self.text.get(..at).and_then(|before| before.chars().next_back())
    }

    /// The character at a byte.
    pub(super) fn after(&self, at: usize) -> Option<char> {
        self.text.get(at..).and_then(|after| after.chars().next())
    }

    /// Pushes a part as it stands: white space folded, backslashes kept.
    pub(super) fn literal(&self, range: Range<usize>, out: &mut Inline) {
        let mut at = range.start;
        for part in self.get(range).split_inclusive('\n') {
            match self.verbatim {
                true => out.verbatim(part, self.line(at)),
                false => out.push(part, self.line(at)),
            }
            at += part.len();
        }
    }

    /// Pushes a part without its backslashes, and without the white space after each.
    pub(super) fn plain(&self, range: Range<usize>, out: &mut Inline) {
        let mut from = range.start;
        let mut skip = range.start;
        for (at, _) in self.get(range.clone()).match_indices('\\') {
            let at = range.start + at;
            if at < skip {
                continue;
            }
            self.literal(from..at, out);
            let escaped = self.after(at + 1);
            skip = at + 1 + escaped.map_or(0, char::len_utf8);
            from = if escaped.is_some_and(char::is_whitespace) { skip } else { at + 1 };
        }
        self.literal(from.min(range.end)..range.end, out);
    }
}

/// A text without its backslashes, and without the white space after each.
pub(super) fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(chars.next().filter(|c| !c.is_whitespace())),
            c => out.push(c),
        }
    }
    out
}
