//! Marks inside a line: shortcodes, expressions, roles, attributes and tags of MDX become CommonMark or go.

use std::collections::HashMap;

use super::dialect::Dialect;
use super::roles::{bare_link, role};

/// Longest run of backticks that is looked up.
const MAX_TICKS: usize = 64;

/// Longest list of attributes, in bytes.
const MAX_LIST: usize = 400;

/// A line while its marks are rewritten.
struct Line<'l> {
    text: &'l str,
    out: String,
    at: usize,
    /// Ends that were looked for and are not in the rest of the line.
    absent: Vec<&'static str>,
    absent_ticks: Vec<usize>,
    /// Brackets open in the target of a link; none outside of one.
    target: Option<usize>,
}

/// Rewrites the marks of a line; code spans stay as they are.
pub(super) fn rewrite(line: &str, dialect: Dialect, labels: &HashMap<String, String>) -> String {
    if !line.contains(['{', '<', ':', '[']) {
        return line.to_owned();
    }
    let mut state = Line {
        text: line,
        out: String::with_capacity(line.len()),
        at: 0,
        absent: Vec::new(),
        absent_ticks: Vec::new(),
        target: None,
    };
    while let Some(next) = state.rest().find(['\\', '`', '{', '<', ':', '[', ']', ')', '(', ' ']) {
        state.copy(next);
        state.step(dialect, labels);
    }
    state.copy(state.rest().len());
    state.out
}

impl<'l> Line<'l> {
    fn rest(&self) -> &'l str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn copy(&mut self, bytes: usize) {
        self.out.push_str(self.rest().get(..bytes).unwrap_or(""));
        self.at += bytes;
    }

    /// What is between a start and an end, if the rest of the line begins so.
    fn inside(&mut self, start: &'static str, end: &'static str) -> Option<&'l str> {
        let body = self.rest().strip_prefix(start)?;
        if self.absent.contains(&end) {
            return None;
        }
        let found = body.find(end);
        if found.is_none() {
            self.absent.push(end);
        }
        let inner = body.get(..found?)?;
        self.at += start.len() + inner.len() + end.len();
        Some(inner)
    }

    /// Reads the mark at the present place.
    fn step(&mut self, dialect: Dialect, labels: &HashMap<String, String>) {
        let rest = self.rest();
        match rest.as_bytes().first() {
            Some(b'\\') => self.copy(1 + rest.chars().nth(1).map_or(0, char::len_utf8)),
            Some(b'`') => self.code(),
            Some(b'{') => self.brace(dialect, labels),
            Some(b'[') => match bare_link(rest, labels).filter(|_| dialect.is_myst) {
                Some((bytes, text)) => {
                    self.out.push_str(&text);
                    self.at += bytes;
                }
                None => self.copy(1),
            },
            Some(b']') if rest.starts_with("](") => {
                self.target = Some(0);
                self.copy(2);
            }
            Some(b'(') => {
                self.target = self.target.map(|open| open + 1);
                self.copy(1);
            }
            Some(b')') => {
                self.target = self.target.and_then(|open| open.checked_sub(1));
                self.copy(1);
            }
            Some(b' ') => {
                self.target = None;
                self.copy(1);
            }
            Some(b'<') if rest.starts_with("<!--") => {
                self.copy(rest.find("-->").map_or(rest.len(), |end| end + 3))
            }
            Some(b'<') if dialect.is_mdx => self.tag(),
            Some(b':') if self.icon() => {}
            Some(b':') if rest.starts_with(":::image ") => match self.inside(":::image ", ":::") {
                Some(inner) => {
                    let target = super::info::attribute(inner, "source=").unwrap_or_default();
                    self.out.push_str(&format!("![](<{target}>)"));
                }
                None => self.copy(1),
            },
            _ => self.copy(1),
        }
    }

    /// Copies a code span, or backticks that begin none.
    fn code(&mut self) {
        let rest = self.rest();
        let length = rest.bytes().take_while(|byte| *byte == b'`').count();
        if length > MAX_TICKS || self.absent_ticks.contains(&length) {
            return self.copy(length);
        }
        let mut end = length;
        while let Some(next) = rest.get(end..).and_then(|rest| rest.find('`')) {
            end += next;
            let run = rest.get(end..).unwrap_or("").bytes().take_while(|byte| *byte == b'`').count();
            end += run;
            if run == length {
                return self.copy(end);
            }
        }
        self.absent_ticks.push(length);
        self.copy(length);
    }

    fn brace(&mut self, dialect: Dialect, labels: &HashMap<String, String>) {
        for (start, end) in [("{{<", ">}}"), ("{{%", "%}}"), ("{{", "}}"), ("{%", "%}"), ("{/*", "*/}")] {
            let is_variable = start == "{{";
            let Some(inner) = self.inside(start, end) else { continue };
            if !is_variable {
                return self.out.push_str(&shown(inner));
            }
            if self.target.is_some() {
                let name: String = inner.chars().filter(|c| !c.is_whitespace()).collect();
                self.out.push_str(&format!("{{{{{name}}}}}"));
            }
            return;
        }
        if let Some((bytes, text)) = role(self.rest(), labels) {
            self.out.push_str(&text);
            self.at += bytes;
            return;
        }
        let is_behind = self.out.ends_with([')', ']', '`', '*', '_', '>']) || self.rest().starts_with("{:");
        let list = self.rest().bytes().take(MAX_LIST).position(|byte| byte == b'}');
        let list = list.filter(|_| is_behind).and_then(|end| self.rest().get(1..end));
        if let Some(list) = list.filter(|list| attributes(list).is_some()) {
            self.at += list.len() + 2;
            return;
        }
        if !dialect.is_mdx || self.target.is_some() || self.absent.contains(&"}") {
            return self.copy(1);
        }
        match super::mdx::expression(self.rest()) {
            Some((bytes, text)) => {
                self.out.push_str(&text);
                self.at += bytes;
            }
            None => {
                self.absent.push("}");
                self.copy(1);
            }
        }
    }

    /// Copies a tag of MDX without the attributes that are no text.
    fn tag(&mut self) {
        if self.absent.contains(&">") {
            return self.copy(1);
        }
        match super::mdx::tag(self.rest()) {
            Some(tag) => {
                self.out.push_str(&tag.html());
                self.at += tag.bytes;
            }
            None => {
                if super::mdx::is_tag_start(self.rest()) {
                    self.absent.push(">");
                }
                self.copy(1);
            }
        }
    }

    /// Leaves out an icon: `:material-check:`.
    fn icon(&mut self) -> bool {
        let Some(body) = self.rest().strip_prefix(':') else { return false };
        let is_icon =
            ["material-", "octicons-", "fontawesome-", "simple-"].iter().any(|set| body.starts_with(set));
        let end = body.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
        let Some(end) =
            end.filter(|end| is_icon && body.get(*end..).is_some_and(|rest| rest.starts_with(':')))
        else {
            return false;
        };
        self.at += end + 2;
        true
    }
}

