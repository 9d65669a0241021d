//! A page while it is written: what is open, and the text that is being collected.

use assay_domain::LineRange;

use super::frames::{Frame, Role};
use super::source::{Origin, Source};
use super::table::Table;
use crate::builder::{Builder, MAX_DEPTH};
use crate::inline::Inline;
use crate::{Style, WarningKind};

/// A page while it is written.
pub(super) struct Writer<'w, 't> {
    pub(super) builder: &'w mut Builder<'t>,
    pub(super) source: &'w Source,
    pub(super) frames: Vec<Frame>,
    /// Height of the frames at which each open element of Markdown began.
    floors: Vec<usize>,
    pub(super) text: Option<Text>,
    /// Names of the open styles; empty for those of Markdown, none for one that is not kept.
    styles: Vec<Option<String>>,
    /// Title that the next code or table has.
    pub(super) title: Option<usize>,
    is_deep: bool,
}

/// Text of the block that is being read.
#[derive(Default)]
pub(super) struct Text {
    pub(super) inline: Inline,
    pub(super) file: usize,
    pub(super) first: u32,
    pub(super) last: u32,
    /// Target, alternative text and line of its images.
    pub(super) images: Vec<(String, String, u32)>,
    pub(super) links: Vec<(String, u32)>,
}

impl<'w, 't> Writer<'w, 't> {
    pub(super) fn new(builder: &'w mut Builder<'t>, source: &'w Source) -> Self {
        Self {
            builder,
            source,
            frames: Vec::new(),
            floors: Vec::new(),
            text: None,
            styles: Vec::new(),
            title: None,
            is_deep: false,
        }
    }

    /// Opens an element; beyond the depth that is read its words are kept without it.
    pub(super) fn open(&mut self, name: &str, role: Role) {
        self.flush();
        if self.frames.len() < MAX_DEPTH {
            self.frames.push(Frame { name: name.to_owned(), role });
        } else if !std::mem::replace(&mut self.is_deep, true) {
            let line = self.builder.document.blocks.last().map_or(0, |block| block.lines.last);
            let message = format!("elements nest deeper than {MAX_DEPTH} levels");
            self.builder.warn(line, WarningKind::TooDeep, message);
        }
    }

    /// Notes that an element of Markdown begins; HTML in it does not close it.
    pub(super) fn begin_markdown(&mut self) {
        self.flush();
        self.floors.push(self.frames.len());
    }

    /// Closes the innermost element of Markdown and all that is open in it.
    pub(super) fn end_markdown(&mut self) {
        if let Some(floor) = self.floors.pop() {
            self.close_to(floor);
        }
    }

    /// Closes the innermost element that has a name, unless Markdown began inside it.
    pub(super) fn close_named(&mut self, name: &str) {
        self.flush();
        let floor = self.floor();
        let found = self.frames.iter().rposition(|frame| frame.name == name);
        if let Some(at) = found.filter(|at| *at >= floor) {
            self.close_to(at);
        }
    }

    /// Closes the innermost element of a kind and what is open inside it, but not beyond a border.
    pub(super) fn close_within(&mut self, wanted: fn(&Role) -> bool, border: fn(&Role) -> bool) {
        self.flush();
        for at in (self.floor()..self.frames.len()).rev() {
            match self.frames.get(at).map(|frame| &frame.role) {
                Some(role) if wanted(role) => return self.close_to(at),
                Some(role) if border(role) => return,
                _ => {}
            }
        }
    }

    fn floor(&self) -> usize {
        self.floors.last().copied().unwrap_or(0)
    }

    /// Closes elements down to a height.
    pub(super) fn close_to(&mut self, height: usize) {
        self.flush();
        while self.frames.len() > height {
            if matches!(self.frames.last().map(|frame| &frame.role), Some(Role::Description { block: None }))
            {
                self.materialise();
            }
            let Some(frame) = self.frames.pop() else { return };
            match frame.role {
                Role::Row => {
                    if let Some((table, builder)) = self.table() {
                        table.close_row(builder);
                    }
                }
                Role::Table(mut table) => table.close_row(self.builder),
                Role::Definitions(mut list) => self.define_terms(&mut list),
                Role::Pre { language, code, lines: Some((first, last)) } => {
                    self.code(&language, code, LineRange::new(first, last));
                }
                _ => {}
            }
        }
    }

