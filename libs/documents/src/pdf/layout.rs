//! Lines of a page in the order in which they are read: column after column, from the top to the bottom.

use super::content::{Run, SPACE, spaces};

/// Baselines that differ by less, in sizes, are one line: a raised character keeps its line.
const SAME_LINE: f32 = 0.45;
/// Gap, in sizes, that parts a line into segments: two columns may be no further apart.
const PART: f32 = 0.9;
/// Steps across a page at which a gutter is looked for.
const STEPS: usize = 256;
/// Least width of a gutter, in sizes.
const GUTTER: f32 = 0.7;
/// Least segments of a column.
const COLUMN_LINES: usize = 4;
/// Least middle length of a column's segments, in bytes: shorter ones are cells of a table.
const COLUMN_TEXT: usize = 15;
/// Least dots of a row that leads from a title to its page.
const LEADER: usize = 5;
/// Columns inside columns.
const MAX_DEPTH: usize = 4;

/// A line of a column.
#[derive(Debug, Clone, Default)]
pub(super) struct Line {
    pub(super) x0: f32,
    pub(super) x1: f32,
    pub(super) y: f32,
    pub(super) size: f32,
    pub(super) text: String,
    /// Bytes of its text in fonts of one width.
    fixed: usize,
    pub(super) bold: bool,
    /// Whether it has wide gaps: a row of a table, a term before its description.
    pub(super) gaps: bool,
    /// Number of its column on the page.
    pub(super) column: usize,
}

impl Line {
    /// Whether it is in a font of one width, but for a few characters.
    pub(super) fn is_fixed(&self) -> bool {
        self.fixed * 5 >= self.text.len() * 4
    }
}

/// Lines of a page from its runs.
pub(super) fn lines(runs: Vec<Run>) -> Vec<Line> {
    let mut columns = Vec::new();
    order(segments(runs), 0, &mut columns);
    let mut lines = Vec::new();
    for (number, column) in columns.into_iter().enumerate() {
        for line in joined(column, f32::INFINITY) {
            let gaps = line.gaps || without_leaders(&line.text).len() < line.text.len();
            lines.push(Line { column: number, gaps, ..line });
        }
    }
    lines.retain(|line| !line.text.trim().is_empty());
    lines
}

/// Joins the runs of each line that stand close.
fn segments(runs: Vec<Run>) -> Vec<Line> {
    let lines = runs.into_iter().map(|run| Line {
        x0: run.x0,
        x1: run.x1,
        y: run.y,
        size: run.size,
        fixed: if run.fixed { run.text.len() } else { 0 },
        text: run.text,
        bold: run.bold,
        gaps: false,
        column: 0,
    });
    joined(lines.collect(), PART)
}

/// Joins what stands on one baseline with gaps below `far` sizes; gives it from the top to the bottom.
fn joined(mut parts: Vec<Line>, far: f32) -> Vec<Line> {
    parts.sort_by(|one, other| other.y.total_cmp(&one.y));
    let mut out = Vec::new();
    let mut row: Vec<Line> = Vec::new();
    let (mut place, mut size) = (0.0, 0.0);
    for part in parts {
        if !row.is_empty() && (place - part.y).abs() > SAME_LINE * part.size.max(size) {
            out.extend(join_row(std::mem::take(&mut row), far));
        }
        // The largest part of a row says where it stands.
        if row.is_empty() || part.size > size {
            (place, size) = (part.y, part.size);
        }
        row.push(part);
    }
    out.extend(join_row(row, far));
    out
}

fn join_row(mut row: Vec<Line>, far: f32) -> Vec<Line> {
    row.sort_by(|one, other| one.x0.total_cmp(&other.x0));
    let mut out: Vec<Line> = Vec::new();
    for part in row {
        match out.last_mut().filter(|last| (part.x0 - last.x1) < far * last.size.max(part.size)) {
            // What is drawn twice, to look bold, is read once.
            Some(last) if last.text == part.text && (part.x0 - last.x0).abs() < 0.2 * part.size => {
                last.bold = true
            }
            Some(last) => join(last, &part),
            None => out.push(part),
        }
    }
    out
}

fn join(last: &mut Line, part: &Line) {
    let size = last.size.max(part.size);
    let gap = (part.x0 - last.x1) / size;
    if gap > SPACE && !last.text.ends_with(' ') && !part.text.starts_with(' ') {
        let is_fixed = last.is_fixed() && part.is_fixed();
        let spaces = spaces(gap, is_fixed);
        last.fixed += if is_fixed { spaces.len() } else { 0 };
        last.text.push_str(&spaces);
    }
    last.gaps |= gap > PART;
    // The longer part says what the line is.
    if part.text.len() > last.text.len() {
        (last.y, last.size) = (part.y, part.size);
    }
    last.bold &= part.bold || part.text.trim().is_empty();
    last.text.push_str(&part.text);
    last.fixed += part.fixed;
    last.x1 = last.x1.max(part.x1);
}

