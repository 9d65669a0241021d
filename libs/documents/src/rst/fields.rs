//! Lists of fields and of options of a command.

use std::collections::HashMap;

use super::Reader;
use super::line::{Line, blanks, hanging, range};
use super::place::{Pending, Place, Terms};
use crate::Style;
use crate::inline::Inline;

impl Reader<'_, '_> {
    /// Reads a list of fields: parameters, returns, or a name and its text.
    pub(super) fn fields(&mut self, rest: &[Line<'_>], place: &mut Place) -> Option<usize> {
        field(rest.first()?.text)?;
        let (lead, group) = (self.lead(place), self.builder.group());
        let mut fields = Vec::new();
        let mut at = 0;
        while let Some((name, width)) = rest.get(at).and_then(|line| field(line.text)) {
            let below = rest.get(at..)?;
            let (lines, taken) = hanging(below, width, 1);
            fields.push((name, lines));
            at += taken + blanks(below.get(taken..)?);
        }
        let types: HashMap<&str, String> =
            fields.iter().filter_map(|(name, lines)| kind(name, lines)).collect();
        for (name, lines) in &fields {
            let Some((shown, kind)) = shown(name, &types) else { continue };
            let line = lines.first().map_or(1, |line| line.number);
            let mut terms = self.inline(&[Line::new(shown, line)]);
            if let Some(kind) = kind {
                let kind = self.inline(&[Line::new(&kind, line)]);
                terms.push(" (", line);
                terms.append(kind);
                terms.push(")", line);
            }
            let lines_of_name = assay_domain::LineRange::new(line, line);
            let pending =
                Pending::Terms(vec![Terms { words: terms, group, lines: lines_of_name, bare: false }]);
            self.inside(lines, Place { lead, ..place.holding(pending) });
        }
        Some(at)
    }

    /// Reads a list of options of a command.
    pub(super) fn options(&mut self, rest: &[Line<'_>], place: &mut Place) -> Option<usize> {
        let first = option(rest.first()?.text)?;
        if first == rest.first()?.text.len() && rest.get(1).is_none_or(|line| line.indent() == 0) {
            return None;
        }
        let (lead, group) = (self.lead(place), self.builder.group());
        let mut at = 0;
        while let Some((line, width)) = rest.get(at).and_then(|line| Some((line, option(line.text)?))) {
            let below = rest.get(at..)?;
            let (lines, taken) = hanging(below, width, 1);
            let mut terms = Inline::default();
            terms.styled(Style::Code, line.text.get(..width).unwrap_or(line.text), line.number);
            let pending =
                Pending::Terms(vec![Terms { words: terms, group, lines: range(&[*line]), bare: false }]);
            self.inside(&lines, Place { lead, ..place.holding(pending) });
            at += taken + blanks(below.get(taken..)?);
        }
        Some(at)
    }
}

/// Name of a field and the bytes up to its text: `:name: text`.
pub(super) fn field(text: &str) -> Option<(&str, usize)> {
    let inside = text.strip_prefix(':').filter(|inside| !inside.starts_with([' ', ':', '`']))?;
    let mut escaped = false;
    for (at, c) in inside.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            ':' => {
                let after = inside.get(at + 1..)?;
                let name = inside.get(..at)?;
                if after.starts_with('`') || name.ends_with(' ') {
                    return None;
                }
                if after.is_empty() || after.starts_with(' ') {
                    return Some((name, text.len() - after.trim_start().len()));
                }
            }
            _ => {}
        }
    }
    None
}

/// Bytes up to the description of an option: `-a`, `-f FILE, --file=FILE`, `/V`.
pub(super) fn option(text: &str) -> Option<usize> {
    if !text.starts_with(['-', '/']) {
        return None;
    }
    let names = text.find("  ").map_or(text, |end| text.get(..end).unwrap_or(text));
    let known = names.split(", ").all(|option| {
        let (name, argument) =
            option.split_once([' ', '=']).map_or((option, None), |(name, argument)| (name, Some(argument)));
        let word = |text: &str| {
            !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
        };
        let long = name.strip_prefix("--").is_some_and(|name| word(name) && !name.starts_with('-'));
        let short = name.strip_prefix('-').or_else(|| name.strip_prefix('/')).is_some_and(|name| {
            name.chars().next().is_some_and(|c| c.is_ascii_alphanumeric())
                && (name.len() == 1 || word(name.get(1..).unwrap_or("")))
        });
        let one = argument
            .is_none_or(|argument| word(argument) || (argument.starts_with('<') && argument.ends_with('>')));
        (long || short) && one
    });
    known.then(|| text.len() - text.get(names.len()..).unwrap_or("").trim_start().len())
}

/// Lines of the fields above every title, which tell about the page and are not shown.
pub(super) fn information(lines: &[Line<'_>]) -> usize {
    let mut at = 0;
    while let Some(rest) = lines.get(at..) {
        let Some(line) = rest.first() else { break };
        at += match field(line.text) {
            Some(_) => hanging(rest, 0, 1).1,
            None if line.blank() => 1,
            None if line.text.starts_with(".. ") && !line.text.contains([':', '|']) => hanging(rest, 0, 1).1,
            None => break,
        };
    }
    let told = lines.get(..at).unwrap_or(&[]).iter().any(|line| field(line.text).is_some());
    if told { at } else { 0 }
}

/// Parameter and type of `:type x: int`.
fn kind<'a>(name: &'a str, lines: &[Line<'_>]) -> Option<(&'a str, String)> {
    let (kind, parameter) = name.split_once(' ')?;
    let words = lines.iter().map(|line| line.text).collect::<Vec<_>>().join(" ");
    matches!(kind, "type" | "paramtype" | "kwtype" | "vartype")
        .then(|| (parameter.trim(), words.trim().to_owned()))
}

/// What is shown of the name of a field, with the type of a parameter; none if the field is not shown.
fn shown<'a>(name: &'a str, types: &HashMap<&str, String>) -> Option<(&'a str, Option<String>)> {
    let (kind, rest) = name.split_once(' ').unwrap_or((name, ""));
    match kind {
        "param" | "parameter" | "arg" | "argument" | "key" | "keyword" | "kwarg" | "kwparam" | "var"
        | "ivar" | "cvar"
            if !rest.is_empty() =>
        {
            Some(match rest.rsplit_once(' ') {
                Some((kind, parameter)) => (parameter, Some(kind.to_owned())),
                None => (rest, types.get(rest).cloned()),
            })
        }
        "type" | "paramtype" | "kwtype" | "vartype" | "meta" if !rest.is_empty() => None,
        "returns" | "return" => Some(("Returns", None)),
        "rtype" => Some(("Return type", None)),
        "raises" | "raise" | "except" | "exception" if !rest.is_empty() => Some((rest, None)),
        _ => Some((name, None)),
    }
}
