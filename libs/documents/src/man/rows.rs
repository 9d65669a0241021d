//! Rows of a table that is being collected.

use std::sync::Arc;

use assay_domain::LineRange;

use crate::builder::{Builder, MAX_COLUMNS};
use crate::inline::Inline;
use crate::{Cell, Kind, Style, WarningKind};

/// A row: its cells, its lines, and whether its format says that it is a head.
#[derive(Debug, Default)]
pub(super) struct Row {
    pub(super) cells: Vec<Inline>,
    pub(super) lines: Option<LineRange>,
    pub(super) head: bool,
}

impl Row {
    /// Adds a cell.
    pub(super) fn push(&mut self, cell: Inline, lines: Option<LineRange>) {
        self.cells.push(cell);
        self.widen(lines);
    }

    /// Takes more lines in.
    pub(super) fn widen(&mut self, lines: Option<LineRange>) {
        let Some(more) = lines else { return };
        let wide = |lines: LineRange| LineRange::new(lines.first.min(more.first), lines.last.max(more.last));
        self.lines = Some(self.lines.map_or(more, wide));
    }
}

/// Makes blocks of the rows of a table. Its first row names the columns where it is set apart from the others.
pub(super) fn emit(builder: &mut Builder<'_>, rows: Vec<Row>, lead: Option<usize>) {
    let group = builder.group();
    let count = rows.len();
    let mut headers: Arc<[String]> = Arc::from([]);
    for (index, row) in rows.into_iter().enumerate() {
        let head = index == 0 && count > 1 && (row.head || row.cells.iter().all(is_strong));
        if head {
            headers = row.cells.iter().take(MAX_COLUMNS).map(|cell| cell.text().trim().to_owned()).collect();
        }
        add(builder, row, headers.clone(), head, group, lead);
    }
}

fn add(
    builder: &mut Builder<'_>,
    row: Row,
    headers: Arc<[String]>,
    head: bool,
    group: u32,
    lead: Option<usize>,
) {
    let lines = row.lines.unwrap_or(super::flow::FIRST);
    if row.cells.len() > MAX_COLUMNS {
        let message = format!("columns beyond {MAX_COLUMNS} are not told apart");
        builder.warn(lines.first, WarningKind::TooLarge, message);
    }
    let mut text = Inline::default();
    let mut cells: Vec<Cell> = Vec::new();
    for (column, cell) in row.cells.into_iter().enumerate() {
        match cells.last_mut().filter(|_| column >= MAX_COLUMNS) {
            Some(last) => {
                text.space();
                text.append(cell);
                last.text.end = text.len();
            }
            None => {
                if column > 0 {
                    text.separate('\t');
                }
                let start = text.len();
                text.append(cell);
                cells.push(Cell { text: start..text.len(), column });
            }
        }
    }
    builder.block(Kind::Row { headers, cells, head }, text, lines, group, lead);
}

/// Whether a cell is bold as a whole.
fn is_strong(cell: &Inline) -> bool {
    let (text, spans, _) = cell.clone().into_parts();
    text.is_empty() || spans.iter().any(|span| span.style == Style::Strong && span.range == (0..text.len()))
}
