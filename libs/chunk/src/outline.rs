//! What a format knows of a file before it is packed: where it may be cut, and which headings are above each line.

use crate::Lines;

/// Headings, or enclosing code items, outermost first, and the id of the nearest one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Path {
    pub(crate) headings: Vec<String>,
    /// Empty if there is none.
    pub(crate) anchor: String,
}

impl Path {
    /// A path of one code item.
    pub(crate) fn of_item(name: impl Into<String>) -> Self {
        Self { headings: vec![name.into()], anchor: String::new() }
    }
}

/// Cut marks, headings and title of a file.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outline {
    /// Title of the document.
    pub(crate) title: String,
    /// Tags of the document.
    pub(crate) tags: Vec<String>,
    /// Whether and how well the file may be cut before each line.
    pub(crate) cuts: Vec<Cut>,
    /// What each line is to a passage; text where the list ends.
    pub(crate) worth: Vec<Worth>,
    /// Whether each line ends a block that introduces the next one; where the list is empty, a colon tells.
    pub(crate) leads: Vec<bool>,
    /// Paths: first line (from 0) from which each counts, ascending.
    pub(crate) paths: Vec<(usize, Path)>,
}

impl Outline {
    /// An outline of lines that can be cut anywhere.
    pub(crate) fn of(lines: &Lines) -> Self {
        Self { cuts: vec![Cut::Line; lines.len()], ..Self::default() }
    }

    /// Raises the mark of a line; what must not be cut stays so.
    pub(crate) fn mark(&mut self, line: usize, cut: Cut) {
        if let Some(old) = self.cuts.get_mut(line)
            && *old != Cut::Never
        {
            *old = (*old).max(cut);
        }
    }

    /// Keeps lines together, both ends included.
    pub(crate) fn keep_whole(&mut self, first: usize, last: usize) {
        for cut in self.cuts.iter_mut().take(last + 1).skip(first + 1) {
            *cut = Cut::Never;
        }
    }

    /// What a line is to a passage.
    pub(crate) fn worth(&self, line: usize) -> Worth {
        self.worth.get(line).copied().unwrap_or(Worth::Text)
    }

    fn path_at(&self, line: usize) -> Option<&Path> {
        let behind = self.paths.partition_point(|(first, _)| *first <= line);
        behind.checked_sub(1).and_then(|at| self.paths.get(at)).map(|(_, path)| path)
    }

    /// The path that covers most bytes of the given lines; the first of equals.
    pub(crate) fn path_of(&self, text: &str, lines: &Lines, first: usize, last: usize) -> Path {
        let mut weights: Vec<(Option<&Path>, usize)> = Vec::new();
        for line in first..=last {
            let path = self.path_at(line);
            let weight = lines.line(text, line).len();
            match weights.iter_mut().find(|(known, _)| *known == path) {
                Some((_, sum)) => *sum += weight,
                None => weights.push((path, weight)),
            }
        }
        let most = weights.iter().map(|(_, weight)| *weight).max().unwrap_or(0);
        weights
            .iter()
            .find(|(_, weight)| *weight == most)
            .and_then(|(path, _)| path.cloned())
            .unwrap_or_default()
    }
}

/// How well a file may be cut before a line; a higher one is preferred.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cut {
    /// Inside a block of code or a table.
    Never,
    /// Inside a paragraph or a statement.
    Line,
    /// Before an inner block: a list item, a member of a class.
    Inner,
    /// Before a top-level block.
    Block,
    /// Before a heading.
    Section,
}

/// What a line is to a passage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Worth {
    /// It has words.
    Text,
    /// It has none, like a blank line: no passage begins or ends with it.
    Bare,
    /// It is in no passage, and no passage goes over it.
    Out,
}
