//! Tables that are drawn with `+---+` and `|`.

use super::Reader;
use super::line::Line;
use super::place::Place;
use super::tables::{Content, Row};
use crate::builder::MAX_COLUMNS;

/// A cell that further lines may belong to.
struct Open {
    /// Its columns.
    columns: std::ops::Range<usize>,
    row: usize,
    content: Content,
}

impl Reader<'_, '_> {
    /// Reads a grid table; a passage may begin inside of one.
    pub(super) fn grid(&mut self, rest: &[Line<'_>], place: &mut Place) -> Option<usize> {
        rest.first().filter(|line| line.text.starts_with(['+', '|']))?;
        let inside = rest.iter().take_while(|line| line.text.starts_with(['+', '|'])).count();
        let lines = rest.get(..inside)?;
        let within = self.builder.part && self.builder.document.blocks.is_empty();
        let begins = rest.first().is_some_and(border) || (within && lines.iter().any(border));
        if !begins {
            return None;
        }
        let drawn: Vec<Vec<char>> = lines.iter().map(|line| columns(line.text)).collect();
        let bounds = bounds(&drawn);
        let rows = cells(lines, &drawn, &bounds);
        let lead = self.lead(place);
        self.rows(&rows, lead, place);
        Some(inside)
    }
}

/// Whether a line is a border: `+---+`.
fn border(line: &Line<'_>) -> bool {
    let inner = line.text.strip_prefix('+').and_then(|text| text.strip_suffix('+')).unwrap_or("");
    inner.contains('-') && inner.bytes().all(|byte| matches!(byte, b'-' | b'+'))
}

/// Characters of a line by the columns they take; wide ones take two.
pub(super) fn columns(text: &str) -> Vec<char> {
    let mut columns = Vec::with_capacity(text.len());
    for c in text.chars() {
        columns.push(c);
        if wide(c) {
            columns.push('\0');
        }
    }
    columns
}

/// The text of some columns.
pub(super) fn between(line: &[char], from: usize, to: usize) -> String {
    let part = line.get(from.min(line.len())..to.clamp(from.min(line.len()), line.len())).unwrap_or(&[]);
    let text: String = part.iter().filter(|c| **c != '\0').collect();
    text.trim_end().to_owned()
}

/// Whether a character takes two columns (East Asian width W or F).
fn wide(c: char) -> bool {
    matches!(u32::from(c), 0x1100..=0x115F | 0x2E80..=0x303E | 0x3041..=0xA4CF | 0xA960..=0xA97C
        | 0xAC00..=0xD7A3 | 0xF900..=0xFAFF | 0xFE30..=0xFE6F | 0xFF00..=0xFF60 | 0xFFE0..=0xFFE6
        | 0x1F300..=0x1F64F | 0x1F900..=0x1F9FF | 0x20000..=0x3FFFD)
}

fn drawn_at(line: Option<&Vec<char>>, column: usize) -> char {
    line.and_then(|line| line.get(column)).copied().unwrap_or(' ')
}

/// Columns in which corners stand.
fn bounds(drawn: &[Vec<char>]) -> Vec<usize> {
    let width = drawn.iter().map(Vec::len).max().unwrap_or(0);
    let mut corner = vec![false; width];
    for (at, line) in drawn.iter().enumerate() {
        let ruled = |column: usize| matches!(drawn_at(Some(line), column), '-' | '=');
        let (above, below) = (at.checked_sub(1).and_then(|above| drawn.get(above)), drawn.get(at + 1));
        for (column, _) in line.iter().enumerate().filter(|(_, c)| **c == '+') {
            let beside = column.checked_sub(1).is_some_and(ruled) || ruled(column + 1);
            let joined = [above, below].iter().any(|line| matches!(drawn_at(*line, column), '|' | '+'));
            if let Some(corner) = corner.get_mut(column).filter(|_| beside && joined) {
                *corner = true;
            }
        }
    }
    let mut bounds: Vec<usize> =
        corner.iter().enumerate().filter(|(_, corner)| **corner).map(|(at, _)| at).collect();
    if bounds.len() > MAX_COLUMNS + 1 {
        let last = bounds.last().copied();
        bounds.truncate(MAX_COLUMNS + 1);
        bounds.extend(last);
    }
    bounds
}

/// A table while its lines are read.
struct Drawing<'a> {
    bounds: &'a [usize],
    /// Rows by the index of the line in which they begin.
    rows: Vec<(usize, Row)>,
    open: Vec<Open>,
}