    /// The innermost table.
    pub(super) fn table(&mut self) -> Option<(&mut Table, &mut Builder<'t>)> {
        let table = self.frames.iter_mut().rev().find_map(|frame| match &mut frame.role {
            Role::Table(table) => Some(&mut **table),
            _ => None,
        });
        Some((table?, self.builder))
    }

    /// Whether an element of a kind is open.
    pub(super) fn is_in(&self, kind: fn(&Role) -> bool) -> bool {
        self.frames.iter().any(|frame| kind(&frame.role))
    }

    pub(super) fn is_hidden(&self) -> bool {
        self.is_in(|role| matches!(role, Role::Hidden))
    }

    /// Whether text goes into a cell, in which no other block is made.
    pub(super) fn in_cell(&self) -> bool {
        self.is_in(|role| matches!(role, Role::Cell))
    }

    /// The open text, with a place of it, and the line to be written for the place.
    fn text(&mut self, at: Origin) -> (&mut Text, u32) {
        let text = self.text.get_or_insert_with(|| Text {
            file: at.file,
            first: at.line,
            last: at.line,
            ..Text::default()
        });
        if text.file != at.file {
            let last = text.last;
            return (text, last);
        }
        text.first = text.first.min(at.line);
        text.last = text.last.max(at.line);
        (text, at.line)
    }

    /// Adds words of a line.
    pub(super) fn push(&mut self, words: &str, at: Origin) {
        if self.text.is_none() && words.trim().is_empty() || self.is_hidden() {
            return;
        }
        let (text, line) = self.text(at);
        if words.contains('\u{ad}') {
            text.inline.push(&words.replace('\u{ad}', ""), line);
        } else {
            text.inline.push(words, line);
        }
    }

    /// Adds a space between words.
    pub(super) fn space(&mut self) {
        if let Some(text) = &mut self.text {
            text.inline.space();
        }
    }

    /// Breaks the line.
    pub(super) fn line_break(&mut self) {
        if let Some(text) = &mut self.text {
            text.inline.line_break();
        }
    }

    /// Begins a style; `name` is that of its HTML element.
    pub(super) fn style(&mut self, name: &str, style: Style, at: Origin) {
        if self.is_hidden() || self.styles.len() >= MAX_DEPTH {
            return self.styles.push(None);
        }
        let (text, line) = self.text(at);
        if let Style::Link(target) = &style {
            text.links.push((target.clone(), line));
        }
        text.inline.open(style);
        self.styles.push(Some(name.to_owned()));
    }

    /// Ends the innermost style of a name and those in it; HTML ends no style of Markdown.
    pub(super) fn end_style(&mut self, name: &str) {
        let is_it = |open: &Option<String>| open.as_ref().is_none_or(|open| open == name);
        let is_markdown = |open: &Option<String>| open.as_ref().is_some_and(String::is_empty);
        let Some(at) = self.styles.iter().rposition(|open| is_it(open) || is_markdown(open)) else { return };
        if !self.styles.get(at).is_some_and(is_it) {
            return;
        }
        for open in self.styles.drain(at..).rev() {
            if let (Some(text), true) = (self.text.as_mut(), open.is_some()) {
                text.inline.close();
            }
        }
    }

    /// Ends every style.
    pub(super) fn end_styles(&mut self) {
        self.styles.clear();
    }

    /// Adds an image; its alternative text is shown where it is alone.
    pub(super) fn image(&mut self, target: String, alternative: &str, at: Origin) {
        if self.is_hidden() {
            return;
        }
        let (text, line) = self.text(at);
        text.inline.open(Style::Image(target.clone()));
        text.inline.close();
        text.images.push((target, alternative.to_owned(), line));
    }
}
