//! What a page is made of: blocks of visible text, each with its kind, its lines and the headings above it.

use std::ops::Range;
use std::sync::Arc;

use assay_domain::LineRange;

/// A page that was read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Document {
    /// Title as the site generator shows it; empty where there is none.
    pub title: String,
    /// Tags of the front matter.
    pub tags: Vec<String>,
    /// Lines of the file that the front matter takes; 0 without any.
    pub front_matter_lines: u32,
    /// Stretches under one heading path; the first is above every heading.
    pub sections: Vec<Section>,
    /// In file order.
    pub blocks: Vec<Block>,
    /// Ids that a link to this page may name, each with its line: of headings, of elements, set by hand.
    pub anchors: Vec<(String, u32)>,
    /// Targets of links and images outside of blocks: reference definitions nobody uses, tables of contents.
    pub targets: Vec<(String, u32)>,
    /// What could not be read as it was meant.
    pub warnings: Vec<Warning>,
}

/// A stretch of a page under one heading path.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Section {
    /// Headings above it, outermost first, without the title of the front matter.
    pub headings: Vec<String>,
    /// Id of its own heading as the site generator makes it; empty above every heading.
    pub anchor: String,
    /// Line of its heading; 1 above every heading.
    pub line: u32,
}

/// A piece of a page that a reader takes in as one: no block holds another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// What it is.
    pub kind: Kind,
    /// Its lines of the file, or of the included file that `file` names.
    pub lines: LineRange,
    /// Path of the included file that holds it; none for the page itself.
    pub file: Option<Arc<str>>,
    /// Index of its section.
    pub section: usize,
    /// Number of the list, table, definition list or admonition that it belongs to, shared by its blocks; 0 for none.
    pub group: u32,
    /// Index of the block that introduces it: the sentence above a list, table or code; the item or definition that
    /// holds a further paragraph, code or an inner list; the caption of a table.
    pub lead: Option<usize>,
    /// Visible text: words with single spaces, hard line breaks as `\n`; of code its lines as they are.
    pub text: String,
    /// What parts of the text are, in order of their starts; they may nest.
    pub spans: Vec<Span>,
    /// Bytes of the text at which words of a further line of the file begin, ascending, the first one 0. The lines ascend
    /// but in a row, whose cells are read one after the other.
    pub starts: Vec<(usize, u32)>,
}

/// What a block is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A heading.
    Heading {
        /// 1 is the highest.
        level: u8,
    },
    /// A paragraph, also of a quotation.
    Paragraph,
    /// A list item: its first paragraph.
    Item {
        /// 1 for an outer list.
        depth: u8,
        /// Number that is shown before it; none for a bullet.
        number: Option<u32>,
        /// Whether it is ticked; none without a box.
        ticked: Option<bool>,
    },
    /// A row of a table.
    Row {
        /// Names of the columns; empty where the table has none.
        headers: Arc<[String]>,
        /// Its cells, in order of the columns.
        cells: Vec<Cell>,
        /// Whether it is the row of the names itself.
        head: bool,
    },
    /// Code, a literal block or output; the text is verbatim without its indentation and ends without a line break.
    Code {
        /// First word of its language as written, lower case; empty where none is declared.
        language: String,
    },
    /// A term, option, setting, function or variable, `\n`, and the first paragraph of its description.
    Definition {
        /// Bytes of the text that hold the term or terms.
        term: Range<usize>,
    },
    /// A paragraph of a note, warning, tip or the like.
    Admonition {
        /// Its label as shown: `Note`, `Warning`, or its own title.
        label: String,
    },
    /// The caption of a figure, table or listing, and the text that stands for an image alone in its paragraph.
    Caption,
}

/// A cell of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// Bytes of the row's text.
    pub text: Range<usize>,
    /// Column, from 0; a cell over several columns names its first.
    pub column: usize,
}

/// A part of a block's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Bytes of the text; empty for an image.
    pub range: Range<usize>,
    /// What it is.
    pub style: Style,
}

/// What a part of a text is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Style {
    /// Inline code.
    Code,
    /// Emphasis.
    Emphasis,
    /// Strong emphasis.
    Strong,
    /// Struck out: shown, and not said any more.
    Struck,
    /// A superscript.
    Raised,
    /// A subscript.
    Lowered,
    /// A link with its target as written; of a role or cross reference the target as written.
    Link(String),
    /// An image with its target; its alternative text is the visible text of the span where the page shows it.
    Image(String),
}

/// Something of a page that could not be read as it was meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// Line of the page; 0 for the whole file.
    pub line: u32,
    /// What it is.
    pub kind: WarningKind,
    /// As a clause, for people.
    pub message: String,
}

