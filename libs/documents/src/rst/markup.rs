//! Inline markup: styles, references and roles of a text.

use std::ops::Range;

use super::Reader;
use super::line::Line;
use super::names::{self, Target};
use super::recognition::{begins, end, ends, name_before, role_after, role_before};
use super::text::{Text, unescaped};
use crate::Style;
use crate::inline::Inline;

/// Marks that begin inline markup, the longer ones first.
const MARKS: &[&str] = &["**", "*", "``", "_`", "`", "|", "["];

/// What is known of the text that is searched.
#[derive(Default)]
pub(super) struct Search {
    /// Where the text begins that no markup took yet.
    pub(super) from: usize,
    /// Marks that do not end any more.
    endless: Vec<&'static str>,
}

impl Reader<'_, '_> {
    /// Collects the visible text of lines.
    pub(super) fn inline(&mut self, lines: &[Line<'_>]) -> Inline {
        let mut out = Inline::default();
        self.scan(&Text::of(lines), &mut out);
        out
    }

    /// Adds the visible text of a text with markup.
    pub(super) fn scan(&mut self, text: &Text, out: &mut Inline) {
        let mut search = Search::default();
        let mut at = 0;
        let special = |c: char| matches!(c, '*' | '`' | '|' | '[' | '_' | '\\' | ':');
        while let Some(next) = text.text.get(at..).and_then(|rest| rest.find(special)) {
            at += next;
            at = match text.after(at) {
                Some('\\') => at + 1 + text.after(at + 1).map_or(0, char::len_utf8),
                Some(':') => self.address(text, at, &mut search, out),
                Some('_') if !text.get(at..at + 2).ends_with('`') => self.name(text, at, &mut search, out),
                _ => self.mark(text, at, &mut search, out),
            };
        }
        text.plain(search.from..text.text.len(), out);
    }

    /// Reads the markup whose mark is at a byte; gives the byte to go on from.
    fn mark(&mut self, text: &Text, at: usize, search: &mut Search, out: &mut Inline) -> usize {
        let rest = text.text.get(at..).unwrap_or("");
        let Some(mark) = MARKS.iter().copied().find(|mark| rest.starts_with(mark)) else { return at + 1 };
        let role = if mark == "`" { role_before(text, at, search.from) } else { None };
        let role = role.filter(|role| begins(text, role.start, at + 1, search.from));
        let start = role.as_ref().map_or(at, |role| role.start);
        let inside = at + mark.len();
        if !begins(text, start, inside, search.from) || search.endless.contains(&mark) {
            return inside;
        }
        let close = match mark {
            "_`" => "`",
            "[" => "]",
            mark => mark,
        };
        let Some(end) = end(text, inside, mark, close) else {
            if mark != "[" {
                search.endless.push(mark);
            }
            return inside;
        };
        let after = end + close.len();
        let content = inside..end;
        let read = match mark {
            "|" => return self.substituted(text, at..after, content, search, out),
            "[" => self.footnote(text, start, content, search.from, out),
            _ => {
                text.plain(search.from..start, out);
                Some(self.marked(text, mark, role, content, after, out))
            }
        };
        search.from = read.unwrap_or(search.from);
        read.unwrap_or(inside)
    }

    /// Adds what marks enclose; gives the byte after it.
    fn marked(
        &mut self,
        text: &Text,
        mark: &str,
        role: Option<Range<usize>>,
        content: Range<usize>,
        after: usize,
        out: &mut Inline,
    ) -> usize {
        match mark {
            "`" => return self.interpreted(text, role, content, out),
            "_`" => {
                self.anchor(text.get(content.clone()), text.line(content.start));
                text.plain(content, out);
            }
            _ => styled(text, mark, content, out),
        }
        after
    }

    /// Reads `` `text` `` with a role before or after it, or as a reference.
    fn interpreted(
        &mut self,
        text: &Text,
        role: Option<Range<usize>>,
        content: Range<usize>,
        out: &mut Inline,
    ) -> usize {
        let end = content.end + 1;
        let after = text.text.get(end..).unwrap_or("");
        if let Some(role) = role {
            let name = text.get(role.start + 1..role.end - 1).to_owned();
            self.role(&name, text, content, out);
            return end;
        }
        if let Some(name) = role_after(after) {
            self.role(name, text, content, out);
            return end + name.len() + 2;
        }
        let underscores = after.len() - after.trim_start_matches('_').len();
        match underscores {
            0 => {
                let role = self.default_role.clone();
                self.role(&role, text, content, out);
            }
            1 => self.reference(text, content, out),
            _ => self.nameless(text, content, out),
        }
        end + underscores.min(2)
    }

    /// Reads `text <target>`, or a text that is the name of its target.
    fn reference(&mut self, text: &Text, content: Range<usize>, out: &mut Inline) {
        let (title, target) = with_target(text, content.clone());
        let link = match target {
            Some(target) => match names::address(&target) {
                Target::Name(name) => self.names.lookup(&name),
                Target::Address(address) => Some(address),
                Target::Here(id) => Some(id),
            },
            None => self.names.lookup(&unescaped(text.get(content))),
        };
        out.open(Style::Link(link.unwrap_or_default()));
        text.plain(title, out);
        out.close();
    }

    /// Reads a reference that takes the next target without a name.
    fn nameless(&mut self, text: &Text, content: Range<usize>, out: &mut Inline) {
        if with_target(text, content.clone()).1.is_some() {
            return self.reference(text, content, out);
        }
        let link = match self.names.nameless.get(self.nameless) {
            Some(Target::Address(address)) => address.clone(),
            Some(Target::Here(id)) => format!("#{id}"),
            Some(Target::Name(name)) => self.names.lookup(name).unwrap_or_default(),
            None => String::new(),
        };
        self.nameless += 1;
        out.open(Style::Link(link));
        text.plain(content, out);
        out.close();
    }

    /// Reads `name_` and `name__`, the first `_` at a byte.
    fn name(&mut self, text: &Text, at: usize, search: &mut Search, out: &mut Inline) -> usize {
        let end = if text.after(at + 1) == Some('_') { at + 2 } else { at + 1 };
        let start = name_before(text, at, search.from);
        if start == at || !ends(text, end) || !begins(text, start, start, search.from) {
            return end;
        }
        let name = start..at;
        let named = end == at + 1;
        if !named && !self.builder.part && self.nameless >= self.names.nameless.len() {
            return end;
        }
        text.plain(search.from..start, out);
        // A name that is not defined is defined by a file that is missing, or by the site's settings.
        match named {
            true => self.reference(text, name, out),
            false => self.nameless(text, name, out),
        }
        search.from = end;
        end
    }

    /// Reads an address that stands for itself, its `:` at a byte.
    fn address(&mut self, text: &Text, at: usize, search: &mut Search, out: &mut Inline) -> usize {
        if !text.text.get(at..).is_some_and(|rest| rest.starts_with("://")) {
            return at + 1;
        }
        let before = text.get(search.from..at);
        let scheme = before.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or("");
        let start = at - scheme.len();
        if !matches!(scheme, "http" | "https" | "ftp" | "git" | "ssh" | "irc")
            || !begins(text, start, start, search.from)
        {
            return at + 1;
        }
        let rest = text.text.get(start..).unwrap_or("");
        let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '`' | '|' | '\\'));
        let whole = rest.get(..end.unwrap_or(rest.len())).unwrap_or("");
        let whole = whole.trim_end_matches(['.', ',', ':', ';', '!', '?', '\'', '*', ']', '}']);
        let whole = if whole.contains('(') { whole } else { whole.trim_end_matches([')', '.', ',']) };
        let end = start + whole.len();
        if end <= at + 3 {
            return at + 1;
        }
        text.plain(search.from..start, out);
        out.open(Style::Link(whole.to_owned()));
        text.literal(start..end, out);
        out.close();
        search.from = end;
        end
    }

    /// Reads `[label]_`; none if it is not the label of a footnote or citation.
    fn footnote(
        &mut self,
        text: &Text,
        start: usize,
        content: Range<usize>,
        from: usize,
        out: &mut Inline,
    ) -> Option<usize> {
        let label = text.get(content.clone());
        let end = content.end + 2;
        let word = |c: char| c.is_alphanumeric() || matches!(c, '#' | '*' | '-' | '_' | '.' | ':' | '+');
        if !label.chars().all(word) || text.after(content.end + 1) != Some('_') || !ends(text, end) {
            return None;
        }
        text.plain(from..start, out);
        let shown = self.footnote_number(label, true);
        let line = text.line(start);
        out.styled(Style::Link(format!("#{label}")), &format!("[{shown}]"), line);
        Some(end)
    }
}

fn styled(text: &Text, mark: &str, content: Range<usize>, out: &mut Inline) {
    match mark {
        "``" => {
            out.open(Style::Code);
            text.literal(content, out);
        }
        mark => {
            out.open(if mark == "*" { Style::Emphasis } else { Style::Strong });
            text.plain(content, out);
        }
    }
    out.close();
}

/// Parts of `text <target>`: the bytes of its title and its target; the whole as title without one.
pub(super) fn with_target(text: &Text, content: Range<usize>) -> (Range<usize>, Option<String>) {
    let whole = text.get(content.clone());
    let split = || {
        let inside = whole.strip_suffix('>')?;
        let at =
            inside.rfind('<').filter(|at| !inside.get(..*at).is_some_and(|before| before.ends_with('\\')))?;
        let target: String = inside.get(at + 1..)?.split_whitespace().collect::<Vec<_>>().concat();
        let title = inside.get(..at)?.trim_end();
        Some((title.len(), target))
    };
    match split() {
        Some((0, target)) => {
            let at = content.start + whole.find('<').unwrap_or(0) + 1;
            (at..content.end.saturating_sub(1).max(at), Some(target))
        }
        Some((title, target)) => (content.start..content.start + title, Some(target)),
        None => (content, None),
    }
}
