//! Paragraphs, headings and code from the lines of pages.

use std::collections::HashMap;

use super::hyphens::Words;
use super::layout::{Line, middle_of};

/// Size of a heading to that of running text, at least.
const LARGER: f32 = 1.12;
/// Longest heading, in bytes.
const MAX_HEADING: usize = 200;
/// Longest bold line that is a heading in the size of running text, in bytes.
const MAX_BOLD_HEADING: usize = 100;
/// Leading to the usual one, from which on a paragraph ends.
const APART: f32 = 1.25;
/// Indentation that begins a paragraph, in sizes.
const INDENT: f32 = 0.8;

/// A paragraph of a page.
#[derive(Debug)]
pub(super) enum Paragraph {
    /// Running text.
    Text(String),
    /// A heading of a level from 1.
    Heading(usize, String),
    /// Lines of code with their indentation.
    Code(Vec<String>),
}

/// The paragraphs of each page.
pub(super) fn of_pages(pages: Vec<Vec<Line>>) -> Vec<Vec<Paragraph>> {
    let words = Words::of(&pages);
    let body = Body::of(&pages);
    let grouped: Vec<Vec<Vec<Line>>> = pages.into_iter().map(|page| body.groups(page)).collect();
    let sizes = body.heading_sizes(&grouped);
    let page = |groups: Vec<Vec<Line>>| {
        groups.into_iter().map(|group| body.paragraph(&group, &sizes, &words)).collect()
    };
    grouped.into_iter().map(page).collect()
}

/// What is usual in a file: the size of its running text and its leading, in sizes.
struct Body {
    size: f32,
    leading: f32,
}

impl Body {
    fn of(pages: &[Vec<Line>]) -> Self {
        let mut lengths: HashMap<i64, usize> = HashMap::new();
        for line in pages.iter().flatten().filter(|line| !line.is_fixed()) {
            *lengths.entry(half_points(line.size)).or_default() += line.text.len();
        }
        let most = lengths.into_iter().max_by_key(|(size, length)| (*length, -*size));
        let size = most.map_or(10.0, |(size, _)| size as f32 / 2.0);
        let mut leadings = Vec::new();
        for (one, next) in pages.iter().flat_map(|page| page.iter().zip(page.iter().skip(1))) {
            let leading = (one.y - next.y) / one.size;
            if one.column == next.column
                && half_points(one.size) == half_points(next.size)
                && (0.5..2.5).contains(&leading)
            {
                leadings.push(leading);
            }
        }
        Self { size, leading: middle_of(leadings).unwrap_or(1.2) }
    }

    /// Lines that are one paragraph.
    fn groups(&self, page: Vec<Line>) -> Vec<Vec<Line>> {
        let widths = widths(&page);
        let mut groups: Vec<Vec<Line>> = Vec::new();
        let mut lines = page.into_iter().peekable();
        while let Some(line) = lines.next() {
            let edge = widths.get(&line.column).copied().unwrap_or(line.x1);
            let goes_on = groups.last().is_some_and(|group| !self.parts(group, &line, lines.peek(), edge));
            match groups.last_mut().filter(|_| goes_on) {
                Some(group) => group.push(line),
                None => groups.push(vec![line]),
            }
        }
        groups
    }

    /// Whether a line begins a paragraph below a group of lines; `edge` is the right end of its column.
    fn parts(&self, group: &[Line], line: &Line, next: Option<&Line>, edge: f32) -> bool {
        let Some(last) = group.last() else { return true };
        let goes_on = !ends_sentence(&last.text) && line.text.trim_start().starts_with(char::is_lowercase);
        if last.column != line.column {
            return line.is_fixed() != last.is_fixed() || !goes_on || !alike(last, line);
        }
        let down = (last.y - line.y) / last.size.max(line.size);
        if down < -0.2 || !alike(last, line) {
            return true;
        }
        // A line of running text may be all names in a font of one width.
        let wraps = !ends_sentence(&last.text) && (line.x0 - last.x0).abs() < 0.3 * line.size;
        let prose = !group.iter().all(Line::is_fixed);
        if line.is_fixed() && !(prose && wraps) {
            return !last.is_fixed() || prose || down > 2.2 * self.leading;
        }
        if last.is_fixed() && !prose && !wraps {
            return true;
        }
        if down > APART * self.leading + 0.05 || begins_item(&line.text) {
            return true;
        }
        let short = last.x1 < edge - 0.25 * (edge - last.x0);
        if short && (last.bold != line.bold || ends_sentence(&last.text)) || last.gaps && line.gaps {
            return true;
        }
        let indent = (line.x0 - last.x0) / line.size;
        if indent > INDENT {
            let back =
                next.is_some_and(|next| next.column == line.column && line.x0 - next.x0 > INDENT * line.size);
            return back && ends_sentence(&last.text) || short && !begins_item(&last.text);
        }
        indent < -INDENT && group.len() > 1
    }

