//! Containers that dialects open by a line: `:::`, indented notes and tabs, alerts in quotations.

use std::borrow::Cow;

use super::directives::{Directive, any_label, directive};
use super::info::attribute;
use super::rewrite::Rewriter;
use super::source::{Mark, Origin};

/// Containers that may be open at once; further ones are only text.
const MAX_OPEN: usize = 128;

/// An open container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Container {
    /// A directive between fences of a mark.
    Fence { mark: char, length: usize, hides: bool },
    /// A directive between lines of colons.
    Colon { length: usize, hides: bool },
    /// Lines that are indented at least so far; they are moved to the column of the line that opened it.
    Indented { column: usize, to: usize },
    /// Lines between tags; their column is that of the first of them.
    Tag { name: String, tag: usize, column: Option<usize>, to: usize },
}

/// Whether a container moves its lines.
fn moves(open: &Container) -> bool {
    matches!(open, Container::Indented { .. } | Container::Tag { .. })
}

/// Columns of white space at the start of a line.
pub(super) fn indent(line: &str) -> usize {
    let mut column = 0;
    for byte in line.bytes() {
        match byte {
            b' ' => column += 1,
            b'\t' => column += 4 - column % 4,
            _ => break,
        }
    }
    column
}

impl Rewriter<'_, '_> {
    /// Opens a container; without room its lines are plain.
    pub(super) fn open(&mut self, container: Container) {
        if self.open.len() < MAX_OPEN {
            self.open.push(container);
        }
    }

    /// Whether a line is in a directive that is not shown; its last line ends it.
    pub(super) fn hides(&mut self, line: &str) -> bool {
        match self.open.last() {
            Some(Container::Fence { mark, length, hides: true }) => {
                let (mark, length) = (*mark, *length);
                if super::fences::closes(line, mark, length) {
                    self.open.pop();
                }
                true
            }
            Some(Container::Colon { length, hides: true }) => {
                let length = *length;
                if super::fences::closes(line, ':', length) || line.trim_start().starts_with(":::image-end") {
                    self.open.pop();
                }
                true
            }
            _ => false,
        }
    }