/// Kinds of [`Warning`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WarningKind {
    /// An included file that is not in the set.
    MissingInclude,
    /// A file that includes itself, or too many files or levels.
    IncludeCycle,
    /// Nesting beyond what is read; the words are kept, their structure is not.
    TooDeep,
    /// A table, list or page beyond what is read; what is left out is said.
    TooLarge,
}

impl Kind {
    /// Its name in protocols.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Heading { .. } => "heading",
            Self::Paragraph => "paragraph",
            Self::Item { .. } => "item",
            Self::Row { .. } => "row",
            Self::Code { .. } => "code",
            Self::Definition { .. } => "definition",
            Self::Admonition { .. } => "admonition",
            Self::Caption => "caption",
        }
    }
}

impl Block {
    /// The line of the file that holds a byte of the text.
    #[must_use]
    pub fn line_at(&self, byte: usize) -> u32 {
        let after = self.starts.partition_point(|(start, _)| *start <= byte);
        after.checked_sub(1).and_then(|at| self.starts.get(at)).map_or(self.lines.first, |(_, line)| *line)
    }

    /// The lines of the file that hold a part of the text.
    #[must_use]
    pub fn lines_of(&self, range: &Range<usize>) -> LineRange {
        let (one, other) =
            (self.line_at(range.start), self.line_at(range.end.saturating_sub(1).max(range.start)));
        LineRange::new(one.min(other), one.max(other))
    }

    /// Bytes of the text whose words are in some lines of the file.
    #[must_use]
    pub fn bytes_in(&self, lines: LineRange) -> Range<usize> {
        if lines.contains(self.lines) {
            return 0..self.text.len();
        }
        let at = |line: u32| {
            let index = self.starts.partition_point(|(_, start)| *start < line);
            self.starts.get(index).map_or(self.text.len(), |(byte, _)| (*byte).min(self.text.len()))
        };
        at(lines.first)..at(lines.last.saturating_add(1))
    }

    /// A part of the visible text with inline code between back-ticks, and ` | ` between the cells of a row; and where
    /// words of each line of the file begin in it, as [`Self::starts`] has it.
    #[must_use]
    pub fn marked(&self, range: Range<usize>) -> (String, Vec<(usize, u32)>) {
        let mut marks: Vec<(usize, &str)> = Vec::new();
        for code in
            self.spans_in(range.clone()).filter(|span| span.style == Style::Code).map(|span| &span.range)
        {
            if code.is_empty() {
                continue;
            }
            if code.start >= range.start
                && code.end <= range.end
                && marks.last().is_none_or(|(end, _)| *end <= code.start)
            {
                let holds = self.text.get(code.clone()).is_some_and(|inner| inner.contains('`'));
                let mark = if holds { "``" } else { "`" };
                marks.extend([(code.start, mark), (code.end, mark)]);
            }
        }
        let from = self.starts.partition_point(|(at, _)| *at <= range.start).saturating_sub(1);
        let mut starts = self.starts.iter().skip(from).copied().peekable();
        let mut marks = marks.into_iter().peekable();
        let is_row = matches!(self.kind, Kind::Row { .. });
        let (mut out, mut lines) = (String::with_capacity(range.len() + 8), Vec::new());
        for (at, c) in self.text.get(range.clone()).unwrap_or("").char_indices() {
            let at = range.start + at;
            // The line of the first word is that in which the part begins.
            while let Some((_, line)) = starts.next_if(|(start, _)| *start <= at) {
                match lines.last_mut() {
                    Some(last) if out.is_empty() => *last = (0, line),
                    _ => lines.push((out.len(), line)),
                }
            }
            while let Some((_, mark)) = marks.next_if(|(place, _)| *place <= at) {
                out.push_str(mark);
            }
            match c {
                '\t' if is_row => out.push_str(" | "),
                c => out.push(c),
            }
        }
        out.extend(marks.map(|(_, mark)| mark));
        (out, lines)
    }

    /// The spans that begin in a part of the text.
    pub fn spans_in(&self, range: Range<usize>) -> impl Iterator<Item = &Span> {
        let from = self.spans.partition_point(|span| span.range.start < range.start);
        let (end, whole) = (range.end, range.end >= self.text.len());
        self.spans.iter().skip(from).take_while(move |span| span.range.start < end || whole)
    }

    /// Whether the block is prose: no code and no row of a table.
    #[must_use]
    pub const fn is_prose(&self) -> bool {
        !matches!(self.kind, Kind::Code { .. } | Kind::Row { .. })
    }
}
