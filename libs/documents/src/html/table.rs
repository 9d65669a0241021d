//! Tables: rows with the names of their columns, and tables that only lay out blocks.

use std::sync::Arc;

use super::flow::{First, Place, Reader};
use super::names::{is_heading, is_table};
use super::tree::Id;
use crate::builder::MAX_COLUMNS;
use crate::inline::Inline;
use crate::{Cell, Kind, Style, WarningKind};

/// Rows of names that count, one below the other.
const MAX_HEAD: usize = 8;
/// Bytes of the name of a column; it may stand over many columns.
const MAX_NAME: usize = 400;

/// A row: its cells, each with its column and the columns it takes.
struct Row {
    cells: Vec<(Id, usize, usize)>,
    head: bool,
}

impl Reader<'_, '_> {
    /// Reads a table.
    pub(super) fn table(&mut self, id: Id, place: &mut Place) {
        self.settle(place);
        let tree = self.tree;
        let mut inner =
            Place { lead: place.lead, inner: place.inner, depth: place.depth, ..Place::default() };
        inner.label.clone_from(&place.label);
        inner.group = place.group;
        let caption = tree.elements(id).find(|child| tree.node(*child).name == "caption");
        if let Some(added) = caption.and_then(|caption| self.caption(caption, place.inner)) {
            inner.inner = Some(added);
        }
        let children: Vec<Id> = tree.children(id).filter(|child| Some(*child) != caption).collect();
        self.rows(&children, Some(id), &mut inner);
    }

    /// Reads the rows among these elements, in groups or not; cells without a row make one.
    pub(super) fn rows(&mut self, children: &[Id], table: Option<Id>, place: &mut Place) {
        let mut rows = Vec::new();
        let mut carried = Vec::new();
        self.collect(children, false, &mut rows, &mut carried);
        self.name_rows(&mut rows);
        let headers = self.headers(&rows);
        let (group, lead) = (self.builder.group(), self.lead(place));
        let lays_out = table.is_some_and(|table| self.lays_out(table, &rows));
        for row in &rows {
            if lays_out && !row.head {
                row.cells.iter().for_each(|(cell, ..)| self.cell_of_blocks(*cell, group, place));
            } else {
                self.row(row, &headers, group, lead);
            }
        }
    }

    /// Reads the tables of Javadoc, which are made of other elements; `false` where the element is none.
    pub(super) fn grid(&mut self, id: Id, place: &mut Place) -> bool {
        let tree = self.tree;
        if !tree.node(id).has_class("summary-table") {
            return false;
        }
        let cells: Vec<Id> = tree.elements(id).collect();
        let columns = cells.iter().filter(|cell| tree.node(**cell).has_class("table-header")).count();
        if columns == 0 || columns > MAX_COLUMNS {
            return false;
        }
        self.settle(place);
        let row = |(index, cells): (usize, &[Id])| Row {
            cells: cells.iter().enumerate().map(|(column, cell)| (*cell, column, 1)).collect(),
            head: index == 0,
        };
        let rows: Vec<Row> = cells.chunks(columns).enumerate().map(row).collect();
        let headers = self.headers(&rows);
        let (group, lead) = (self.builder.group(), self.lead(place));
        rows.iter().for_each(|row| self.row(row, &headers, group, lead));
        true
    }

    fn collect(&mut self, children: &[Id], head: bool, rows: &mut Vec<Row>, carried: &mut Vec<usize>) {
        let tree = self.tree;
        let mut loose = Vec::new();
        for child in children.iter().copied().filter(|child| !self.tree.node(*child).skip) {
            match tree.node(child).name {
                "td" | "th" => loose.push(child),
                "tr" => {
                    let said = |cell: &Id| !self.skips(*cell) && !tree.raw(*cell).trim().is_empty();
                    let cells: Vec<Id> = tree.children(child).filter(said).collect();
                    rows.push(Row { cells: self.columns(&cells, carried), head });
                }
                name @ ("thead" | "tbody" | "tfoot") => {
                    let inner: Vec<Id> = tree.children(child).collect();
                    carried.clear();
                    self.collect(&inner, name == "thead", rows, carried);
                }
                "colgroup" | "col" => {}
                "#" if tree.raw(child).trim().is_empty() => {}
                // Words between rows stand above the table in a browser; here they make a row of their own.
                _ => rows.push(Row { cells: vec![(child, 0, 1)], head: false }),
            }
        }
        if !loose.is_empty() {
            rows.push(Row { cells: self.columns(&loose, carried), head });
        }
    }

    /// Columns of the cells of a row; `carried` counts the rows that cells from above still take.
    fn columns(&mut self, cells: &[Id], carried: &mut Vec<usize>) -> Vec<(Id, usize, usize)> {
        let mut placed = Vec::with_capacity(cells.len());
        let mut column = 0;
        let taken: Vec<bool> = carried.iter().map(|rows| *rows > 0).collect();
        carried.iter_mut().for_each(|rows| *rows = rows.saturating_sub(1));
        for cell in cells {
            while taken.get(column).copied().unwrap_or(false) {
                column += 1;
            }
            let number = |name: &str| {
                self.tree.node(*cell).attribute(name).and_then(|value| value.trim().parse().ok())
            };
            let width = number("colspan").unwrap_or(1_usize).clamp(1, MAX_COLUMNS);
            let rows = number("rowspan").unwrap_or(1_usize);
            let first = column.min(MAX_COLUMNS - 1);
            let width = width.min(MAX_COLUMNS - first);
            if rows > 1 {
                carried.resize(carried.len().max(first + width), 0);
                carried.iter_mut().skip(first).take(width).for_each(|left| *left = rows - 1);
            }
            placed.push((*cell, first, width));
            column += width;
        }
        if column > MAX_COLUMNS {
            self.too_wide(cells);
        }
        placed
    }