    /// Moves a line to the column of what holds it, and ends indented containers before it.
    pub(super) fn dedent<'l>(&mut self, line: &'l str, at: Origin) -> Cow<'l, str> {
        let column = indent(line);
        let is_close = line.trim_start().starts_with("</");
        while let Some(Container::Indented { column: inside, to }) = self.indenting() {
            if column >= inside {
                break;
            }
            let end = self.open.iter().rposition(|open| matches!(open, Container::Indented { .. }));
            let Some(end) = end else { break };
            self.end_containers(end, to, at);
        }
        if let Some(Container::Tag { column: known, tag, .. }) =
            self.open.iter_mut().rev().find(|open| moves(open))
        {
            known.get_or_insert(if is_close { *tag } else { column.max(*tag) });
        }
        self.moved(line)
    }

    /// A line at the column of what holds it.
    pub(super) fn moved<'l>(&self, line: &'l str) -> Cow<'l, str> {
        let (inside, to) = match self.indenting() {
            Some(Container::Indented { column, to }) => (column, to),
            Some(Container::Tag { column, tag, to, .. }) => (column.unwrap_or(tag), to),
            _ => return Cow::Borrowed(line),
        };
        let column = to + indent(line).saturating_sub(inside);
        Cow::Owned(format!("{}{}", " ".repeat(column), line.trim_start()))
    }

    /// The innermost container that moves lines.
    fn indenting(&self) -> Option<Container> {
        self.open.iter().rev().find(|open| moves(open)).cloned()
    }

    /// Ends the containers above a height, with a mark for each that made one.
    pub(super) fn end_containers(&mut self, height: usize, column: usize, at: Origin) {
        let ended = self.open.drain(height.min(self.open.len())..);
        let marks = ended.filter(|open| !matches!(open, Container::Tag { .. })).map(|_| Mark::End).collect();
        self.mark(&" ".repeat(column), marks, at);
    }

    /// Reads a line of colons: `:::note Title`, `::: tip`, `:::{name} argument`, `:::row:::`, `:::`.
    pub(super) fn colon_line(&mut self, line: &str, at: Origin) -> bool {
        let body = line.trim();
        let length = body.bytes().take_while(|byte| *byte == b':').count();
        if length < 3 {
            return false;
        }
        let rest = body.get(length..).unwrap_or("").trim();
        let name_end = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '{' | '}')));
        let name = rest.get(..name_end.unwrap_or(rest.len())).unwrap_or("");
        let argument = rest.get(name.len()..).unwrap_or("").trim();
        if rest.is_empty() || name.ends_with("-end") {
            return self.close_colon(line, length, at);
        }
        let is_whole = rest.trim_end_matches(':').len() + 3 <= rest.len();
        if name.is_empty() || name == "code" {
            return is_whole;
        }
        if name == "image" {
            let is_complex = argument.contains("type=\"complex\"");
            if let Some(target) = attribute(argument, "source=") {
                let alternative = attribute(argument, "alt-text=").unwrap_or_default();
                let before = line.get(..line.len() - line.trim_start().len()).unwrap_or("");
                self.source
                    .push(&format!("{before}![{}](<{target}>)", alternative.replace(['[', ']'], "")), at);
            }
            if is_complex {
                self.open(Container::Colon { length, hides: true });
            }
            return true;
        }
        let name = name.trim_matches(['{', '}']);
        let argument = argument.trim_end_matches(':').trim();
        self.colon_start(line, length, name, argument, at);
        true
    }

    fn colon_start(&mut self, line: &str, length: usize, name: &str, argument: &str, at: Origin) {
        let is_part = matches!(name, "zone" | "moniker" | "row" | "column" | "code-group" | "tabs");
        let title = super::spans::title(if is_part { "" } else { argument });
        let made = directive(name, &title);
        let marks = match made {
            Directive::Hidden => {
                self.skip_options();
                return self.open(Container::Colon { length, hides: true });
            }
            Directive::Admonition(label, is_own) => vec![Mark::Admonition(label, is_own)],
            Directive::Container(Some(title)) => vec![Mark::Container, Mark::Title(title)],
            _ => vec![Mark::Container],
        };
        self.mark(line, marks, at);
        self.skip_options();
        self.open(Container::Colon { length, hides: false });
    }

    fn close_colon(&mut self, line: &str, length: usize, at: Origin) -> bool {
        let is_it = |open: &Container| matches!(open, Container::Colon { length: own, .. } if *own <= length);
        if let Some(height) = self.open.iter().rposition(is_it) {
            self.end_containers(height, indent(line), at);
        }
        true
    }

    /// Opens an indented note or tab: `!!! note "Title"`, `??? tip`, `=== "Tab"`.
    pub(super) fn indented_start(&mut self, line: &str, at: Origin) -> bool {
        let body = line.trim_start();
        let to = indent(line);
        let rest = ["!!!", "???+", "???"].iter().find_map(|mark| body.strip_prefix(mark));
        let marks = if let Some(rest) = rest {
            let rest = rest.trim();
            let name = rest.split_whitespace().next().unwrap_or("").trim_matches('"');
            if !name.starts_with(|c: char| c.is_alphabetic()) {
                return false;
            }
            let title =
                rest.split_once('"').and_then(|(_, title)| title.rsplit_once('"')).map(|(title, _)| title);
            match title {
                Some(title) if !title.is_empty() => vec![Mark::Admonition(super::spans::title(title), true)],
                Some(_) => vec![Mark::Admonition(String::new(), false)],
                None => vec![Mark::Admonition(any_label(name), false)],
            }
        } else {
            let rest = body.strip_prefix("===").map(|rest| rest.trim_start_matches(['!', '+']).trim());
            let title = rest.and_then(|rest| rest.strip_prefix('"')).and_then(|rest| rest.strip_suffix('"'));
            let Some(title) = title else { return false };
            vec![Mark::Container, Mark::Title(super::spans::title(title))]
        };
        self.mark(line, marks, at);
        let file = self.file_column(to);
        self.open(Container::Indented { column: file + 4, to });
        true
    }

    /// Column in the file of a column after moving.
    pub(super) fn file_column(&self, column: usize) -> usize {
        match self.indenting() {
            Some(Container::Indented { column: inside, to }) => inside + column.saturating_sub(to),
            Some(Container::Tag { column: Some(inside), to, .. }) => inside + column.saturating_sub(to),
            _ => column,
        }
    }

    /// Reads the first line of an alert in a quotation: `> [!NOTE]`.
    pub(super) fn alert(&mut self, line: &str, at: Origin) -> bool {
        let quoted = line.trim_start_matches([' ', '>', '\t']);
        let Some(before) = line.get(..line.len() - quoted.len()).filter(|before| before.contains('>')) else {
            return false;
        };
        let Some((name, rest)) = quoted.strip_prefix("[!").and_then(|body| body.split_once(']')) else {
            return false;
        };
        let name = name.split(|c: char| c.is_whitespace() || c == '|').next().unwrap_or("");
        if name.eq_ignore_ascii_case("include")
            || name.starts_with("code")
            || name.eq_ignore_ascii_case("video")
        {
            return name.eq_ignore_ascii_case("video");
        }
        let mark = match name {
            "div" => Mark::Container,
            _ => Mark::Admonition(any_label(&name.to_lowercase()), false),
        };
        self.source.mark(before, vec![mark], at);
        let rest = rest.trim_start_matches(['-', '+', ' ']);
        if !rest.is_empty() {
            self.plain_text(&format!("{before}{rest}"), at);
        }
        true
    }
}
