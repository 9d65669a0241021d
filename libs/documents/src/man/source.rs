//! Lines of a manual page after what roff itself does: comments, strings, numbers, macros of the page, conditions.

use std::sync::Arc;

use super::condition;
use super::names::Names;

/// Macros, files and conditions that may be open at once.
const MAX_FRAMES: usize = 32;
/// Lines that the macros of a page may add to it.
const MAX_ADDED_LINES: usize = 100_000;
/// Longest line that strings may make.
pub(super) const MAX_EXPANDED: usize = 64 << 10;
/// Bytes that strings may add to a page.
const MAX_ADDED_BYTES: usize = 4 << 20;

/// A line as it is read next.
#[derive(Debug, Clone)]
pub(super) struct Line {
    /// Its text with its escapes; the end of a line that goes on stays in it as `\` and a line break.
    pub(super) text: String,
    /// Number of its first line in the file.
    pub(super) number: u32,
}

/// What lines come from: the page, a file it includes, or a macro of its own that was called.
enum Frame {
    File { text: Arc<str>, at: usize, number: u32, included: bool },
    Macro { lines: Arc<[String]>, at: usize, arguments: Vec<String>, number: u32 },
    Line(Option<Line>),
}

/// What the source has next.
pub(super) enum Next {
    /// A line.
    Line(Line),
    /// The end of an included file.
    EndOfFile,
    /// The end of the page.
    End,
}

/// The lines of a page, one after the other.
pub(super) struct Source {
    pub(super) names: Names,
    frames: Vec<Frame>,
    /// What the last `.ie` of each level said.
    otherwise: Vec<bool>,
    added_lines: usize,
    added_bytes: usize,
}

impl Source {
    pub(super) fn new(text: &str) -> Self {
        let page = Frame::File { text: text.into(), at: 0, number: 0, included: false };
        Self {
            names: Names::default(),
            frames: vec![page],
            otherwise: Vec::new(),
            added_lines: 0,
            added_bytes: 0,
        }
    }

    /// Goes on with an included file.
    pub(super) fn include(&mut self, text: &str) {
        self.frames.push(Frame::File { text: text.into(), at: 0, number: 0, included: true });
    }

    /// The next line with its strings and numbers in place.
    pub(super) fn next(&mut self) -> Next {
        loop {
            let Some(frame) = self.frames.last_mut() else { return Next::End };
            if let Some(line) = frame.next() {
                return Next::Line(self.continued(line));
            }
            if matches!(self.frames.pop(), Some(Frame::File { included: true, .. })) {
                return Next::EndOfFile;
            }
        }
    }

    /// A line of the same frame as it is written, for what is skipped or defined.
    fn raw(&mut self) -> Option<Line> {
        loop {
            let frame = self.frames.last_mut()?;
            match frame.next() {
                None if matches!(frame, Frame::Line(_)) => drop(self.frames.pop()),
                line => return line,
            }
        }
    }

    fn continued(&mut self, mut line: Line) -> Line {
        while goes_on(&line.text) && line.text.len() < MAX_EXPANDED {
            let Some(next) = self.frames.last_mut().and_then(Frame::next) else { break };
            line.text.push('\n');
            line.text.push_str(&next.text);
        }
        self.expand(line)
    }

    /// Puts strings, numbers and arguments into a line.
    fn expand(&mut self, line: Line) -> Line {
        let mut text = line.text;
        for _ in 0..8 {
            if self.added_bytes > MAX_ADDED_BYTES {
                break;
            }
            if !text.contains("\\*") && !text.contains("\\n") && !text.contains("\\$") {
                break;
            }
            let arguments = self.frames.iter().rev().find_map(|frame| match frame {
                Frame::Macro { arguments, .. } => Some(arguments.as_slice()),
                _ => None,
            });
            let expanded = self.names.expanded(&text, arguments.unwrap_or_default());
            self.added_bytes += expanded.len().saturating_sub(text.len());
            if expanded.len() > MAX_EXPANDED.max(text.len())
                || self.added_bytes > MAX_ADDED_BYTES
                || expanded == text
            {
                break;
            }
            text = expanded;
        }
        Line { text, ..line }
    }

    /// Calls a macro of the page; false where it has none of that name.
    pub(super) fn call(&mut self, name: &str, rest: &str, number: u32) -> bool {
        let Some(lines) = self.names.macros.get(name) else { return false };
        self.added_lines += lines.len();
        if self.frames.len() < MAX_FRAMES && self.added_lines < MAX_ADDED_LINES {
            let arguments = super::words::split(rest, number).into_iter().map(|word| word.text).collect();
            self.frames.push(Frame::Macro { lines: lines.clone(), at: 0, arguments, number });
        }
        true
    }

