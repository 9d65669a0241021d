//! Rows of tables, and the directives that make tables of lists or of comma-separated values.

use std::sync::Arc;

use super::Reader;
use super::explicit::Directive;
use super::line::{Line, blanks, hanging, numbered, range, texts};
use super::lists::bullet;
use super::place::Place;
use crate::builder::MAX_COLUMNS;
use crate::inline::Inline;
use crate::{Cell, Kind, WarningKind};

/// A row as it is written.
#[derive(Debug, Default)]
pub(super) struct Row {
    pub(super) head: bool,
    pub(super) cells: Vec<Content>,
}

/// A cell as it is written.
#[derive(Debug, Default)]
pub(super) struct Content {
    pub(super) column: usize,
    /// Its lines with their numbers.
    pub(super) lines: Vec<(String, u32)>,
}

impl Content {
    pub(super) fn of(column: usize, lines: &[Line<'_>]) -> Self {
        Self { column, lines: lines.iter().map(|line| (line.text.to_owned(), line.number)).collect() }
    }
}

impl Reader<'_, '_> {
    /// Adds the rows of a table.
    pub(super) fn rows(&mut self, rows: &[Row], lead: Option<usize>, place: &Place) {
        let group = self.builder.group();
        let mut headers: Vec<String> = Vec::new();
        let mut named: Option<Arc<[String]>> = None;
        let read: Vec<(bool, Vec<(usize, Inline)>)> =
            rows.iter().map(|row| (row.head, self.cells(row, place))).collect();
        for (_, cells) in read.iter().filter(|(head, _)| *head) {
            for (column, inline) in cells {
                headers.resize(headers.len().max(*column + 1), String::new());
                if let Some(name) = headers.get_mut(*column) {
                    let parts = [name.as_str(), inline.text()];
                    *name =
                        parts.iter().flat_map(|part| part.split_whitespace()).collect::<Vec<_>>().join(" ");
                }
            }
        }
        for ((head, cells), row) in read.into_iter().zip(rows) {
            let headers = named.get_or_insert_with(|| Arc::from(headers.as_slice()));
            let numbers =
                || row.cells.iter().flat_map(|cell| &cell.lines).filter(|(text, _)| !text.trim().is_empty());
            let first = numbers().map(|(_, number)| *number).min().unwrap_or(1);
            let last = numbers().map(|(_, number)| *number).max().unwrap_or(first);
            let (text, cells) = joined(cells);
            let kind = Kind::Row { headers: Arc::clone(headers), cells, head };
            if !text.is_empty() {
                self.builder.block(kind, text, assay_domain::LineRange::new(first, last), group, lead);
            }
        }
    }

    fn cells(&mut self, row: &Row, place: &Place) -> Vec<(usize, Inline)> {
        let mut cells = Vec::new();
        for cell in &row.cells {
            let lines: Vec<Line<'_>> =
                cell.lines.iter().map(|(text, number)| Line::new(text, *number)).collect();
            if cell.column == MAX_COLUMNS {
                let message = "a table of more columns than are read; the further ones are one".to_owned();
                self.builder.warn(range(&lines).first, WarningKind::TooLarge, message);
            }
            cells.push((cell.column.min(MAX_COLUMNS - 1), self.cell(&lines, place)));
        }
        cells
    }

