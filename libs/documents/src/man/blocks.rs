//! Blocks that the text of a page becomes: by what is open on its level of indentation.

use assay_domain::LineRange;

use super::escape::Font;
use super::flow::{Capture, FIRST, Flow, Level, Open};
use super::marks;
use crate::builder::MAX_DEPTH;
use crate::inline::Inline;
use crate::{Kind, WarningKind};

/// Longest line that can be a term above an indented description, in bytes.
const MAX_TERM: usize = 200;

impl Flow<'_, '_> {
    /// Ends the term or heading that is being collected.
    pub(super) fn end_capture(&mut self) {
        match self.capture.take() {
            Some(Capture::Term) => {
                let term = self.take();
                let is_styled = !term.inline.clone().into_parts().1.is_empty();
                match marks::item(term.inline.text()).filter(|_| self.terms.is_empty() && !is_styled) {
                    Some(number) => self.item = Some(number),
                    None if term.lines.is_some() => self.terms.push(term),
                    None => {}
                }
            }
            Some(Capture::Heading(level)) => {
                let Open { inline, lines } = self.take();
                let id = marks::id(inline.text());
                self.builder.heading(level, inline, lines.unwrap_or(FIRST), Some(&id));
            }
            _ => {}
        }
    }

    /// Takes what was collected, with its fonts closed.
    fn take(&mut self) -> Open {
        if std::mem::take(&mut self.styled) {
            self.open.inline.close();
        }
        (self.font, self.before, self.gap, self.glued) = (Font::Roman, Font::Roman, false, false);
        std::mem::take(&mut self.open)
    }

    /// Takes the text of a cell.
    pub(super) fn take_cell(&mut self) -> (Inline, Option<LineRange>) {
        self.capture = None;
        let Open { inline, lines } = self.take();
        (inline, lines)
    }

    /// Ends the paragraph: the next words are another block.
    pub(super) fn paragraph(&mut self) {
        if self.capture == Some(Capture::Cell) {
            self.line_break();
            return;
        }
        if self.unfilled && self.capture.is_none() {
            self.code.blank();
            return;
        }
        self.flush();
    }

    /// Makes blocks of everything that was collected.
    pub(super) fn flush(&mut self) {
        if matches!(self.capture, Some(Capture::Term | Capture::Heading(_))) {
            self.end_capture();
        }
        let Open { inline, lines } = self.take();
        if let Some(lines) = lines.filter(|_| !inline.is_empty()) {
            self.block(inline, lines);
        }
        if let Some((inline, lines)) = self.code.take() {
            self.settle(true);
            let lead = self.holder().or_else(|| self.builder.lead());
            self.builder.block(Kind::Code { language: String::new() }, inline, lines, 0, lead);
        }
    }

    fn block(&mut self, inline: Inline, lines: LineRange) {
        if !self.terms.is_empty() {
            self.define(Some((inline, lines)));
        } else if let Some(number) = self.item.take() {
            let depth = self.levels.iter().filter(|level| level.items).count() + usize::from(self.beyond > 0);
            let kind =
                Kind::Item { depth: u8::try_from(depth.max(1)).unwrap_or(u8::MAX), number, ticked: None };
            let (group, lead) = self.levels.last().map_or((0, None), |level| (level.group, level.lead));
            let made = self.builder.block(kind, inline, lines, group, lead);
            self.hold(made);
        } else {
            let lead = self.holder();
            if let Some(level) = self.levels.last_mut() {
                level.ended = 0;
            }
            self.builder.block(Kind::Paragraph, inline, lines, 0, lead);
        }
    }

    /// The item or definition that holds what comes.
    pub(super) fn holder(&self) -> Option<usize> {
        self.levels.last().and_then(|level| level.current.or(level.owner))
    }

    fn hold(&mut self, block: Option<usize>) {
        let count = self.levels.len();
        if let Some(level) = self.levels.last_mut() {
            if level.adopts {
                level.adopts = false;
                level.owner = block;
                if let Some(above) = self.levels.get_mut(count.saturating_sub(2)) {
                    above.current = block;
                }
            } else {
                level.current = block;
            }
        }
    }

    /// Makes the definition of the terms that wait.
    fn define(&mut self, description: Option<(Inline, LineRange)>) {
        let mut text = Inline::default();
        let mut lines: Option<LineRange> = None;
        let mut widen = |more: LineRange| {
            lines = Some(lines.map_or(more, |lines| {
                LineRange::new(lines.first.min(more.first), lines.last.max(more.last))
            }));
        };
        for term in std::mem::take(&mut self.terms) {
            if !text.is_empty() {
                text.verbatim(", ", term.lines.unwrap_or(FIRST).first);
            }
            widen(term.lines.unwrap_or(FIRST));
            text.append(term.inline);
        }
        let term = 0..text.len();
        if let Some((inline, more)) = description {
            widen(more);
            text.separate('\n');
            text.append(inline);
        }
        let adopts = self.levels.last().is_some_and(|level| level.adopts);
        let at = self.levels.len().saturating_sub(if adopts { 2 } else { 1 });
        let (group, lead) = self.levels.get(at).map_or((0, None), |level| (level.group, level.lead));
        let made = self.builder.block(Kind::Definition { term }, text, lines.unwrap_or(FIRST), group, lead);
        self.hold(made);
    }

