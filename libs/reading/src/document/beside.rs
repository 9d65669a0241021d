//! Reads asides (titles, image texts) and raw HTML: what it shows, strikes out and runs.

use super::active::{self, Active};
use super::html::{HtmlTag, Markup, is_line_break, tags};
use super::reader::Reader;
use super::{Leaf, LeafKind, Run, RunKind};
use std::ops::Range;

/// Most bytes after a title in a link.
const TITLE_END: usize = 2;

impl Reader<'_> {
    pub(super) fn found_active(&mut self, what: Option<String>, range: &Range<usize>) {
        self.active.extend(what.map(|what| Active { range: range.clone(), what }));
    }

    pub(super) fn aside(&self, range: Range<usize>) -> Leaf {
        Leaf { kind: LeafKind::Aside, range, runs: Vec::new(), list_depth: self.lists }
    }

    /// The title of a link or image in a range, which a reader is shown beside it.
    pub(super) fn title(&mut self, title: &str, range: &Range<usize>) {
        if title.trim().is_empty() {
            return;
        }
        // A quotation mark and a parenthesis stand behind it.
        let from = range.end.saturating_sub(title.len() + TITLE_END).max(range.start);
        let found = self.text.get(from..range.end).and_then(|tail| tail.rfind(title)).map(|at| from + at);
        let own = found.map(|at| at..at + title.len());
        // Written in a definition elsewhere, or with character references.
        let range = own.unwrap_or(range.end.saturating_sub(1)..range.end);
        let run = Run { range: range.clone(), text: title.to_owned(), kind: RunKind::Text };
        self.asides.push(Leaf { runs: vec![run], ..self.aside(range) });
    }

    /// An inline tag: what it runs, shows beside the text, strikes out or breaks.
    pub(super) fn inline_html(&mut self, html: &str, range: Range<usize>) {
        self.found_active(active::in_html(html), &range);
        for tag in tags(html) {
            self.tag(&tag, &range);
            self.strike(&tag);
        }
        if is_line_break(html) {
            self.run(RunKind::Break { hard: true }, " ", range);
        }
    }

    pub(super) fn strike(&mut self, tag: &HtmlTag) {
        if tag.strikes() {
            let depth = self.struck_by_tags;
            self.struck_by_tags = if tag.closes { depth.saturating_sub(1) } else { depth + 1 };
        }
    }

    /// What a tag runs, and what it shows beside the text.
    fn tag(&mut self, tag: &HtmlTag, range: &Range<usize>) {
        self.found_active(active::in_tag(tag), range);
        for (name, value) in &tag.attributes {
            if matches!(name.as_str(), "alt" | "title" | "aria-label" | "placeholder" | "value" | "label") {
                self.title(&active::text_of(value), range);
            }
        }
    }

    pub(super) fn end_html(&mut self) {
        let (html, lines) = std::mem::take(&mut self.block);
        if let Some((_, start)) = lines.first() {
            let end = start
                + self.text.get(*start..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
            self.found_active(active::in_html(&html), &(*start..end));
        }
        for tag in tags(&html) {
            let line = lines.partition_point(|(start, _)| *start <= tag.start).saturating_sub(1);
            let Some((own, start)) = lines.get(line) else { continue };
            let start = start + (tag.start - own);
            let end =
                start + self.text.get(start..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
            self.tag(&tag, &(start..end));
        }
    }

    /// The words of a line of an HTML block: a reader sees them, so that they are claims; a marker in them is text.
    pub(super) fn html_words(&mut self, range: Range<usize>) {
        let mut at = range.start;
        while at < range.end {
            let rest = &self.text[at..range.end];
            let (length, next) = match self.markup {
                Markup::Words => match rest.find('<') {
                    Some(0) => (0, Markup::opened_by(rest)),
                    Some(length) => (length, Markup::Words),
                    None => (rest.len(), Markup::Words),
                },
                inside => match rest.find(inside.end()) {
                    Some(end) => (end + inside.end().len(), Markup::Words),
                    None => (rest.len(), inside),
                },
            };
            if self.markup == Markup::Words && length > 0 {
                self.html_run(at..at + length);
            } else if self.markup == Markup::Words {
                self.html_break(rest, at);
            }
            at += length;
            self.markup = next;
            if length == 0 {
                // The opening character; what follows it is looked at in its own state.
                at += 1;
            }
        }
    }

    fn html_run(&mut self, range: Range<usize>) {
        let text = &self.text[range.clone()];
        let words = text.trim_matches(['\n', '\r']);
        if self.leaf.is_none() && words.trim().is_empty() {
            return;
        }
        let kind = if self.lists == 0 { LeafKind::Paragraph } else { LeafKind::Item };
        if self.leaf.is_none() {
            self.begin(kind, range.clone());
        }
        if let Some(leaf) = &mut self.leaf {
            leaf.range.end = leaf.range.end.max(range.end);
            leaf.runs.push(Run {
                range,
                text: text.to_owned(),
                kind: if self.struck_by_tags > 0 { RunKind::Struck } else { RunKind::Text },
            });
        }
    }

    /// A tag of a block, or a line break, ends the sentence before it.
    fn html_break(&mut self, tag: &str, at: usize) {
        if let Some(found) = tag.find('>').and_then(|end| tags(&tag[..=end]).pop()) {
            self.strike(&found);
        }
        let name = tag.trim_start_matches(['<', '/']);
        let name = name.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        let inline =
            ["b", "i", "em", "strong", "code", "a", "span", "sub", "sup", "u", "s", "small", "kbd", "mark"];
        if inline.iter().any(|one| name.eq_ignore_ascii_case(one)) {
            return;
        }
        if let Some(leaf) = &mut self.leaf {
            leaf.runs.push(Run { range: at..at, text: " ".to_owned(), kind: RunKind::Break { hard: true } });
        }
    }
}
