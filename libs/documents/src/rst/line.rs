//! Lines of a page or of what is nested in it: dedented, each with its number in the file.

use std::borrow::Cow;

use assay_domain::LineRange;

/// A line without its ending and without the indentation of what holds it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    /// Its text; white space at its end is gone.
    pub(super) text: &'a str,
    /// Its number in the file, from 1.
    pub(super) number: u32,
    /// Spaces before its first word, counted once.
    indent: usize,
}

impl<'a> Line<'a> {
    pub(super) fn new(text: &'a str, number: u32) -> Self {
        Self { text, number, indent: text.len() - text.trim_start_matches(' ').len() }
    }

    /// Whether it holds nothing.
    pub(super) const fn blank(&self) -> bool {
        self.text.is_empty()
    }

    /// Spaces before its first word.
    pub(super) const fn indent(&self) -> usize {
        self.indent
    }

    /// The line from a byte on, without spaces before its first word.
    pub(super) fn after(&self, bytes: usize) -> Self {
        Self::new(self.text.get(bytes..).unwrap_or("").trim_start(), self.number)
    }

    fn dedented(&self, spaces: usize) -> Self {
        let spaces = spaces.min(self.indent);
        Self { text: self.text.get(spaces..).unwrap_or(""), indent: self.indent - spaces, ..*self }
    }
}

/// Texts of the lines of a file; tabs in their indentation become spaces.
pub(super) fn texts(text: &str) -> Vec<Cow<'_, str>> {
    let expanded = |line: &str| -> String {
        let body = line.trim_start_matches([' ', '\t', '\u{b}', '\u{c}']);
        let mut width = 0;
        for c in line.chars().take(line.len() - body.len()) {
            width = if c == '\t' { (width / 8 + 1) * 8 } else { width + 1 };
        }
        format!("{}{body}", " ".repeat(width))
    };
    let texts = text.split('\n').map(str::trim_end).map(|line| {
        match line.trim_start_matches(' ').starts_with(['\t', '\u{b}', '\u{c}']) {
            true => Cow::Owned(expanded(line)),
            false => Cow::Borrowed(line),
        }
    });
    texts.collect()
}

/// Lines of texts, numbered from 1.
pub(super) fn numbered<'a>(texts: &'a [Cow<'_, str>]) -> Vec<Line<'a>> {
    let line = |(number, text): (u32, &'a Cow<'_, str>)| Line::new(text, number);
    let mut lines: Vec<Line<'a>> = (1..).zip(texts).map(line).collect();
    if let Some(first) = lines.first_mut() {
        first.text = first.text.trim_start_matches('\u{feff}');
    }
    lines
}

/// Counts the first lines that are blank or indented by some spaces, without blank ones at the end.
pub(super) fn indented(lines: &[Line<'_>], spaces: usize) -> usize {
    let inside = lines.iter().take_while(|line| line.blank() || line.indent() >= spaces).count();
    filled(lines.get(..inside).unwrap_or(lines))
}

/// How many lines there are without the blank ones at the end.
pub(super) fn filled(lines: &[Line<'_>]) -> usize {
    lines.iter().rposition(|line| !line.blank()).map_or(0, |last| last + 1)
}

/// How many lines come before the first blank one.
pub(super) fn block(lines: &[Line<'_>]) -> usize {
    lines.iter().position(Line::blank).unwrap_or(lines.len())
}

/// How many blank lines come first.
pub(super) fn blanks(lines: &[Line<'_>]) -> usize {
    lines.iter().take_while(|line| line.blank()).count()
}

/// The lines without the indentation that all of them share, and without blank ones at either end.
pub(super) fn dedent<'a>(lines: &[Line<'a>]) -> Vec<Line<'a>> {
    let lines = lines.get(blanks(lines)..filled(lines)).unwrap_or(&[]);
    let shared = lines.iter().filter(|line| !line.blank()).map(Line::indent).min().unwrap_or(0);
    lines.iter().map(|line| line.dedented(shared)).collect()
}

/// What belongs to a marker: the rest of its line and the lines indented by some spaces after it, dedented.
pub(super) fn hanging<'a>(lines: &[Line<'a>], marker: usize, spaces: usize) -> (Vec<Line<'a>>, usize) {
    let Some((head, rest)) = lines.split_first() else { return (Vec::new(), 0) };
    let more = indented(rest, spaces);
    let mut inside = vec![head.after(marker)];
    let below = rest.get(..more).unwrap_or(rest);
    match spaces {
        0 | 1 => {
            let dedented = dedent(below);
            let skipped = blanks(below).min(below.len());
            inside.extend(below.iter().take(skipped));
            inside.extend(dedented);
        }
        _ => inside.extend(below.iter().map(|line| line.dedented(spaces))),
    }
    (inside, 1 + more)
}

/// First and last of the lines that are not blank.
pub(super) fn range(lines: &[Line<'_>]) -> LineRange {
    let filled = || lines.iter().filter(|line| !line.blank());
    let first = filled().next().map_or(1, |line| line.number);
    LineRange::new(first, filled().next_back().map_or(first, |line| line.number).max(first))
}

/// The lines as one text.
pub(super) fn joined(lines: &[Line<'_>]) -> String {
    lines.iter().map(|line| line.text).collect::<Vec<_>>().join("\n")
}
