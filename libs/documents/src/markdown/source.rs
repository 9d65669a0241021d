//! Lines of CommonMark, each with the line of the file that it was made from.

use std::collections::HashMap;
use std::sync::Arc;

/// Where a line comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Origin {
    /// Index of the file in [`Source`]; 0 for the page itself.
    pub(crate) file: usize,
    /// Line of that file, from 1.
    pub(crate) line: u32,
}

/// What a line says that CommonMark has no words for; the line is an empty comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Mark {
    /// A note or warning begins, under this label, which may be a title of its own.
    Admonition(String, bool),
    /// Text that is no other block begins: a tab, a card, a zone.
    Container,
    /// A title is shown: of a tab, of a listing.
    Title(String),
    /// The innermost admonition or container ends.
    End,
}

/// Text to be read as CommonMark.
#[derive(Debug, Default)]
pub(crate) struct Source {
    /// The lines, each with its `\n`.
    pub(crate) text: String,
    origins: Vec<Origin>,
    starts: Vec<usize>,
    files: Vec<Arc<str>>,
    marks: HashMap<usize, Vec<Mark>>,
    ids: HashMap<usize, String>,
    /// Ids that are set by hand outside headings, with their lines.
    pub(crate) anchors: Vec<(String, u32)>,
    /// Whether names in brackets are references that the generator resolves.
    pub(crate) resolves_names: bool,
}

impl Source {
    /// Adds a line; its line ending, if any, is not part of it.
    pub(crate) fn push(&mut self, line: &str, origin: Origin) {
        self.starts.push(self.text.len());
        self.origins.push(origin);
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Adds a line that stands for marks, behind an indentation or the signs of a quotation.
    pub(crate) fn mark(&mut self, before: &str, marks: Vec<Mark>, origin: Origin) {
        self.marks.insert(self.origins.len(), marks);
        self.push(&format!("{before}<!---->"), origin);
    }

    /// Notes an id that stands where the next line begins.
    pub(crate) fn anchor(&mut self, id: &str, line: u32) {
        if !id.is_empty() {
            self.anchors.push((id.to_owned(), line));
        }
    }

    /// Gives the heading of the next line an id.
    pub(crate) fn id(&mut self, id: &str) {
        self.ids.insert(self.origins.len(), id.to_owned());
    }

    /// Index of an included file.
    pub(crate) fn file(&mut self, path: &Arc<str>) -> usize {
        let known = self.files.iter().position(|file| file == path);
        known.map_or_else(
            || {
                self.files.push(Arc::clone(path));
                self.files.len()
            },
            |at| at + 1,
        )
    }

    /// Path of a file by its index; none for the page itself.
    pub(crate) fn path(&self, file: usize) -> Option<Arc<str>> {
        self.files.get(file.checked_sub(1)?).cloned()
    }

    /// The line that was added last.
    pub(crate) fn last_line(&self) -> &str {
        self.starts.last().and_then(|start| self.text.get(*start..)).unwrap_or("").trim_end_matches('\n')
    }

    /// Row that holds a byte of the text.
    pub(crate) fn row_of(&self, byte: usize) -> usize {
        self.starts.partition_point(|start| *start <= byte).saturating_sub(1)
    }

    /// Where a row comes from; of the last one beyond the end.
    pub(crate) fn origin(&self, row: usize) -> Origin {
        self.origins.get(row).or(self.origins.last()).copied().unwrap_or(Origin { file: 0, line: 1 })
    }

    /// Where a byte of the text comes from.
    pub(crate) fn at(&self, byte: usize) -> Origin {
        self.origin(self.row_of(byte))
    }

    /// What a row stands for.
    pub(crate) fn marks_of(&self, row: usize) -> &[Mark] {
        self.marks.get(&row).map_or(&[], Vec::as_slice)
    }

    /// Id that the heading of a row was given.
    pub(crate) fn id_of(&self, row: usize) -> Option<&str> {
        self.ids.get(&row).map(String::as_str)
    }
}
