//! Tags that stand between the lines of Markdown: components become marks, Markdown goes on behind tags.

use super::containers::{Container, indent};
use super::directives::{any_label, label};
use super::mdx::{MdxTag, is_all_tags, is_open, is_tag_start, tag};
use super::rewrite::Rewriter;
use super::source::{Mark, Origin};

/// Lines over which a tag or an expression may go.
const MAX_LINES: usize = 40;

/// Marks in a line that may end the tag of a line above.
const MAX_ENDS: usize = 20;

/// Longest code of a component, in lines.
const MAX_CODE: usize = 1000;

/// Distance within which a tag is closed in its own line, in characters.
const MAX_CLOSE: usize = 400;

impl Rewriter<'_, '_> {
    /// Adds what is left of a tag or an expression in the next lines to its line; gives the text behind it.
    pub(super) fn join_tags(&mut self, line: &mut String) -> Option<(String, Origin)> {
        let braces = self.dialect.is_mdx;
        if self.join_from > self.row() || !line.contains(['<', '{']) || !is_open(line, braces) {
            return None;
        }
        let mut joined = line.clone();
        for count in 0..MAX_LINES {
            let next = self.peek(count)?.trim().to_owned();
            joined.push(' ');
            let before = joined.len();
            for (end, mark) in next.match_indices(['>', '}']).take(MAX_ENDS) {
                joined.truncate(before);
                joined.push_str(next.get(..end + mark.len()).unwrap_or(""));
                if !is_open(&joined, braces) {
                    *line = joined;
                    let place = self.origin(count);
                    self.skip(count + 1);
                    return Some((next.get(end + 1..).unwrap_or("").to_owned(), place));
                }
            }
            joined.truncate(before);
            joined.push_str(&next);
        }
        self.join_from = self.row() + MAX_LINES;
        None
    }

    /// Reads a line that begins with tags of blocks or components; Markdown goes on behind them.
    pub(super) fn tag_line(&mut self, line: &str, at: Origin) -> bool {
        let column = indent(line);
        let before = " ".repeat(column);
        let mut rest = line.trim();
        let mut is_markup = false;
        while let Some(tag) = tag(rest).filter(|_| is_tag_start(rest)) {
            let behind = rest.get(tag.bytes..).unwrap_or("").trim_start();
            let is_block = BLOCKS.contains(&tag.name.as_str());
            let is_alone = behind.is_empty() || is_markup || behind.starts_with('<');
            if !is_block && !(tag.is_component() && (is_alone || self.marks_of(&tag).is_some())) {
                break;
            }
            self.one_tag(&tag, &before, column, behind, at);
            is_markup = true;
            rest = behind;
        }
        if !is_markup && self.is_fresh && is_all_tags(rest) {
            // Alone, it would make HTML of the lines below.
            self.source.push(line, at);
            self.source.push("", at);
            return true;
        }
        if is_markup && !rest.is_empty() {
            self.source.push(&format!("{before}{rest}"), at);
            self.is_fresh = false;
        }
        is_markup
    }

    fn one_tag(&mut self, tag: &MdxTag, before: &str, column: usize, behind: &str, at: Origin) {
        if tag.closes {
            let is_it = |open: &Container| matches!(open, Container::Tag { name, .. } if *name == tag.name);
            if let Some(height) = self.open.iter().rposition(is_it) {
                self.open.remove(height);
            }
        }
        if tag.name == "CodeBlock" && !tag.closes && behind.is_empty() {
            return self.code_component(tag, before, at);
        }
        if tag.is_component() {
            if let Some(path) = self.partials.get(&tag.name).cloned().filter(|_| !tag.closes) {
                return self.include_page(&path, at);
            }
            let marks = match self.marks_of(tag) {
                Some(_) if tag.closes => vec![Mark::End],
                Some(marks) if !tag.closes_itself => marks,
                _ => Vec::new(),
            };
            self.source.mark(before, marks, at);
        } else {
            self.source.push(&format!("{before}{}", tag.html()), at);
            self.source.push("", at);
        }
        self.is_fresh = true;
        let is_closed = tag.closes || tag.closes_itself || {
            let end = behind.char_indices().nth(MAX_CLOSE).map_or(behind.len(), |(end, _)| end);
            behind.get(..end).is_some_and(|near| near.contains(&format!("</{}>", tag.name)))
        };
        if !is_closed && !VOID.contains(&tag.name.as_str()) {
            let tag_column = self.file_column(column);
            let name = tag.name.clone();
            self.open(Container::Tag { name, tag: tag_column, column: None, to: column });
        }
    }

    /// Copies code that a component holds as a template: `<CodeBlock>`, `{`, the lines, `}`.
    fn code_component(&mut self, tag: &MdxTag, before: &str, at: Origin) {
        let is_end = |line: &str| line.trim_start().starts_with("</CodeBlock>");
        let Some(count) = (0..MAX_CODE).find(|ahead| self.peek(*ahead).is_none_or(is_end)) else { return };
        let language = tag.value("language").unwrap_or_default();
        let title = tag.value("title").map_or_else(String::new, |title| format!(" title=\"{title}\""));
        self.source.push(&format!("{before}``````````{language}{title}"), at);
        for ahead in 0..count {
            let line = self.peek(ahead).unwrap_or("");
            let line = if ahead == 0 { line.trim_start().trim_start_matches("{`") } else { line };
            let line = if ahead + 1 == count { line.trim_end().trim_end_matches("`}") } else { line };
            let line = format!("{before}{line}");
            let place = self.origin(ahead);
            self.source.push(&line, place);
        }
        let place = self.origin(count);
        self.source.push(&format!("{before}``````````"), place);
        self.skip(count + 1);
        self.is_fresh = true;
    }

    /// What a component shows beside its content: a title, or the label of a note.
    fn marks_of(&self, tag: &MdxTag) -> Option<Vec<Mark>> {
        let title = || {
            ["title", "label", "summary", "header", "name", "value"].iter().find_map(|name| tag.value(name))
        };
        match tag.name.as_str() {
            "TabItem" | "Tab" | "Card" | "Accordion" | "Expandable" | "Step" | "Details" | "Collapsible" => {
                let title = title().filter(|title| !title.is_empty()).map(Mark::Title);
                Some(std::iter::once(Mark::Container).chain(title).collect())
            }
            "Admonition" | "Callout" | "Alert" | "Aside" => {
                let kind = tag.value("type").unwrap_or_else(|| "note".to_owned());
                let own = tag.value("title");
                Some(vec![Mark::Admonition(own.clone().unwrap_or_else(|| any_label(&kind)), own.is_some())])
            }
            name => label(name).map(|label| vec![Mark::Admonition(label.to_owned(), false)]),
        }
    }
}

/// Elements of HTML that are blocks for the parser.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "caption",
    "center",
    "col",
    "colgroup",
    "dd",
    "details",
    "dialog",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "iframe",
    "legend",
    "li",
    "main",
    "menu",
    "nav",
    "ol",
    "p",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "ul",
];

/// Blocks without content.
const VOID: &[&str] = &["hr", "col", "iframe"];
