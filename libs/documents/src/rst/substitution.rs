//! Expands `|name|`.

use std::ops::Range;

use super::Reader;
use super::markup::Search;
use super::names::{self, Substitution};
use super::text::Text;
use crate::Style;
use crate::inline::Inline;

/// Levels of substitutions in substitutions.
const LEVELS: usize = 8;
/// Bytes that substitutions may add to a page.
const BYTES: usize = 4 << 20;

impl Reader<'_, '_> {
    /// Puts what a name stands for, or its words; gives the byte to go on from.
    pub(super) fn substituted(
        &mut self,
        text: &Text,
        whole: Range<usize>,
        content: Range<usize>,
        search: &mut Search,
        out: &mut Inline,
    ) -> usize {
        let rest = text.text.get(whole.end..).unwrap_or("");
        let end = whole.end + (rest.len() - rest.trim_start_matches('_').len()).min(2);
        let name = names::normal(text.get(content.clone()));
        let found = self.names.substitutions.get(&name);
        let bytes = found.map_or(0, |found| found.text.len());
        let found = found.filter(|_| self.level < LEVELS && self.expanded + bytes <= BYTES).cloned();
        self.expanded += bytes;
        let before = search.from..whole.start;
        let trims = |side: &str| found.as_ref().is_some_and(|found| found.trims(side));
        match trims(":ltrim:") {
            true => text.plain(before.start..before.start + text.get(before).trim_end().len(), out),
            false => text.plain(before, out),
        }
        let link = if end > whole.end { self.names.lookup(&name) } else { None };
        let linked = link.map(|link| out.open(Style::Link(link)));
        match &found {
            Some(found) => self.substitute(found, text.line(whole.start), out),
            None => text.plain(content, out),
        }
        if linked.is_some() {
            out.close();
        }
        let after = text.text.get(end..).unwrap_or("");
        search.from = if trims(":rtrim:") { end + after.len() - after.trim_start().len() } else { end };
        search.from
    }

    fn substitute(&mut self, found: &Substitution, line: u32, out: &mut Inline) {
        match found.directive.as_str() {
            "replace" => {
                self.level += 1;
                self.scan(&Text::at(found.text.clone(), line), out);
                self.level -= 1;
            }
            "unicode" => out.push(&characters(&found.text), line),
            "image" => {
                out.open(Style::Image(found.first().to_owned()));
                out.close();
            }
            _ => {}
        }
    }
}

impl Substitution {
    /// Its first line.
    pub(super) fn first(&self) -> &str {
        self.text.lines().next().unwrap_or("").trim()
    }

    /// The value of an option.
    pub(super) fn option(&self, name: &str) -> Option<&str> {
        self.text.lines().skip(1).find_map(|line| line.strip_prefix(name)).map(str::trim)
    }

    fn trims(&self, side: &str) -> bool {
        self.directive == "unicode" && (self.option(side).is_some() || self.option(":trim:").is_some())
    }
}

/// Characters of codes such as `0xA9`, `U+00A9`, `&#xA9;` and of other words.
fn characters(text: &str) -> String {
    let line = text.lines().next().unwrap_or("");
    let codes = line.split(" .. ").next().unwrap_or("");
    let code = |word: &str| {
        let hex = ["0x", "0X", "x", "\\x", "U+", "u+", "\\u", "&#x"]
            .iter()
            .find_map(|mark| word.strip_prefix(mark));
        let hex = hex.and_then(|hex| u32::from_str_radix(hex.trim_end_matches(';'), 16).ok());
        hex.or_else(|| word.parse().ok()).and_then(char::from_u32)
    };
    codes.split_whitespace().map(|word| code(word).map_or_else(|| word.to_owned(), String::from)).collect()
}
