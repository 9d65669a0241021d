//! Rewrites the lines of a dialect to CommonMark, line by line; each keeps the place that it comes from.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::containers::{Container, indent};
use super::dialect::{self, Dialect};
use super::fences::Fence;
use super::source::{Mark, Origin, Source};
use crate::Lines;
use crate::builder::Builder;

/// Lines that are still to come of a file.
pub(super) struct Input<'t> {
    text: Cow<'t, str>,
    lines: Lines,
    row: usize,
    end: usize,
    file: usize,
    /// Line of the file for each row; none where they are the same.
    places: Option<Vec<u32>>,
}

/// The page while it is rewritten.
pub(super) struct Rewriter<'r, 't> {
    pub(super) builder: &'r mut Builder<'t>,
    pub(super) source: Source,
    pub(super) dialect: Dialect,
    pub(super) open: Vec<Container>,
    pub(super) fence: Option<Fence>,
    /// Names of components that stand for pages, with their paths.
    pub(super) partials: HashMap<String, String>,
    /// Titles of the targets of the page.
    pub(super) labels: HashMap<String, String>,
    /// Names of shortcodes that are closed somewhere.
    pub(super) closers: HashSet<String>,
    /// Row before which no tag is complete in the next lines.
    pub(super) join_from: usize,
    inputs: Vec<Input<'t>>,
    /// End of the comment or raw element that is open.
    raw: Option<&'static str>,
    /// Whether the line above was blank, or a mark.
    pub(super) is_fresh: bool,
}

impl<'t> Input<'t> {
    /// All lines of a text from a row on.
    pub(super) fn new(text: Cow<'t, str>, row: usize, file: usize, places: Option<Vec<u32>>) -> Self {
        let lines = Lines::of(&text);
        let end = lines.len();
        Self { text, lines, row, end, file, places }
    }

    /// Keeps some of the rows.
    pub(super) fn only(mut self, rows: std::ops::Range<usize>) -> Self {
        self.row = self.row.max(rows.start);
        self.end = self.end.min(rows.end);
        self
    }

    fn line(&self, row: usize) -> Option<&str> {
        (row < self.end).then(|| self.lines.line(&self.text, row))
    }

    fn origin(&self, row: usize) -> Origin {
        let same = u32::try_from(row + 1).unwrap_or(u32::MAX);
        let line = self.places.as_ref().map_or(Some(same), |places| places.get(row).copied()).unwrap_or(same);
        Origin { file: self.file, line }
    }
}

impl<'r, 't> Rewriter<'r, 't> {
    pub(super) fn new(builder: &'r mut Builder<'t>, text: &str) -> Self {
        let dialect = dialect::of(builder.path, text);
        let mut source = Source::default();
        source.resolves_names = dialect.has_rules;
        Self {
            builder,
            source,
            dialect,
            open: Vec::new(),
            fence: None,
            partials: HashMap::new(),
            labels: if dialect.is_myst { dialect::labels(text) } else { HashMap::new() },
            closers: dialect::closers(text),
            join_from: 0,
            inputs: Vec::new(),
            raw: None,
            is_fresh: true,
        }
    }

    /// Rewrites all lines of an input and of what it includes.
    pub(super) fn run(mut self, input: Input<'t>) -> Source {
        self.inputs.push(input);
        while let Some(input) = self.inputs.last_mut() {
            let row = input.row;
            if let Some(line) = input.line(row).map(str::to_owned) {
                let at = input.origin(row);
                input.row += 1;
                self.line(&line, at);
            } else {
                self.inputs.pop();
                if !self.inputs.is_empty() {
                    self.builder.end_include();
                }
            }
        }
        self.source
    }

    /// A line to come of the present file: 0 is the next.
    pub(super) fn peek(&self, ahead: usize) -> Option<&str> {
        let input = self.inputs.last()?;
        input.line(input.row + ahead)
    }

    /// Where a line to come is from.
    pub(super) fn origin(&self, ahead: usize) -> Origin {
        self.inputs.last().map(|input| input.origin(input.row + ahead)).unwrap_or_default()
    }

    /// Row of the next line in its file.
    pub(super) fn row(&self) -> usize {
        self.inputs.last().map_or(0, |input| input.row)
    }

    /// Leaves out lines to come.
    pub(super) fn skip(&mut self, count: usize) {
        if let Some(input) = self.inputs.last_mut() {
            input.row += count;
        }
    }

    /// Reads a file before the next line.
    pub(super) fn include(&mut self, input: Input<'t>) {
        self.inputs.push(input);
    }

    pub(super) fn line(&mut self, line: &str, at: Origin) {
        if self.fence.is_some() {
            return self.fence_line(line, at);
        }
        if let Some(end) = self.raw {
            self.raw = self.raw.filter(|_| !line.contains(end));
            return self.source.push(line, at);
        }
        if line.trim().is_empty() {
            self.is_fresh = true;
            return self.source.push("", at);
        }
        if self.hides(line) {
            return;
        }
        let line = self.dedent(line, at);
        let is_markup = self.comment(&line, at)
            || self.fence_start(&line, at)
            || self.colon_line(&line, at)
            || self.indented_start(&line, at)
            || self.alert(&line, at)
            || self.include_line(&line, at)
            || self.module_lines(&line)
            || self.small_line(&line, at);
        if !is_markup {
            self.text_line(line.into_owned(), at);
        }
    }

    /// Copies a comment, script or the like, which may go on in the next lines.
    fn comment(&mut self, line: &str, at: Origin) -> bool {
        let body = line.trim_start();
        let end = if body.starts_with("<!--") {
            "-->"
        } else {
            let raw = ["script", "style", "pre"].iter().position(|name| {
                body.strip_prefix('<')
                    .and_then(|rest| rest.strip_prefix(name))
                    .is_some_and(|rest| rest.starts_with(['>', ' ']))
            });
            match raw.and_then(|at| ["</script>", "</style>", "</pre>"].get(at)) {
                Some(end) => end,
                None => return false,
            }
        };
        if line.contains("@include:") {
            return false;
        }
        self.raw = (!body.contains(end)).then_some(end);
        self.source.push(line, at);
        true
    }

    /// Adds a line of text, without the marks in it.
    fn text_line(&mut self, mut line: String, mut at: Origin) {
        while self.dialect.has_open_tags {
            let rest = self.join_tags(&mut line);
            let Some((rest, place)) = rest.filter(|(rest, _)| !rest.trim().is_empty()) else { break };
            self.shortcodes(&line, at);
            let before = " ".repeat(indent(&line));
            line = format!("{before}{}", rest.trim_start());
            at = place;
        }
        self.shortcodes(&line, at);
    }

    /// Adds text between the block marks of a line.
    pub(super) fn plain_text(&mut self, line: &str, at: Origin) {
        let line = self.heading_id(line, at);
        let line = super::spans::rewrite(&line, self.dialect, &self.labels);
        if self.dialect.has_open_tags && self.tag_line(&line, at) {
            return;
        }
        self.is_fresh = false;
        self.source.push(&line, at);
    }

    /// Adds a line for marks at the place of a line.
    pub(super) fn mark(&mut self, line: &str, marks: Vec<Mark>, at: Origin) {
        let end = line.len() - line.trim_start().len();
        self.source.mark(line.get(..end).unwrap_or(""), marks, at);
        self.is_fresh = true;
    }
}
