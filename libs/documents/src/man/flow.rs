//! Text that macros fill: paragraphs, items, definitions and code, each on its level.

use assay_domain::LineRange;

use super::code::Code;
use super::escape::{self, Font, Piece};
use crate::Style;
use crate::builder::Builder;
use crate::inline::Inline;

/// Lines of what has none.
pub(super) const FIRST: LineRange = LineRange { first: 1, last: 1 };

/// Characters that `.tr` may change.
const MAX_TRANSLATED: usize = 32;

/// What the words go to before they are a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Capture {
    /// The term of a definition.
    Term,
    /// A heading of this level.
    Heading(u8),
    /// A cell of a table.
    Cell,
}

/// A level of indentation: the page, the inside of `.RS`, a list.
#[derive(Debug, Default)]
pub(super) struct Level {
    /// The block that the whole level belongs to.
    pub(super) owner: Option<usize>,
    /// The item or definition that is open.
    pub(super) current: Option<usize>,
    /// Its list; 0 for none.
    pub(super) group: u32,
    /// The list that ended last; a definition may go on with it.
    pub(super) ended: u32,
    /// What introduces the list.
    pub(super) lead: Option<usize>,
    /// Whether its list has items.
    pub(super) items: bool,
    /// The list of the last level inside it, what introduces it, and the blocks of the page at its end.
    pub(super) inner: Option<(u32, Option<usize>, usize)>,
    /// The list that the level before it held, if it stands right above.
    pub(super) continues: Option<(u32, Option<usize>)>,
    /// Whether the terms above the level wait for its first paragraph.
    pub(super) adopts: bool,
}

/// A paragraph, term or heading that is being collected.
#[derive(Debug, Default)]
pub(super) struct Open {
    pub(super) inline: Inline,
    pub(super) lines: Option<LineRange>,
}

/// The page's text while macros fill it.
pub(super) struct Flow<'b, 't> {
    pub(super) builder: &'b mut Builder<'t>,
    /// Whether lines stay as they are.
    pub(super) unfilled: bool,
    /// What the words go to.
    pub(super) capture: Option<Capture>,
    pub(super) open: Open,
    pub(super) code: Code,
    /// Terms whose description has not come.
    pub(super) terms: Vec<Open>,
    /// The item whose text has not come, with its number.
    pub(super) item: Option<Option<u32>>,
    pub(super) levels: Vec<Level>,
    /// Levels beyond those that are told apart.
    pub(super) beyond: usize,
    pub(super) font: Font,
    pub(super) before: Font,
    pub(super) styled: bool,
    /// Whether a space comes before the next word.
    pub(super) gap: bool,
    /// Whether the next word follows without a space.
    pub(super) glued: bool,
    pub(super) written: usize,
    /// Characters that `.tr` shows as others.
    pub(super) shown_as: Vec<(char, char)>,
}

impl<'b, 't> Flow<'b, 't> {
    pub(super) fn new(builder: &'b mut Builder<'t>) -> Self {
        Self {
            builder,
            unfilled: false,
            capture: None,
            open: Open::default(),
            code: Code::default(),
            terms: Vec::new(),
            item: None,
            levels: vec![Level::default()],
            beyond: 0,
            font: Font::Roman,
            before: Font::Roman,
            styled: false,
            gap: false,
            glued: false,
            written: 0,
            shown_as: Vec::new(),
        }
    }

    /// Writes text with its escapes.
    pub(super) fn write(&mut self, text: &str, line: u32) {
        let mut line = line;
        let mut rest = text;
        while let Some(at) = rest.find('\\') {
            self.put(rest.get(..at).unwrap_or(""), line);
            let after = rest.get(at + 1..).unwrap_or("");
            let (piece, taken) = escape::next(after);
            match piece {
                Piece::Text(text) => self.put(&text, line),
                Piece::Space => self.put(" ", line),
                Piece::Font(font) => self.set_font(font),
                Piece::FontBefore => self.set_font(self.before),
                Piece::Glue => self.glued = true,
                Piece::NextLine => line += 1,
                Piece::Comment => return,
                Piece::Margin => {
                    if let Some(taken_more) = self.margin(after.get(taken..).unwrap_or("")) {
                        rest = after.get(taken + taken_more..).unwrap_or("");
                        continue;
                    }
                }
                Piece::Nothing => {}
            }
            rest = after.get(taken..).unwrap_or("");
        }
        self.put(rest, line);
    }

