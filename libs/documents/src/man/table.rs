//! Tables of `tbl`: options, formats of the columns, rows.

use assay_domain::LineRange;

use super::flow::{Capture, Flow};
use super::rows::{self, Row};
use crate::inline::Inline;

/// A table that is being read.
#[derive(Debug, Default)]
pub(super) struct Table {
    separator: Option<char>,
    state: State,
    /// Of each line of formats, whether all its columns are bold.
    bold: Vec<bool>,
    rows: Vec<Row>,
    row: Row,
    /// Whether the text of `T{` is being read.
    in_block: bool,
}

/// What the next line of a table is.
#[derive(Debug, Default, PartialEq, Eq)]
enum State {
    /// Options, or formats where there are none.
    #[default]
    Options,
    Formats,
    Data,
}

impl Table {
    /// Whether lines are read as they are outside of tables.
    pub(super) fn in_block(&self) -> bool {
        self.in_block
    }

    /// Formats begin anew: `.T&`.
    pub(super) fn formats(&mut self) {
        self.state = State::Formats;
    }

    /// Reads a line of the table that is neither a macro nor inside a `T{`.
    pub(super) fn line(&mut self, flow: &mut Flow<'_, '_>, text: &str, line: u32) {
        match self.state {
            State::Options if text.trim_end().ends_with(';') => {
                self.separator = separator(text);
                self.state = State::Formats;
            }
            State::Options | State::Formats => self.format(text),
            State::Data => self.data(flow, text, line),
        }
    }

    fn format(&mut self, text: &str) {
        let text = text.trim();
        let formats = text.strip_suffix('.').unwrap_or(text);
        for row in formats.split(',') {
            let columns = row
                .split([' ', '\t', '|'])
                .filter(|column| !column.is_empty() && !column.starts_with(['-', '_', '=']));
            let mut columns = columns.peekable();
            let some = columns.peek().is_some();
            self.bold.push(some && columns.all(|column| column.to_lowercase().contains(['b', 's'])));
        }
        self.state = if formats.len() < text.len() { State::Data } else { State::Formats };
    }

    fn data(&mut self, flow: &mut Flow<'_, '_>, text: &str, line: u32) {
        if matches!(text.trim(), "_" | "=" | "\\_") {
            if let [head] = self.rows.as_mut_slice() {
                head.head = true;
            }
            return;
        }
        self.row.widen(Some(LineRange::new(line, line)));
        self.cells(flow, text, line);
    }

    fn cells(&mut self, flow: &mut Flow<'_, '_>, text: &str, line: u32) {
        for cell in text.split(self.separator.unwrap_or('\t')) {
            if cell.trim_end() == "T{" {
                flow.capture = Some(Capture::Cell);
                self.in_block = true;
                return;
            }
            if matches!(cell.trim(), "\\^" | "_" | "=" | "\\_") {
                self.row.cells.push(Inline::default());
                continue;
            }
            flow.capture = Some(Capture::Cell);
            flow.write(cell, line);
            let (inline, lines) = flow.take_cell();
            self.row.push(inline, lines);
        }
        self.end_row();
    }

    /// Ends the text of a `T{`; the rest of its line has further cells.
    pub(super) fn end_block(&mut self, flow: &mut Flow<'_, '_>, rest: &str, line: u32) {
        self.in_block = false;
        let (inline, lines) = flow.take_cell();
        self.row.push(inline, lines);
        self.row.widen(Some(LineRange::new(line, line)));
        match rest.strip_prefix(self.separator.unwrap_or('\t')) {
            Some(rest) => self.cells(flow, rest, line),
            None => self.end_row(),
        }
    }

    fn end_row(&mut self) {
        self.rows.push(std::mem::take(&mut self.row));
    }

    /// Makes the blocks of the table.
    pub(super) fn finish(mut self, flow: &mut Flow<'_, '_>, line: u32) {
        if self.in_block {
            self.end_block(flow, "", line);
        }
        if let Some(first) = self.rows.first_mut() {
            first.head |= self.bold.first() == Some(&true) && self.bold.last() == Some(&false);
        }
        let lead = flow.holder().or_else(|| flow.builder.lead());
        rows::emit(flow.builder, self.rows, lead);
    }
}

/// The mark between cells that the options name.
fn separator(options: &str) -> Option<char> {
    let (_, rest) = options.split_once("tab")?;
    rest.trim_start().strip_prefix('(')?.chars().next()
}