    /// Reads a request of roff itself; false for anything else.
    pub(super) fn request(&mut self, name: &str, rest: &str, number: u32) -> bool {
        let rest = rest.trim_start_matches([' ', '\t']);
        match name {
            "de" | "de1" | "dei" | "am" | "ig" => self.define(name, rest),
            "ds" | "ds1" | "as" => {
                let (key, value) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
                let value = value.trim_start_matches(' ');
                let value = value.strip_prefix('"').unwrap_or(value);
                let known = self.names.strings.entry(key.to_owned()).or_default();
                if name != "as" {
                    known.clear();
                }
                if known.len() < MAX_EXPANDED {
                    known.push_str(&value.replace("\\\\", "\\"));
                }
            }
            "nr" => {
                let (key, value) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
                let value = value.trim();
                let before = if value.starts_with(['+', '-']) { self.names.number(key) } else { 0 };
                self.names.numbers.insert(key.to_owned(), before.saturating_add(condition::value(value)));
            }
            "als" => {
                if let Some((key, known)) = rest.trim().split_once(' ')
                    && let Some(lines) = self.names.macros.get(known.trim()).cloned()
                {
                    self.names.macros.insert(key.to_owned(), lines);
                }
            }
            "rm" | "rr" => {
                for key in rest.split_whitespace() {
                    self.names.strings.remove(key);
                    self.names.macros.remove(key);
                    self.names.numbers.remove(key);
                }
            }
            "if" | "ie" => {
                let (holds, body) = condition::holds(rest, &self.names);
                if name == "ie" && self.otherwise.len() < MAX_FRAMES {
                    self.otherwise.push(!holds);
                }
                self.branch(holds, body, number);
            }
            "el" => {
                let holds = self.otherwise.pop().unwrap_or(false);
                self.branch(holds, rest, number);
            }
            "while" => self.branch(false, condition::holds(rest, &self.names).1, number),
            _ => return false,
        }
        true
    }

    fn define(&mut self, name: &str, rest: &str) {
        let mut words = rest.split_whitespace();
        let key = if name == "ig" { "" } else { words.next().unwrap_or("") };
        let end = if name == "ig" { rest.split_whitespace().next() } else { words.next() }.unwrap_or(".");
        let mut lines: Vec<String> = Vec::new();
        while let Some(line) = self.raw() {
            if line.text.strip_prefix('.').is_some_and(|text| text.trim() == end) {
                break;
            }
            lines.push(line.text.replace("\\\\", "\\"));
        }
        let known = name == "am" && self.names.macros.contains_key(key);
        if name != "ig" && !known && lines.len() < MAX_ADDED_LINES {
            self.names.macros.insert(key.to_owned(), lines.into());
        }
    }

    /// Reads the body of a condition, or skips it.
    fn branch(&mut self, holds: bool, body: &str, number: u32) {
        let body = body.trim_start_matches([' ', '\t']);
        let (body, number) = match body.strip_prefix("\\\n") {
            Some(body) => (body, number.saturating_add(1)),
            None => (body, number),
        };
        let Some(inside) = body.strip_prefix("\\{") else {
            if holds && !body.is_empty() && self.frames.len() < 2 * MAX_FRAMES {
                self.frames.push(Frame::Line(Some(Line { text: body.to_owned(), number })));
            }
            return;
        };
        if holds {
            let (inside, number) = match inside.strip_prefix("\\\n") {
                Some(inside) => (inside, number + 1),
                None => (inside, number),
            };
            if !inside.trim().is_empty() && self.frames.len() < 2 * MAX_FRAMES {
                self.frames.push(Frame::Line(Some(Line {
                    text: inside.trim_start_matches(' ').to_owned(),
                    number,
                })));
            }
            return;
        }
        let mut open = 1 + braces(inside);
        while open > 0 {
            let Some(line) = self.raw() else { return };
            open += braces(&line.text);
        }
    }
}

impl Frame {
    fn next(&mut self) -> Option<Line> {
        match self {
            Self::File { text, at, number, .. } => {
                let rest = text.get(*at..).filter(|rest| !rest.is_empty())?;
                let line = rest.split('\n').next().unwrap_or("");
                *at += line.len() + 1;
                *number += 1;
                let text = uncommented(line.strip_suffix('\r').unwrap_or(line));
                Some(Line { text: text.to_owned(), number: *number })
            }
            Self::Macro { lines, at, number, .. } => {
                let text = lines.get(*at)?.clone();
                *at += 1;
                Some(Line { text, number: *number })
            }
            Self::Line(line) => line.take(),
        }
    }
}

/// A line without the comment at its end.
fn uncommented(line: &str) -> &str {
    let mut from = 0;
    while let Some(at) = line.get(from..).and_then(|rest| rest.find('\\')) {
        let at = from + at;
        match line.as_bytes().get(at + 1) {
            Some(b'"' | b'#') => return line.get(..at).unwrap_or(line),
            Some(_) => from = at + 2,
            None => break,
        }
        while !line.is_char_boundary(from) {
            from += 1;
        }
    }
    line
}

/// Whether a line ends in a backslash that takes the line break with it.
fn goes_on(line: &str) -> bool {
    (line.len() - line.trim_end_matches('\\').len()) % 2 == 1
}

/// Braces that a line opens, less those that it closes.
fn braces(line: &str) -> i64 {
    let count = |mark: &str| i64::try_from(line.matches(mark).count()).unwrap_or(0);
    count("\\{") - count("\\}")
}
