//! Tables: rows with the names of their columns; a cell with blocks of its own is one text.

use std::sync::Arc;

use asciidoc_parser::HasSpan;
use asciidoc_parser::blocks::{Block, ColumnStyle, TableBlock, TableCell, TableCellContent, TableRow};
use assay_domain::LineRange;

use super::page::{Around, Page};
use super::words::Words;
use crate::builder::MAX_COLUMNS;
use crate::inline::Inline;
use crate::{Cell, Kind, Style, WarningKind};

/// A table while its rows are read.
struct Grid {
    group: u32,
    lead: Option<usize>,
    headers: Arc<[String]>,
    /// Rows that a cell above still takes of each column.
    taken: Vec<usize>,
}

impl<'d> Page<'_, 'd, '_> {
    /// Reads the rows of a table.
    pub(super) fn table(&mut self, table: &TableBlock<'_>, around: &Around) {
        let lead = around.lead.or_else(|| self.builder.lead());
        let group = self.builder.group();
        if table.columns().len() > MAX_COLUMNS {
            let line = self.enter(table.span());
            let message = format!("columns beyond {MAX_COLUMNS} of a table share the last one");
            self.builder.warn(line, WarningKind::TooLarge, message);
        }
        let mut grid = Grid { group, lead, headers: Arc::from([]), taken: Vec::new() };
        if let Some(row) = table.header_row() {
            grid.headers = self.headers(row);
            self.row(row, true, &mut grid);
            grid.taken.clear();
        }
        for row in table.body_rows().iter().chain(table.footer_row()) {
            self.row(row, false, &mut grid);
        }
    }

    fn headers(&mut self, row: &TableRow<'_>) -> Arc<[String]> {
        let mut names = Vec::new();
        for cell in row.cells() {
            let words = self.cell(cell);
            let (text, ..) = words.inline.into_parts();
            names.push(text);
            let further = cell.colspan().saturating_sub(1).min(MAX_COLUMNS);
            names.resize(names.len() + further, String::new());
        }
        names.truncate(MAX_COLUMNS);
        names.into()
    }

    fn row(&mut self, row: &TableRow<'_>, head: bool, grid: &mut Grid) {
        let Some(first) = row.cells().first() else { return };
        let mut lines = LineRange::new(self.enter(first.span()), 0);
        let mut whole = self.fresh();
        let mut cells: Vec<Cell> = Vec::new();
        let mut column = 0;
        for cell in row.cells() {
            column = grid.place(column, cell);
            if !cells.is_empty() {
                whole.inline.separate('\t');
            }
            let words = self.cell(cell);
            let start = whole.inline.len();
            whole.inline.append(words.inline);
            whole.anchors.extend(words.anchors);
            whole.notes.extend(words.notes);
            cells.push(Cell { text: start..whole.inline.len(), column: column.min(MAX_COLUMNS - 1) });
            lines.last = lines.last.max(self.last(cell.span()).unwrap_or(0));
            column += cell.colspan().max(1);
        }
        grid.next();
        lines.last = lines.last.max(lines.first);
        self.enter(first.span());
        let kind = Kind::Row { headers: Arc::clone(&grid.headers), cells, head };
        self.add(kind, whole, lines, grid.group, grid.lead);
    }

    /// Words of a cell.
    fn cell(&mut self, cell: &TableCell<'_>) -> Words<'d> {
        let mut words = self.fresh();
        match cell.content() {
            TableCellContent::Simple(content) => {
                let style = match cell.style() {
                    ColumnStyle::Emphasis => Some(Style::Emphasis),
                    ColumnStyle::Monospace => Some(Style::Code),
                    ColumnStyle::Strong => Some(Style::Strong),
                    _ => None,
                };
                words.lines = cell.style() == ColumnStyle::Literal;
                let styled = style.map(|style| words.inline.open(style)).is_some();
                words.content(content);
                if styled {
                    words.inline.close();
                }
            }
            TableCellContent::AsciiDoc(inner) => {
                if let Some(title) = inner.title() {
                    let (_, line) = self.place.line(cell.span().line());
                    words.markup(title, line);
                }
                self.blocks_of(cell, inner.blocks(), &mut words);
            }
        }
        words.inline = words.inline.finished();
        words
    }

    /// Reads the blocks of a cell and makes one text of them.
    fn blocks_of(&mut self, cell: &TableCell<'_>, blocks: &[Block<'_>], words: &mut Words<'d>) {
        let outer = self.place;
        // A cell with a text of its own is counted from its first line.
        if blocks.first().is_some_and(|block| block.span().line() < cell.span().line()) {
            self.place = outer.inside(cell.span());
        }
        let (file, line) = (self.builder.file.clone(), self.line);
        let sections = self.builder.document.sections.len();
        let at = self.builder.document.blocks.len();
        self.blocks(blocks.iter(), &Around::default());
        self.place = outer;
        self.builder.document.sections.truncate(sections.max(1));
        (self.builder.file, self.line) = (file, line);
        for block in self.builder.document.blocks.split_off(at) {
            words.inline.line_break();
            let own = block.file == self.builder.file;
            let starts = block.starts.into_iter().map(|(at, of)| (at, if own { of.max(line) } else { line }));
            let starts = starts.collect();
            words.inline.append(Inline::of_parts(block.text, block.spans, starts));
        }
    }
}

impl Grid {
    /// First free column from one on; the cell takes it and those below.
    fn place(&mut self, mut column: usize, cell: &TableCell<'_>) -> usize {
        while self.taken.get(column).is_some_and(|rows| *rows > 0) {
            column += 1;
        }
        let end = (column + cell.colspan().max(1)).min(MAX_COLUMNS);
        if cell.rowspan() > 1 && column < end {
            self.taken.resize(self.taken.len().max(end), 0);
            self.taken.iter_mut().take(end).skip(column).for_each(|rows| *rows = cell.rowspan());
        }
        column
    }

    fn next(&mut self) {
        self.taken.iter_mut().for_each(|rows| *rows = rows.saturating_sub(1));
    }
}