    /// Makes definitions of terms that get no description: one where content `follows`, else one of each.
    fn settle(&mut self, follows: bool) {
        self.item = None;
        if follows && !self.terms.is_empty() {
            self.define(None);
        }
        for term in std::mem::take(&mut self.terms) {
            self.terms = vec![term];
            self.define(None);
        }
    }

    fn list(&mut self) {
        let introduces = self.builder.lead();
        if let Some(level) = self.levels.last_mut().filter(|level| level.group == 0) {
            (level.group, level.lead) = match level.continues.take() {
                Some(before) => before,
                None => (self.builder.group(), level.owner.or(introduces)),
            };
        }
    }

    /// Begins an item of a list.
    pub(super) fn begin_item(&mut self, number: Option<u32>) {
        self.flush();
        self.settle(false);
        self.list();
        if let Some(level) = self.levels.last_mut() {
            level.items = true;
        }
        self.item = Some(number);
    }

    /// Goes into a list: what it holds belongs to the item or definition that is open.
    pub(super) fn enter(&mut self, line: u32) {
        self.flush();
        self.settle(true);
        let owner = self.holder();
        self.push(line, Level { owner, ..Level::default() });
    }

    /// Whether terms wait for the first paragraph of this level.
    pub(super) fn waits(&self) -> bool {
        self.levels.last().is_some_and(|level| level.adopts)
    }

    /// Pieces of text so far.
    pub(super) fn written(&self) -> usize {
        self.written
    }

    /// Begins a term; the words up to the end of the line are it.
    pub(super) fn begin_term(&mut self) {
        self.flush();
        if self.waits() {
            self.settle(true);
        }
        self.item = None;
        self.list();
        self.capture = Some(Capture::Term);
    }

    /// Ends the list of the level.
    pub(super) fn end_list(&mut self) {
        self.flush();
        self.settle(false);
        if let Some(level) = self.levels.last_mut() {
            level.ended = if level.group == 0 { level.ended } else { level.group };
            (level.group, level.current, level.lead, level.items) = (0, None, None, false);
        }
    }

    /// Ends everything and begins a heading.
    pub(super) fn begin_heading(&mut self, level: u8) {
        self.unfilled = false;
        self.end_list();
        self.levels = vec![Level::default()];
        self.beyond = 0;
        self.capture = Some(Capture::Heading(level));
    }

    /// Goes a level in. A single short line above it without an end mark is the term of what it holds.
    pub(super) fn indent(&mut self, line: u32) {
        if self.capture.is_none() && self.terms.is_empty() && self.item.is_none() && self.is_term() {
            let term = self.take();
            let ended = self.levels.last().map_or(0, |level| level.ended);
            if let Some(level) = self.levels.last_mut().filter(|level| level.group == 0 && ended != 0) {
                level.group = ended;
            }
            self.list();
            self.terms.push(term);
            self.push(line, Level { adopts: true, ..Level::default() });
            return;
        }
        self.flush();
        if !self.terms.is_empty() {
            self.push(line, Level { adopts: true, ..Level::default() });
            return;
        }
        let owner = self.holder();
        self.push(line, Level { owner, ..Level::default() });
    }

    fn is_term(&self) -> bool {
        let text = self.open.inline.text().trim_end();
        let short =
            text.len() <= MAX_TERM && self.open.lines.is_some_and(|lines| lines.last - lines.first < 3);
        let free = self.levels.last().is_some_and(|level| level.current.is_none());
        short
            && free
            && !text.is_empty()
            && !text.ends_with(['.', ':', '!', '?', ';', ','])
            && !text.contains('\n')
    }

    fn push(&mut self, line: u32, mut level: Level) {
        let count = self.builder.document.blocks.len();
        let inner = self.levels.last().and_then(|above| above.inner).filter(|(_, _, at)| *at == count);
        level.continues = inner.map(|(group, lead, _)| (group, lead));
        if self.levels.len() < MAX_DEPTH && self.beyond == 0 {
            self.levels.push(level);
            return;
        }
        if self.beyond == 0 {
            self.builder.warn(
                line,
                WarningKind::TooDeep,
                format!("nesting beyond {MAX_DEPTH} levels is not kept"),
            );
        }
        self.beyond += 1;
    }

    /// Goes a level out.
    pub(super) fn outdent(&mut self) {
        self.flush();
        self.settle(false);
        if self.beyond > 0 {
            self.beyond -= 1;
        } else if self.levels.len() > 1 {
            let inner = self.levels.pop().filter(|level| level.group != 0);
            let count = self.builder.document.blocks.len();
            if let Some(level) = self.levels.last_mut() {
                level.inner = inner.map(|inner| (inner.group, inner.lead, count));
            }
        }
    }

    /// Begins or ends lines that stay as they are.
    pub(super) fn set_unfilled(&mut self, unfilled: bool) {
        if self.capture != Some(Capture::Cell) && self.unfilled != unfilled {
            self.flush();
            self.unfilled = unfilled;
        }
    }

    /// Ends the page.
    pub(super) fn finish(&mut self) {
        self.end_list();
        while self.levels.len() > 1 {
            self.levels.pop();
        }
    }
}
