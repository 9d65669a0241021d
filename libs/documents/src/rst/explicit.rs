//! Explicit markup: targets, footnotes, substitutions, comments, and the parts of a directive.

use assay_domain::LineRange;

use super::Reader;
use super::fields::field;
use super::line::{Line, dedent, indented, range};
use super::names::{self, Target};
use super::place::{Pending, Place};
use crate::anchors;
use crate::inline::Inline;

/// A directive and what belongs to it.
#[derive(Debug, Clone)]
pub(super) struct Directive<'a> {
    /// Its name, lower case.
    pub(super) name: String,
    /// Lines of its argument.
    pub(super) argument: Vec<Line<'a>>,
    /// Names, values and lines of its options.
    options: Vec<(&'a str, String, u32)>,
    /// Lines below, as they are indented against those of the argument.
    content: Vec<Line<'a>>,
    /// All of its lines.
    pub(super) lines: LineRange,
}

impl<'a> Directive<'a> {
    /// The argument on one line.
    pub(super) fn words(&self) -> String {
        self.argument.iter().map(|line| line.text.trim()).collect::<Vec<_>>().join(" ")
    }

    /// Value of an option; empty for a flag.
    pub(super) fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().find(|(known, ..)| *known == name).map(|(_, value, _)| value.as_str())
    }

    /// The line of an option; the first one of the directive without it.
    pub(super) fn line_of(&self, name: &str) -> u32 {
        let option = self.options.iter().find(|(known, ..)| *known == name);
        option.map_or(self.lines.first, |(.., line)| *line)
    }

    /// Whether there are lines below the argument.
    pub(super) const fn has_content(&self) -> bool {
        !self.content.is_empty()
    }

    /// Lines below the argument and the options, dedented.
    pub(super) fn content(&self) -> Vec<Line<'a>> {
        dedent(&self.content)
    }

    /// Argument and content as one text: of a directive that takes no argument.
    pub(super) fn whole(&self) -> Vec<Line<'a>> {
        self.argument.iter().chain(&self.content).copied().collect()
    }

    /// Parts of the directive `name:: …` at the first of some lines, and how many lines it takes.
    pub(super) fn of(explicit: &'a str, rest: &[Line<'a>]) -> Option<(Self, usize)> {
        let (name, after) = explicit.split_once("::").filter(|(name, _)| name.len() <= 100)?;
        let name = name.trim_end();
        let word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+' | ':');
        let named = !name.is_empty()
            && name.chars().all(word)
            && (after.is_empty() || after.starts_with([' ', '\t']));
        let (head, below) = rest.split_first().filter(|_| named)?;
        let inside = indented(below, 1);
        let lines = below.get(..inside)?;
        let all = dedented(lines);
        let first = Line::new(after.trim(), head.number);
        let mut block: Vec<Line<'a>> = Some(first).filter(|line| !line.blank()).into_iter().collect();
        let end = all.iter().position(Line::blank).unwrap_or(all.len());
        let above = all.get(..end)?;
        let named = |line: &Line<'_>| field(line.text).is_some_and(|(name, _)| !name.contains(' '));
        let start = above.iter().position(named).unwrap_or(end);
        block.extend(above.get(..start)?);
        let mut options: Vec<(&str, String, u32)> = Vec::new();
        for line in above.get(start..)? {
            match (field(line.text), options.last_mut()) {
                (Some((name, at)), _) => {
                    options.push((name, line.text.get(at..).unwrap_or("").trim().to_owned(), line.number))
                }
                (None, Some((_, value, _))) => value.extend([" ", line.text.trim()]),
                (None, None) => {}
            }
        }
        let last = range(rest.get(..=inside)?).last;
        let lines = LineRange::new(head.number, last.max(head.number));
        let content = all.get(end..)?.to_vec();
        Some((Self { name: name.to_lowercase(), argument: block, options, content, lines }, 1 + inside))
    }
}

