//! Jupyter notebooks: their cells, at the lines of the JSON that stores them.

mod cells;
mod json;
mod part;

use assay_domain::LineRange;

use cells::{Cell, Kind as CellKind, Lines};

use crate::builder::Builder;
use crate::inline::Inline;
use crate::{Kind, markdown, plain};

/// Longest output that is read, in lines.
const MAX_OUTPUT_LINES: usize = 20;

/// Reads the cells; a file without any is running text.
pub(crate) fn read(builder: &mut Builder<'_>) {
    let notebook = if builder.part { part::read(builder) } else { cells::read(builder) };
    if notebook.cells.is_empty() {
        return plain::read(builder);
    }
    for cell in notebook.cells {
        read_cell(builder, cell, &notebook.language);
    }
}

fn read_cell(builder: &mut Builder<'_>, cell: Cell, language: &str) {
    match cell.kind {
        CellKind::Markdown => markdown::read_lines(builder, cell.source.text, cell.source.places),
        CellKind::Code => {
            let lead = builder.lead();
            let code = add_code(builder, &cell.source, language, lead);
            for output in cell.outputs {
                if output.text.trim_end().lines().count() <= MAX_OUTPUT_LINES {
                    add_code(builder, &output, "", code);
                }
            }
        }
        CellKind::Other => {}
    }
}

/// Adds lines of code or output.
fn add_code(builder: &mut Builder<'_>, code: &Lines, language: &str, lead: Option<usize>) -> Option<usize> {
    let mut inline = Inline::default();
    let mut lines: Option<LineRange> = None;
    for (text, place) in code.text.split('\n').zip(&code.places) {
        if inline.text().is_empty() && text.trim().is_empty() {
            continue;
        }
        if !inline.text().is_empty() {
            inline.separate('\n');
        }
        inline.verbatim(text.trim_end_matches('\r'), *place);
        let lines = lines.get_or_insert(LineRange::new(*place, *place));
        lines.last = lines.last.max(*place);
    }
    builder.block(Kind::Code { language: language.to_owned() }, inline, lines?, 0, lead)
}