    /// Begins the item whose mark stands in the margin; gives the bytes of the mark and the way back.
    fn margin(&mut self, text: &str) -> Option<usize> {
        let end = text.find("\\h")?;
        let mark = escape::plain(text.get(..end).filter(|mark| mark.len() < 16)?);
        let number = super::marks::item(&mark)?;
        let began = self.open.inline.is_empty() && self.capture.is_none() && !self.unfilled;
        if began {
            self.begin_item(number);
        }
        began.then_some(end)
    }

    /// Writes text as it is.
    pub(super) fn put(&mut self, text: &str, line: u32) {
        if text.is_empty() {
            return;
        }
        self.written += 1;
        let translated: String;
        let text = if self.shown_as.is_empty() {
            text
        } else {
            let shown = |c| self.shown_as.iter().find(|(from, _)| *from == c).map_or(c, |(_, to)| *to);
            translated = text.chars().map(shown).collect();
            &translated
        };
        let space = std::mem::take(&mut self.gap) && !std::mem::take(&mut self.glued);
        self.glued = false;
        if self.unfilled && self.capture.is_none() {
            self.code.put(text, space, line);
            return;
        }
        if space {
            self.open.inline.space();
        }
        self.show_font();
        self.open.inline.push(text, line);
        let lines = self.open.lines.get_or_insert_with(|| LineRange::new(line, line));
        *lines = LineRange::new(lines.first.min(line), lines.last.max(line));
    }

    /// Shows characters as others: each of a pair as the next.
    pub(super) fn translate(&mut self, pairs: &str) {
        let pairs: Vec<char> = escape::plain(pairs).chars().collect();
        for pair in pairs.chunks(2) {
            if let ([from, rest @ ..], true) = (pair, self.shown_as.len() < MAX_TRANSLATED) {
                self.shown_as.push((*from, rest.first().copied().unwrap_or(' ')));
            }
        }
    }

    fn show_font(&mut self) {
        let style = match self.font {
            Font::Roman => return,
            Font::Bold => Style::Strong,
            Font::Italic => Style::Emphasis,
            Font::Constant => Style::Code,
        };
        if !std::mem::replace(&mut self.styled, true) {
            self.open.inline.open(style);
        }
    }

    /// Changes the font of what comes.
    pub(super) fn set_font(&mut self, font: Font) {
        self.before = self.font;
        if font != self.font {
            if std::mem::take(&mut self.styled) {
                self.open.inline.close();
            }
            self.font = font;
        }
    }

    /// Writes a piece in a font of its own.
    pub(super) fn styled(&mut self, font: Font, text: &str, line: u32) {
        let (now, before) = (self.font, self.before);
        self.set_font(font);
        self.write(text, line);
        self.set_font(now);
        self.before = before;
    }

    /// Writes a link.
    pub(super) fn link(&mut self, target: &str, text: &str, line: u32) {
        let linked = !self.unfilled || self.capture.is_some();
        if linked {
            self.begin_link(target);
        }
        self.write(text, line);
        if linked {
            self.end_link();
        }
    }

    /// Begins the text of a link.
    pub(super) fn begin_link(&mut self, target: &str) {
        self.set_font(Font::Roman);
        self.open.inline.open(Style::Link(target.to_owned()));
    }

    /// Ends the text of a link; true where there was none.
    pub(super) fn end_link(&mut self) {
        self.set_font(Font::Roman);
        self.open.inline.close();
    }

    /// Lets the next word follow without a space.
    pub(super) fn glue(&mut self) {
        self.glued = true;
    }

    /// Puts a space before the next word.
    pub(super) fn gap(&mut self) {
        self.gap = true;
    }

    /// Puts a space before the next word, whatever came before it.
    pub(super) fn space(&mut self) {
        (self.gap, self.glued) = (true, false);
    }

    /// Ends a line of input.
    pub(super) fn end_line(&mut self) {
        if self.unfilled && self.capture.is_none() {
            if !std::mem::take(&mut self.glued) {
                self.code.end_line();
                self.gap = false;
            }
            return;
        }
        let glued = self.glued;
        self.gap = true;
        match self.capture {
            Some(Capture::Term | Capture::Heading(_)) if self.open.lines.is_some() && !glued => {
                self.end_capture()
            }
            _ => {}
        }
    }

    /// Breaks the line as a reader sees it.
    pub(super) fn line_break(&mut self) {
        if !self.unfilled && !matches!(self.capture, Some(Capture::Heading(_) | Capture::Term)) {
            self.open.inline.line_break();
        }
        (self.gap, self.glued) = (false, false);
    }
}
