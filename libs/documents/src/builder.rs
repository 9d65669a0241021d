//! Collects the blocks of a page: headings open sections, groups are numbered, leads are found.

use std::sync::Arc;

use assay_domain::LineRange;

use crate::anchors::Anchors;
use crate::inline::Inline;
use crate::{Block, Document, Files, Kind, Lines, Section, Warning, WarningKind};

/// Levels of lists, quotations, directives or elements that are told apart; deeper words are kept without structure.
pub(crate) const MAX_DEPTH: usize = 64;
/// Columns of a table that are told apart.
pub(crate) const MAX_COLUMNS: usize = 256;
/// Files that one page may include, each as often as it is named.
pub(crate) const MAX_INCLUDES: usize = 200;
/// Bytes of all files that one page may include, so that a set of pages is read in time linear in its bytes.
const MAX_INCLUDED_BYTES: usize = 4 << 20;
/// Warnings of one page that are kept.
const MAX_WARNINGS: usize = 50;

/// A page while it is read.
pub(crate) struct Builder<'t> {
    /// Its path in the set; empty for a passage.
    pub(crate) path: &'t str,
    /// Its text as stored.
    pub(crate) text: &'t str,
    /// Its lines.
    pub(crate) lines: Lines,
    /// The other files.
    pub(crate) files: &'t dyn Files,
    /// Whether the text is some lines of a file.
    pub(crate) part: bool,
    /// What was read.
    pub(crate) document: Document,
    /// The included file whose lines are read; none for the page itself.
    pub(crate) file: Option<Arc<str>>,
    /// Ids of headings.
    pub(crate) anchors: Anchors,
    open: Vec<(u8, String)>,
    groups: u32,
    includes: usize,
    included_bytes: usize,
    including: Vec<String>,
}

impl<'t> Builder<'t> {
    pub(crate) fn new(path: &'t str, text: &'t str, files: &'t dyn Files, part: bool) -> Self {
        let document =
            Document { sections: vec![Section { line: 1, ..Section::default() }], ..Document::default() };
        Self {
            path,
            text,
            lines: Lines::of(text),
            files,
            part,
            document,
            file: None,
            anchors: Anchors::default(),
            open: Vec::new(),
            groups: 0,
            includes: 0,
            included_bytes: 0,
            including: vec![path.to_owned()],
        }
    }

    /// The line, counted from 1, that holds a byte of the page.
    pub(crate) fn line_of(&self, byte: usize) -> u32 {
        u32::try_from(self.lines.line_of(byte) + 1).unwrap_or(u32::MAX)
    }

    /// A new number for a list, table or admonition.
    pub(crate) fn group(&mut self) -> u32 {
        self.groups += 1;
        self.groups
    }

    /// Adds a heading and opens its section. `own` is the id that the page gives it; `None` makes one from its words.
    /// The first heading of a document without a title names it.
    pub(crate) fn heading(&mut self, level: u8, inline: Inline, lines: LineRange, own: Option<&str>) {
        let (text, spans, starts) = inline.into_parts();
        let name = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if name.is_empty() {
            return;
        }
        if self.document.title.is_empty() && self.file.is_none() && !self.part {
            self.document.title.clone_from(&name);
        }
        let anchor = match own {
            Some(own) => own.to_owned(),
            None => self.anchors.of_heading(&name),
        };
        if !anchor.is_empty() {
            self.document.anchors.push((anchor.clone(), lines.first));
        }
        self.open.retain(|(above, _)| *above < level);
        self.open.push((level, name));
        self.document.sections.push(Section {
            headings: self.open.iter().map(|(_, name)| name.clone()).collect(),
            anchor,
            line: lines.first,
        });
        let kind = Kind::Heading { level };
        self.add(Block { kind, lines, file: None, section: 0, group: 0, lead: None, text, spans, starts });
    }

    /// Opens a section that no heading on the page names, under these headings with their levels.
    pub(crate) fn open_section(&mut self, path: Vec<(u8, String)>, anchor: &str, line: u32) {
        self.open = path;
        self.document.anchors.push((anchor.to_owned(), line));
        self.document.sections.push(Section {
            headings: self.open.iter().map(|(_, name)| name.clone()).collect(),
            anchor: anchor.to_owned(),
            line,
        });
    }

