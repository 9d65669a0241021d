//! Shortcodes of Hugo and tags of Liquid that open, close or hide blocks.

use super::containers::indent;
use super::directives::{Directive, any_label, directive, label};
use super::info::attribute;
use super::rewrite::Rewriter;
use super::source::{Mark, Origin};

/// Longest code or comment between shortcodes, in lines.
const MAX_LINES: usize = 2000;

/// What a shortcode makes of the lines up to its end.
enum Shortcode {
    Marks(Vec<Mark>),
    Code(String),
    Comment,
}

impl Rewriter<'_, '_> {
    /// Adds a line, parted at the shortcodes that are marks of blocks.
    pub(super) fn shortcodes(&mut self, line: &str, at: Origin) {
        let mut rest = line;
        let before = " ".repeat(indent(line));
        while let Some((start, inner, end)) = first(rest) {
            let Some(shortcode) = self.shortcode(inner) else {
                break;
            };
            let text = rest.get(..start).unwrap_or("");
            if !text.trim().is_empty() {
                self.plain_text(text, at);
            }
            match shortcode {
                Shortcode::Marks(marks) => self.mark(&before, marks, at),
                Shortcode::Code(language) => self.code_between(&language, inner, at),
                Shortcode::Comment => self.skip_past(inner),
            }
            rest = rest.get(end..).unwrap_or("");
            if rest.trim().is_empty() {
                return;
            }
        }
        let is_whole = rest.len() == line.len();
        if is_whole {
            self.plain_text(line, at);
        } else {
            self.plain_text(&format!("{before}{}", rest.trim_start()), at);
        }
    }

    /// What a shortcode does; none for one that is part of the text.
    fn shortcode(&self, inner: &str) -> Option<Shortcode> {
        let inner = inner.trim().trim_start_matches('-').trim();
        let name =
            inner.split(|c: char| c.is_whitespace() || c == '>' || c == '/').find(|word| !word.is_empty())?;
        let is_end = inner.starts_with('/') || name.starts_with("end");
        let name = if inner.starts_with('/') { name } else { name.strip_prefix("end").unwrap_or(name) };
        let title = || {
            let named =
                ["title=", "name=", "header=", "summary="].iter().find_map(|key| attribute(inner, key));
            named.or_else(|| inner.split('"').nth(1).filter(|_| !inner.contains('=')).map(str::to_owned))
        };
        let is_note = label(name).is_some() || matches!(name, "alert" | "admonition" | "hint" | "callout");
        let is_container = matches!(name, "tab" | "details" | "expand" | "collapse" | "card" | "accordion");
        if is_end {
            return (is_note || is_container).then(|| Shortcode::Marks(vec![Mark::End]));
        }
        if !self.closers.contains(name) {
            return None;
        }
        if name == "highlight" {
            return Some(Shortcode::Code(inner.split_whitespace().nth(1).unwrap_or("").to_owned()));
        }
        if name == "comment" {
            return Some(Shortcode::Comment);
        }
        if is_note {
            let kind = ["type=", "style=", "color="].iter().find_map(|key| attribute(inner, key));
            let kind = kind.filter(|kind| label(kind).is_some()).unwrap_or_else(|| name.to_owned());
            let own = title().filter(|title| !title.is_empty());
            let is_own = own.is_some();
            let label = own.map_or_else(|| any_label(&kind), |own| super::spans::title(&own));
            return Some(Shortcode::Marks(vec![Mark::Admonition(label, is_own)]));
        }
        if let (true, Directive::Container(title)) =
            (is_container, directive(name, &title().unwrap_or_default()))
        {
            let title = title.map(Mark::Title);
            return Some(Shortcode::Marks(std::iter::once(Mark::Container).chain(title).collect()));
        }
        None
    }

    /// Copies the code up to the end of its shortcode.
    fn code_between(&mut self, language: &str, inner: &str, at: Origin) {
        let count = self.lines_to_end(inner);
        self.source.push(&format!("``````````{language}"), at);
        for ahead in 0..count {
            let place = self.origin(ahead);
            let line = self.peek(ahead).unwrap_or("").to_owned();
            self.source.push(&line, place);
        }
        let place = self.origin(count);
        self.source.push("``````````", place);
        self.skip(count + 1);
    }

    fn skip_past(&mut self, inner: &str) {
        let count = self.lines_to_end(inner);
        self.skip(count + 1);
    }

    /// Lines before the one that ends a shortcode.
    fn lines_to_end(&self, inner: &str) -> usize {
        let name = inner.split_whitespace().next().unwrap_or("");
        let ends = [format!("/{name}"), format!("end{name}")];
        let is_end = |line: &str| line.contains("{") && ends.iter().any(|end| line.contains(end.as_str()));
        (0..MAX_LINES).find(|ahead| self.peek(*ahead).is_none_or(is_end)).unwrap_or(MAX_LINES)
    }
}

/// The first shortcode of a text outside code: where it begins, what is in it, where it ends.
fn first(text: &str) -> Option<(usize, &str, usize)> {
    let is_start = |(at, _): &(usize, &str)| {
        text.get(*at..).is_some_and(|rest| ["{{<", "{{%", "{%"].iter().any(|open| rest.starts_with(open)))
    };
    let start = text.match_indices('{').find(is_start)?.0;
    let is_code = text.get(..start)?.bytes().filter(|byte| *byte == b'`').count() % 2 == 1;
    let rest = text.get(start..)?;
    let (open, close) = if rest.starts_with("{{<") {
        (3, ">}}")
    } else if rest.starts_with("{{%") {
        (3, "%}}")
    } else {
        (2, "%}")
    };
    let length = rest.get(open..)?.find(close)?;
    let inner = rest.get(open..open + length)?;
    (!is_code).then_some((start, inner, start + open + length + close.len()))
}
