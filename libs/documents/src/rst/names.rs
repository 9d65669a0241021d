//! What names mean: substitutions, targets, section labels and footnotes of a page and its includes.

use std::collections::{HashMap, HashSet};

use super::line::{Line, indented, joined, numbered, texts};
use super::title;
use crate::builder::{MAX_INCLUDES, resolve};
use crate::{Files, anchors};

/// What stands for `|name|`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Substitution {
    /// Its directive: `replace`, `image`, `unicode`, `date`.
    pub(super) directive: String,
    /// Text after the directive.
    pub(super) text: String,
}

/// What a reference leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// An address.
    Address(String),
    /// A place on the page, by its id.
    Here(String),
    /// What another name leads to.
    Name(String),
}

/// The names of a page.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) substitutions: HashMap<String, Substitution>,
    pub(super) targets: HashMap<String, Target>,
    /// Targets without a name, in order.
    pub(super) nameless: Vec<Target>,
    /// Headings by the labels above them.
    pub(super) titles: HashMap<String, String>,
    /// Labels of footnotes, in order; `#` and `*` for those without a number of their own.
    footnotes: Vec<String>,
    seen: HashSet<String>,
}

impl Names {
    /// Collects the names of a file and of the files that it includes.
    pub(super) fn collect(&mut self, lines: &[Line<'_>], path: &str, files: &dyn Files) {
        self.seen.insert(path.to_owned());
        let mut labels: Vec<String> = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            let rest = lines.get(at..).unwrap_or(&[]);
            let text = line.text.trim_start();
            match text.strip_prefix(".. ").map(str::trim_start) {
                Some(explicit) if explicit.starts_with('_') => {
                    labels.extend(self.target(explicit, rest));
                }
                Some(explicit) => self.explicit(explicit, rest, path, files),
                None if text.starts_with("__ ") => {
                    self.nameless.push(address(&continued(text.get(3..).unwrap_or(""), rest)));
                }
                None if line.blank() => {}
                None => self.heading(rest, &mut labels),
            }
        }
    }