/// What a reader sees of a shortcode in a line: the page that it names, or its text.
fn shown(inner: &str) -> String {
    let inner = inner.trim().trim_start_matches('-').trim();
    let quoted = || inner.split(['"', '\'', '`']).nth(1).map(str::to_owned);
    match inner.split_whitespace().next() {
        Some("ref" | "relref" | "link" | "post_url") => {
            quoted().or_else(|| inner.split_whitespace().nth(1).map(str::to_owned)).unwrap_or_default()
        }
        _ => super::info::attribute(inner, "text=").unwrap_or_default(),
    }
}

/// Id of a list of attributes (`#id .class key="value"`), empty without one; none for what is no such list.
pub(super) fn attributes(list: &str) -> Option<String> {
    let has_colon = list.starts_with(':');
    let list = list.trim_start_matches(':').trim();
    let (mut id, mut rest, mut count) = (String::new(), list, 0);
    while !rest.is_empty() {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let mut word = rest.get(..end)?;
        if let Some(name) = word.strip_prefix('#') {
            id = name.to_owned();
        } else if let Some((key, value)) = word.split_once('=') {
            let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
            if key.is_empty()
                || !key.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '@' | ':'))
            {
                return None;
            }
            if let Some(quote) = quote {
                let start = key.len() + 2;
                let close = rest.get(start..)?.find(quote)?;
                word = rest.get(..start + close + 1)?;
            }
        } else if !word.starts_with('.') && !has_colon {
            return None;
        }
        count += 1;
        rest = rest.get(word.len()..)?.trim_start();
    }
    (count > 0).then_some(id)
}

/// A title without its markup.
pub(super) fn title(text: &str) -> String {
    let text = text.trim();
    let text =
        text.strip_prefix('[').and_then(|inner| inner.split_once(']')).map_or(text, |(inner, _)| inner);
    let text = match text.rsplit_once('{') {
        Some((before, list)) if attributes(list.trim_end_matches('}')).is_some() => before.trim(),
        _ => text,
    };
    let text = text.trim_matches('"');
    let mut out = String::new();
    for event in pulldown_cmark::Parser::new(text) {
        match event {
            pulldown_cmark::Event::Text(text) | pulldown_cmark::Event::Code(text) => out.push_str(&text),
            pulldown_cmark::Event::SoftBreak => out.push(' '),
            _ => {}
        }
    }
    out
}

/// Brackets that a line opens, less those that it closes.
pub(super) fn brackets(line: &str) -> i64 {
    line.bytes().fold(0, |depth, byte| match byte {
        b'(' | b'[' | b'{' => depth + 1,
        b')' | b']' | b'}' => depth - 1,
        _ => depth,
    })
}
