//! Lines that stay as they are, while they are collected.

use assay_domain::LineRange;

use crate::inline::Inline;

/// Lines of code, each with its line of the file.
#[derive(Debug, Default)]
pub(super) struct Code {
    lines: Vec<(String, u32)>,
    open: Option<(String, u32)>,
    blanks: usize,
}

impl Code {
    /// Writes a piece of the open line.
    pub(super) fn put(&mut self, text: &str, space: bool, line: u32) {
        let (open, _) = self.open.get_or_insert_with(|| (String::new(), line));
        if space && !open.is_empty() {
            open.push(' ');
        }
        open.push_str(text);
    }

    /// Ends the open line; a line without text is blank.
    pub(super) fn end_line(&mut self) {
        match self.open.take() {
            Some((text, line)) => {
                for _ in 0..std::mem::take(&mut self.blanks) {
                    self.lines.push((String::new(), line));
                }
                self.lines.push((text.trim_end_matches([' ', '\t']).to_owned(), line));
            }
            None => self.blank(),
        }
    }

    /// Leaves a line free, if there are lines above it.
    pub(super) fn blank(&mut self) {
        if !self.lines.is_empty() {
            self.blanks = 1;
        }
    }

    /// Takes the lines without the indentation that they share.
    pub(super) fn take(&mut self) -> Option<(Inline, LineRange)> {
        if self.open.is_some() {
            self.end_line();
        }
        self.blanks = 0;
        let lines = std::mem::take(&mut self.lines);
        let indent = |text: &str| text.len() - text.trim_start_matches([' ', '\t']).len();
        let indent =
            lines.iter().filter(|(text, _)| !text.trim().is_empty()).map(|(text, _)| indent(text)).min()?;
        let first = lines.iter().find(|(text, _)| !text.is_empty())?.1;
        let mut inline = Inline::default();
        let mut range = LineRange::new(first, first);
        for (number, (text, line)) in lines.iter().skip_while(|(text, _)| text.trim().is_empty()).enumerate()
        {
            if number > 0 {
                inline.separate('\n');
            }
            inline.verbatim(text.get(indent..).unwrap_or(""), *line);
            range = LineRange::new(range.first.min(*line), range.last.max(*line));
        }
        Some((inline, range))
    }
}