    fn heading(&mut self, rest: &[Line<'_>], labels: &mut Vec<String>) {
        let Some(title) = title::title(rest) else { return labels.clear() };
        let words = title.text.text.replace(['`', '*'], "");
        let here = Target::Here(anchors::docutils(&words));
        self.targets.entry(normal(&words)).or_insert(here);
        for label in labels.drain(..) {
            self.titles.insert(label, title.text.text.trim().to_owned());
        }
    }

    /// Notes a target; gives its name if it is a label of what follows.
    fn target(&mut self, explicit: &str, rest: &[Line<'_>]) -> Option<String> {
        let (name, target) = target(explicit, rest)?;
        let label = target.is_none().then(|| normal(&name));
        match name.as_str() {
            "_" => self.nameless.push(target.unwrap_or(Target::Here(String::new()))),
            _ => {
                let target = target.unwrap_or_else(|| Target::Here(anchors::docutils(&name)));
                self.targets.insert(normal(&name), target);
            }
        }
        label.filter(|label| label != "_")
    }

    fn explicit(&mut self, explicit: &str, rest: &[Line<'_>], path: &str, files: &dyn Files) {
        if let Some(inside) = explicit.strip_prefix('|') {
            if let Some((name, substitution)) = substitution(inside, rest) {
                self.substitutions.entry(normal(name)).or_insert(substitution);
            }
        } else if let Some((label, _)) = explicit.strip_prefix('[').and_then(|label| label.split_once(']')) {
            self.footnotes.push(label.to_owned());
        } else if let Some(target) = explicit.strip_prefix("include::") {
            self.included(target.trim(), path, files);
        }
    }

    fn included(&mut self, target: &str, path: &str, files: &dyn Files) {
        let Some((path, text)) = find(files, path, target) else { return };
        if self.seen.len() < MAX_INCLUDES && !self.seen.contains(&path) && self.seen.len() < 64 {
            self.collect(&numbered(&texts(&text)), &path, files);
        }
    }

    /// Gives every footnote without a number its own, in order, as Docutils does.
    pub(super) fn number_footnotes(&mut self) -> (HashMap<String, String>, Vec<String>) {
        let taken: HashSet<String> = self.footnotes.iter().cloned().collect();
        let mut numbers = (1_u32..).map(|number| number.to_string()).filter(|number| !taken.contains(number));
        let (mut labels, mut nameless) = (HashMap::new(), Vec::new());
        for label in self.footnotes.iter().filter(|label| label.starts_with('#')) {
            let Some(number) = numbers.next() else { break };
            match label.as_str() {
                "#" => nameless.push(number),
                _ => drop(labels.entry(label.clone()).or_insert(number)),
            }
        }
        (labels, nameless)
    }

    /// What a name leads to in the end, over a few further names.
    pub(super) fn lookup(&self, name: &str) -> Option<String> {
        let mut name = normal(name);
        for _ in 0..8 {
            match self.targets.get(&name)? {
                Target::Address(address) => return Some(address.clone()),
                Target::Here(id) => return Some(format!("#{id}")),
                Target::Name(next) => name = normal(next),
            }
        }
        None
    }
}

/// A name as Docutils compares it: lower case, single spaces.
pub(super) fn normal(name: &str) -> String {
    let name = name.to_lowercase();
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Name and target of `_name: target`; no target for a label of what follows.
pub(super) fn target(explicit: &str, rest: &[Line<'_>]) -> Option<(String, Option<Target>)> {
    let inside = explicit.strip_prefix('_')?;
    let (name, after) = match inside.strip_prefix('`') {
        Some(quoted) => {
            let (name, after) = quoted.split_once('`')?;
            (name, after.trim_start().strip_prefix(':')?)
        }
        None => {
            let end = colon(inside)?;
            (inside.get(..end)?, inside.get(end + 1..)?)
        }
    };
    let text = continued(after.trim(), rest);
    let name = name.replace('\\', "");
    Some((name, (!text.is_empty()).then(|| address(&text))))
}

/// The first `:` that ends a name: one before a space or the end, without a backslash.
fn colon(text: &str) -> Option<usize> {
    let ends = |at: usize| text.get(at + 1..).is_some_and(|after| after.is_empty() || after.starts_with(' '));
    let free = |at: usize| !text.get(..at).is_some_and(|before| before.ends_with('\\'));
    text.match_indices(':').map(|(at, _)| at).find(|at| ends(*at) && free(*at))
}

/// The text of a target: the rest of its line and the indented lines after it.
fn continued(first: &str, rest: &[Line<'_>]) -> String {
    let indent = rest.first().map_or(0, Line::indent);
    let more = rest.iter().skip(1).take_while(|line| !line.blank() && line.indent() > indent);
    let parts: Vec<&str> = std::iter::once(first).chain(more.map(|line| line.text.trim())).collect();
    parts.concat()
}

/// An address or another name with `_` after it.
pub(super) fn address(text: &str) -> Target {
    let text = text.trim();
    match text.strip_suffix('_').filter(|name| !name.ends_with('\\')) {
        Some(name) if name.starts_with('`') && name.ends_with('`') => {
            Target::Name(name.trim_matches('`').to_owned())
        }
        Some(name) if !name.contains([' ', '/']) && !name.is_empty() => Target::Name(name.to_owned()),
        _ => Target::Address(text.replace("\\_", "_").replace('\\', "")),
    }
}

/// Name and meaning of `name| directive:: text`.
fn substitution<'t>(inside: &'t str, rest: &[Line<'_>]) -> Option<(&'t str, Substitution)> {
    let (name, after) = inside.split_once('|')?;
    let (directive, first) = after.split_once("::")?;
    let (head, below) = rest.split_first()?;
    let inside = indented(below, head.indent() + 1);
    let more = below.get(..inside).unwrap_or(&[]).iter().map(|line| Line::new(line.text.trim(), line.number));
    let lines: Vec<Line<'_>> = std::iter::once(Line::new(first.trim(), 0)).chain(more).collect();
    Some((
        name,
        Substitution { directive: directive.trim().to_owned(), text: joined(&lines).trim().to_owned() },
    ))
}

/// Path and text of a file that a page names; from the root of its documentation where it begins with `/`.
pub(super) fn find(files: &dyn Files, from: &str, target: &str) -> Option<(String, String)> {
    let found = |path: String| files.text(&path).map(|text| (path, text));
    let Some(rooted) = target.strip_prefix('/') else { return found(resolve(from, target)) };
    let folders = from.match_indices('/').map(|(at, _)| from.get(..at).unwrap_or(""));
    let roots = std::iter::once("").chain(folders).take(8);
    roots.map(|root| resolve("", &format!("/{root}/{rooted}"))).find_map(found)
}
