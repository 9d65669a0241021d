//! Macros of `mdoc` that make blocks: headings, lists, displays.

use super::Reader;
use super::flow::{Capture, Flow};
use super::marks;
use super::reference::Reference;
use super::rows::{self, Row};
use super::words::Word;

/// What the macros of `mdoc` remember.
#[derive(Debug)]
pub(super) struct Mdoc {
    /// The name that `.Nm` shows.
    pub(super) name: String,
    /// Whether words have spaces between them.
    pub(super) spacing: bool,
    /// `.Xo` that are open: the term of an item goes on.
    pub(super) extended: usize,
    /// The reference that is open.
    pub(super) reference: Option<Reference>,
    /// Arguments so far of the function that `.Fo` began.
    pub(super) arguments: Option<usize>,
    /// Whether a function of the synopsis has ended.
    pub(super) after_function: bool,
    lists: Vec<List>,
    /// Of each open display, whether lines stayed as they are before it.
    displays: Vec<bool>,
}

impl Default for Mdoc {
    fn default() -> Self {
        Self {
            name: String::new(),
            spacing: true,
            extended: 0,
            reference: None,
            arguments: None,
            after_function: false,
            lists: Vec::new(),
            displays: Vec::new(),
        }
    }
}

impl Mdoc {
    /// Keeps the next word close where words have no spaces.
    pub(super) fn after_line(&self, flow: &mut Flow<'_, '_>) {
        if !self.spacing {
            flow.glue();
        }
    }
}

/// An open list.
#[derive(Debug)]
enum List {
    Bullets,
    Numbers(u32),
    Terms,
    Columns { rows: Vec<Row>, lead: Option<usize> },
}

impl Reader<'_, '_> {
    /// Reads a macro of `mdoc`; false for anything else.
    pub(super) fn mdoc(&mut self, name: &str, words: &[Word], line: u32) -> bool {
        match name {
            "Dd" | "Os" | "Tg" | "Bk" | "Ek" | "Bf" | "Ef" => {}
            "Dt" => self.head(words),
            "Sh" => self.section(1, words),
            "Ss" => self.section(2, words),
            "Pp" | "Lp" => self.flow.paragraph(),
            "Bl" => self.begin_list(words, line),
            "It" => self.item(words),
            "El" => self.end_list(),
            "Bd" => self.begin_display(words),
            "Ed" => self.end_display(),
            "D1" => self.display(words),
            "Dl" => self.literal(words),
            "Sm" => self.set_spacing(words),
            "Rs" => self.begin_reference(),
            "Re" => self.end_reference(),
            _ if name.starts_with('%') => self.reference_part(name, words),
            _ if super::inlines::is_macro(name) => self.inline_line(name, words, line),
            _ => return false,
        }
        true
    }

    fn section(&mut self, level: u8, words: &[Word]) {
        while !self.mdoc.lists.is_empty() {
            self.end_list();
        }
        self.mdoc.displays.clear();
        self.flow.begin_heading(level);
        self.run(words);
        self.section = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        self.flow.end_line();
        self.mdoc.after_function = false;
    }

    fn begin_list(&mut self, words: &[Word], line: u32) {
        self.flow.enter(line);
        let kind = words.iter().find_map(|word| match word.text.as_str() {
            "-bullet" | "-dash" | "-hyphen" | "-item" => Some(List::Bullets),
            "-enum" => Some(List::Numbers(0)),
            "-column" => Some(List::Columns {
                rows: Vec::new(),
                lead: self.flow.holder().or_else(|| self.flow.builder.lead()),
            }),
            _ => None,
        });
        self.mdoc.lists.push(kind.unwrap_or(List::Terms));
    }

    fn item(&mut self, words: &[Word]) {
        match self.mdoc.lists.last_mut() {
            None | Some(List::Bullets) => self.flow.begin_item(None),
            Some(List::Numbers(number)) => {
                *number += 1;
                let number = *number;
                self.flow.begin_item(Some(number));
            }
            Some(List::Terms) => {
                self.flow.begin_term();
                self.run(words);
                if self.mdoc.extended == 0 {
                    self.flow.end_line();
                }
                return;
            }
            Some(List::Columns { .. }) => {
                self.end_cell();
                if let Some(List::Columns { rows, .. }) = self.mdoc.lists.last_mut() {
                    rows.push(Row::default());
                }
                self.flow.capture = Some(Capture::Cell);
            }
        }
        self.run(words);
        self.flow.end_line();
    }

    /// Ends a cell of a row and begins the next.
    pub(super) fn next_cell(&mut self) {
        self.end_cell();
        if matches!(self.mdoc.lists.last(), Some(List::Columns { .. })) {
            self.flow.capture = Some(Capture::Cell);
        }
    }

    fn end_cell(&mut self) {
        if self.flow.capture != Some(Capture::Cell) {
            return;
        }
        let (cell, lines) = self.flow.take_cell();
        if let Some(List::Columns { rows, .. }) = self.mdoc.lists.last_mut()
            && let Some(row) = rows.last_mut()
        {
            row.push(cell, lines);
        }
    }

    fn end_list(&mut self) {
        self.end_cell();
        let Some(list) = self.mdoc.lists.pop() else { return };
        self.flow.outdent();
        if let List::Columns { rows, lead } = list {
            rows::emit(self.flow.builder, rows, lead);
        }
    }

    fn begin_display(&mut self, words: &[Word]) {
        self.mdoc.displays.push(self.flow.unfilled);
        let literal = words.iter().any(|word| matches!(word.text.as_str(), "-literal" | "-unfilled"));
        self.flow.paragraph();
        self.flow.set_unfilled(literal);
    }

    fn end_display(&mut self) {
        let before = self.mdoc.displays.pop().unwrap_or(false);
        self.flow.paragraph();
        self.flow.set_unfilled(before);
    }

    fn display(&mut self, words: &[Word]) {
        self.flow.paragraph();
        self.run(words);
        self.flow.end_line();
        self.flow.paragraph();
    }

    fn literal(&mut self, words: &[Word]) {
        let before = self.flow.unfilled;
        self.flow.set_unfilled(true);
        self.run(words);
        self.flow.end_line();
        self.flow.set_unfilled(before);
    }

    fn set_spacing(&mut self, words: &[Word]) {
        self.mdoc.spacing = match words.first().map(|word| word.text.as_str()) {
            Some("on") => true,
            Some("off") => false,
            _ => !self.mdoc.spacing,
        };
        self.flow.space();
    }

    /// Whether the synopsis is being read.
    pub(super) fn in_synopsis(&self) -> bool {
        self.section == "SYNOPSIS"
    }

    /// Target of a reference to a section of the page.
    pub(super) fn section_target(name: &str) -> String {
        format!("#{}", marks::id(name))
    }
}
