//! Cells of a notebook: kind, source and text outputs, each line with its place.

use super::json::{Step, strings};
use crate::builder::Builder;

/// What is read of a notebook.
#[derive(Debug, Default)]
pub(super) struct Notebook {
    /// Language of its code.
    pub(super) language: String,
    pub(super) cells: Vec<Cell>,
}

/// A cell.
#[derive(Debug, Default)]
pub(super) struct Cell {
    pub(super) kind: Kind,
    pub(super) source: Lines,
    pub(super) outputs: Vec<Lines>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Kind {
    Markdown,
    Code,
    #[default]
    Other,
}

impl Kind {
    pub(super) fn of(name: &str) -> Self {
        match name {
            "markdown" => Self::Markdown,
            "code" => Self::Code,
            _ => Self::Other,
        }
    }
}

/// Text with the line of the file for each of its lines.
#[derive(Debug, Default)]
pub(super) struct Lines {
    pub(super) text: String,
    pub(super) places: Vec<u32>,
}

impl Lines {
    /// Adds a piece that is stored on a line.
    pub(super) fn push(&mut self, piece: &str, place: u32) {
        if self.text.is_empty() || self.text.ends_with('\n') {
            self.places.pop();
            self.places.push(place);
        }
        self.text.push_str(piece);
        self.places.extend(piece.matches('\n').map(|_| place));
    }
}

/// Reads the cells of a notebook as it is stored.
pub(super) fn read(builder: &Builder<'_>) -> Notebook {
    let mut notebook = Notebook::default();
    let (mut present, mut output) = (0, (0, 0));
    strings(builder.text, |path, byte, text| {
        let (root, rest) = match path {
            [Step::Key(root), rest @ ..] => (root.as_str(), rest),
            _ => return,
        };
        if root == "metadata" {
            let is_language = matches!(rest, [Step::Key(of), Step::Key(name)]
                if of == "language_info" && name == "name" || of == "kernelspec" && name == "language");
            if is_language {
                notebook.language = text.to_lowercase();
            }
            return;
        }
        let [Step::Index(index), Step::Key(key), inner @ ..] = rest else { return };
        if root != "cells" {
            return;
        }
        if notebook.cells.is_empty() || present != *index {
            notebook.cells.push(Cell::default());
            present = *index;
        }
        let Some(cell) = notebook.cells.last_mut() else { return };
        let place = builder.line_of(byte);
        match (key.as_str(), inner) {
            ("cell_type", []) => cell.kind = Kind::of(&text),
            ("source", [] | [Step::Index(_)]) => cell.source.push(&text, place),
            ("outputs", [Step::Index(number), inner @ ..]) if is_text(inner) => {
                if cell.outputs.is_empty() || output != (*index, *number) {
                    cell.outputs.push(Lines::default());
                    output = (*index, *number);
                }
                if let Some(output) = cell.outputs.last_mut() {
                    output.push(&without_colours(&text), place);
                }
            }
            _ => {}
        }
    });
    notebook
}

/// Whether a path inside an output is its text.
fn is_text(path: &[Step]) -> bool {
    let is = |step: &Step, name: &str| matches!(step, Step::Key(key) if key == name);
    match path {
        [key] | [key, Step::Index(_)] => is(key, "text"),
        [data, key] | [data, key, Step::Index(_)] => is(data, "data") && is(key, "text/plain"),
        _ => false,
    }
}

/// A text without the codes that colour it in a terminal.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or("").to_owned();
    for part in parts {
        let end = part.find(|c: char| c.is_ascii_alphabetic()).map_or(part.len(), |end| end + 1);
        plain.push_str(part.get(end..).unwrap_or(""));
    }
    plain
}