/// The lines without their shared indentation; blank ones above stay.
fn dedented<'a>(lines: &[Line<'a>]) -> Vec<Line<'a>> {
    let above = lines.iter().take_while(|line| line.blank()).copied();
    above.chain(dedent(lines)).collect()
}

impl Reader<'_, '_> {
    /// Reads what begins with `..` or `__`.
    pub(super) fn explicit(&mut self, rest: &[Line<'_>], place: &mut Place) -> Option<usize> {
        let first = rest.first()?;
        let below = rest.get(1..).unwrap_or(&[]);
        if first.text.starts_with("__ ") || first.text == "__" {
            return Some(1 + indented(below, 1));
        }
        if first.text == ".." {
            // An empty comment ends a construct, and takes no further lines.
            let ends = below.first().is_none_or(Line::blank);
            return Some(if ends { 1 } else { 1 + indented(below, 1) });
        }
        let explicit =
            first.text.strip_prefix("..").filter(|text| text.starts_with([' ', '\t']))?.trim_start();
        if let Some((name, target)) = names::target(explicit, rest) {
            self.target(&name, target, first.number);
            return Some(1 + indented(below, 1));
        }
        let label = explicit.strip_prefix('[').and_then(|label| label.split_once(']'));
        if let Some((label, after)) = label.filter(|(_, after)| after.is_empty() || after.starts_with(' ')) {
            return Some(self.note(label, first.text.len() - after.len(), rest, place));
        }
        if explicit.starts_with('|') {
            return Some(1 + indented(below, 1));
        }
        match Directive::of(explicit, rest) {
            Some((directive, taken)) => {
                self.directive(&directive, place);
                Some(taken)
            }
            None => Some(1 + indented(below, 1)),
        }
    }

    fn target(&mut self, name: &str, target: Option<Target>, line: u32) {
        match target {
            None => self.anchor(name, line),
            Some(Target::Address(address)) => self.builder.document.targets.push((address, line)),
            Some(Target::Name(_) | Target::Here(_)) => self.anchor(name, line),
        }
    }

    /// Notes an id that a link may name, as Docutils makes it and as it is written.
    pub(super) fn anchor(&mut self, name: &str, line: u32) {
        let id = anchors::docutils(name);
        self.ids.insert(id.clone());
        for id in [id, name.trim().to_owned()] {
            self.named(id, line);
        }
    }

    /// Notes an id as it is.
    pub(super) fn named(&mut self, id: String, line: u32) {
        let known = self.builder.document.anchors.last().is_some_and(|(last, _)| *last == id);
        if !id.is_empty() && !known {
            self.builder.document.anchors.push((id, line));
        }
    }

    /// Reads a footnote or citation: its label and its text.
    fn note(&mut self, label: &str, width: usize, rest: &[Line<'_>], place: &mut Place) -> usize {
        let (lines, taken) = super::line::hanging(rest, width, 1);
        let line = rest.first().map_or(1, |line| line.number);
        let shown = self.footnote_number(label, false);
        let mut words = Inline::default();
        words.push(&format!("[{shown}]"), line);
        self.anchor(label.trim_start_matches('#'), line);
        self.settle(place);
        let pending = Pending::Prefix { words, lines: LineRange::new(line, line) };
        self.inside(&lines, place.holding(pending));
        taken
    }

    /// What is shown for the label of a footnote.
    pub(super) fn footnote_number(&mut self, label: &str, reference: bool) -> String {
        let next = |numbers: &[String], at: &mut usize| {
            *at += 1;
            numbers.get(*at - 1).cloned()
        };
        let [of_references, of_notes] = &mut self.next_note;
        match label {
            "#" => next(&self.footnote_numbers, if reference { of_references } else { of_notes })
                .unwrap_or_default(),
            label => {
                self.footnotes.get(label).cloned().unwrap_or_else(|| label.trim_start_matches('#').to_owned())
            }
        }
    }
}