    /// Reads the blocks of a cell as one text.
    fn cell(&mut self, lines: &[Line<'_>], place: &Place) -> Inline {
        let from = self.builder.document.blocks.len();
        let lines = super::line::dedent(lines);
        self.inside(&lines, Place { depth: place.depth + 1, ..Place::default() });
        let mut all = Inline::default();
        let read = self.builder.document.blocks.split_off(from.min(self.builder.document.blocks.len()));
        let mut note = 0;
        for block in read {
            all.line_break();
            if let Kind::Admonition { label } = &block.kind
                && std::mem::replace(&mut note, block.group) != block.group
            {
                all.push(label, block.lines.first);
                all.line_break();
            }
            all.append(Inline::of_block(block));
        }
        all
    }

    /// Reads a table of a list of lists.
    pub(super) fn list_table(&mut self, directive: &Directive<'_>, place: &mut Place) {
        let heads = count(directive, "header-rows");
        let mut rows = Vec::new();
        for (at, row) in items(&directive.content()).iter().enumerate() {
            let cells =
                items(row).iter().enumerate().map(|(column, lines)| Content::of(column, lines)).collect();
            rows.push(Row { head: at < heads, cells });
        }
        let lead = self.table_lead(directive, place);
        self.rows(&rows, lead, place);
    }

    /// Reads a table of separated values.
    pub(super) fn csv_table(&mut self, directive: &Directive<'_>, place: &mut Place) {
        let lead = self.table_lead(directive, place);
        let mark = match directive.option("delim").unwrap_or(",") {
            "tab" | "\\t" => '\t',
            "space" => ' ',
            other => other.chars().next().unwrap_or(','),
        };
        let first = directive.lines.first;
        let header = directive.option("header").map(|text| Line::new(text, directive.line_of("header")));
        let mut rows = header.map_or_else(Vec::new, |line| values(&[line], mark));
        rows.iter_mut().for_each(|row| row.head = true);
        let heads = count(directive, "header-rows");
        let add = |rows: &mut Vec<Row>, lines: &[Line<'_>]| {
            for (at, row) in values(lines, mark).into_iter().enumerate() {
                rows.push(Row { head: at < heads, ..row });
            }
        };
        match directive.option("file").map(str::to_owned) {
            None => add(&mut rows, &directive.content()),
            Some(file) => {
                let Some(text) = self.builder.include(&file, first) else { return };
                add(&mut rows, &numbered(&texts(&text)));
                self.rows(&rows, lead, place);
                return self.builder.end_include();
            }
        }
        self.rows(&rows, lead, place);
    }

    /// Reads a table with a caption.
    pub(super) fn captioned_table(&mut self, directive: &Directive<'_>, place: &mut Place) {
        let lead = self.table_lead(directive, place);
        self.inside(&directive.content(), Place { lead, ..place.inner() });
    }

    fn table_lead(&mut self, directive: &Directive<'_>, place: &mut Place) -> Option<usize> {
        self.names_of(directive);
        match directive.argument.is_empty() {
            true => self.lead(place),
            false => self.caption(&directive.argument, directive.lines.first, place),
        }
    }
}

/// One text of cells with tabs between them, and where each cell is.
fn joined(cells: Vec<(usize, Inline)>) -> (Inline, Vec<Cell>) {
    let mut text = Inline::default();
    let mut places = Vec::new();
    for (index, (column, inline)) in cells.into_iter().enumerate() {
        if index > 0 {
            text.separate('\t');
        }
        let start = text.len();
        text.append(inline);
        places.push(Cell { text: start..text.len(), column });
    }
    (text, places)
}

fn count(directive: &Directive<'_>, option: &str) -> usize {
    directive.option(option).and_then(|value| value.trim().parse().ok()).unwrap_or(0)
}

/// Contents of the items of a bullet list.
fn items<'a>(lines: &[Line<'a>]) -> Vec<Vec<Line<'a>>> {
    let mut items = Vec::new();
    let mut at = 0;
    while let Some(rest) = lines.get(at..).filter(|rest| !rest.is_empty()) {
        let Some((_, width)) = rest.first().and_then(|line| bullet(line.text)) else {
            at += 1;
            continue;
        };
        let (item, taken) = hanging(rest, width, 1);
        items.push(item);
        at += taken + blanks(rest.get(taken..).unwrap_or(&[]));
    }
    items
}

/// Rows of separated values; quotes hold marks, line breaks and doubled quotes.
fn values(lines: &[Line<'_>], mark: char) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut row = Row::default();
    let mut cell = Content::default();
    let mut quoted = false;
    let add = |cell: &mut Content, c: char, number: u32| match cell.lines.last_mut() {
        Some((text, last)) if *last == number => text.push(c),
        _ => cell.lines.push((c.to_string(), number)),
    };
    for line in lines {
        let mut chars = line.text.chars().peekable();
        let begun = |cell: &Content| cell.lines.iter().any(|(text, _)| !text.trim().is_empty());
        while let Some(c) = chars.next() {
            match c {
                '"' if quoted && chars.peek() == Some(&'"') => {
                    add(&mut cell, chars.next().unwrap_or(c), line.number)
                }
                '"' if quoted || !begun(&cell) => quoted = !quoted,
                c if c == mark && !quoted => {
                    let column = cell.column + 1;
                    row.cells.push(std::mem::replace(&mut cell, Content { column, lines: Vec::new() }));
                }
                ' ' if !quoted && !begun(&cell) => {}
                c => add(&mut cell, c, line.number),
            }
        }
        if !quoted && (!line.blank() || !row.cells.is_empty()) {
            row.cells.push(std::mem::take(&mut cell));
            rows.push(std::mem::take(&mut row));
        }
    }
    if !cell.lines.is_empty() {
        row.cells.push(cell);
        rows.push(row);
    }
    rows
}