    fn is_heading(&self, group: &[Line]) -> bool {
        let length: usize = group.iter().map(|line| line.text.len()).sum();
        if group.iter().any(|line| line.gaps) {
            return false;
        }
        let has_words = group.iter().any(|line| line.text.chars().filter(|c| c.is_alphabetic()).count() > 1);
        let larger = group.iter().all(|line| line.size >= LARGER * self.size && !line.is_fixed());
        let ended = group.last().is_none_or(|line| line.text.trim_end().ends_with(['.', ',', ';', ':']));
        let bold = group.iter().all(|line| line.bold && line.size >= 0.95 * self.size && !line.is_fixed());
        let title = bold && group.len() < 3 && length <= MAX_BOLD_HEADING && !ended;
        has_words && (larger && length <= MAX_HEADING || title)
    }

    /// Sizes of headings, the largest first.
    fn heading_sizes(&self, pages: &[Vec<Vec<Line>>]) -> Vec<i64> {
        let headings = pages.iter().flatten().filter(|group| self.is_heading(group));
        let mut sizes: Vec<i64> =
            headings.filter_map(|group| group.first()).map(|line| half_points(line.size)).collect();
        sizes.sort_unstable_by(|one, other| other.cmp(one));
        sizes.dedup();
        sizes
    }

    fn paragraph(&self, group: &[Line], sizes: &[i64], words: &Words) -> Paragraph {
        if group.iter().all(|line| line.is_fixed()) {
            return Paragraph::Code(code(group));
        }
        let mut text = String::new();
        for line in group {
            words.join(&mut text, line.text.trim());
        }
        if !self.is_heading(group) {
            return Paragraph::Text(text);
        }
        let size = group.first().map_or(0, |line| half_points(line.size));
        let level = sizes.iter().position(|known| *known <= size).unwrap_or(sizes.len());
        Paragraph::Heading(level + 1, text)
    }
}

/// Right end of each column.
fn widths(page: &[Line]) -> HashMap<usize, f32> {
    let mut widths: HashMap<usize, f32> = HashMap::new();
    for line in page {
        let width = widths.entry(line.column).or_insert(line.x1);
        *width = width.max(line.x1);
    }
    widths
}

/// Lines of code: what stands further right is indented by as many characters.
fn code(group: &[Line]) -> Vec<String> {
    let left = group.iter().map(|line| line.x0).min_by(f32::total_cmp).unwrap_or(0.0);
    let indent = |line: &Line| ((line.x0 - left) / (0.6 * line.size)).round().clamp(0.0, 80.0) as usize;
    group.iter().map(|line| format!("{}{}", " ".repeat(indent(line)), line.text.trim())).collect()
}

fn half_points(size: f32) -> i64 {
    (size * 2.0).round() as i64
}

fn alike(one: &Line, other: &Line) -> bool {
    (one.size - other.size).abs() < 0.08 * one.size.max(other.size)
}

fn ends_sentence(text: &str) -> bool {
    text.trim_end().trim_end_matches([')', '”', '"', '’']).ends_with(['.', ':', '!', '?'])
}

/// Whether a line begins with the mark of an item.
fn begins_item(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or("");
    let marked = matches!(first, "•" | "–" | "-" | "*" | "◦" | "▪" | "‣" | "●" | "○" | "■" | "·");
    let number = first.strip_suffix(['.', ')']).is_some_and(|number| {
        let digits =
            |part: &str| (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        number.split('.').all(digits)
    });
    (marked || number) && words.next().is_some()
}
