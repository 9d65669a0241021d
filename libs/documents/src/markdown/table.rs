//! A table while its rows are read: columns, cells over several rows, names of columns.

use std::sync::Arc;

use assay_domain::LineRange;

use crate::builder::{Builder, MAX_COLUMNS};
use crate::inline::Inline;
use crate::{Cell, Kind, WarningKind};

/// A table.
#[derive(Default)]
pub(super) struct Table {
    group: u32,
    /// Its caption, or the sentence that introduces it.
    pub(super) lead: Option<usize>,
    /// Whether rows of names are read.
    pub(super) in_head: bool,
    headers: Option<Arc<[String]>>,
    rows: u32,
    row: Option<Row>,
    /// Rows for which a column is still taken by a cell above.
    taken: Vec<u32>,
    is_wide: bool,
}

#[derive(Default)]
struct Row {
    inline: Inline,
    cells: Vec<Cell>,
    column: usize,
    plain_cells: usize,
    lines: Option<LineRange>,
}

impl Table {
    pub(super) fn new(group: u32, lead: Option<usize>) -> Self {
        Self { group, lead, ..Self::default() }
    }

    pub(super) fn open_row(&mut self) {
        self.row = Some(Row::default());
    }

    pub(super) fn has_row(&self) -> bool {
        self.row.is_some()
    }

    /// Begins a cell over some columns and rows.
    pub(super) fn open_cell(&mut self, columns: usize, rows: u32, names_a_column: bool) {
        let Some(row) = &mut self.row else { return };
        while self.taken.get(row.column).is_some_and(|rows| *rows > 0) {
            row.column += 1;
        }
        row.plain_cells += usize::from(!names_a_column);
        let end = (row.column + columns.max(1)).min(MAX_COLUMNS);
        if rows > 1 {
            if self.taken.len() < end {
                self.taken.resize(end, 0);
            }
            for taken in self.taken.iter_mut().take(end).skip(row.column) {
                *taken = rows;
            }
        }
        if row.column >= MAX_COLUMNS {
            self.is_wide = true;
            row.inline.space();
            return;
        }
        if !row.cells.is_empty() {
            row.inline.separate('\t');
        }
        let at = row.inline.len();
        row.cells.push(Cell { text: at..at, column: row.column });
        row.column = end.max(row.column + 1);
    }

    /// Adds text to the open cell; a further piece begins a line of its own.
    pub(super) fn add(&mut self, inline: Inline, lines: LineRange) {
        let Some(row) = &mut self.row else { return };
        let Some(cell) = row.cells.last_mut() else { return };
        if row.inline.len() > cell.text.start {
            if self.is_wide { row.inline.space() } else { row.inline.separate('\n') }
        }
        row.inline.append(inline);
        cell.text.end = row.inline.len();
        let all = row.lines.get_or_insert(lines);
        *all = LineRange::new(all.first.min(lines.first), all.last.max(lines.last));
    }

    /// Ends the row.
    pub(super) fn close_row(&mut self, builder: &mut Builder<'_>) {
        let Some(row) = self.row.take() else { return };
        for taken in &mut self.taken {
            *taken = taken.saturating_sub(1);
        }
        let Some(lines) = row.lines else { return };
        let head = self.in_head || (self.rows == 0 && row.plain_cells == 0 && row.cells.len() > 1);
        self.rows += 1;
        if std::mem::take(&mut self.is_wide) {
            let message =
                format!("a table has more than {MAX_COLUMNS} columns; the rest is in its last cell");
            builder.warn(lines.first, WarningKind::TooLarge, message);
        }
        let inline = row.inline.finished();
        let text = inline.text();
        let mut cells = row.cells;
        for cell in &mut cells {
            cell.text = cell.text.start.min(text.len())..cell.text.end.min(text.len());
        }
        if head {
            self.headers = Some(names(&cells, text));
        }
        let headers = self.headers.clone().unwrap_or_else(|| Arc::from([]));
        builder.block(Kind::Row { headers, cells, head }, inline, lines, self.group, self.lead);
    }
}

/// Texts of cells by their columns.
fn names(cells: &[Cell], text: &str) -> Arc<[String]> {
    let mut names = vec![String::new(); cells.last().map_or(0, |cell| cell.column + 1)];
    for cell in cells {
        if let (Some(name), Some(text)) = (names.get_mut(cell.column), text.get(cell.text.clone())) {
            text.clone_into(name);
        }
    }
    names.into()
}