    fn too_wide(&mut self, cells: &[Id]) {
        let line = cells.first().map_or(0, |cell| self.line(*cell));
        let message = format!("a table has more than {MAX_COLUMNS} columns; the last ones are read as one");
        let known =
            |kind: WarningKind| self.builder.document.warnings.iter().any(|warning| warning.kind == kind);
        if !known(WarningKind::TooLarge) {
            self.builder.warn(line, WarningKind::TooLarge, message);
        }
    }

    /// Whether a table only lays out blocks: a frame, a column of blocks, code beside its line numbers.
    fn lays_out(&self, table: Id, rows: &[Row]) -> bool {
        let tree = self.tree;
        let is_cell =
            |name: &str| rows.iter().flat_map(|row| &row.cells).any(|(id, ..)| tree.node(*id).name == name);
        let frame = || tree.find(table, |node| node.name == "table" || is_heading(node.name)).is_some();
        let column = rows.iter().all(|row| row.cells.len() <= 1)
            && rows.iter().flat_map(|row| &row.cells).any(|(id, ..)| tree.node(*id).has_block);
        matches!(tree.node(table).attribute("role"), Some("presentation" | "none"))
            || column
            || !is_cell("th") && (rows.len() <= 1 || frame())
    }

    /// Reads the content of a cell as blocks.
    fn cell_of_blocks(&mut self, cell: Id, group: u32, place: &mut Place) {
        let tree = self.tree;
        // DocBook's catalogues: a column or function, and below it what it is.
        let is_term = |id: &Id| {
            let defines = |class: &str| matches!(class, "column_definition" | "func_signature");
            tree.node(*id).name == "p" && tree.node(*id).classes().any(defines)
        };
        let said = |id: &Id| !tree.raw(*id).trim().is_empty();
        let terms: Vec<Id> = tree.children(cell).filter(said).take_while(is_term).collect();
        if terms.is_empty() {
            self.element_content(cell, place);
            return;
        }
        let mut words = Inline::default();
        for term in terms {
            if !words.is_empty() {
                words.separate(',');
                words.space();
            }
            self.words_inside(term, &mut words);
            self.taken.insert(term);
        }
        let (lead, depth) = (self.lead(place), place.depth);
        let first = Some(First::Definition(words));
        let mut inner = Place { first, group, lead, inner: lead, depth, ..Place::default() };
        self.element_content(cell, &mut inner);
        self.settle(&mut inner);
    }

    /// Marks the first rows as names where all their cells are, and the table marks no head itself.
    fn name_rows(&self, rows: &mut [Row]) {
        if rows.iter().any(|row| row.head) {
            return;
        }
        let tree = self.tree;
        let named = |row: &Row| row.cells.iter().all(|(id, ..)| tree.node(*id).name == "th");
        let count = rows.iter().take_while(|row| named(row)).count();
        if count < rows.len() {
            rows.iter_mut().take(count).for_each(|row| row.head = true);
        }
    }

    /// Names of the columns.
    fn headers(&self, rows: &[Row]) -> Arc<[String]> {
        let mut names: Vec<String> = Vec::new();
        for row in rows.iter().filter(|row| row.head).take(MAX_HEAD) {
            for (cell, column, width) in &row.cells {
                let mut words = self.tree.words(*cell);
                words.truncate(words.floor_char_boundary(MAX_NAME));
                names.resize(names.len().max(column + width), String::new());
                for name in names.iter_mut().skip(*column).take(*width).filter(|_| !words.is_empty()) {
                    if !name.is_empty() {
                        name.push(' ');
                    }
                    name.push_str(&words);
                }
            }
        }
        names.into()
    }

    fn row(&mut self, row: &Row, headers: &Arc<[String]>, group: u32, lead: Option<usize>) {
        let mut inline = Inline::default();
        let mut cells: Vec<Cell> = Vec::new();
        for (index, (id, column, _)) in row.cells.iter().enumerate() {
            let words = self.cell(*id);
            if let Some(last) = cells.last_mut().filter(|last| last.column == *column) {
                inline.space();
                inline.append(words);
                last.text.end = inline.len();
                continue;
            }
            if index > 0 {
                inline.separate('\t');
            }
            let start = inline.len();
            inline.append(words);
            cells.push(Cell { text: start..inline.len(), column: *column });
        }
        let kind = Kind::Row { headers: Arc::clone(headers), cells, head: row.head };
        self.add(kind, inline, group, lead);
    }

    /// Words of a cell; of an image alone the words that stand for it.
    fn cell(&mut self, id: Id) -> Inline {
        let mut words = Inline::default();
        self.sees(self.tree.node(id));
        if is_table(self.tree.node(id).name) {
            self.words_inside(id, &mut words);
        } else {
            self.words(id, &mut words);
        }
        let images = std::mem::take(&mut self.images);
        if !words.text().trim().is_empty() {
            return words.finished();
        }
        let mut shown = Inline::default();
        for image in images {
            shown.space();
            shown.styled(Style::Image(image.target), &image.alt, image.line);
        }
        shown.finished()
    }
}