/// Parts segments at their gutters, and gives columns in the order of reading.
fn order(parts: Vec<Line>, depth: usize, out: &mut Vec<Vec<Line>>) {
    let gutter = if depth < MAX_DEPTH { gutter(&parts) } else { None };
    let Some(gutter) = gutter else {
        out.push(parts);
        return;
    };
    let (mut left, mut right, mut across) = (Vec::new(), Vec::new(), Vec::new());
    for part in parts {
        let crosses = part.x0 < gutter && part.x1 > gutter;
        if crosses && !(left.is_empty() && right.is_empty()) {
            order(std::mem::take(&mut left), depth + 1, out);
            order(std::mem::take(&mut right), depth + 1, out);
        }
        if !crosses && !across.is_empty() {
            out.push(std::mem::take(&mut across));
        }
        match (crosses, part.x1 <= gutter) {
            (true, _) => across.push(part),
            (false, true) => left.push(part),
            (false, false) => right.push(part),
        }
    }
    for rest in [left, right, across] {
        if !rest.is_empty() {
            order(rest, depth + 1, out);
        }
    }
}

/// Where a white strip parts the segments into two columns of running text.
fn gutter(parts: &[Line]) -> Option<f32> {
    if parts.len() < 2 * COLUMN_LINES {
        return None;
    }
    let first = parts.iter().map(|part| part.x0).min_by(f32::total_cmp)?;
    let last = parts.iter().map(|part| part.x1).max_by(f32::total_cmp)?;
    let step = (last - first) / STEPS as f32;
    if step.partial_cmp(&0.0) != Some(std::cmp::Ordering::Greater) {
        return None;
    }
    let mut changes = vec![0_i64; STEPS + 2];
    let place = |x: f32| (((x - first) / step) as usize).min(STEPS);
    for part in parts {
        for (at, change) in [(place(part.x0), 1), (place(part.x1) + 1, -1)] {
            if let Some(slot) = changes.get_mut(at) {
                *slot += change;
            }
        }
    }
    let covers: Vec<i64> = changes
        .iter()
        .scan(0, |sum, change| {
            *sum += change;
            Some(*sum)
        })
        .collect();
    let inner = covers.get(STEPS / 5..STEPS - STEPS / 5)?;
    let least = *inner.iter().min()?;
    if least > i64::try_from(parts.len()).ok()? * 35 / 100 {
        return None;
    }
    let (at, width) = widest(inner, least);
    let middle = first + ((STEPS / 5 + at) as f32 + width as f32 / 2.0) * step;
    let size = middle_of(parts.iter().map(|part| part.size).collect())?;
    (width as f32 * step >= GUTTER * size && parts_columns(parts, middle)).then_some(middle)
}

/// The longest stretch of a value: where it begins, and its length.
fn widest(covers: &[i64], value: i64) -> (usize, usize) {
    let mut best = (0, 0);
    let mut length = 0;
    for (at, cover) in covers.iter().enumerate() {
        length = if *cover == value { length + 1 } else { 0 };
        if length > best.1 {
            best = (at + 1 - length, length);
        }
    }
    best
}

/// Whether running text stands at both sides of a gutter, side by side.
fn parts_columns(parts: &[Line], gutter: f32) -> bool {
    let column = |is_left: bool| {
        let inside =
            parts.iter().filter(move |part| if is_left { part.x1 <= gutter } else { part.x0 >= gutter });
        let inside: Vec<&Line> = inside.collect();
        let length = middle_of(inside.iter().map(|part| part.text.len() as f32).collect()).unwrap_or(0.0);
        let top = inside.iter().map(|part| part.y).max_by(f32::total_cmp).unwrap_or(0.0);
        let bottom = inside.iter().map(|part| part.y).min_by(f32::total_cmp).unwrap_or(0.0);
        let is_text = inside.len() >= COLUMN_LINES && length >= COLUMN_TEXT as f32;
        (is_text, top, bottom)
    };
    let (one, other) = (column(true), column(false));
    one.0 && other.0 && one.1 > other.2 && other.1 > one.2
}

/// A text with a space for each row of dots that leads from a title to its page.
pub(super) fn without_leaders(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('.') {
        let (before, dots) = rest.split_at(at);
        let end = dots.find(|c| !matches!(c, '.' | ' ')).unwrap_or(dots.len());
        let (dots, after) = dots.split_at(end);
        out.push_str(before);
        out.push_str(if dots.matches('.').count() < LEADER { dots } else { " " });
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The value in the middle.
pub(super) fn middle_of(mut values: Vec<f32>) -> Option<f32> {
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).copied()
}