    /// Adds a block of collected text; nothing without words or image. Gives its index.
    pub(crate) fn block(
        &mut self,
        kind: Kind,
        inline: Inline,
        lines: LineRange,
        group: u32,
        lead: Option<usize>,
    ) -> Option<usize> {
        if inline.is_empty() {
            return None;
        }
        let (text, spans, starts) = inline.into_parts();
        Some(self.add(Block { kind, lines, file: None, section: 0, group, lead, text, spans, starts }))
    }

    /// Adds code whose first line of text is `first`; each further line of it is one further line of the file.
    pub(crate) fn code(
        &mut self,
        language: &str,
        code: &str,
        first: u32,
        lines: LineRange,
        lead: Option<usize>,
    ) -> Option<usize> {
        let text = code.strip_suffix('\n').unwrap_or(code).to_owned();
        if text.trim().is_empty() {
            return None;
        }
        let mut starts = vec![(0, first)];
        for (number, (at, _)) in text.match_indices('\n').enumerate() {
            let line = first.saturating_add(u32::try_from(number + 1).unwrap_or(u32::MAX));
            starts.push((at + 1, line.min(lines.last)));
        }
        let kind = Kind::Code { language: language.to_lowercase() };
        let spans = Vec::new();
        Some(self.add(Block { kind, lines, file: None, section: 0, group: 0, lead, text, spans, starts }))
    }

    fn add(&mut self, block: Block) -> usize {
        let section = self.document.sections.len() - 1;
        self.document.blocks.push(Block { file: self.file.clone(), section, ..block });
        self.document.blocks.len() - 1
    }

    /// Index of the last block if it can introduce a list, a table or code: prose of this section that ends in a colon.
    pub(crate) fn lead(&self) -> Option<usize> {
        let at = self.document.blocks.len().checked_sub(1)?;
        let block = self.document.blocks.get(at)?;
        let introduces = block.is_prose()
            && !matches!(block.kind, Kind::Heading { .. })
            && block.section == self.document.sections.len() - 1
            && block.text.trim_end().ends_with([':', '：', '…']);
        introduces.then_some(at)
    }

    /// Says that something could not be read as it was meant.
    pub(crate) fn warn(&mut self, line: u32, kind: WarningKind, message: String) {
        if self.document.warnings.len() < MAX_WARNINGS {
            self.document.warnings.push(Warning { line, kind, message });
        }
    }

    /// Text and path of a file that the present one includes; a warning where it is missing, or includes itself.
    /// End it with [`Self::end_include`].
    pub(crate) fn include(&mut self, target: &str, line: u32) -> Option<String> {
        let present = self.file.clone().map_or_else(|| self.path.to_owned(), |file| file.to_string());
        let path = resolve(&present, target);
        if self.including.contains(&path) || self.includes >= MAX_INCLUDES || self.including.len() > 16 {
            let message = format!("`{target}` is not included: a cycle, or too many files");
            self.warn(line, WarningKind::IncludeCycle, message);
            return None;
        }
        self.includes += 1;
        let Some(text) = self.files.text(&path) else {
            if !self.part {
                let message = format!("`{target}` is included and is not in the set");
                self.warn(line, WarningKind::MissingInclude, message);
            }
            return None;
        };
        self.included_bytes = self.included_bytes.saturating_add(text.len());
        if self.included_bytes > MAX_INCLUDED_BYTES {
            let message = format!("`{target}` is not included: more than {MAX_INCLUDED_BYTES} bytes are");
            self.warn(line, WarningKind::TooLarge, message);
            return None;
        }
        self.including.push(path.clone());
        self.file = Some(path.into());
        Some(text)
    }

    /// Goes back to the including file.
    pub(crate) fn end_include(&mut self) {
        self.including.pop();
        self.file = match self.including.len() {
            0 | 1 => None,
            _ => self.including.last().map(|path| path.as_str().into()),
        };
    }

    pub(crate) fn finish(self) -> Document {
        self.document
    }
}

/// Path in the set of a target as a file writes it: from the file's folder, or from the root where it begins with `/`.
pub(crate) fn resolve(from: &str, target: &str) -> String {
    let mut parts: Vec<&str> = match target.strip_prefix('/') {
        Some(_) => Vec::new(),
        None => from.split('/').collect(),
    };
    if !target.starts_with('/') {
        parts.pop();
    }
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}
