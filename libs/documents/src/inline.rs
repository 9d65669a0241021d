//! Visible text that is being collected, with its styles and the lines that its words come from.

use assay_domain::LineRange;

use crate::{Block, Span, Style};

/// Characters that only say where a line may break; they would part a word from itself. Selectors of emoji stay: ids of
/// headings have them.
const INVISIBLE: [char; 4] = ['\u{ad}', '\u{200b}', '\u{2060}', '\u{feff}'];

/// Collects the text of one block. White space is folded, unless it is pushed as code of its own.
#[derive(Debug, Clone, Default)]
pub(crate) struct Inline {
    text: String,
    spans: Vec<Span>,
    starts: Vec<(usize, u32)>,
    open: Vec<(usize, Style)>,
    /// A space to come before the next word.
    space: bool,
}

impl Inline {
    /// What a block holds, to be put into another one.
    pub(crate) fn of_block(block: Block) -> Self {
        let Block { text, spans, starts, .. } = block;
        Self { text, spans, starts, ..Self::default() }
    }

    /// Adds text of a line: runs of white space become one space, none at the start of the block or of a line in it.
    pub(crate) fn push(&mut self, text: &str, line: u32) {
        for (index, word) in text.split(char::is_whitespace).enumerate() {
            if index > 0 {
                self.space = true;
            }
            if word.contains(INVISIBLE) {
                let seen = word.replace(INVISIBLE, "");
                self.word_of(&seen, line);
            } else {
                self.word_of(word, line);
            }
        }
    }

    fn word_of(&mut self, word: &str, line: u32) {
        if !word.is_empty() {
            self.word(word, line);
        }
    }

    /// Adds text as it is, white space included: a line of code, a non-breaking name.
    pub(crate) fn verbatim(&mut self, text: &str, line: u32) {
        if !text.is_empty() {
            self.word(text, line);
        }
    }

    fn word(&mut self, word: &str, line: u32) {
        if std::mem::take(&mut self.space) && !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push(' ');
        }
        // A style that opened before the space begins at the word.
        let at = self.text.len();
        for (start, _) in self.open.iter_mut().rev().take_while(|(start, _)| *start + 1 >= at) {
            if self.text.get(*start..).is_some_and(|behind| behind.trim().is_empty()) {
                *start = at;
            }
        }
        if self.starts.last().is_none_or(|(_, last)| *last != line) {
            let at = if self.starts.is_empty() { 0 } else { at };
            self.starts.push((at, line));
        }
        self.text.push_str(word);
    }

    /// Adds a space between words.
    pub(crate) fn space(&mut self) {
        self.space = true;
    }

    /// Breaks the line as a reader sees it.
    pub(crate) fn line_break(&mut self) {
        self.space = false;
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    /// Begins a style.
    pub(crate) fn open(&mut self, style: Style) {
        self.open.push((self.text.len(), style));
    }

    /// Ends the style that was opened last. A style without text goes, but for an image.
    pub(crate) fn close(&mut self) {
        let Some((start, style)) = self.open.pop() else { return };
        let range = start.min(self.text.len())..self.text.len();
        if !range.is_empty() || matches!(style, Style::Image(_)) {
            self.spans.push(Span { range, style });
        }
    }

    /// Adds text in one style.
    pub(crate) fn styled(&mut self, style: Style, text: &str, line: u32) {
        self.open(style);
        self.push(text, line);
        self.close();
    }

    /// Appends what another one collected, as it is.
    pub(crate) fn append(&mut self, other: Self) {
        let other = other.finished();
        if other.text.is_empty() && other.spans.is_empty() {
            return;
        }
        if std::mem::take(&mut self.space) && !self.text.is_empty() && !self.text.ends_with(['\n', '\t']) {
            self.text.push(' ');
        }
        let at = self.text.len();
        for (start, line) in other.starts {
            if self.starts.last().is_none_or(|(_, last)| *last != line) {
                self.starts.push((if self.starts.is_empty() { 0 } else { at + start }, line));
            }
        }
        let shifted = |span: Span| Span { range: span.range.start + at..span.range.end + at, ..span };
        self.spans.extend(other.spans.into_iter().map(shifted));
        self.text.push_str(&other.text);
    }

    /// Adds a separator of cells or of a term and its description, without a line of its own.
    pub(crate) fn separate(&mut self, mark: char) {
        self.space = false;
        self.text.push(mark);
    }

    /// The lines of the file that hold the words; none without words.
    pub(crate) fn lines(&self) -> Option<LineRange> {
        let lines = || self.starts.iter().map(|(_, line)| *line);
        Some(LineRange::new(lines().min()?, lines().max()?))
    }

    /// Bytes so far.
    pub(crate) fn len(&self) -> usize {
        self.text.len()
    }

    /// The visible text so far.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether there is neither a word nor an image.
    pub(crate) fn is_empty(&self) -> bool {
        self.text.trim().is_empty() && !self.spans.iter().any(|span| matches!(span.style, Style::Image(_)))
    }

    /// Closes every style; spans in order of their starts, outer ones first.
    pub(crate) fn finished(mut self) -> Self {
        while !self.open.is_empty() {
            self.close();
        }
        let end = self.text.trim_end_matches([' ', '\n']).len();
        self.text.truncate(end);
        self.starts.retain(|(at, _)| *at == 0 || *at < end);
        for span in &mut self.spans {
            span.range = span.range.start.min(end)..span.range.end.min(end);
        }
        self.spans.retain(|span| !span.range.is_empty() || matches!(span.style, Style::Image(_)));
        self.starts.retain(|(start, _)| *start == 0 || *start < end);
        self.spans.sort_by_key(|span| (span.range.start, std::cmp::Reverse(span.range.end)));
        self
    }

    /// What a block holds, to be collected again.
    pub(crate) fn of_parts(text: String, spans: Vec<Span>, starts: Vec<(usize, u32)>) -> Self {
        Self { text, spans, starts, ..Self::default() }
    }

    /// Text, styles and lines.
    pub(crate) fn into_parts(self) -> (String, Vec<Span>, Vec<(usize, u32)>) {
        let Self { text, spans, starts, .. } = self.finished();
        (text, spans, starts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_their_line_and_styles_their_words() {
        let mut inline = Inline::default();
        inline.push("  Set ", 3);
        inline.styled(Style::Code, "limit", 3);
        inline.push("\n  to five ", 4);
        inline.line_break();
        inline.push("or more.", 5);
        let (text, spans, starts) = inline.into_parts();
        assert_eq!(text, "Set limit to five\nor more.");
        assert_eq!(spans, [Span { range: 4..9, style: Style::Code }]);
        assert_eq!(starts, [(0, 3), (10, 4), (18, 5)]);
    }
}
