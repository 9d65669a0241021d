//! Cuts an answer into claims and binds each marker to the claim it cites.
//!
//! A claim is a sentence, also inside list items and quotations, or a table cell. A label (a heading, a table head, a
//! footnote, the text of an image, a title) is a claim where it states something; a heading or table head that a marker
//! cites is carried as talk about the answer otherwise.

mod cut;
mod plain;

use crate::citations::Mark;
use crate::document::{Document, Leaf, LeafKind};
use assay_domain::evidence::LineRange;
use assay_domain::report::ClaimKind;
use plain::Plain;
use std::ops::Range;

/// A claim with its place in the structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// Its words: markup and markers left out, white space folded.
    pub text: String,
    /// The same with inline code between backticks, for analysis.
    pub marked_up: String,
    /// What it states, where that is not all of it: beside a refusal, or without the lines of the editor that it cites.
    pub stated: Option<String>,
    /// Numbers of the sources that it names in words, also in a reference behind it; from 1.
    pub named: Vec<u32>,
    /// Lines of the caller's editor that it cites.
    pub editor: Vec<LineRange>,
    /// Where it stands.
    pub range: Range<usize>,
    /// What it is.
    pub kind: ClaimKind,
    /// Whether it needs no marker: a label that states something, or a lead-in.
    pub exempt: bool,
    /// Whether its only figures are struck out.
    pub struck: bool,
    /// Index of its block among the leaves.
    pub leaf: usize,
    /// Table and row of a cell.
    pub row: Option<(usize, usize)>,
}

/// The claims of an answer and, for every mark, the claim it belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Units {
    /// In text order.
    pub(crate) units: Vec<Unit>,
    /// One entry a mark.
    pub(crate) of_mark: Vec<Option<usize>>,
}

/// Cuts the answer; total and linear.
pub(crate) fn segment(document: &Document<'_>, marks: &[Mark]) -> Units {
    let mut cutter = Cutter { document, marks, out: Units::default(), last: None, heading: None, row: None };
    cutter.out.of_mark = vec![None; marks.len()];
    let cited_heads = cutter.cited_heads();
    for (index, leaf) in document.leaves.iter().enumerate() {
        cutter.leaf(index, leaf, &cited_heads);
    }
    in_text_order(cutter.out)
}

/// Puts a footnote or the text of an image, which its block is read before, back to its place in the answer.
fn in_text_order(found: Units) -> Units {
    if found.units.is_sorted_by_key(|unit| unit.range.start) {
        return found;
    }
    let mut units: Vec<(usize, Unit)> = found.units.into_iter().enumerate().collect();
    units.sort_by_key(|(_, unit)| unit.range.start);
    let mut place = vec![0; units.len()];
    for (to, (from, _)) in units.iter().enumerate() {
        place[*from] = to;
    }
    Units {
        units: units.into_iter().map(|(_, unit)| unit).collect(),
        of_mark: found.of_mark.into_iter().map(|claim| claim.map(|from| place[from])).collect(),
    }
}

struct Cutter<'d, 'a> {
    document: &'d Document<'a>,
    marks: &'d [Mark],
    out: Units,
    /// The last claim that is no code.
    last: Option<usize>,
    /// A heading that may still be cited by a marker alone in the next paragraph.
    heading: Option<Unit>,
    /// Table row being read and its last claim.
    row: Option<((usize, usize), Option<usize>)>,
}

impl Cutter<'_, '_> {
    /// Marks inside a range.
    fn marks_in(&self, range: &Range<usize>) -> Range<usize> {
        let first = self.marks.partition_point(|mark| mark.range.start < range.start);
        let last = self.marks.partition_point(|mark| mark.range.start < range.end);
        first..last
    }

    /// Tables whose head holds a marker.
    fn cited_heads(&self) -> Vec<usize> {
        let mut tables: Vec<usize> = self
            .document
            .leaves
            .iter()
            .filter_map(|leaf| match leaf.kind {
                LeafKind::Cell { table, row: 0 } if !self.marks_in(&leaf.range).is_empty() => Some(table),
                _ => None,
            })
            .collect();
        tables.dedup();
        tables
    }

    fn leaf(&mut self, index: usize, leaf: &Leaf, cited_heads: &[usize]) {
        if let LeafKind::Code { code, .. } = &leaf.kind {
            let kind = ClaimKind::Code;
            let range = leaf.range.start..trimmed_end(self.document.text, &leaf.range);
            let text = code.trim_end().to_owned();
            let marked_up = String::new();
            self.out.units.push(Unit {
                marked_up,
                text,
                stated: None,
                named: Vec::new(),
                editor: Vec::new(),
                range,
                kind,
                exempt: true,
                struck: false,
                leaf: index,
                row: None,
            });
            return;
        }
        let plain = self.plain(leaf);
        let mut row = None;
        if let LeafKind::Cell { table, row: number } = leaf.kind {
            row = Some((table, number));
            if self.row.as_ref().is_none_or(|(place, _)| *place != (table, number)) {
                self.row = Some(((table, number), None));
            }
        }
        let mut units = self.units(index, leaf, &plain, row);
        if leaf.kind == LeafKind::Aside {
            units.retain(|(_, unit)| unit.kind != ClaimKind::Meta);
            self.out.units.extend(units.into_iter().map(|(_, unit)| unit));
            return;
        }
        let states = units.iter().any(|(_, unit)| unit.kind != ClaimKind::Meta);
        let judged = match leaf.kind {
            LeafKind::Heading => states || !plain.marks.is_empty(),
            LeafKind::Cell { table, row: 0 } => states || cited_heads.contains(&table),
            _ => true,
        };
        if units.is_empty() {
            self.bind_alone(&plain, leaf);
            return;
        }
        if !judged {
            if leaf.kind == LeafKind::Heading {
                self.heading = units.into_iter().next().map(|(_, unit)| unit);
            }
            return;
        }
        self.heading = None;
        let base = self.out.units.len();
        let ranges: Vec<Range<usize>> = units.iter().map(|(range, _)| range.clone()).collect();
        for (mark, at) in &plain.marks {
            let place = ranges.partition_point(|range| range.end < *at).min(ranges.len() - 1);
            self.out.of_mark[*mark] = Some(base + place);
        }
        self.out.units.extend(units.into_iter().map(|(_, unit)| unit));
        self.last = Some(self.out.units.len() - 1);
        if let (Some((_, last)), true) = (&mut self.row, row.is_some()) {
            *last = self.last;
        }
    }

    /// Binds the markers of a block that has no words of its own.
    fn bind_alone(&mut self, plain: &Plain, leaf: &Leaf) {
        if plain.marks.is_empty() {
            return;
        }
        if !matches!(leaf.kind, LeafKind::Cell { .. })
            && let Some(heading) = self.heading.take()
        {
            // Only code, which no marker cites, can stand between the heading and here.
            let place = self.out.units.partition_point(|unit| unit.range.start < heading.range.start);
            self.out.units.insert(place, heading);
            self.last = Some(place);
        }
        let claim = match (&leaf.kind, &self.row) {
            (LeafKind::Cell { .. }, Some((_, last))) => *last,
            _ => self.last,
        };
        for (mark, _) in &plain.marks {
            self.out.of_mark[*mark] = claim;
        }
    }
}

impl Unit {
    /// What is held against the sources: the sentence, or what it states beside a refusal.
    #[must_use]
    pub fn judged(&self) -> &str {
        self.stated.as_deref().unwrap_or(&self.marked_up)
    }
}

/// End of a range without the white space before it.
fn trimmed_end(text: &str, range: &Range<usize>) -> usize {
    range.start + text[range.clone()].trim_end().len()
}
