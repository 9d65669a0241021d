//! Files that a page includes: as Markdown, or as code.

use std::borrow::Cow;
use std::ops::Range;

use super::rewrite::{Input, Rewriter};
use super::source::Origin;
use crate::{Lines, front_matter};

impl Rewriter<'_, '_> {
    /// Reads a line that stands for another file.
    pub(super) fn include_line(&mut self, line: &str, at: Origin) -> bool {
        let body = line.trim().trim_start_matches(['>', ' ']);
        if let Some(inner) = body.strip_prefix("[!") {
            return self.docfx(inner, line, at);
        }
        if let Some(target) = snippet(body) {
            self.include_page(&target, at);
            return true;
        }
        if let Some(path) = body.strip_prefix("<<< ") {
            let path = path.trim().trim_start_matches("@/").split(['{', '#', ' ']).next().unwrap_or("");
            let language = path.rsplit_once('.').map_or("", |(_, extension)| extension).to_owned();
            self.include_code(path, "", &language, "", at);
            return true;
        }
        false
    }

    /// Reads `[!INCLUDE [title](path)]` and `[!code-xml[title](path)]`.
    fn docfx(&mut self, inner: &str, line: &str, at: Origin) -> bool {
        let Some((head, rest)) = inner.split_once('[') else {
            return inner.get(..5).is_some_and(|name| name.eq_ignore_ascii_case("video"));
        };
        let Some((path, behind)) = rest.split_once("](").and_then(|(_, rest)| rest.split_once(')')) else {
            return false;
        };
        let head = head.trim().to_ascii_lowercase();
        let path = path.split(['?', '#']).next().unwrap_or("").trim().trim_start_matches("~/").to_owned();
        if behind.trim() != "]" {
            return false;
        }
        if head.starts_with("include") {
            self.include_page(&path, at);
            return true;
        }
        if let Some(language) = head.strip_prefix("code") {
            let before = line.get(..line.len() - line.trim_start().len()).unwrap_or("").to_owned();
            self.include_code(&path, "", language.trim_start_matches('-'), &before, at);
            return true;
        }
        head.starts_with("video")
    }

    /// Reads another page in place of a line.
    pub(super) fn include_page(&mut self, target: &str, at: Origin) {
        let (path, part) = split_part(target);
        let Some(text) = self.builder.include(path, at.line) else { return };
        let Some(name) = self.builder.file.clone() else { return };
        let file = self.source.file(&name);
        let front = front_matter::read(&text, &Lines::of(&text)).lines;
        let rows = rows(&text, part);
        self.source.push("", at);
        self.include(Input::new(Cow::Owned(text), front, file, None).only(rows));
    }

    /// Adds the code of another file between fences.
    pub(super) fn include_code(
        &mut self,
        target: &str,
        part: &str,
        language: &str,
        before: &str,
        at: Origin,
    ) {
        let (path, inner) = split_part(target);
        let Some(text) = self.builder.include(path, at.line) else { return };
        let name = self.builder.file.clone();
        self.builder.end_include();
        let Some(name) = name else { return };
        let file = self.source.file(&name);
        let lines = Lines::of(&text);
        self.source.push(&format!("{before}``````````{language}"), at);
        for row in rows(&text, if part.is_empty() { inner } else { part }) {
            let line = u32::try_from(row + 1).unwrap_or(u32::MAX);
            let code = lines.line(&text, row);
            if !is_border(code) {
                self.source.push(&format!("{before}{code}"), Origin { file, line });
            }
        }
        self.source.push(&format!("{before}``````````"), at);
    }

    /// Reads a line of code that stands for another file: `{{#include path}}`.
    pub(super) fn code_include(&mut self, line: &str) -> bool {
        let Some(target) = snippet(line.trim()) else { return false };
        let (path, part) = split_part(&target);
        let Some(text) = self.builder.include(path, 0) else { return true };
        let Some(name) = self.builder.file.clone() else { return true };
        let file = self.source.file(&name);
        let rows = rows(&text, part);
        self.include(Input::new(Cow::Owned(text), 0, file, None).only(rows));
        true
    }
}

/// Target of a line that is nothing but an include.
fn snippet(line: &str) -> Option<String> {
    let inside = |start: &str, end: &str| line.strip_prefix(start)?.strip_suffix(end).map(str::trim);
    if let Some(inner) = inside("{{#", "}}") {
        let (name, target) = inner.split_once(char::is_whitespace)?;
        let is_known = matches!(name, "include" | "rustdoc_include" | "playground");
        return is_known.then(|| target.split_whitespace().next().unwrap_or("").to_owned());
    }
    if let Some(inner) = inside("<!--", "-->") {
        return inner.strip_prefix("@include:").map(|target| target.trim().to_owned());
    }
    if let Some(inner) = inside("{%", "%}").and_then(|inner| inner.strip_prefix("include-markdown")) {
        return inner.trim().split(['"', '\'']).nth(1).map(str::to_owned);
    }
    let inner = line.trim_start_matches('-').strip_prefix("8<")?;
    let inner = inner.trim_start_matches('-').trim();
    let target = inner.trim_matches(['"', '\'']);
    (line.starts_with('-') && inner.len() > target.len()).then(|| target.to_owned())
}

/// A path and the lines or the name of a part behind it.
fn split_part(target: &str) -> (&str, &str) {
    target.split_once(':').or_else(|| target.split_once('#')).unwrap_or((target, ""))
}

/// Whether a line begins or ends a part with a name.
fn is_border(line: &str) -> bool {
    line.contains("ANCHOR: ") || line.contains("ANCHOR_END: ") || line.contains("--8<-- [")
}

/// Rows of a part: `3`, `3:5`, `:5`, a name.
fn rows(text: &str, part: &str) -> Range<usize> {
    let count = text.lines().count();
    if part.is_empty() {
        return 0..count;
    }
    let numbers: Vec<Option<usize>> = part.split(':').map(|number| number.parse().ok()).collect();
    match numbers.as_slice() {
        [Some(line)] => line.saturating_sub(1)..(*line).min(count),
        [first, last] if first.is_some() || last.is_some() => {
            first.unwrap_or(1).saturating_sub(1)..last.unwrap_or(count).min(count)
        }
        _ => named_rows(text, part).unwrap_or(0..count),
    }
}

/// Rows between the marks of a name.
fn named_rows(text: &str, name: &str) -> Option<Range<usize>> {
    let row = |starts: [String; 2]| {
        text.lines().position(|line| {
            starts.iter().any(|start| {
                line.split_once(start.as_str())
                    .is_some_and(|(_, rest)| rest.is_empty() || rest.starts_with([']', ' ', '\r', '-', '*']))
            })
        })
    };
    let first = row([format!("ANCHOR: {name}"), format!("[start:{name}")])?;
    let last = row([format!("ANCHOR_END: {name}"), format!("[end:{name}")])?;
    (first < last).then_some(first + 1..last)
}
