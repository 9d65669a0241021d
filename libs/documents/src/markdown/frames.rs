//! What is open around a piece of text: lists, items, cells, notes.

use super::source::Origin;
use super::table::Table;
use crate::inline::Inline;

/// One open element.
pub(super) struct Frame {
    /// Name of the HTML element; empty for Markdown, `:` for a mark.
    pub(super) name: String,
    pub(super) role: Role,
}

/// What an open element makes of the text in it.
pub(super) enum Role {
    Plain,
    Quote,
    /// Nothing of it is shown.
    Hidden,
    Heading {
        level: u8,
        own: Option<String>,
    },
    /// Title of a table, figure or fold.
    Caption,
    List {
        /// Number of the next item of an ordered list.
        next: Option<u32>,
        group: u32,
        lead: Option<usize>,
    },
    Item(Item),
    Admonition {
        label: String,
        group: u32,
        /// Place of a title of its own that is not shown yet.
        own: Option<Origin>,
        first: Option<usize>,
    },
    Table(Box<Table>),
    Row,
    Cell,
    Definitions(Definitions),
    Term,
    Description {
        block: Option<usize>,
    },
    /// Code in HTML.
    Pre {
        language: String,
        code: Inline,
        lines: Option<(u32, u32)>,
    },
}

/// An item of a list.
#[derive(Default)]
pub(super) struct Item {
    pub(super) block: Option<usize>,
    pub(super) depth: u8,
    pub(super) number: Option<u32>,
    pub(super) ticked: Option<bool>,
    pub(super) group: u32,
    pub(super) lead: Option<usize>,
}

/// A list of definitions.
#[derive(Default)]
pub(super) struct Definitions {
    pub(super) group: u32,
    pub(super) lead: Option<usize>,
    /// Terms that have no description yet, with their lines.
    pub(super) terms: Option<(Inline, u32, u32)>,
    /// Its last definition.
    pub(super) block: Option<usize>,
}
