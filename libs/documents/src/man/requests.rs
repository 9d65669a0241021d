//! Requests of roff that shape the text, and those that begin what other programs read.

use super::Reader;
use super::escape::{self, Font};
use super::table::Table;

impl Reader<'_, '_> {
    /// Reads a request; false for one that shows nothing.
    pub(super) fn roff(&mut self, name: &str, rest: &str, line: u32) -> bool {
        let rest = rest.trim_start_matches([' ', '\t']);
        match name {
            "br" | "in" | "ti" | "ce" => self.flow.line_break(),
            "sp" if rest.starts_with('-') => self.flow.line_break(),
            "sp" | "bp" => self.flow.paragraph(),
            "nf" => self.flow.set_unfilled(true),
            "fi" => self.flow.set_unfilled(false),
            "ft" => self.flow.set_font(escape::font(rest.trim()).unwrap_or(Font::Roman)),
            "do" => self.control(rest, line),
            "nop" => self.line(&super::Line { text: rest.to_owned(), number: line }),
            "tr" => self.flow.translate(rest.trim_end()),
            "so" => self.include(rest, line),
            "TS" => {
                self.flow.flush();
                self.table = Some(Table::default());
            }
            "T&" => {
                if let Some(table) = self.table.as_mut() {
                    table.formats();
                }
            }
            "TE" => {
                if let Some(table) = self.table.take() {
                    table.finish(&mut self.flow, line);
                }
            }
            "EQ" => self.skipped_to = Some("EN"),
            "PS" => self.skipped_to = Some("PE"),
            _ => return false,
        }
        true
    }

    /// Includes a file: `.so` names it from the folder above the page's.
    fn include(&mut self, rest: &str, line: u32) {
        let Some(target) = rest.split_whitespace().next() else { return };
        self.flow.finish();
        if let Some(text) = self.flow.builder.include(&format!("../{target}"), line) {
            self.source.include(&text);
        }
    }
}
