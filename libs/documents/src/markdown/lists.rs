//! Opens lists, items, definitions and tables.

use super::frames::{Definitions, Item, Role};
use super::source::Origin;
use super::table::Table;
use super::writer::Writer;
use crate::Kind;
use crate::inline::Inline;

impl Writer<'_, '_> {
    /// Makes room for a group; its number and the block that introduces it.
    fn group(&mut self) -> (u32, Option<usize>) {
        self.flush();
        self.materialise();
        (self.builder.group(), self.title.take().or_else(|| self.lead()))
    }

    pub(super) fn open_list(&mut self, name: &str, next: Option<u32>) {
        let (group, lead) = self.group();
        self.open(name, Role::List { next, group, lead });
    }

    /// Opens an item; without a list around it, a list of its own.
    pub(super) fn open_item(&mut self, name: &str, value: Option<u32>) {
        self.flush();
        let is_list = |role: &Role| matches!(role, Role::List { .. });
        if !self.is_in(is_list) {
            self.open_list("", None);
        }
        let depth = self.frames.iter().filter(|frame| is_list(&frame.role)).count();
        let list = self.frames.iter_mut().rev().find_map(|frame| match &mut frame.role {
            Role::List { next, group, lead } => Some((next, *group, *lead)),
            _ => None,
        });
        let Some((next, group, lead)) = list else { return };
        let number = next.map(|next| value.unwrap_or(next));
        *next = number.map(|number| number.saturating_add(1));
        let depth = u8::try_from(depth).unwrap_or(u8::MAX);
        self.open(name, Role::Item(Item { block: None, depth, number, ticked: None, group, lead }));
    }

    /// Ticks the box of the open item.
    pub(super) fn tick(&mut self, ticked: bool) {
        let item = self.frames.iter_mut().rev().find_map(|frame| match &mut frame.role {
            Role::Item(item) => Some(item),
            _ => None,
        });
        if let Some(item) = item {
            item.ticked = Some(ticked);
        }
    }

    pub(super) fn open_definitions(&mut self, name: &str) {
        let (group, lead) = self.group();
        self.open(name, Role::Definitions(Definitions { group, lead, ..Definitions::default() }));
    }

    /// Opens a table; inside a cell its words are text of the cell.
    pub(super) fn open_table(&mut self, name: &str) {
        self.flush();
        if self.in_cell() {
            return self.open(name, Role::Plain);
        }
        let (group, lead) = self.group();
        self.open(name, Role::Table(Box::new(Table::new(group, lead))));
    }

    /// Opens a row, a cell or a part of a table by the name of its element.
    pub(super) fn open_table_part(&mut self, name: &str, columns: usize, rows: u32) {
        let is_table = |role: &Role| matches!(role, Role::Table(_));
        let is_row = |role: &Role| matches!(role, Role::Row);
        if name == "td" || name == "th" {
            self.close_within(|role| matches!(role, Role::Cell), is_row);
        } else {
            self.close_within(is_row, is_table);
        }
        if self.in_cell() || !self.is_in(is_table) {
            return self.open(name, Role::Plain);
        }
        let has_row = self.table().is_some_and(|(table, _)| table.has_row());
        match name {
            "td" | "th" => {
                if !has_row {
                    self.open_row("tr");
                }
                if let Some((table, _)) = self.table() {
                    table.open_cell(columns, rows, name == "th");
                }
                self.open(name, Role::Cell);
            }
            "tr" => self.open_row(name),
            _ => {
                if let Some((table, _)) = self.table() {
                    table.in_head = name == "thead";
                }
            }
        }
    }

    fn open_row(&mut self, name: &str) {
        if let Some((table, _)) = self.table() {
            table.open_row();
        }
        self.open(name, Role::Row);
    }

    /// Adds a title that the page shows above a tab, a listing or a table.
    pub(super) fn show_title(&mut self, title: &str, at: Origin) {
        self.flush();
        if self.is_hidden() {
            return;
        }
        let present = std::mem::replace(&mut self.builder.file, self.source.path(at.file));
        let lines = assay_domain::LineRange::new(at.line, at.line);
        let mut inline = Inline::default();
        inline.push(title, at.line);
        if let (true, Some((table, _))) = (self.in_cell(), self.table()) {
            table.add(inline, lines);
        } else {
            self.materialise();
            let lead = self.lead();
            self.title = self.emit(Kind::Caption, inline, lines, 0, lead);
        }
        self.builder.file = present;
    }
}
