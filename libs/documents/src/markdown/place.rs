//! Makes blocks of text by what is open around it.

use assay_domain::LineRange;

use super::autolinks;
use super::frames::{Definitions, Frame, Item, Role};
use super::writer::{Text, Writer};
use crate::inline::Inline;
use crate::{Kind, Style, anchors};

impl Writer<'_, '_> {
    /// Makes a block of the collected text.
    pub(super) fn flush(&mut self) {
        self.end_styles();
        let Some(text) = self.text.take() else { return };
        self.builder.file = self.source.path(text.file);
        let lines = LineRange::new(text.first, text.last);
        if text.inline.text().trim().is_empty() && !text.images.is_empty() && !self.in_cell() {
            self.figure(text, lines);
        } else if !text.inline.is_empty() {
            self.place(text.inline, lines);
        }
    }

    /// Adds images that stand alone, under their alternative text.
    fn figure(&mut self, text: Text, lines: LineRange) {
        let mut inline = Inline::default();
        for (target, alternative, line) in text.images {
            inline.styled(Style::Image(target), &alternative, line);
            inline.space();
        }
        self.builder.document.targets.extend(text.links);
        self.materialise();
        let lead = self.lead();
        self.emit(Kind::Caption, inline, lines, 0, lead);
    }

    /// Puts text into what is open around it.
    fn place(&mut self, inline: Inline, lines: LineRange) {
        if self.in_cell() {
            if let Some((table, _)) = self.table() {
                table.add(inline, lines);
            }
            return;
        }
        for at in (0..self.frames.len()).rev() {
            let is_confined = self.is_confined(at);
            match self.frames.get_mut(at).map(|frame| &mut frame.role) {
                Some(Role::Heading { level, own }) if !is_confined => {
                    let (level, own) = (*level, own.take());
                    return self.heading(level, own.as_deref(), inline, lines);
                }
                Some(Role::Heading { own, .. }) => {
                    let own = own.take().unwrap_or_else(|| self.builder.anchors.of_heading(inline.text()));
                    self.builder.document.anchors.push((own, lines.first));
                }
                Some(Role::Caption) => return self.caption(inline, lines),
                Some(Role::Term) => return self.term(inline, lines),
                Some(Role::Item(_)) => return self.in_item(at, inline, lines),
                Some(Role::Description { block }) => {
                    let block = *block;
                    return self.in_description(at, block, inline, lines);
                }
                Some(Role::Admonition { .. }) => return self.in_admonition(at, inline, lines),
                _ => {}
            }
        }
        self.emit(Kind::Paragraph, inline, lines, 0, None);
    }

    /// Whether a heading at this height opens no section: in a quotation, an item or the like.
    fn is_confined(&self, at: usize) -> bool {
        self.frames.iter().take(at).any(|frame| {
            matches!(frame.role, Role::Quote | Role::Item(_) | Role::Description { .. } | Role::Table(_))
        })
    }

    fn heading(&mut self, level: u8, own: Option<&str>, inline: Inline, lines: LineRange) {
        self.title = None;
        let name = inline.text().to_owned();
        self.builder.heading(level, inline, lines, own);
        if own.is_none() {
            self.further_ids(&name, lines.first);
        }
    }

    /// Adds the ids that MkDocs and Sphinx give a heading, where they differ from the one of GitHub.
    fn further_ids(&mut self, name: &str, line: u32) {
        let document = &mut self.builder.document;
        let first = document.sections.last().map(|section| section.anchor.clone()).unwrap_or_default();
        for id in [anchors::collapsed(name), anchors::docutils(name)] {
            let is_new = id != first && document.anchors.last().is_none_or(|(last, _)| *last != id);
            if is_new && !id.is_empty() {
                document.anchors.push((id, line));
            }
        }
    }

    /// Adds a title, which leads its table.
    fn caption(&mut self, inline: Inline, lines: LineRange) {
        let lead = self.lead();
        let block = self.emit(Kind::Caption, inline, lines, 0, lead);
        if let Some((table, _)) = self.table() {
            table.lead = block;
        }
    }

    fn in_item(&mut self, at: usize, inline: Inline, lines: LineRange) {
        let Some(Role::Item(item)) = self.frames.get(at).map(|frame| &frame.role) else { return };
        if item.block.is_some() {
            let lead = item.block;
            self.emit(Kind::Paragraph, inline, lines, 0, lead);
            return;
        }
        let kind = Kind::Item { depth: item.depth, number: item.number, ticked: item.ticked };
        let (group, lead) = (item.group, item.lead);
        let made = self.emit(kind, inline, lines, group, lead);
        if let Some(Role::Item(item)) = self.frames.get_mut(at).map(|frame| &mut frame.role) {
            item.block = made;
        }
    }

    fn in_admonition(&mut self, at: usize, inline: Inline, lines: LineRange) {
        let Some(Role::Admonition { label, group, first, .. }) = self.frames.get(at).map(|frame| &frame.role)
        else {
            return;
        };
        let (kind, group, is_first) = (Kind::Admonition { label: label.clone() }, *group, first.is_none());
        let lead = if is_first { self.container(at) } else { None };
        let made = self.emit(kind, inline, lines, group, lead);
        if let Some(Role::Admonition { first, .. }) = self.frames.get_mut(at).map(|frame| &mut frame.role) {
            *first = first.or(made);
        }
    }

