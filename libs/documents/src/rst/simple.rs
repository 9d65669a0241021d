//! Tables whose columns stand under `====`.

use super::Reader;
use super::grid::{between, columns};
use super::line::Line;
use super::place::Place;
use super::tables::{Content, Row};
use crate::builder::MAX_COLUMNS;

/// Lines of a passage in which the end of a table is looked for.
const LINES: usize = 500;

impl Reader<'_, '_> {
    /// Reads a simple table; a passage may begin or end inside of one.
    pub(super) fn simple(&mut self, rest: &[Line<'_>], place: &mut Place) -> Option<usize> {
        let part = self.builder.part;
        let Extent { from, head, end } = match rest.first() {
            Some(line) if top(line) => whole(rest, part)?,
            _ if part && self.builder.document.blocks.is_empty() => {
                Extent { from: 0, head: 0, end: closing(rest)? }
            }
            _ => return None,
        };
        let columns = rest.get(if from > 0 { 0 } else { end })?;
        let mut starts: Vec<usize> = runs(columns.text).into_iter().map(|(start, _)| start).collect();
        starts.truncate(MAX_COLUMNS + 1);
        let mut rows = Vec::new();
        let mut at = from;
        while at < end {
            let lines = rest.get(at..end)?;
            let taken = row(lines);
            let spans = lines.get(taken).filter(|line| border(line.text, '-')).map(|line| line.text);
            let cells = cells(lines.get(..taken)?, &starts, spans);
            if !cells.is_empty() {
                rows.push(Row { head: at < head, cells });
            }
            at += taken.max(1) + usize::from(spans.is_some() && taken > 0);
        }
        let lead = self.lead(place);
        self.rows(&rows, lead, place);
        Some(end + 1)
    }
}

/// Lines of a table: where its rows begin, where those without a name of columns do, and its last border.
struct Extent {
    from: usize,
    head: usize,
    end: usize,
}

/// The lines of a table that begins with a border; a passage may lack the last one.
fn whole(rest: &[Line<'_>], part: bool) -> Option<Extent> {
    let mut borders = Vec::new();
    let mut closed = false;
    for (at, _) in rest.iter().enumerate().skip(1).filter(|(_, line)| border(line.text, '=')) {
        borders.push(at);
        closed = borders.len() == 2 || rest.get(at + 1).is_none_or(Line::blank);
        if closed {
            break;
        }
    }
    match borders.as_slice() {
        [head, end, ..] => Some(Extent { from: 1, head: *head, end: *end }),
        [end] if closed || !part => Some(Extent { from: 1, head: 0, end: *end }),
        [head] => Some(Extent { from: 1, head: *head, end: rest.len() }),
        [] => part.then_some(Extent { from: 1, head: 0, end: rest.len() }),
    }
}

/// The last border of a table whose first one is above the passage.
fn closing(rest: &[Line<'_>]) -> Option<usize> {
    let end = rest.iter().take(LINES).position(top)?;
    rest.get(end + 1).is_none_or(Line::blank).then_some(end)
}

/// Whether a line may be the first of a table: a border of two columns or more.
fn top(line: &Line<'_>) -> bool {
    border(line.text, '=') && line.text.contains(' ')
}

/// Whether a line consists of runs of a mark and spaces.
fn border(text: &str, mark: char) -> bool {
    text.starts_with(mark) && text.chars().all(|c| c == mark || c == ' ')
}

/// Start and end of the runs in a border.
fn runs(text: &str) -> Vec<(usize, usize)> {
    let mut runs = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (c, start) {
            (' ', Some(from)) => {
                runs.push((from, at));
                start = None;
            }
            (' ', None) | (_, Some(_)) => {}
            (_, None) => start = Some(at),
        }
    }
    runs
}

/// How many lines belong to the first row: those after it that leave the first column empty.
fn row(lines: &[Line<'_>]) -> usize {
    let marked = |line: &Line<'_>| border(line.text, '=') || border(line.text, '-');
    match lines.first() {
        Some(line) if !marked(line) => {
            let more =
                lines.iter().skip(1).take_while(|line| !marked(line) && (line.blank() || line.indent() > 0));
            1 + more.count()
        }
        _ => 0,
    }
}

/// Cells of a row, by the columns or by the spans that a line below it draws.
fn cells(lines: &[Line<'_>], starts: &[usize], spans: Option<&str>) -> Vec<Content> {
    if lines.iter().all(Line::blank) {
        return Vec::new();
    }
    let drawn: Vec<(Vec<char>, u32)> = lines.iter().map(|line| (columns(line.text), line.number)).collect();
    let begins: Vec<usize> = match spans {
        Some(spans) => runs(spans).into_iter().map(|(start, _)| start).collect(),
        None => starts.to_vec(),
    };
    let mut cells = Vec::new();
    for (index, from) in begins.iter().enumerate() {
        let to = begins.get(index + 1).copied().unwrap_or(usize::MAX);
        let text = |(line, number): &(Vec<char>, u32)| (between(line, *from, to), *number);
        let column = starts.partition_point(|start| start <= from).saturating_sub(1);
        cells.push(Content { column, lines: drawn.iter().map(text).collect() });
    }
    cells
}