fn cells(lines: &[Line<'_>], drawn: &[Vec<char>], bounds: &[usize]) -> Vec<Row> {
    let mut drawing = Drawing { bounds, rows: Vec::new(), open: Vec::new() };
    let count = bounds.len().saturating_sub(1);
    let mut head = 0;
    for (at, (line, drawn)) in lines.iter().zip(drawn).enumerate() {
        let ruled: Vec<bool> =
            (0..count).map(|index| ruled(drawn, drawing.bound(index), drawing.bound(index + 1))).collect();
        if ruled.iter().all(|ruled| *ruled) && drawn.contains(&'=') {
            head = at;
        }
        let taken = drawing.go_on(&ruled, drawn, line.number);
        drawing.begin(at, &taken, &ruled, drawn, line.number);
    }
    for cell in std::mem::take(&mut drawing.open) {
        drawing.close(cell);
    }
    let finished = drawing.rows.into_iter().map(|(first, mut row)| {
        row.cells.sort_by_key(|cell| cell.column);
        Row { head: first < head, ..row }
    });
    finished.collect()
}

impl Drawing<'_> {
    fn bound(&self, index: usize) -> usize {
        self.bounds.get(index).copied().unwrap_or(0)
    }

    fn text(&self, columns: &std::ops::Range<usize>, drawn: &[char]) -> String {
        between(drawn, self.bound(columns.start) + 1, self.bound(columns.end))
    }

    fn close(&mut self, cell: Open) {
        if let Some((_, row)) = self.rows.get_mut(cell.row) {
            row.cells.push(cell.content);
        }
    }

    /// Closes the cells that a line rules off, and adds its text to the others; gives the columns these take.
    fn go_on(&mut self, ruled: &[bool], drawn: &[char], number: u32) -> Vec<bool> {
        let mut taken = vec![false; ruled.len()];
        for mut cell in std::mem::take(&mut self.open) {
            if ruled.get(cell.columns.clone()).is_some_and(|ruled| ruled.iter().all(|ruled| *ruled)) {
                self.close(cell);
                continue;
            }
            cell.content.lines.push((self.text(&cell.columns, drawn), number));
            taken.get_mut(cell.columns.clone()).into_iter().flatten().for_each(|taken| *taken = true);
            self.open.push(cell);
        }
        taken
    }

    /// Begins the cells of a line in the free columns, up to the next bar.
    fn begin(&mut self, at: usize, taken: &[bool], ruled: &[bool], drawn: &[char], number: u32) {
        let free = |index: usize| taken.get(index) == Some(&false) && ruled.get(index) == Some(&false);
        let mut column = 0;
        while column < ruled.len() {
            let start = column;
            column += 1;
            if !free(start) {
                continue;
            }
            while free(column) && !matches!(drawn.get(self.bound(column)), Some('|' | '+')) {
                column += 1;
            }
            if self.rows.last().is_none_or(|(first, _)| *first != at) {
                self.rows.push((at, Row::default()));
            }
            let columns = start..column;
            let content = Content { column: start, lines: vec![(self.text(&columns, drawn), number)] };
            self.open.push(Open { columns, row: self.rows.len() - 1, content });
        }
    }
}

/// Whether a line rules off the columns between two bounds.
fn ruled(line: &[char], from: usize, to: usize) -> bool {
    let mark = |c: &char| matches!(c, '-' | '=' | '+');
    line.get(from..=to).is_some_and(|part| part.len() > 2 && part.iter().all(mark))
}