    fn in_description(&mut self, at: usize, block: Option<usize>, inline: Inline, lines: LineRange) {
        if block.is_some() {
            self.emit(Kind::Paragraph, inline, lines, 0, block);
            return;
        }
        let list = self.frames.iter().take(at).rposition(|frame| matches!(frame.role, Role::Definitions(_)));
        let taken = list.and_then(|list| self.frames.get_mut(list)).and_then(|frame| match &mut frame.role {
            Role::Definitions(list) => Some((list.terms.take(), list.group, list.lead, list.block)),
            _ => None,
        });
        let made = match taken {
            Some((Some((mut terms, first, _)), group, lead, _)) => {
                let term = 0..terms.len();
                terms.separate('\n');
                terms.append(inline);
                let lines = LineRange::new(first, lines.last.max(first));
                self.emit(Kind::Definition { term }, terms, lines, group, lead)
            }
            Some((None, _, _, before)) => self.emit(Kind::Paragraph, inline, lines, 0, before),
            None => self.emit(Kind::Paragraph, inline, lines, 0, None),
        };
        if let Some(Role::Definitions(list)) =
            list.and_then(|list| self.frames.get_mut(list)).map(|frame| &mut frame.role)
        {
            list.block = made;
        }
        if let Some(Role::Description { block }) = self.frames.get_mut(at).map(|frame| &mut frame.role) {
            *block = made;
        }
    }

    /// Keeps a term until its description comes.
    fn term(&mut self, inline: Inline, lines: LineRange) {
        let list = self.frames.iter_mut().rev().find_map(|frame| match &mut frame.role {
            Role::Definitions(list) => Some(list),
            _ => None,
        });
        match list {
            Some(Definitions { terms: Some((terms, _, last)), .. }) => {
                terms.separate(',');
                terms.space();
                terms.append(inline);
                *last = lines.last;
            }
            Some(list) => list.terms = Some((inline.finished(), lines.first, lines.last)),
            None => drop(self.emit(Kind::Paragraph, inline, lines, 0, None)),
        }
    }

    /// Adds the definition of terms that have no paragraph behind them.
    pub(super) fn define_terms(&mut self, list: &mut Definitions) {
        if let Some((terms, first, last)) = list.terms.take() {
            let term = 0..terms.len();
            let lines = LineRange::new(first, last.max(first));
            list.block = self.emit(Kind::Definition { term }, terms, lines, list.group, list.lead);
        }
    }

    /// Adds what comes before a block that is no paragraph: the term that it describes, the title of its note.
    pub(super) fn materialise(&mut self) {
        self.title_of_note();
        let is_bare = |frame: &Frame| matches!(frame.role, Role::Description { block: None });
        let Some(at) = self.frames.iter().rposition(is_bare) else { return };
        let list = self.frames.iter().take(at).rposition(|frame| matches!(frame.role, Role::Definitions(_)));
        let Some(list) = list else { return };
        let Some(frame) = self.frames.get_mut(list) else { return };
        let Role::Definitions(mut taken) = std::mem::replace(&mut frame.role, Role::Plain) else { return };
        self.define_terms(&mut taken);
        let made = taken.block;
        if let Some(frame) = self.frames.get_mut(list) {
            frame.role = Role::Definitions(taken);
        }
        if let Some(Role::Description { block }) = self.frames.get_mut(at).map(|frame| &mut frame.role) {
            *block = made;
        }
    }

    /// Shows the title of a note that begins with no paragraph.
    fn title_of_note(&mut self) {
        let is_note = |frame: &Frame| matches!(frame.role, Role::Admonition { first: None, .. });
        let Some(at) = self.frames.iter().rposition(is_note) else { return };
        let note = self.frames.get_mut(at).and_then(|frame| match &mut frame.role {
            Role::Admonition { label, own, .. } => own.take().map(|own| (label.clone(), own)),
            _ => None,
        });
        let Some((label, place)) = note else { return };
        self.show_title(&label, place);
        let title = self.title;
        if let Some(Role::Admonition { first, .. }) = self.frames.get_mut(at).map(|frame| &mut frame.role) {
            *first = title;
        }
    }

    /// The block that holds what begins now: an item, a definition, a note.
    fn container(&self, height: usize) -> Option<usize> {
        self.frames.iter().take(height).rev().find_map(|frame| match &frame.role {
            Role::Item(Item { block, lead, .. }) => block.or(*lead),
            Role::Description { block } => *block,
            Role::Admonition { first, .. } => *first,
            _ => None,
        })
    }

    /// The block that introduces what begins now: the sentence above it, or what holds it.
    pub(super) fn lead(&self) -> Option<usize> {
        let container = self.container(self.frames.len());
        self.builder
            .lead()
            .filter(|above| container.is_none_or(|container| *above >= container))
            .or(container)
    }

    /// Adds code; in a cell it is text of the cell.
    pub(super) fn code(&mut self, language: &str, code: Inline, lines: LineRange) {
        if code.text().trim().is_empty() || self.is_hidden() {
            return;
        }
        if self.in_cell() {
            if let Some((table, _)) = self.table() {
                table.add(code, lines);
            }
            return;
        }
        self.materialise();
        let lead = self.title.take().or_else(|| self.lead());
        let kind = Kind::Code { language: language.to_owned() };
        self.builder.block(kind, code, lines, 0, lead);
    }

    /// Adds a block of prose, with links for its bare addresses.
    pub(super) fn emit(
        &mut self,
        kind: Kind,
        inline: Inline,
        lines: LineRange,
        group: u32,
        lead: Option<usize>,
    ) -> Option<usize> {
        self.title = None;
        let made = self.builder.block(kind, inline, lines, group, lead);
        if let Some(block) = made.and_then(|at| self.builder.document.blocks.get_mut(at)) {
            autolinks::add(block);
        }
        made
    }
}
