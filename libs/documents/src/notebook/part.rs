//! Some lines out of a notebook: the strings on them that are lines of cells.

use super::cells::{Cell, Kind, Notebook};
use crate::builder::Builder;

/// Reads strings that stand alone on their lines; any other line ends the cell.
pub(super) fn read(builder: &Builder<'_>) -> Notebook {
    let mut notebook = Notebook::default();
    let mut kind = Kind::Markdown;
    let mut is_source = true;
    let mut is_open = false;
    for (place, line) in (1..).zip(builder.text.lines()) {
        let (key, value) = parted(line.trim());
        match key {
            Some("cell_type") => kind = Kind::of(value.trim_matches('"')),
            Some("source") => is_source = true,
            Some(_) => is_source = false,
            None => {}
        }
        let piece = serde_json::from_str::<String>(value).ok();
        let Some(piece) = piece.filter(|_| is_source && matches!(key, None | Some("source"))) else {
            is_open = false;
            continue;
        };
        if !is_open {
            notebook.cells.push(Cell { kind, ..Cell::default() });
        }
        is_open = true;
        if let Some(cell) = notebook.cells.last_mut() {
            cell.source.push(&piece, place);
        }
    }
    notebook
}

/// Key of a line, if it has one, and its value without what is around it.
fn parted(line: &str) -> (Option<&str>, &str) {
    let line = line.trim_end_matches([',', '[', ']']).trim();
    match line.strip_prefix('"').and_then(|rest| rest.split_once("\":")) {
        Some((key, value)) if key.chars().all(|c| c.is_alphanumeric() || c == '_') => {
            (Some(key), value.trim().trim_end_matches(','))
        }
        _ => (None, line),
    }
}
